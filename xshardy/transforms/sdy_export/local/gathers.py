"""Gathers: each device gathers from its part, and zeros where another device has the slice."""

from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import zeros
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.sdy_export.local.before import Before, Rewrite, Whole, refuse
from xshardy.transforms.sdy_export.local.contractions import require_reduction
from xshardy.transforms.sdy_export.local.indices import Indexing
from xshardy.transforms.sdy_export.local.writer import LocalWriter


def _points(op: stablehlo.GatherOp, source: Whole) -> list[int]:
    """The sharded dimensions of which a slice has one element, on one device; batches go with their indices."""
    batching = op.dimension_numbers.operand_batching_dims.get_values()
    sizes = op.slice_sizes.get_values()
    return [dim for dim, size in enumerate(sizes) if size == 1 and dim not in batching and source.parts(dim) > 1]


def _local_sizes(op: stablehlo.GatherOp, source: Whole) -> list[int]:
    """The sizes of a slice of a part. Raises `OperationFailedException` if slices reach over several parts."""
    batching = op.dimension_numbers.operand_batching_dims.get_values()
    sizes = list(op.slice_sizes.get_values())
    for dim, size in enumerate(sizes):
        if size == 1 or dim in batching or source.parts(dim) == 1:
            continue
        if size != source.shape[dim]:
            raise refuse(
                op,
                f"operand dimension {dim} is sharded, and slices have {size} of its {source.shape[dim]} elements: "
                "let sdy-insert-explicit-reshards replicate it",
            )
        sizes[dim] = source.local.get_shape()[dim]
    return sizes


def gather(op: stablehlo.GatherOp, before: Before) -> Rewrite | None:
    """
    The same slices of each part.

    Where the operand is sharded in a dimension of which a slice has one element, a device has the slices whose index is
    in its part, and zeros for the others; the all-reduce behind it adds them up.
    """
    source, _ = before.operands
    if source.is_replicated:
        return None
    points, sizes = _points(op, source), _local_sizes(op, source)
    if points:
        axes = [axis for dim in points for axis in source.axes(dim)]
        require_reduction(op, axes, before, "gather")

    def slices(indices: SSAValue) -> stablehlo.GatherOp:
        return stablehlo.GatherOp.create(
            operands=[op.operand, indices],
            result_types=op.result_types,
            properties={**op.properties, "slice_sizes": integers(sizes)},
            attributes=op.attributes,
        )

    def of_parts(writer: LocalWriter) -> None:
        Rewriter.replace_op(op, slices(op.start_indices))

    def of_own_part(writer: LocalWriter) -> None:
        numbers = op.dimension_numbers
        indexing = Indexing(
            op.start_indices, numbers.index_vector_dim.data, numbers.start_index_map.get_values(), source, points
        )
        indices, inside = op.start_indices, None
        if not indexing.is_local:
            indices, inside = indexing.clamped(writer).local_and_inside(writer)
        mask = _both(inside, indexing.has_first(writer), writer)
        found = writer.insert(slices(indices))
        if inside is not None:
            mask = indexing.all_components(mask, writer)
        type = tensor_type(found)
        offsets = numbers.offset_dims.get_values()
        batches = [dim for dim in range(type.get_num_dims()) if dim not in offsets]
        dims = batches if tensor_type(mask).get_num_dims() else []
        mask = writer.insert(stablehlo.BroadcastInDimOp(mask, dims, TensorType(i1, type.get_shape())))
        zero = writer.constant(zeros(type))
        Rewriter.replace_op(op, [], [writer.insert(stablehlo.SelectOp(mask, found, zero))])

    return of_own_part if points else of_parts


def _both(inside: SSAValue | None, first: SSAValue | None, writer: LocalWriter) -> SSAValue:
    """Where both masks hold; the second one is a scalar. One of them is there."""
    if inside is None or first is None:
        mask = inside if first is None else first
        assert mask is not None
        return mask
    first = writer.insert(stablehlo.BroadcastInDimOp(first, [], inside.type))
    return writer.insert(stablehlo.AndOp(inside, first))
