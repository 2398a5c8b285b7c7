"""
Scatter, element by element: a loop over all slices of the updates combines those that contain the element.

Used if the scatter cannot be done in place. Updates of one element are combined in the order of the index vectors.
Source: rows XGPU-08, XGPU-14; StableHLO's specification of `scatter`.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue

from xshardy.affine.expressions import sym
from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects.stablehlo.scatter import ScatterOp
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.indices import Indices, in_domain, loop_over
from xshardy.emitters.operations.operands import Operands
from xshardy.emitters.reads import INDICES, UPDATES
from xshardy.emitters.scatter.slices import Slices


def scatter(operands: Operands, op: ScatterOp, indices: Indices) -> Sequence[SSAValue]:
    """The element of each operand, combined with its updates slice by slice."""
    count = len(op.inputs)
    before = [operands.operand(op, i, indices) for i in range(count)]
    slices = Slices(op)
    variables = [sym(i) for i in range(len(slices.shape))]
    numbers = IndexingMap.from_tensor_sizes(variables, slices.operand_shape, slices.shape)
    updates = operands.reads(op)[count + 1].map.symbols_to_dimensions()
    sizes = (*slices.operand_shape, *slices.shape, *(slices.last_start(d) + 1 for d in slices.started))

    def body(s: Scalars, ivs: Indices, number: Indices, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        along = [(s.constant(i, IndexType()),) for i in range(len(slices.started))] if slices.has_vectors else [()]
        components = [operands.part(op, INDICES, s, indices, (*number, *component))[0] for component in along]
        starts = slices.starts(s, components)
        is_in_slice = in_domain(s, updates, sizes, (*indices, *number, *starts))
        condition = s.all_of([slices.is_inside(s, components, starts), is_in_slice])

        def combine(inner: Scalars) -> Sequence[SSAValue]:
            new = operands.part(op, UPDATES, inner, indices, (*number, *starts))
            return operands.apply_body(op, inner, [*carried, *new])

        return s.branch_all(condition, carried, combine)

    return loop_over(operands.s, numbers, indices, before, body)
