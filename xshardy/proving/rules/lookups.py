"""Gathers and scatters: indices that are known at run time only."""

from collections.abc import Sequence

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.slice_dims import SliceDims
from xshardy.indexing.tensor_maps import values_of
from xshardy.proving.kernel import Kernel
from xshardy.proving.rules.whole import Dims, applied_to_whole
from xshardy.proving.views import View

NUMBERS = frozenset({"dimension_numbers", "slice_sizes", "scatter_dimension_numbers"})


def gather(kernel: Kernel, op: stablehlo.GatherOp, operands: Sequence[View]) -> Sequence[View]:
    """Parallel: the dimensions of the indices, batching dimensions, and dimensions of which slices have all."""
    dims, sizes = op.dimension_numbers.dims, values_of(op.slice_sizes)
    tensor, indices, slices = _roles(dims, operands[0].shape, sizes, len(operands[1].shape), len(shape_of(op.result)))
    more = (_unnumbered(dims, tensor, sizes), dims.index_vector == len(operands[1].shape))
    return applied_to_whole(kernel, op, operands, [tensor, indices], [slices], leave_out=NUMBERS, more=more)


def scatter(kernel: Kernel, op: stablehlo.ScatterOp, operands: Sequence[View]) -> Sequence[View]:
    """Parallel: batching dimensions, and dimensions of which updates have all. All updates of these are one sum."""
    dims, count = op.scatter_dimension_numbers.dims, len(op.inputs)
    shape, updates_shape = operands[0].shape, operands[-1].shape
    inner = dims.offset_of(len(shape))
    sizes = [updates_shape[inner[dim]] if dim in inner else 1 for dim in range(len(shape))]
    tensor, indices, updates = _roles(dims, shape, sizes, len(operands[count].shape), len(updates_shape))
    batching = {dims.batch_dims(len(updates_shape))[place] for place in dims.batch_of.values()}
    kept = set(tensor) - {None}
    updates = [dim if dim in kept or place in batching else None for place, dim in enumerate(updates)]
    indices = [dim if dim in kept else None for dim in indices]
    given = [*([tensor] * count), indices, *([updates] * count)]
    taken = tuple(place in dims.offset for place, dim in enumerate(updates) if dim is None)
    more = (_unnumbered(dims, tensor, sizes), dims.index_vector, taken)
    return applied_to_whole(kernel, op, operands, given, [tensor] * count, leave_out=NUMBERS, more=more)


def _roles(
    dims: SliceDims, shape: Sequence[int], sizes: Sequence[int], indices_rank: int, slices_rank: int
) -> tuple[Dims, Dims, Dims]:
    """The parallel dimensions of the tensor, of the indices and of the slices: numbers of dimensions of the slices."""
    batch, inner = dims.batch_dims(slices_rank), dims.offset_of(len(shape))
    tensor: list[int | None] = [None] * len(shape)
    for dim, place in inner.items():
        if dim not in dims.started and sizes[dim] == shape[dim]:
            tensor[dim] = place
    for dim, place in dims.batch_of.items():
        tensor[dim] = batch[place]
    indices: list[int | None] = [None] * indices_rank
    for place, dim in enumerate(d for d in range(indices_rank) if d != dims.index_vector):
        indices[dim] = batch[place]
    slices: list[int | None] = [place if place in batch or place in tensor else None for place in range(slices_rank)]
    return tensor, indices, slices


def _unnumbered(dims: SliceDims, tensor: Dims, sizes: Sequence[int]) -> object:
    """
    What decides beside the parallel dimensions: the sizes of slices along the others, which of them a slice lacks, and the
    component of an index that moves along each.
    """
    return tuple(
        (sizes[dim], dim in dims.collapsed, dims.started.index(dim) if dim in dims.started else None)
        for dim, place in enumerate(tensor)
        if place is None
    )
