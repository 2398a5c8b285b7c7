"""
A sharding rule is built from the loops of an operation: each is a factor, with the dimensions that it walks.

The families of operations beside this module are functions from shapes to factors, and know nothing of IR.
Source: Shardy's docs, "Sharding representation" (section "Sharding rule"), and rows SDY-ATTR-06 and SDY-ATTR-13.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from xdsl.ir import Operation

from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.sharding.factor_rule import FactorRule

Shape = tuple[int, ...]
Dim = int | None
"""A dimension of a tensor; None if the tensor has none for the factor in question."""


class FactorType(Enum):
    """What it takes to shard a factor; the value is the name of its group in a rule."""

    PASS_THROUGH = ""
    REDUCTION = "reduction"
    NEED_REPLICATION = "need_replication"
    PERMUTATION = "permutation"


@dataclass(frozen=True, slots=True)
class Factor:
    """
    A loop of an operation: the dimension that it walks in each operand and result, and its `size` in elements.

    Nothing is propagated along a factor that is `blocked`.
    """

    operand_dims: Sequence[Dim]
    result_dims: Sequence[Dim]
    size: int
    type: FactorType = FactorType.PASS_THROUGH
    blocked: bool = False


class Shapes(NamedTuple):
    """The sizes of the operands and results of an operation, and whether its rule is to be conservative."""

    operands: tuple[Shape, ...]
    results: tuple[Shape, ...]
    conservative: bool = False
    """Whether a dimension may only be mapped to factors whose sizes multiply to its own: no sharding that pads."""

    def factor(
        self, dim: int, size: int, type: FactorType = FactorType.PASS_THROUGH, *, blocked: bool = False
    ) -> Factor:
        """A factor that walks dimension `dim` of every operand and result, scalars aside."""
        return Factor(self.in_operands(dim), self.in_results(dim), size, type, blocked)

    def operand_factor(self, dim: int, size: int, type: FactorType) -> Factor:
        """A factor that walks dimension `dim` of every operand, and no result."""
        return Factor(self.in_operands(dim), self.nowhere_in_results, size, type)

    def result_factor(self, dim: int, size: int, type: FactorType) -> Factor:
        """A factor that walks dimension `dim` of every result, and no operand."""
        return Factor(self.nowhere_in_operands, self.in_results(dim), size, type)

    def in_operands(self, dim: int) -> list[Dim]:
        return [dim if dim < len(shape) else None for shape in self.operands]

    def in_results(self, dim: int) -> list[Dim]:
        return [dim if dim < len(shape) else None for shape in self.results]

    @property
    def nowhere_in_operands(self) -> list[Dim]:
        return [None] * len(self.operands)

    @property
    def nowhere_in_results(self) -> list[Dim]:
        return [None] * len(self.results)


Factors = Iterator[Factor]


def no_parameters(op: Operation) -> tuple[()]:
    """What is read of an operation whose factors follow from its shapes."""
    return ()


class UnknownOperation(Exception):
    """Nobody knows how an operation is sharded; the message is for its author."""


@dataclass(frozen=True, slots=True)
class Row:
    """
    How an operation is sharded: its `factors`, from its shapes and its `parameters`.

    The parameters are all that matters of the operation beside its shapes. They are hashable, and two operations with
    the same shapes and parameters have the same rule. `factors` gives None where there is no rule.
    """

    factors: Callable[[Shapes, Any], Iterable[Factor] | None]
    parameters: Callable[[Any], Hashable] = no_parameters


def factor_rule(shapes: Shapes, factors: Iterable[Factor]) -> FactorRule:
    """
    The rule with `factors`, major to minor where several walk one dimension.

    A factor of size 1 is left out where a dimension has another already. A dimension without a factor gets one of its
    own, of size 1, behind all others: no factor is left of it to shard.
    """
    sizes: list[int] = []
    groups: dict[FactorType, list[int]] = {}
    blocked: list[int] = []
    operands: list[list[list[int]]] = [[[] for _ in shape] for shape in shapes.operands]
    results: list[list[list[int]]] = [[[] for _ in shape] for shape in shapes.results]
    for index, factor in enumerate(factors):
        sizes.append(factor.size)
        if factor.type is not FactorType.PASS_THROUGH:
            groups.setdefault(factor.type, []).append(index)
        if factor.blocked:
            blocked.append(index)
        for mappings, dims in ((operands, factor.operand_dims), (results, factor.result_dims)):
            for mapping, dim in zip(mappings, dims, strict=True):
                if dim is not None and (factor.size != 1 or not mapping[dim]):
                    mapping[dim].append(index)
    for mapping in (*operands, *results):
        for dim in mapping:
            if not dim:
                dim.append(len(sizes))
                sizes.append(1)
    return FactorRule(
        tuple(sizes),
        tuple([tuple(map(tuple, mapping)) for mapping in operands]),
        tuple([tuple(map(tuple, mapping)) for mapping in results]),
        tuple(groups.get(FactorType.REDUCTION, ())),
        tuple(groups.get(FactorType.NEED_REPLICATION, ())),
        tuple(groups.get(FactorType.PERMUTATION, ())),
        tuple(blocked),
    )


def build_rule(shapes: Shapes, factors: Iterable[Factor]) -> OpShardingRuleAttr:
    """`factor_rule` as an attribute, which is what an operation that brings its own rule returns."""
    return factor_rule(shapes, factors).attribute


def pointwise(shapes: Shapes, parameters: object = ()) -> Factors:
    """`([i, j], [i, j])->([i, j])`: a factor per dimension, in all tensors of that rank."""
    return (shapes.factor(dim, size) for dim, size in enumerate(shapes.results[0]))


def pointwise_but_for_mismatch(
    shapes: Shapes, source: Shape, target: Shape, type: FactorType, *, blocked: bool
) -> Factors:
    """Pointwise, but a dimension whose size differs between `source` and `target` has a factor of `type`."""
    for dim, (size, target_size) in enumerate(zip(source, target, strict=True)):
        if size == target_size:
            yield shapes.factor(dim, size)
        else:
            yield shapes.factor(dim, size, type, blocked=blocked)
