"""Which operations compute no numbers but only move elements, and which compute each element by itself."""

from collections.abc import Mapping
from enum import Enum, auto

from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.shapes import shape_of


class Movement(Enum):
    """Where the elements of a result come from."""

    GENERATED = auto()
    """From no operand."""
    REARRANGED = auto()
    """Each is one element of the operand: an indexing map describes the operation completely."""
    SELECTED = auto()
    """Each is one element of an operand, or a given one: comparisons or indices known at run time say which."""


MOVEMENTS: Mapping[type[Operation], Movement] = {
    stablehlo.BroadcastInDimOp: Movement.REARRANGED,
    stablehlo.ConcatenateOp: Movement.SELECTED,
    stablehlo.ConstantOp: Movement.GENERATED,
    stablehlo.DynamicSliceOp: Movement.SELECTED,
    stablehlo.GatherOp: Movement.SELECTED,
    stablehlo.IotaOp: Movement.GENERATED,
    stablehlo.PadOp: Movement.SELECTED,
    stablehlo.PartitionIdOp: Movement.GENERATED,
    stablehlo.ReplicaIdOp: Movement.GENERATED,
    stablehlo.ReshapeOp: Movement.REARRANGED,
    stablehlo.ReverseOp: Movement.REARRANGED,
    stablehlo.SliceOp: Movement.REARRANGED,
    stablehlo.TransposeOp: Movement.REARRANGED,
}
"""The operations that only move elements. `hlo.bitcast` moves none: the emitters take it as a rearrangement."""

VIEWS = frozenset[type[Operation]]({stablehlo.ReshapeOp, stablehlo.TransposeOp})
"""Operations whose result is the operand in another layout; what contracts tensors reads any layout."""


def is_generated(op: object) -> bool:
    """Whether `op` computes its result from no operand."""
    return isinstance(op, Operation) and MOVEMENTS.get(type(op)) is Movement.GENERATED


def is_rearrangement(op: Operation) -> bool:
    """Whether each element of the result is one element of the operand, at an index known at compile time."""
    return MOVEMENTS.get(type(op)) is Movement.REARRANGED


def is_elementwise(op: Operation) -> bool:
    """Whether each element is computed from those at the same index."""
    return op.has_trait(Elementwise, value_if_unregistered=False) or is_elementwise_bitcast(op)


def is_elementwise_bitcast(op: Operation) -> bool:
    """Whether `op` is a bitcast between elements of the same width, which keeps the shape."""
    return type(op) is stablehlo.BitcastConvertOp and shape_of(op.operand) == shape_of(op.result)


def is_computed_by_element(op: Operation) -> bool:
    """Whether an element of the result is computed from at most one element of each operand."""
    return type(op) in MOVEMENTS or is_elementwise(op)
