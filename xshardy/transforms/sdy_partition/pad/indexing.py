"""
Gathers, scatters and dynamic slices of padded tensors.

An index that is out of bounds is moved into bounds, or its update is dropped, by the bounds of the tensor without
padding.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr, TensorType, i1
from xdsl.ir import Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import dense_values
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.types import largest_integer, tensor_type
from xshardy.transforms.sdy_partition.local.scatters import window_dims
from xshardy.transforms.sdy_partition.pad.padded_tensors import PaddedTensor, PaddedTensors, Shape
from xshardy.transforms.sdy_partition.pad.padding_code import PaddingCode, shape_of
from xshardy.transforms.sdy_partition.pad.padding_pattern import PaddingPattern


def _at_most(index: SSAValue, bounds: Sequence[int], vector_dim: int, code: PaddingCode) -> SSAValue:
    """
    `minimum %index, %bounds`: each component of the indices is at most its bound.

    Components lie along `vector_dim`. A single bound holds for all elements of `index`.
    """
    type = tensor_type(index)
    bounds = [min(bound, largest_integer(type.element_type)) for bound in bounds]
    is_vector = len(bounds) > 1
    limits = code.constant(dense_values(TensorType(type.element_type, [len(bounds)] if is_vector else []), bounds))
    if type.get_shape():
        limits = code.insert(stablehlo.BroadcastInDimOp(limits, [vector_dim] if is_vector else [], type))
    return code.insert(stablehlo.MinOp(index, limits))


# -- Gathers ----------------------------------------------------------------------------------------------------------


def _slice_sizes(op: stablehlo.GatherOp, source: PaddedTensor) -> list[int]:
    """The sizes of slices: those that have all of a dimension have its padding too."""
    numbers, sizes = op.dimension_numbers, op.slice_sizes.get_values()
    dropped = (*numbers.collapsed_slice_dims.get_values(), *numbers.operand_batching_dims.get_values())
    return [
        source.padded[dim] if size == source.shape[dim] and dim not in dropped else size
        for dim, size in enumerate(sizes)
    ]


def _gathered_shape(op: stablehlo.GatherOp, sizes: Sequence[int], indices: Shape) -> Shape:
    """The shape of the result for slices of `sizes` at `indices`, a tensor of this shape."""
    numbers = op.dimension_numbers
    dropped = (*numbers.collapsed_slice_dims.get_values(), *numbers.operand_batching_dims.get_values())
    offsets = iter([size for dim, size in enumerate(sizes) if dim not in dropped])
    batches = iter([size for dim, size in enumerate(indices) if dim != numbers.index_vector_dim.data])
    offset_dims = numbers.offset_dims.get_values()
    rank = len(sizes) - len(dropped) + len(indices) - (numbers.index_vector_dim.data < len(indices))
    return tuple(next(offsets if dim in offset_dims else batches) for dim in range(rank))


def _batches_match(tensor: PaddedTensor, dims: Sequence[int], indices: PaddedTensor, index_dims: Sequence[int]) -> bool:
    """Whether batching dimensions of a tensor and of indices have equal sizes after padding."""
    pairs = zip(dims, index_dims, strict=True)
    return all(tensor.padded[dim] == indices.padded[index_dim] for dim, index_dim in pairs)


class PadGather(PaddingPattern[stablehlo.GatherOp, PaddedTensor]):
    """
    `gather %a, %i, sizes = [1, 7]` -> `gather %a, (minimum %i, 6), sizes = [1, 8]`: indices stay below the padding.

    Requires: index vectors without padding, and equal padding of batching dimensions.
    """

    @staticmethod
    def decide(op: stablehlo.GatherOp, tensors: PaddedTensors) -> PaddedTensor | None:
        """The tensor that is gathered from."""
        numbers, (source, indices), (target,) = op.dimension_numbers, tensors.operands, tensors.results
        batching = numbers.operand_batching_dims.get_values(), numbers.start_indices_batching_dims.get_values()
        fits = (
            numbers.index_vector_dim.data not in indices.padded_dims
            and _batches_match(source, batching[0], indices, batching[1])
            and _gathered_shape(op, _slice_sizes(op, source), indices.padded) == target.padded
        )
        return source if fits else None

    def rewrite(self, op: stablehlo.GatherOp, decision: PaddedTensor, code: PaddingCode) -> None:
        numbers, sizes = op.dimension_numbers, op.slice_sizes.get_values()
        dims = numbers.start_index_map.get_values()
        if any(dim in decision.padded_dims and sizes[dim] < decision.shape[dim] for dim in dims):
            bounds = [decision.shape[dim] - sizes[dim] for dim in dims]
            op.operands[1] = _at_most(op.start_indices, bounds, numbers.index_vector_dim.data, code)
        op.slice_sizes = integers(_slice_sizes(op, decision))
        code.rewriter.notify_op_modified(op)


# -- Scatters ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PaddedIndices:
    """The padded indices of a scatter, and the index that takes the place of padding: it is out of bounds."""

    indices: PaddedTensor
    outside: int


class PadScatter(PaddingPattern[stablehlo.ScatterOp, PaddedIndices | PaddedTensors]):
    """
    `scatter(%a, %i, %u)` -> `scatter(%a, (select %is_valid, %i, 8), %u)`: updates that are padding are dropped.

    Requires: an index that is out of bounds, if indices have padding.

    Refuses: updates of some elements of a padded dimension. If an out-of-range window covered it only in part, clamping
    would write it to the first elements instead of dropping it.
    """

    @staticmethod
    def decide(op: stablehlo.ScatterOp, tensors: PaddedTensors) -> PaddedIndices | PaddedTensors | None:
        """The padding of the indices; all tensors if indices have none, and nothing is to be done."""
        numbers, count = op.scatter_dimension_numbers, len(op.inputs)
        source, indices, update = tensors.operands[0], tensors.operands[count], tensors.operands[count + 1]
        for dim, update_dim in window_dims(op).items():
            is_whole = source.shape[dim] == update.shape[update_dim]
            is_single = update.shape[update_dim] == 1 and update.padded[update_dim] == 1
            matches = (
                source.padded[dim] == update.padded[update_dim] if is_whole else update_dim not in update.padded_dims
            )
            if not matches or (dim in source.padded_dims and not (is_whole or is_single)):
                return None
        vector_dim, windows = numbers.index_vector_dim.data, numbers.update_window_dims.get_values()
        batches = [size for dim, size in enumerate(indices.padded) if dim != vector_dim]
        update_batches = [size for dim, size in enumerate(update.padded) if dim not in windows]
        batching = numbers.input_batching_dims.get_values(), numbers.scatter_indices_batching_dims.get_values()
        alike = (*tensors.operands[:count], *tensors.results), tensors.operands[count + 1 :]
        if (
            any(len({tensor.padded for tensor in group}) > 1 for group in alike)
            or batches != update_batches
            or vector_dim in indices.padded_dims
            or not _batches_match(source, batching[0], indices, batching[1])
        ):
            return None
        if not indices.is_padded:
            return tensors
        dims = numbers.scatter_dims_to_operand_dims.get_values()
        outside = max((source.padded[dim] for dim in dims), default=None)
        if outside is None or outside > largest_integer(tensor_type(op.scatter_indices).element_type):
            return None
        return PaddedIndices(indices, outside)

    def rewrite(self, op: stablehlo.ScatterOp, decision: PaddedIndices | PaddedTensors, code: PaddingCode) -> None:
        if isinstance(decision, PaddedIndices):
            element = tensor_type(op.scatter_indices).element_type
            fill = dense_values(TensorType(element, []), [decision.outside])
            op.operands[len(op.inputs)] = code.masked(op.scatter_indices, decision.indices, fill)
            op.indices_are_sorted = op.unique_indices = IntegerAttr(0, i1)
            code.rewriter.notify_op_modified(op)


# -- Dynamic slices ---------------------------------------------------------------------------------------------------


def _move_starts(op: Operation, first: int, source: PaddedTensor, part: PaddedTensor, code: PaddingCode) -> None:
    """Keep slices of the size of `part` within `source` without padding. They start at operands `first` and on."""
    for dim in source.padded_dims:
        if (last := source.shape[dim] - part.shape[dim]) > 0:
            op.operands[first + dim] = _at_most(op.operands[first + dim], [last], 0, code)
    code.rewriter.notify_op_modified(op)


def _sizes_match(source: PaddedTensor, part: PaddedTensor) -> bool:
    """Whether `part`, a slice of `source`, has padding only where it has all of a dimension, and then the same."""
    return all(
        part.padded[dim] == (source.padded[dim] if part.shape[dim] == extent else part.shape[dim])
        for dim, extent in enumerate(source.shape)
    )


class PadDynamicSlice(PaddingPattern[stablehlo.DynamicSliceOp, PaddedTensors]):
    """
    `dynamic_slice %a, %i, sizes = [7, 2]` -> `dynamic_slice %a, %i, sizes = [8, 2]`; starts stay below the padding.

    Requires: padding only where the slice has all of a dimension.
    """

    @staticmethod
    def decide(op: stablehlo.DynamicSliceOp, tensors: PaddedTensors) -> PaddedTensors | None:
        return tensors if _sizes_match(tensors.operands[0], tensors.results[0]) else None

    def rewrite(self, op: stablehlo.DynamicSliceOp, decision: PaddedTensors, code: PaddingCode) -> None:
        _move_starts(op, 1, decision.operands[0], decision.results[0], code)
        op.slice_sizes = integers(shape_of(op.result))


class PadDynamicUpdateSlice(PaddingPattern[stablehlo.DynamicUpdateSliceOp, PaddedTensors]):
    """
    `dynamic_update_slice %a, %u, %i` -> `dynamic_update_slice %a, %u, (minimum %i, 4)`: starts stay below the padding.

    Requires: an update with padding only where it has all of a dimension.
    """

    @staticmethod
    def decide(op: stablehlo.DynamicUpdateSliceOp, tensors: PaddedTensors) -> PaddedTensors | None:
        source, update = tensors.operands[:2]
        return tensors if source.padded == tensors.results[0].padded and _sizes_match(source, update) else None

    def rewrite(self, op: stablehlo.DynamicUpdateSliceOp, decision: PaddedTensors, code: PaddingCode) -> None:
        _move_starts(op, 2, decision.operands[0], decision.operands[1], code)
