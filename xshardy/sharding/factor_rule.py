"""
A sharding rule as plain data, for propagation. It is converted to an attribute only when it is written.

Source: Shardy's docs, "Sharding representation" (section "Sharding rule"), and rows SDY-ATTR-06 and SDY-ATTR-13.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, IntAttr

from xshardy.dialects.sdy.attributes.rule import DimMappingAttr, OpShardingRuleAttr, TensorMappingAttr

TensorMapping = tuple[tuple[int, ...], ...]
"""For each dimension of a tensor, its factors, major to minor."""


@dataclass(frozen=True)
class FactorRule:
    """The sizes of factors, in elements, the mappings of operands and results, and the groups of special factors."""

    sizes: tuple[int, ...]
    operands: tuple[TensorMapping, ...]
    results: tuple[TensorMapping, ...]
    reduction: tuple[int, ...] = ()
    need_replication: tuple[int, ...] = ()
    permutation: tuple[int, ...] = ()
    blocked: tuple[int, ...] = ()
    """The factors that do not propagate."""
    is_custom: bool = False
    """Whether it is the user's rule."""

    @classmethod
    def of(cls, rule: OpShardingRuleAttr) -> FactorRule:
        """The rule of an attribute."""
        groups = rule.groups
        return cls(
            tuple(size.data for size in rule.factor_sizes),
            tuple(map(_mapping, rule.operand_mappings)),
            tuple(map(_mapping, rule.result_mappings)),
            groups["reduction"],
            groups["need_replication"],
            groups["permutation"],
            groups["blocked_propagation"],
            bool(rule.is_custom_rule),
        )

    @classmethod
    def identity(cls, shape: Sequence[int], operands: int = 1) -> FactorRule:
        """The rule of this number of operands and one result, all of this shape and sharded alike."""
        mapping = tuple((factor,) for factor in range(len(shape)))
        return cls(tuple(shape), (mapping,) * operands, (mapping,))

    @cached_property
    def special(self) -> frozenset[int]:
        """The factors that are not pass-through: sharding them costs communication."""
        return frozenset((*self.reduction, *self.need_replication, *self.permutation))

    @cached_property
    def is_uniform(self) -> bool:
        """Whether all tensors have the same mapping, so that tensors with equal shardings agree on all factors."""
        return len({*self.operands, *self.results}) == 1

    @cached_property
    def attribute(self) -> OpShardingRuleAttr:
        """The rule as an attribute."""
        return OpShardingRuleAttr(
            _integers(self.sizes),
            _tensor_mappings(self.operands),
            _tensor_mappings(self.results),
            _integers(self.reduction),
            _integers(self.need_replication),
            _integers(self.permutation),
            _integers(self.blocked),
            _CUSTOM if self.is_custom else _NOT_CUSTOM,
        )


def _mapping(tensor: TensorMappingAttr) -> TensorMapping:
    return tuple(dim.factors for dim in tensor.dim_mappings)


# Attributes are slow to construct and rules have few distinct parts, so attributes of parts are shared.


_CUSTOM, _NOT_CUSTOM = BoolAttr.from_bool(True), BoolAttr.from_bool(False)


@lru_cache(maxsize=4096)
def _integers(values: tuple[int, ...]) -> ArrayAttr[IntAttr]:
    return ArrayAttr(map(IntAttr, values))


@lru_cache(maxsize=4096)
def _tensor_mappings(tensors: tuple[TensorMapping, ...]) -> ArrayAttr[TensorMappingAttr]:
    return ArrayAttr(map(_tensor_mapping, tensors))


@lru_cache(maxsize=4096)
def _tensor_mapping(dims: TensorMapping) -> TensorMappingAttr:
    return TensorMappingAttr(map(_dim_mapping, dims))


@lru_cache(maxsize=4096)
def _dim_mapping(factors: tuple[int, ...]) -> DimMappingAttr:
    return DimMappingAttr(_integers(factors))
