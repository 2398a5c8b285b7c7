"""Operations that are alike, as those of repeated layers are, so that what is found for one holds for the others."""

from collections.abc import Hashable

from xdsl.ir import Operation

from xshardy.dialects.sdy.ops import PropagationBarrierOp
from xshardy.rewriting.memo import numbers_of_equals
from xshardy.sharding.rules.registry import has_own_rule
from xshardy.transforms.sdy.op_kinds import traits_of
from xshardy.transforms.sdy.shardable_values import sharding_of


class Likeness:
    """Tells which operations of a module are alike. Compares each attribute once."""

    def __init__(self) -> None:
        self._number = numbers_of_equals()

    def of(self, op: Operation) -> Hashable | None:
        """
        Equal for operations of one class with equal attributes, which hold the shardings of their results, and with
        equal types and shardings of operands.

        None for an operation that depends on more: on its regions, on the definitions of its operands, on the operation
        that it is a part of, or on what a sharding rule that is registered for its class may read.
        """
        kind = type(op)
        if op.regions or not traits_of(kind).is_plain or has_own_rule(kind):
            return None
        number = self._number
        key: list[Hashable] = [kind, len(op.results), *[number(result.type) for result in op.results]]
        for operand in op._operands:  # pyright: ignore[reportPrivateUsage]  # hot path
            if type(operand.owner) is PropagationBarrierOp:  # the sharding before it counts
                return None
            key += (None, number(operand.type), number(sharding_of(operand)))
        for held in (op.attributes, op.properties):
            key.append(len(held))
            for name, attribute in held.items():
                key += (name, number(attribute))
        return tuple(key)
