"""
Loops that do little for each of their narrow elements: a thread takes as many as it loads and stores at once.

What such a kernel waits for is memory. Four elements of 16 bits, XLA's choice, are 8 bytes; a thread can move 16 by one
instruction. Source: NVIDIA's CUDA programming guide, "Device Memory Accesses".
"""

from collections.abc import Iterable, Sequence
from math import prod

from xdsl.dialects.func import ReturnOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.nullary import ConstantOp, IotaOp
from xshardy.dialects.stablehlo.shape import BroadcastInDimOp
from xshardy.emitters.elemental.kinds import Kind, bits_in_memory, element_type_of, kind_of
from xshardy.emitters.launch_dimensions import MAX_UNROLL, Device
from xshardy.indexing.tensor_maps import minor_to_major

WIDEST_ACCESS = 128
"""Bits that a thread loads or stores at once, at most."""
MOST_ELEMENTS = 16
"""That a thread takes: code for each of them is written out."""
MOST_INPUTS = 3
"""Tensors that are read: all their elements of a thread are in registers together."""
MOST_OPERATIONS = 16
"""For each element; more than that, and the kernel waits for arithmetic."""

CHEAP = frozenset(
    f"stablehlo.{name}"
    for name in (
        "abs",
        "add",
        "and",
        "clamp",
        "compare",
        "convert",
        "maximum",
        "minimum",
        "multiply",
        "negate",
        "not",
        "or",
        "select",
        "shift_left",
        "shift_right_arithmetic",
        "shift_right_logical",
        "subtract",
        "xor",
    )
)
"""What takes an instruction or two, and reads its operands where it is read itself."""

KINDS = frozenset({Kind.PRED, Kind.SIGNED, Kind.UNSIGNED, Kind.FLOAT})
"""Other numbers take many instructions."""


def wide_unroll(roots: Sequence[SSAValue], ops: Iterable[Operation], device: Device) -> int | None:
    """
    How many neighbouring elements a thread of a loop that makes `roots` by `ops` takes: what 16 bytes hold.

    None if it should take no more than other loops: if it computes much, if its elements are wide, if a row ends within
    what a thread takes, or if that would leave the device with fewer threads than other loops may.
    """
    elements, minor = prod(shape_of(roots[0])), _minor_size(roots[0])
    computed = [op for op in ops if not isinstance(op, ConstantOp | IotaOp | BroadcastInDimOp | ReturnOp)]
    if len(computed) > MOST_OPERATIONS or not all(map(_is_cheap, computed)):
        return None
    inputs = {operand for op in computed for operand in op.operands if isinstance(operand, BlockArgument)}
    moved = [*(value for value in inputs if shape_of(value)), *roots]
    if len(moved) - len(roots) > MOST_INPUTS or len({minor_to_major(value) for value in moved}) > 1:
        return None
    unroll = min(MOST_ELEMENTS, WIDEST_ACCESS // max(bits_in_memory(value.type) for value in moved))
    has_threads = elements * MAX_UNROLL >= unroll * device.cores * device.threads_per_core
    return unroll if unroll > MAX_UNROLL and has_threads and minor % unroll == 0 else None


def _is_cheap(op: Operation) -> bool:
    values = (*op.operands, *op.results)
    return op.name in CHEAP and all(kind_of(element_type_of(value.type)) in KINDS for value in values)


def _minor_size(value: SSAValue) -> int:
    """The size of the dimension whose elements are side by side."""
    order = minor_to_major(value)
    return shape_of(value)[order[0]] if order else 1
