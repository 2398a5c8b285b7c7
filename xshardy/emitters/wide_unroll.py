"""
Unrolling of memory-bound loops over narrow elements: a thread takes as many elements as one load or store moves.

XLA's choice of four elements of 16 bits is 8 bytes; one instruction can move 16, and 32 from Blackwell on. Source:
NVIDIA's CUDA programming guide, "Device Memory Accesses".
"""

from collections.abc import Iterable, Sequence
from math import prod

from xdsl.dialects.func import ReturnOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.nullary import ConstantOp, IotaOp
from xshardy.dialects.stablehlo.shape import BroadcastInDimOp
from xshardy.emitters.elemental.kinds import Kind, bits_in_memory, element_type_of, kind_of
from xshardy.emitters.launch_dimensions import MAX_UNROLL
from xshardy.facts.cost import Amount, cost_of
from xshardy.gpus.devices import Device
from xshardy.indexing.tensor_maps import minor_to_major

MAX_ELEMENTS = 16
"""The maximal unroll factor: the code of each element is replicated."""
MAX_INPUTS = 3
"""The maximal number of inputs: all their elements of a thread are in registers together."""
MAX_OPERATIONS = 16
"""The maximal number of operations per element; with more, the kernel is compute-bound."""

CHEAP_KINDS = frozenset({Kind.PRED, Kind.SIGNED, Kind.UNSIGNED, Kind.FLOAT})
"""
Kinds of cheap arithmetic. Measured: PTX of `sm_90` has 1 to 7 instructions for an operation of these, 17 and more for
one of floats of 8 bits, and 40 for a division of complex numbers.
"""


def wide_unroll(roots: Sequence[SSAValue], ops: Iterable[Operation], device: Device) -> int | None:
    """
    The number of consecutive elements per thread for a loop that computes `roots` by `ops`: those of its widest access.

    None if the usual factor is better: for much computation, wide elements, rows that end within a thread's elements,
    or too few threads for the device.
    """
    elements, minor = prod(shape_of(roots[0])), minor_size(roots[0])
    computed = [op for op in ops if not isinstance(op, ConstantOp | IotaOp | BroadcastInDimOp | ReturnOp)]
    if len(computed) > MAX_OPERATIONS or not all(map(is_cheap, computed)):
        return None
    inputs = {operand for op in computed for operand in op.operands if isinstance(operand, BlockArgument)}
    moved = [*(value for value in inputs if shape_of(value)), *roots]
    if len(moved) - len(roots) > MAX_INPUTS or len({minor_to_major(value) for value in moved}) > 1:
        return None
    unroll = min(MAX_ELEMENTS, device.widest_access // max(bits_in_memory(value.type) for value in moved))
    has_threads = elements * MAX_UNROLL >= unroll * device.cores * device.threads_per_core
    return unroll if unroll > MAX_UNROLL and has_threads and minor % unroll == 0 else None


def is_cheap(op: Operation) -> bool:
    """Whether `op` takes one or two instructions per element."""
    values = (*op.operands, *op.results)
    if cost_of(op).instructions is not Amount.LITTLE:
        return False
    return all(kind_of(element_type_of(value.type)) in CHEAP_KINDS for value in values)


def minor_size(value: SSAValue) -> int:
    """The size of the minor dimension."""
    order = minor_to_major(value)
    return shape_of(value)[order[0]] if order else 1
