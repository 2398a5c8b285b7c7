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
from xshardy.transforms.sdy_partition.pad.padded_tensors import PaddedTensor, PaddedTensors, Shape
from xshardy.transforms.sdy_partition.pad.padding_code import PaddingCode, shape_of
from xshardy.transforms.sdy_partition.pad.padding_pattern import PaddingPattern


def _at_most(index: SSAValue, bounds: Sequence[int], vector_dim: int, code: PaddingCode) -> SSAValue:
    """`index`, whose components lie along `vector_dim`, with each component at most its bound."""
    type = tensor_type(index)
    bounds = [min(bound, largest_integer(type.element_type)) for bound in bounds]
    limits = code.constant(dense_values(TensorType(type.element_type, [len(bounds)] if bounds[1:] else []), bounds))
    if type.get_shape():
        limits = code.insert(stablehlo.BroadcastInDimOp(limits, [vector_dim] if bounds[1:] else [], type))
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
    return all(tensor.padded[dim] == indices.padded[of] for dim, of in zip(dims, index_dims, strict=True))


@dataclass(frozen=True)
class PadGather(PaddingPattern[stablehlo.GatherOp]):
    """`gather %a, %i` -> `gather %a, (minimum %i, 6)`: indices stay below the padding."""

    op_types = (stablehlo.GatherOp,)

    @staticmethod
    def fits(op: stablehlo.GatherOp, tensors: PaddedTensors) -> bool:
        numbers, (source, indices), (target,) = op.dimension_numbers, tensors.operands, tensors.results
        batching = numbers.operand_batching_dims.get_values(), numbers.start_indices_batching_dims.get_values()
        return (
            numbers.index_vector_dim.data not in indices.padded_dims
            and _batches_match(source, batching[0], indices, batching[1])
            and _gathered_shape(op, _slice_sizes(op, source), indices.padded) == target.padded
        )

    def rewrite(self, op: stablehlo.GatherOp, tensors: PaddedTensors, code: PaddingCode) -> None:
        numbers, source, sizes = op.dimension_numbers, tensors.operands[0], op.slice_sizes.get_values()
        dims = numbers.start_index_map.get_values()
        if any(dim in source.padded_dims and sizes[dim] < source.shape[dim] for dim in dims):
            bounds = [source.shape[dim] - sizes[dim] for dim in dims]
            op.operands[1] = _at_most(op.start_indices, bounds, numbers.index_vector_dim.data, code)
        op.slice_sizes = integers(_slice_sizes(op, source))
        code.rewriter.notify_op_modified(op)


# -- Scatters ---------------------------------------------------------------------------------------------------------


def _window_dims(op: stablehlo.ScatterOp, rank: int) -> list[tuple[int, int]]:
    """The dimensions of the operand of which updates have some elements, with the dimensions of the updates."""
    numbers = op.scatter_dimension_numbers
    dropped = (*numbers.inserted_window_dims.get_values(), *numbers.input_batching_dims.get_values())
    kept = [dim for dim in range(rank) if dim not in dropped]
    return list(zip(kept, numbers.update_window_dims.get_values(), strict=True))


@dataclass(frozen=True)
class PadScatter(PaddingPattern[stablehlo.ScatterOp]):
    """`scatter(%a, %i, %u)` -> `scatter(%a, (select %is_valid, %i, 8), %u)`: updates that are padding are dropped."""

    op_types = (stablehlo.ScatterOp,)

    @staticmethod
    def fits(op: stablehlo.ScatterOp, tensors: PaddedTensors) -> bool:
        """
        Whether all tensors match, and there is an index out of bounds.

        An update of some elements of a dimension that is padded would be applied to the first of them where it should
        be dropped.
        """
        numbers, count = op.scatter_dimension_numbers, len(op.inputs)
        source, indices, update = tensors.operands[0], tensors.operands[count], tensors.operands[count + 1]
        for dim, of in _window_dims(op, len(source.shape)):
            is_whole = source.shape[dim] == update.shape[of]
            is_single = update.shape[of] == 1 and update.padded[of] == 1
            matches = source.padded[dim] == update.padded[of] if is_whole else of not in update.padded_dims
            if not matches or (dim in source.padded_dims and not (is_whole or is_single)):
                return False
        vector_dim, windows = numbers.index_vector_dim.data, numbers.update_window_dims.get_values()
        batches = [size for dim, size in enumerate(indices.padded) if dim != vector_dim]
        of_updates = [size for dim, size in enumerate(update.padded) if dim not in windows]
        batching = numbers.input_batching_dims.get_values(), numbers.scatter_indices_batching_dims.get_values()
        tensors_alike = len({each.padded for each in (*tensors.operands[:count], *tensors.results)}) == 1
        updates_alike = len({each.padded for each in tensors.operands[count + 1 :]}) == 1
        return (
            tensors_alike
            and updates_alike
            and batches == of_updates
            and vector_dim not in indices.padded_dims
            and _batches_match(source, batching[0], indices, batching[1])
            and (not indices.is_padded or _outside(op, source) is not None)
        )

    def rewrite(self, op: stablehlo.ScatterOp, tensors: PaddedTensors, code: PaddingCode) -> None:
        count = len(op.inputs)
        source, indices = tensors.operands[0], tensors.operands[count]
        outside = _outside(op, source)
        if indices.is_padded and outside is not None:
            fill = dense_values(TensorType(tensor_type(op.scatter_indices).element_type, []), [outside])
            op.operands[count] = code.masked(op.scatter_indices, indices, fill)
            op.indices_are_sorted = op.unique_indices = IntegerAttr(0, i1)
            code.rewriter.notify_op_modified(op)


def _outside(op: stablehlo.ScatterOp, source: PaddedTensor) -> int | None:
    """An index that is out of bounds in every component; None if there is none, or no component."""
    dims = op.scatter_dimension_numbers.scatter_dims_to_operand_dims.get_values()
    size = max((source.padded[dim] for dim in dims), default=0)
    return size if dims and size <= largest_integer(tensor_type(op.scatter_indices).element_type) else None


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


@dataclass(frozen=True)
class PadDynamicSlice(PaddingPattern[stablehlo.DynamicSliceOp]):
    """`dynamic_slice %a, %i, sizes = [7, 2]` -> `dynamic_slice %a, %i, sizes = [8, 2]`"""

    op_types = (stablehlo.DynamicSliceOp,)

    @staticmethod
    def fits(op: stablehlo.DynamicSliceOp, tensors: PaddedTensors) -> bool:
        return _sizes_match(tensors.operands[0], tensors.results[0])

    def rewrite(self, op: stablehlo.DynamicSliceOp, tensors: PaddedTensors, code: PaddingCode) -> None:
        _move_starts(op, 1, tensors.operands[0], tensors.results[0], code)
        op.slice_sizes = integers(shape_of(op.result))


@dataclass(frozen=True)
class PadDynamicUpdateSlice(PaddingPattern[stablehlo.DynamicUpdateSliceOp]):
    """`dynamic_update_slice %a, %u, %i` -> `dynamic_update_slice %a, %u, (minimum %i, 4)`"""

    op_types = (stablehlo.DynamicUpdateSliceOp,)

    @staticmethod
    def fits(op: stablehlo.DynamicUpdateSliceOp, tensors: PaddedTensors) -> bool:
        source, update = tensors.operands[:2]
        return source.padded == tensors.results[0].padded and _sizes_match(source, update)

    def rewrite(self, op: stablehlo.DynamicUpdateSliceOp, tensors: PaddedTensors, code: PaddingCode) -> None:
        _move_starts(op, 2, tensors.operands[0], tensors.operands[1], code)
