"""Merge copies of constants that have equal shardings after propagation."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import ConstantLike

from xshardy.dialects.sdy.ops import ConstantOp
from xshardy.dialects.stablehlo.shape import BroadcastInDimOp
from xshardy.rewriting import DecisionPattern, PatternPass
from xshardy.rewriting.memo import once_per_object
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
    numbers: dict[Attribute, int] = {}
    merged: dict[int, SSAValue] = {}
    """By the identity of a result, the one that replaces it: values hash slowly."""
    earlier: dict[Operation, Operation] = {}
    holders: dict[tuple[object, ...], int] = {}
    """By the names of attributes and their identities: what `number_of_all` returned."""
    contents: dict[frozenset[tuple[str, int]], int] = {}

    @once_per_object
    def number(attribute: Attribute) -> int:
        return numbers.setdefault(attribute, len(numbers))

    def number_of_all(held: Mapping[str, Attribute]) -> int:
        """The same number for equal properties or attributes. Most operations share those that are equal."""
        key = (*held, *map(id, held.values()))
        if (known := holders.get(key)) is None:
            content = frozenset([(name, number(attribute)) for name, attribute in held.items()])
            known = holders[key] = contents.setdefault(content, len(contents))
        return known

    def identity(op: Operation) -> Hashable:
        return (
            id(op.parent_region()),
            *[id(merged.get(id(operand), operand)) for operand in op._operands],  # pyright: ignore[reportPrivateUsage]
            *[number(result.type) for result in op.results],
            number_of_all(op.attributes),
            number_of_all(op.properties),
        )

    for function in operations_of(module, FuncOp):
        first: dict[Hashable, Operation] = {}
        for op in operations_that(may_be_merged, function, inner_first=True):
            if type(op) is not BroadcastInDimOp or is_scalar_expansion(op):
                kept = first.setdefault(identity(op), op)
                if kept is not op:
                    earlier[op] = kept
                    merged[id(op.results[0])] = kept.results[0]
    return earlier


@dataclass(frozen=True)
class ReplaceByEarlierEqual(DecisionPattern[Operation, Operation]):
    """`%0 = constant 1; ...; %1 = constant 1; f(%1)` -> `%0 = constant 1; ...; f(%0)`"""

    def rewrite(self, op: Operation, decision: Operation, rewriter: PatternRewriter, /) -> None:
        rewriter.replace_all_uses_with(op.results[0], decision.results[0])
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
