"""Merge copies of constants that have equal shardings after propagation."""

from collections.abc import Hashable, Mapping
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import ConstantLike

from xshardy.dialects.sdy.ops import ConstantOp
from xshardy.dialects.stablehlo.shape import BroadcastInDimOp
from xshardy.ir.fields import operands_of
from xshardy.ir.hashing import Key, key_of, keys_of
from xshardy.rewriting import DecisionPattern, PatternPass
from xshardy.rewriting.walk import operations_of, operations_that
from xshardy.transforms.sdy.op_kinds import is_scalar_expansion


def may_be_merged(kind: type[Operation]) -> bool:
    """Whether operations of this class are constants, or broadcasts."""
    return kind in (ConstantOp, BroadcastInDimOp) or kind.has_trait(ConstantLike, value_if_unregistered=False)


def earlier_equals(module: ModuleOp) -> Mapping[Operation, Operation]:
    """
    The first equal operation in the region, for each constant and each broadcast of a scalar that repeats one.

    Equal operations have equal operands after merging, equal types and equal attributes, shardings included. Reads each
    of these operations once.
    """
    first: dict[Hashable, Operation] = {}
    merged: dict[SSAValue, SSAValue] = {}
    """By the result of an operation, that of the one that replaces it."""
    earlier: dict[Operation, Operation] = {}
    for function in operations_of(module, FuncOp):
        for op in operations_that(may_be_merged, function, inner_first=True):
            if type(op) is BroadcastInDimOp and not is_scalar_expansion(op):
                continue
            (result,) = op.results
            operands = tuple([merged.get(operand, operand) for operand in operands_of(op)])
            held = _by_name(op.attributes), _by_name(op.properties)
            kept = first.setdefault((op.parent_region(), key_of(result.type), operands, held), op)
            if kept is not op:
                earlier[op] = kept
                (merged[result],) = kept.results
    return earlier


def _by_name(held: Mapping[str, Attribute]) -> frozenset[tuple[str, Key]]:
    return frozenset(zip(held, keys_of(held.values()), strict=True))


class ReplaceByEarlierEqual(DecisionPattern[Operation, Operation]):
    """`%0 = constant 1; ...; %1 = constant 1; f(%1)` -> `%0 = constant 1; ...; f(%0)`"""

    def rewrite(self, op: Operation, decision: Operation, rewriter: PatternRewriter, /) -> None:
        for result, kept in zip(op.results, decision.results, strict=True):
            rewriter.replace_all_uses_with(result, kept)
        rewriter.erase(op)


class ConstantOrScalarMergerPass(PatternPass):
    """
    Replace each constant, and each broadcast of a scalar, by the first equal one in its region.

    Equality includes shardings and all other attributes. Regions are kept apart, because a sharding may be
    meaningless in another region.
    """

    name = "sdy-constant-or-scalar-merger"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-constant-or-scalar-merger'

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        return (ReplaceByEarlierEqual(earlier_equals(module)),)
