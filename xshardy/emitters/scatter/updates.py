"""
The scatter of individual updates: each thread takes consecutive updates of one slice.

Updates of one element by several threads are atomic, unless the indices are stated to be unique.
"""

from math import gcd, prod

from xdsl.ir import SSAValue

from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects.shapes import shape_of
from xshardy.emitters.analysis import Emission
from xshardy.emitters.elemental.kinds import element_type_of
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.indices import Indices, apply_map, in_domain, loop_over
from xshardy.emitters.kernel import Values
from xshardy.emitters.launch_dimensions import LaunchDimensions, unroll_factor, unrolled_launch
from xshardy.emitters.loop import thread_to_element
from xshardy.emitters.scatter.kernel import ScatterFusion, ScatterKernel
from xshardy.indexing.tensor_maps import minor_to_major


def emit_updates(scatter: ScatterFusion, entry_name: str) -> Emission:
    """The kernel of a scatter, and its functions, in a new module."""
    op, slices, launch = scatter.op, scatter.slices, _launch(scatter)
    kernel = ScatterKernel(scatter, launch, entry_name)
    s, outputs = kernel.s, kernel.entry.outputs
    if not prod(shape_of(op.updates[0])) or not prod(shape_of(op.inputs[0])):
        return kernel.module(outputs)
    updates = thread_to_element(op.updates[0], launch, kernel.variables)
    first = updates.bind({}, {0: 0}).simplify()
    numbers = apply_map(s, first.with_results(first.results[d] for d in slices.slice_dims), kernel.ids)

    def emit_slice(inner: Scalars) -> Values:
        """Scatter the updates of a thread, all in one slice."""
        components = kernel.index_vector(inner, numbers)
        starts = slices.starts(inner, components)
        inside = slices.is_inside(inner, components, starts)
        return inner.branch_all(inside, outputs, lambda innermost: emit_elements(innermost, starts))

    def emit_elements(inner: Scalars, starts: Values) -> Values:
        def body(b: Scalars, ivs: Indices, indices: Indices, carried: Values) -> Values:
            number, window = (tuple(indices[d] for d in dims) for dims in (slices.slice_dims, slices.window_dims))
            elements = kernel.updates(b, number, window)
            return kernel.write(b, slices.element(b, number, window, starts), elements, carried)

        return loop_over(inner, updates, kernel.ids, outputs, body)

    return kernel.module(s.branch_all(_has_updates(kernel, first, numbers), outputs, emit_slice))


def _has_updates(kernel: ScatterKernel, first: IndexingMap, numbers: Indices) -> SSAValue:
    """Whether a thread has any updates, as an i1. With consecutive slices the slice number decides."""
    slices = kernel.slices
    if first.constraints and minor_to_major(slices.op.updates[0])[-1:] == slices.slice_dims:
        return kernel.s.compare("ult", numbers[0], slices.count)
    return in_domain(kernel.s, first, [variable.bounds.size for variable in kernel.variables], kernel.ids)


def _launch(scatter: ScatterFusion) -> LaunchDimensions:
    """One thread per few consecutive updates of a slice, or per update."""
    op, device = scatter.op, scatter.fusion.device
    count = prod(shape_of(op.updates[0]))
    unroll = unroll_factor(count, [element_type_of(value.type) for value in op.inputs], [op], device)
    within = gcd(unroll, prod(scatter.slices.window)) if scatter.slices.are_contiguous else 1
    return unrolled_launch(count, within, device)
