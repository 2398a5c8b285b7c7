"""
What it costs to compute an operation in each of the kernels that read it: the bytes that they read.

A fused kernel takes the time of its reads and writes. Computing an element again costs nothing beside them, unless
it takes many instructions.
"""

from collections.abc import Container, Sequence
from math import prod

from xdsl.ir import Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.emitters.elemental.kinds import bits_in_memory
from xshardy.emitters.row_wise.tiling import MAX_THREADS_PER_ROW, MIN_ELEMENTS
from xshardy.facts import movement
from xshardy.facts.cost import Amount, cost_of
from xshardy.gpus.devices import Device
from xshardy.indexing.reduction_dimensions import ReductionDimensions
from xshardy.indexing.tensor_maps import minor_to_major, row_major, values_of

SECTOR = 256
"""The bits that a GPU reads from memory at least. Source: NVIDIA, CUDA C++ Programming Guide, memory accesses."""
FEW = 4
"""How often windows of 2 by 2 read an element where they move by one element, and those of 3 by 3 at most by two."""


def is_computed_by_element(op: Operation) -> bool:
    """`movement.is_computed_by_element`, but for a transpose that a loop reads or writes in parts of sectors."""
    return movement.is_computed_by_element(op) and (
        not isinstance(op, stablehlo.TransposeOp) or moves_whole_sectors(op)
    )


def moves_whole_sectors(op: stablehlo.TransposeOp) -> bool:
    """Whether adjacent elements stay adjacent, so many that a loop reads and writes whole sectors of memory."""
    layouts = {minor_to_major(value) == row_major(shape_of(value)) for value in (op.operand, op.result)}
    shape, kept = shape_of(op.operand), values_of(op.permutation)[-1:]
    return layouts == {True} and kept == (len(shape) - 1,) and shape[-1] * bits_in_memory(op.operand.type) >= SECTOR


def is_cheap(op: Operation) -> bool:
    """Whether `op` computes nothing but indices."""
    return cost_of(op).work is Amount.NONE


def reads_a_few_times(op: Operation) -> bool:
    """Whether `op` is a pooling: a reduction of windows that reads an element at most `FEW` times on average."""
    if not isinstance(op, stablehlo.ReduceWindowOp):
        return False
    reads = prod(op.window_dimensions.get_values()) * prod(shape_of(op.results[0]))
    return reads <= FEW * prod(shape_of(op.inputs[0]))


def pays_to_reread(op: Operation) -> bool:
    """Whether computing `op` a few times takes less than writing its result and reading it."""
    return is_computed_by_element(op) and cost_of(op).work < Amount.MUCH


def pays_to_repeat(op: Operation, read: Sequence[Container[SSAValue]]) -> bool:
    """
    Whether computing `op` in several kernels, which read the values `read`, moves fewer bytes than writing its result.

    The first kernel may write the result while it computes it: then this writes it once, and the others read it.
    """
    if is_cheap(op):
        return True
    if not pays_to_reread(op):
        return False
    more = sorted(_bits_read(op, known) for known in read)
    return sum(more[1:]) < len(read) * sum(prod(shape_of(each)) * bits_in_memory(each.type) for each in op.results)


def _bits_read(op: Operation, known: Container[SSAValue]) -> int:
    """The bits of the operands that `op` reads, without those of `known`."""
    sources = {_source(operand) for operand in op.operands if operand not in known}
    computed = prod(shape_of(op.results[0]))
    return sum(
        min(prod(shape_of(value)), computed) * bits_in_memory(value.type)
        for value in sources
        if value not in known and not movement.is_generated(value.owner)
    )


def _source(value: SSAValue) -> SSAValue:
    """What is read for `value`, whose broadcasts and reshapes are computed in each kernel."""
    while isinstance(value.owner, stablehlo.BroadcastInDimOp | stablehlo.ReshapeOp):
        value = value.owner.operand
    return value


def has_enough_rows(dimensions: ReductionDimensions) -> bool:
    """Whether there is a row for each core, or rows are so short that a block keeps its row in registers."""
    _, rows, minor = dimensions.sizes
    return rows >= Device().cores or minor <= MAX_THREADS_PER_ROW * MIN_ELEMENTS
