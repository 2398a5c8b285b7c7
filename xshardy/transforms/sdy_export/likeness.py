"""Operations that are alike, as those of repeated layers are, so that what is found for one holds for the others."""

from collections.abc import Hashable

from xdsl.ir import Attribute, Operation, OpResult

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import PropagationBarrierOp
from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.ir.fields import operands_of
from xshardy.rewriting.memo import numbers_of_equals
from xshardy.sharding.conflicts.reduction_kinds import reduction_kind
from xshardy.sharding.rules.registry import has_own_rule
from xshardy.transforms.sdy.op_kinds import traits_of
from xshardy.transforms.sdy.shardable_values import sharding_of


class Likeness:
    """Tells which operations of a module are alike. Compares each attribute once."""

    def __init__(self) -> None:
        self.number = numbers_of_equals()
        """The same number for equal attributes, types or shardings."""
        self._is_plain: dict[type[Operation], bool] = {}
        self._read_values: dict[tuple[int, int], tuple[int, Attribute, TensorShardingAttr | None]] = {}
        """By the identities of a type and a sharding: a number, the same for equal ones, and the two, kept with it."""

    def of(self, op: Operation) -> Hashable | None:
        """
        Equal for operations of one class with equal attributes, which hold the shardings of their results, and with
        equal types and shardings of operands; for reductions, if their bodies also combine elements in the same way.

        None for an operation that depends on more: on other regions, on the definitions of its operands, on the
        operation that it is a part of, or on what a sharding rule that is registered for its class may read.
        """
        kind = type(op)
        if (is_plain := self._is_plain.get(kind)) is None:
            is_plain = self._is_plain[kind] = traits_of(kind).is_plain and not has_own_rule(kind)
        combined_by = reduction_kind(op) if kind is ReduceOp else None
        if not is_plain or (op.regions and combined_by is None):
            return None
        number = self.number
        key: list[Hashable] = [kind, combined_by, len(op.results), *[number(result.type) for result in op.results]]
        for operand in operands_of(op):
            if isinstance(operand, OpResult) and type(operand.op) is PropagationBarrierOp:  # what is before it counts
                return None
            key.append(self._operand(operand.type, sharding_of(operand)))
        for held in (op.attributes, op.properties):
            key.append(len(held))
            for name, attribute in held.items():
                key += (name, number(attribute))
        return tuple(key)

    def _operand(self, type: Attribute, sharding: TensorShardingAttr | None) -> int:
        identities = id(type), id(sharding)
        if (known := self._read_values.get(identities)) is None:
            both = self.number((self.number(type), self.number(sharding)))
            known = self._read_values[identities] = both, type, sharding
        return known[0]
