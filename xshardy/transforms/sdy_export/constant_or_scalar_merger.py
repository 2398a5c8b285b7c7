"""Merge copies of constants that have equal shardings after propagation."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import ConstantLike

from xshardy.dialects.sdy.ops import ConstantOp
from xshardy.dialects.stablehlo.shape import BroadcastInDimOp
from xshardy.ir.fields import operands_of
from xshardy.rewriting import DecisionPattern, PatternPass
from xshardy.rewriting.memo import numbers_of_equals
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
    number = numbers_of_equals()
    merged: dict[int, int] = {}
    """By the identity of a result, that of the one that replaces it: values hash slowly."""
    earlier: dict[Operation, Operation] = {}

    def numbered(held: Mapping[str, Attribute]) -> Hashable:
        return frozenset([(name, number(attribute)) for name, attribute in held.items()])

    for function in operations_of(module, FuncOp):
        first: dict[Hashable, Operation] = {}
        first_of_parts: dict[Hashable, Operation] = {}
        """By the identities of all parts of an operation: most equal operations share theirs."""
        for op in operations_that(may_be_merged, function, inner_first=True):
            if type(op) is BroadcastInDimOp and not is_scalar_expansion(op):
                continue
            (result,), attributes, properties = op.results, op.attributes, op.properties
            operands = [merged.get(key, key) for key in map(id, operands_of(op))]
            held = (*attributes, *map(id, attributes.values()), None, *properties, *map(id, properties.values()))
            parts = (id(op.parent), id(result.type), *operands, None, *held)
            if (kept := first_of_parts.get(parts)) is None:
                content = (number(result.type), tuple(operands), numbered(attributes), numbered(properties))
                kept = first_of_parts[parts] = first.setdefault((id(op.parent_region()), content), op)
            if kept is not op:
                earlier[op] = kept
                (first_result,) = kept.results
                merged[id(result)] = id(first_result)
    return earlier


@dataclass(frozen=True)
class ReplaceByEarlierEqual(DecisionPattern[Operation, Operation]):
    """`%0 = constant 1; ...; %1 = constant 1; f(%1)` -> `%0 = constant 1; ...; f(%0)`"""

    def rewrite(self, op: Operation, decision: Operation, rewriter: PatternRewriter, /) -> None:
        for result, kept in zip(op.results, decision.results, strict=True):
            rewriter.replace_all_uses_with(result, kept)
        rewriter.erase(op)


@dataclass(frozen=True)
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
