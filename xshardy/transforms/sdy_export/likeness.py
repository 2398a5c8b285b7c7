"""Operations that are alike, as those of repeated layers are, so that what is found for one holds for the others."""

from collections.abc import Hashable
from functools import cache

from xdsl.dialects.builtin import ModuleOp, NoneAttr
from xdsl.ir import Attribute, Operation, OpResult

from xshardy.dialects.sdy.ops import PropagationBarrierOp
from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.ir.fields import operands_of
from xshardy.ir.hashing import keys_of
from xshardy.rewriting.operation_index import index_over, kept_over
from xshardy.sharding.conflicts.reduction_kinds import reduction_kind
from xshardy.sharding.rules.registry import has_own_rule
from xshardy.transforms.sdy.op_kinds import traits_of
from xshardy.transforms.sdy.shardable_values import sharding_of

NO_SHARDING = NoneAttr()


@cache
def _depends_on_more(kind: type[Operation]) -> bool:
    """Whether decisions for operations of a class follow from more than attributes, types and shardings."""
    traits = traits_of(kind)
    return traits.forwards_operands or traits.is_edge or traits.rule_reads_definitions


class Likeness:
    """
    Numbers the operations of a module, those that are alike with the same number.

    In a pipeline, the number of an operation stays until it is modified, or reads other values, or values with other
    types or shardings: five passes of the partitioner ask for it, and it takes 4 us, and 0.2 us when it is known.
    """

    def __init__(self, module: ModuleOp):
        index = index_over(module)
        self._known = None if index is None else index.numbers
        self._numbers: dict[Hashable, int] = kept_over(module, Likeness, dict[Hashable, int])

    def of(self, op: Operation) -> int | None:
        """The number of `op`; None if it depends on more than `alike` reads."""
        if self._known is None:
            return self._number(op)
        operands, number = self._known.get(op, (None, None))
        if operands is not operands_of(op):
            number = self._number(op)
            self._known[op] = operands_of(op), number
        return number

    def _number(self, op: Operation) -> int | None:
        key = alike(op)
        return None if key is None else self._numbers.setdefault(key, len(self._numbers))


def alike(op: Operation) -> Hashable | None:
    """
    Equal for operations of one class with equal attributes, which hold the shardings of their results, and with equal
    types and shardings of operands; for reductions, if their bodies also combine elements in the same way.

    None for an operation that depends on more: on other regions, on the definitions of its operands, on the operation
    that it is a part of, or on what a sharding rule that is registered for its class may read.
    """
    kind = type(op)
    combined_by = reduction_kind(op) if kind is ReduceOp else None
    if _depends_on_more(kind) or has_own_rule(kind) or (op.regions and combined_by is None):
        return None
    held: list[Attribute] = [result.type for result in op.results]
    for operand in operands_of(op):
        if type(operand) is OpResult and type(operand.op) is PropagationBarrierOp:  # what is before it counts
            return None
        held += (operand.type, sharding_of(operand) or NO_SHARDING)
    attributes, properties = op.attributes, op.properties
    held += (*attributes.values(), *properties.values())
    return kind, combined_by, len(op.results), tuple(attributes), tuple(properties), keys_of(held)
