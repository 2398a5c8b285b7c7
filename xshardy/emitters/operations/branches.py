"""Operations that branch on the index to select an operand: pad and concatenate. Source: XGPU-16."""

from collections.abc import Sequence

from xdsl.ir import SSAValue

from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.shape import ConcatenateOp, PadOp
from xshardy.emitters.elemental.kinds import element_type_of, emitted_type
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.indices import Indices, in_domain
from xshardy.emitters.operations.operands import Operands


def pad(operands: Operands, op: PadOp, indices: Indices) -> Sequence[SSAValue]:
    """The operand where the indices are in the domain of its map, otherwise the padding value."""
    read, shape = operands.reads(op)[0], shape_of(op.result)
    if read.part is None:
        return (operands.operand(op, 0, indices),)
    padding = operands.operand(op, 1, indices)
    inside = in_domain(operands.s, read.map, shape, indices)
    return (operands.s.branch(inside, padding.type, lambda s: operands.part(op, 0, s, indices)[0], lambda _: padding),)


def concatenate(operands: Operands, op: ConcatenateOp, indices: Indices) -> Sequence[SSAValue]:
    """Select the operand whose range along the dimension contains the index. Skips empty operands."""
    axis = op.dimension.value.data
    candidates = [i for i, operand in enumerate(op.inputs) if shape_of(operand)[axis]]
    element_type = emitted_type(element_type_of(op.result.type))

    def emit(s: Scalars, remaining: Sequence[int]) -> SSAValue:
        i, *others = remaining
        read = operands.reads(op)[i]
        if read.part is None:
            return operands.operand(op, i, indices)
        if not others:
            return operands.part(op, i, s, indices)[0]
        is_here = s.compare("sle", indices[axis], read.map.dimension_intervals[axis].upper)
        return s.branch(
            is_here,
            element_type,
            lambda inner: operands.part(op, i, inner, indices)[0],
            lambda inner: emit(inner, others),
        )

    return (emit(operands.s, candidates),)
