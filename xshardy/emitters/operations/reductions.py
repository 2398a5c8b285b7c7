"""
Operations that apply a computation to elements: reduce and reduce-window (also variadic), and map.

A reduction is a loop that carries the accumulators. Source: rows XGPU-07, XGPU-14, XGPU-24.
"""

from collections.abc import Sequence
from itertools import repeat

from xdsl.ir import SSAValue

from xshardy.dialects.stablehlo.reduction import MapOp, ReduceOp
from xshardy.dialects.stablehlo.windows import ReduceWindowOp
from xshardy.emitters.elemental.conversions import convert
from xshardy.emitters.elemental.kinds import element_type_of
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.indices import Indices, loop_over
from xshardy.emitters.operations.operands import Operands


def reduce(operands: Operands, op: ReduceOp | ReduceWindowOp, indices: Indices) -> Sequence[SSAValue]:
    """
    Combine the elements of each input one by one, starting from the initial values.

    The body may compute in wider types than the inputs have. Padding of a window is skipped.
    """
    count = len(op.inputs)
    inits = [operands.operand(op, count + i, indices) for i in range(count)]
    sources = [element_type_of(value.type) for value in (*op.init_values, *op.inputs)]
    targets = [element_type_of(argument.type) for argument in op.body.block.args]

    def body(s: Scalars, variables: Indices, results: Indices, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        elements = operands.part(op, 0, s, indices, variables)
        wide = map(convert, repeat(s), elements, sources[count:], targets[count:])
        return operands.apply_body(op, s, [*carried, *wide])

    starts = list(map(convert, repeat(operands.s), inits, sources, targets))
    return loop_over(operands.s, operands.reads(op)[0].map, indices, starts, body)


def map_(operands: Operands, op: MapOp, indices: Indices) -> Sequence[SSAValue]:
    """Apply the computation to one element of each operand."""
    elements = [operands.operand(op, i, indices) for i in range(len(op.operands))]
    return operands.apply_body(op, operands.s, elements)
