"""
Operations that read at indices computed at run time: dynamic slice, dynamic update slice, gather.

Start indices are clamped so that the slice is inside of the operand. Source: rows XGPU-15, XGPU-18; StableHLO's
specification of `dynamic_slice`, `dynamic_update_slice` and `gather`.
"""

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue

from xshardy.dialects.extensions.arith import IndexCastUIOp
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.gather import GatherOp
from xshardy.dialects.stablehlo.slicing import DynamicSliceOp, DynamicUpdateSliceOp
from xshardy.emitters.elemental.kinds import Kind, element_type_of, emitted_type, kind_of
from xshardy.emitters.elemental.scalars import Scalars, width_of
from xshardy.emitters.indices import Indices
from xshardy.emitters.operations.operands import Operands
from xshardy.indexing.tensor_maps import values_of


def clamped_start(s: Scalars, start: SSAValue, is_signed: bool, last: int) -> SSAValue:
    """The integer `start` as an index, clamped to [0, last]; negative values occur only if `is_signed`."""
    if last == 0:
        return s.constant(0, IndexType())
    largest = (1 << (width_of(start) - is_signed)) - 1
    if is_signed:
        start = s(arith.MaxSIOp(start, s.constant(0, start.type)))
    if last < largest:
        limit = s.constant(last, start.type)
        start = s(arith.MinSIOp(start, limit) if is_signed else arith.MinUIOp(start, limit))
    return s((arith.IndexCastOp if is_signed else IndexCastUIOp)(start, IndexType()))


def _starts(
    operands: Operands, op: DynamicSliceOp | DynamicUpdateSliceOp, indices: Indices, whole: SSAValue, part: SSAValue
) -> Indices:
    """The clamped start index in each dimension."""
    first = len(op.operands) - len(op.start_indices)
    starts: list[SSAValue] = []
    for d, (size, part_size) in enumerate(zip(shape_of(whole), shape_of(part), strict=True)):
        is_signed = kind_of(element_type_of(op.start_indices[d].type)) is Kind.SIGNED
        start = operands.operand(op, first + d, indices)
        starts.append(clamped_start(operands.s, start, is_signed, size - part_size))
    return tuple(starts)


def dynamic_slice(operands: Operands, op: DynamicSliceOp, indices: Indices) -> Sequence[SSAValue]:
    starts = _starts(operands, op, indices, op.operand, op.result)
    return operands.part(op, 0, operands.s, indices, starts)


def dynamic_update_slice(operands: Operands, op: DynamicUpdateSliceOp, indices: Indices) -> Sequence[SSAValue]:
    """The update where the indices are inside of it, otherwise the operand."""
    shape, update_shape = shape_of(op.result), shape_of(op.update)
    if 0 in update_shape:
        return operands.part(op, 0, operands.s, indices)
    s = operands.s
    starts = _starts(operands, op, indices, op.result, op.update)
    checks: list[SSAValue] = []
    for index, start, size, part in zip(indices, starts, shape, update_shape, strict=True):
        if part < size:
            end = s(arith.AddiOp(start, s.constant(part, IndexType())))
            checks += [s.compare("sge", index, start), s.compare("slt", index, end)]
    if not checks:
        return operands.part(op, 1, s, indices, starts)
    return (
        s.branch(
            s.all_of(checks),
            emitted_type(element_type_of(op.result.type)),
            lambda inner: operands.part(op, 1, inner, indices, starts)[0],
            lambda inner: operands.part(op, 0, inner, indices)[0],
        ),
    )


def gather(operands: Operands, op: GatherOp, indices: Indices) -> Sequence[SSAValue]:
    """
    The operand at the start index vector, read component by component, plus the offset in the slice.

    Handles gathers of any form. In the simplified form of row XGPU-18, dimension 0 numbers the slices.
    """
    s, read = operands.s, operands.reads(op)[1]
    is_signed = kind_of(element_type_of(op.start_indices.type)) is Kind.SIGNED
    shape, sizes = shape_of(op.operand), values_of(op.slice_sizes)
    starts: list[SSAValue] = []
    for component, d in enumerate(op.dimension_numbers.dims.started):
        symbols = (s.constant(component, IndexType()),) if read.is_repeated else ()
        start = operands.operand(op, 1, indices, symbols)
        starts.append(clamped_start(s, start, is_signed, shape[d] - sizes[d]))
    return operands.part(op, 0, s, indices, tuple(starts))
