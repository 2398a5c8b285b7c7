"""
A sharding rule is built from the loops of an operation: each loop is a factor, with the dimensions that it walks.

The families of operations beside this module are functions from shapes to factors, without IR.
Source: Shardy's docs, "Sharding representation" (section "Sharding rule"), and rows SDY-ATTR-06 and SDY-ATTR-13.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from math import prod
from typing import Any, NamedTuple

from xdsl.ir import Operation

from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.sharding.factor_rule import FactorRule

Shape = tuple[int, ...]
Dim = int | None
"""A dimension of a tensor that a factor walks; None if the factor walks no dimension of the tensor."""


class FactorType(Enum):
    """What sharding a factor costs; the value is the name of its group in a rule."""

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
    """The shapes of the operands and results of an operation, and whether to build a conservative rule."""

    operands: tuple[Shape, ...]
    results: tuple[Shape, ...]
    conservative: bool = False
    """Whether the sizes of the factors of each dimension must multiply to the size of the dimension: no padding."""

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
    """The parameters of an operation whose factors depend on its shapes only."""
    return ()


class UnknownOperation(Exception):
    """No rule is registered for an operation; the message is for the author of the module."""


class InvalidRule(ValueError):
    """A sharding rule does not fit its operation; the message is for the author of the rule."""


@dataclass(frozen=True, slots=True)
class Row:
    """
    The sharding rule of a class of operations: its `factors`, computed from shapes and `parameters`.

    `parameters` reads everything else that the rule depends on, as a hashable value: operations with equal shapes and
    parameters share a rule. `factors` returns None if an operation has no rule.
    """

    factors: Callable[[Shapes, Any], Iterable[Factor] | None]
    parameters: Callable[[Any], Hashable] = no_parameters


def factor_rule(shapes: Shapes, factors: Iterable[Factor]) -> FactorRule:
    """
    The rule with `factors`, major to minor where several walk one dimension.

    A factor of size 1 is omitted from a dimension that already has a factor. A dimension without factors gets one of
    size 1, after all others, so that it is not sharded.
    Raises `InvalidRule` if a factor does not have an entry for each tensor, or names a dimension that does not exist.
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
        for what, mappings, dims in (
            ("operand", operands, factor.operand_dims),
            ("result", results, factor.result_dims),
        ):
            if len(mappings) != len(dims):
                raise InvalidRule(
                    f"factor {index} (size {factor.size}) has {len(dims)} {what} dimensions for {len(mappings)} {what}s"
                    f": give one for each {what}, None for a tensor that it does not walk"
                )
            for tensor, (mapping, dim) in enumerate(zip(mappings, dims, strict=True)):
                if dim is None:
                    continue
                if not 0 <= dim < len(mapping):
                    raise InvalidRule(
                        f"factor {index} (size {factor.size}) walks dimension {dim} of {what} {tensor}, which has rank "
                        f"{len(mapping)}: give a dimension below the rank, or None"
                    )
                if factor.size != 1 or not mapping[dim]:
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
    """`factor_rule` as an attribute, for implementations of `ShardingRuleOpInterface`."""
    return factor_rule(shapes, factors).attribute


def check_sizes(rule: FactorRule, shapes: Shapes) -> None:
    """
    Raise `InvalidRule` if a dimension with pass-through and reduction factors only has another size than their product.

    A dimension that also has a permutation or need-replication factor may be larger or smaller, as that of a slice is.
    """
    exempt = {*rule.permutation, *rule.need_replication}
    of_operands, of_results = (shapes.operands, rule.operands), (shapes.results, rule.results)
    for what, (tensors, mappings) in (("operand", of_operands), ("result", of_results)):
        for tensor, (shape, mapping) in enumerate(zip(tensors, mappings, strict=True)):
            for dim, (size, factors) in enumerate(zip(shape, mapping, strict=True)):
                product = prod(rule.sizes[factor] for factor in factors)
                if product == size or product == 1 or not exempt.isdisjoint(factors):
                    continue
                sizes = " x ".join(f"{rule.sizes[factor]} (factor {factor})" for factor in factors)
                raise InvalidRule(
                    f"dimension {dim} of {what} {tensor} has size {size}, but its factors have {sizes}: correct a size "
                    "or a dimension, or make the factor a permutation or need_replication factor"
                )


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
