"""Gather: slices of a tensor at indices from another tensor."""

from abc import abstractmethod
from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, BoolAttr, DenseArrayBase, IntegerAttr, i1, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.attributes import GatherDimensionNumbersAttr, integers
from xshardy.dialects.stablehlo.dimensions import verify_distinct, verify_range, verify_sorted, verify_unique
from xshardy.dialects.stablehlo.inference import InfersResultTypes, bounded
from xshardy.dialects.stablehlo.types import INTEGER_TENSOR, TENSOR, bounds_of, is_compatible_dim, tensor_type

__all__ = ["GatherOp"]


class GatheringOp(InfersResultTypes):
    """
    A slice of `operand` for each index vector in `start_indices`.

    An index vector lies along dimension `index_vector_dim` of the indices. It says where the slice starts in dimensions
    `start_index_map` of the operand, and is moved so that the slice stays inside. The slice becomes the dimensions
    `offset_dims` of the result, without its `collapsed_slice_dims` and batching dimensions, which have size 1.
    """

    operand = operand_def(TENSOR)
    start_indices = operand_def(INTEGER_TENSOR)
    dimension_numbers = prop_def(GatherDimensionNumbersAttr)
    indices_are_sorted = opt_prop_def(BoolAttr)
    result = result_def(TENSOR)

    @abstractmethod
    def slice_shape(self) -> Sequence[int]:
        """The sizes of a slice; `DYNAMIC_INDEX` where that is not known."""

    def infer_result_types(self) -> Sequence[Attribute]:
        self.verify_dimension_numbers()
        numbers = self.dimension_numbers
        sizes, shape = self.slice_shape(), tensor_type(self.operand).get_shape()
        dropped = numbers.dims.absent
        for name in ("collapsed_slice_dims", "operand_batching_dims"):
            for dimension in getattr(numbers, name).get_values():
                if sizes[dimension] > 1:
                    raise VerifyException(
                        f"Expects that for each dim in {name}, slice_sizes[dim] should be <= 1, "
                        f"but got {sizes[dimension]}"
                    )
        for i, (size, dimension) in enumerate(zip(sizes, shape, strict=True)):
            if size != DYNAMIC_INDEX and (size < 0 or (dimension >= 0 and size > dimension)):
                raise VerifyException(
                    f"slice size ({size}) is out of bounds for operand dimension ({dimension}) at index {i}"
                )
        indices, vector_dim = tensor_type(self.start_indices), numbers.index_vector_dim.data
        index_dims = enumerate(zip(indices.get_shape(), bounds_of(indices), strict=True))
        batch_dims = [pair for i, pair in index_dims if i != vector_dim]
        offset_dims = numbers.offset_dims.get_values()
        rank = len(offset_dims) + len(batch_dims)
        verify_range("offset_dims", offset_dims, rank, "implied-result-rank")
        offsets = iter([(size, DYNAMIC_INDEX) for i, size in enumerate(sizes) if i not in dropped])
        batches = iter(batch_dims)
        result = [next(offsets if i in offset_dims else batches) for i in range(rank)]
        return [
            bounded(
                tensor_type(self.operand).element_type,
                [size for size, _ in result],
                [bound for _, bound in result],
            )
        ]

    def verify_dimension_numbers(self) -> None:
        """Each dimension of operand and indices has one role, and the roles fit together."""
        numbers = self.dimension_numbers
        shape, index_shape = tensor_type(self.operand).get_shape(), tensor_type(self.start_indices).get_shape()
        offset, collapsed = numbers.offset_dims.get_values(), numbers.collapsed_slice_dims.get_values()
        batching = numbers.operand_batching_dims.get_values()
        index_batching = numbers.start_indices_batching_dims.get_values()
        index_map, vector_dim = numbers.start_index_map.get_values(), numbers.index_vector_dim.data
        if len(offset) + len(collapsed) + len(batching) != len(shape):
            raise VerifyException(
                f"offset_dims size ({len(offset)}) plus collapse_slice_dims size ({len(collapsed)}) plus "
                f"operand_batching_dims size ({len(batching)}) is not equal to operand rank ({len(shape)})"
            )
        if not 0 <= vector_dim <= len(index_shape):
            raise VerifyException(
                "Expects index_vector_dim to be in range [0, rank-of('start_indices')] i.e. "
                f"[0, {len(index_shape)}]. got: {vector_dim}."
            )
        # An index vector dimension right after the last one stands for one of size 1.
        vector_size = index_shape[vector_dim] if vector_dim < len(index_shape) else 1
        if not is_compatible_dim(vector_size, len(index_map)):
            raise VerifyException(
                f"start_index_map size ({len(index_map)}) is not equal to size of index dimension ({vector_dim}) of "
                f"start_indices ({vector_size})"
            )
        slice_roles = ("offset_dims", offset), ("collapsed_slice_dims", collapsed), ("operand_batching_dims", batching)
        for name, dims in slice_roles:
            verify_sorted(name, dims)
        verify_unique("offset_dims", offset)
        verify_unique("start_indices_batching_dims", index_batching)
        verify_distinct("collapsed_slice_dims", collapsed, "operand_batching_dims", batching)
        verify_range("collapsed_slice_dims", collapsed, len(shape), "rank-of('operand')")
        verify_range("operand_batching_dims", batching, len(shape), "rank-of('operand')")
        verify_range("start_indices_batching_dims", index_batching, len(index_shape), "rank-of('start_indices')")
        if vector_dim in index_batching:
            raise VerifyException(f"expects start_indices_batching_dims not to include index_vector_dim {vector_dim}")
        if len(batching) != len(index_batching):
            raise VerifyException("operand_batching_dims and start_indices_batching_dims should have the same size")
        for i, (dimension, index_dimension) in enumerate(zip(batching, index_batching, strict=True)):
            if not is_compatible_dim(shape[dimension], index_shape[index_dimension]):
                raise VerifyException(
                    f"operand_batching_dims[{i}] and start_indices_batching_dims[{i}] must have compatible sizes, "
                    f"but got {shape[dimension]} and {index_shape[index_dimension]}"
                )
        verify_distinct("start_index_map", index_map, "operand_batching_dims", batching)
        verify_range("start_index_map", index_map, len(shape), "rank-of('operand')")
        if (count := len(self.slice_shape())) != len(shape):
            raise VerifyException(f"slice_sizes size ({count}) not equal to operand rank ({len(shape)})")


@irdl_op_definition
class GatherOp(GatheringOp):
    """A slice of `slice_sizes` for each index vector."""

    name = "stablehlo.gather"
    slice_sizes = prop_def(DenseArrayBase.constr(i64))
    traits = traits_def(Pure())

    def __init__(
        self,
        operand: SSAValue,
        start_indices: SSAValue,
        dimension_numbers: GatherDimensionNumbersAttr,
        slice_sizes: Sequence[int],
        result_type: Attribute,
        indices_are_sorted: bool = False,
    ):
        super().__init__(
            operands=[operand, start_indices],
            result_types=[result_type],
            properties={
                "dimension_numbers": dimension_numbers,
                "slice_sizes": integers(slice_sizes),
                "indices_are_sorted": IntegerAttr(int(indices_are_sorted), i1),
            },
        )

    def slice_shape(self) -> Sequence[int]:
        return self.slice_sizes.get_values()
