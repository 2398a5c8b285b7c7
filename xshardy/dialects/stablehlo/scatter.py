"""Scatter: combine slices into a tensor at indices from another tensor."""

from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, TensorType, i1
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    SameVariadicOperandSize,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.attributes import ScatterDimensionNumbersAttr
from xshardy.dialects.stablehlo.dimensions import (
    OF_SCATTER,
    verify_distinct,
    verify_range,
    verify_sorted,
    verify_unique,
)
from xshardy.dialects.stablehlo.inference import InfersResultTypes
from xshardy.dialects.stablehlo.reduction import verify_reducer
from xshardy.dialects.stablehlo.types import (
    ANY_INTEGER_TENSOR,
    INTEGER,
    SIGNED_BY_NAME,
    TENSOR,
    is_compatible_dim,
    is_compatible_shape,
    tensor_type,
)

__all__ = ["ScatterOp"]


@irdl_op_definition
class ScatterOp(InfersResultTypes):
    """
    `inputs`, with `update_computation` applied to each updated element and its update.

    An index vector lies along dimension `index_vector_dim` of the indices. It says where a window of `updates`, its
    dimensions `update_window_dims`, starts in dimensions `scatter_dims_to_operand_dims` of the inputs. The window lacks
    the `inserted_window_dims` and batching dimensions of the inputs. Updates outside of the inputs are ignored.
    """

    name = "stablehlo.scatter"
    inputs = var_operand_def(TENSOR)
    scatter_indices = operand_def(ANY_INTEGER_TENSOR)
    updates = var_operand_def(TENSOR)
    scatter_dimension_numbers = prop_def(ScatterDimensionNumbersAttr)
    indices_are_sorted = opt_prop_def(BoolAttr)
    unique_indices = opt_prop_def(BoolAttr)
    update_computation = region_def("single_block")
    outputs = var_result_def(TENSOR)
    traits = traits_def(RecursiveMemoryEffect())
    irdl_options = (SameVariadicOperandSize(),)

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        scatter_indices: SSAValue,
        updates: Sequence[SSAValue],
        scatter_dimension_numbers: ScatterDimensionNumbersAttr,
        update_computation: Region,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
    ):
        super().__init__(
            operands=[inputs, scatter_indices, updates],
            result_types=[[value.type for value in inputs]],
            properties={
                "scatter_dimension_numbers": scatter_dimension_numbers,
                "indices_are_sorted": IntegerAttr(int(indices_are_sorted), i1),
                "unique_indices": IntegerAttr(int(unique_indices), i1),
            },
            regions=[update_computation],
        )

    def infer_result_types(self) -> Sequence[Attribute]:
        inputs = [tensor_type(value) for value in self.inputs]
        updates = [tensor_type(value) for value in self.updates]
        for name, types in (("inputs", inputs), ("updates", updates)):
            if any(not is_compatible_shape(types[0].get_shape(), type.get_shape()) for type in types):
                raise VerifyException(f"Not all {name} have compatible shapes.")
        vector_dim = self.scatter_dimension_numbers.index_vector_dim.data
        index_shape = tensor_type(self.scatter_indices).get_shape()
        if not 0 <= vector_dim <= len(index_shape):
            raise VerifyException(
                "Expects index_vector_dim to be in range [0, rank-of('scatter_indices')] i.e. "
                f"[0, {len(index_shape)}]. got: {vector_dim}."
            )
        scalars = [TensorType(update.element_type, []) for update in updates]
        accumulators = verify_reducer(self.update_computation.block, self.inputs.types, scalars, ())
        # An index vector dimension right after the last one stands for one of size 1.
        index_shape = (*index_shape, 1) if vector_dim == len(index_shape) else index_shape
        for input, update in zip(inputs, updates, strict=True):
            self.verify_ranks(len(index_shape), update.get_num_dims())
            self.verify_dimension_numbers(input.get_shape(), index_shape, update.get_num_dims())
            self.verify_sizes(input.get_shape(), index_shape, update.get_shape())
        return [
            TensorType(tensor_type(accumulator).element_type, input.shape, input.encoding)
            for accumulator, input in zip(accumulators, inputs, strict=True)
        ]

    def refused_indices(self) -> str | None:
        """
        Why this cannot be executed; None if it can.

        StableHLO's verifier takes indices of any integer type, and XLA those of the types that its integers have.
        """
        element = tensor_type(self.scatter_indices).element_type
        if element in INTEGER or element in SIGNED_BY_NAME:
            return None
        return f"XLA takes no indices of type {element}: convert them to i32"

    def verify_ranks(self, index_rank: int, update_rank: int) -> None:
        """The dimensions of the updates are those of a window and those of the index vectors."""
        expected = index_rank - 1 + len(self.scatter_dimension_numbers.update_window_dims.get_values())
        if update_rank != expected:
            raise VerifyException(
                f"expects updates tensor must be of rank {expected} ( == rank-of('scatter_indices') - 1 + "
                "size-of('update_window_dims'), where 'scatter_indices' is expanded by a trailing 1 dimension if "
                f"'index_vector_dim' == rank-of('scatter_indices')), but got {update_rank}."
            )

    def verify_dimension_numbers(self, shape: Sequence[int], index_shape: Sequence[int], update_rank: int) -> None:
        """Each dimension has one role, and the roles fit together."""
        numbers = self.scatter_dimension_numbers
        window, inserted = numbers.update_window_dims.get_values(), numbers.inserted_window_dims.get_values()
        batching = numbers.input_batching_dims.get_values()
        index_batching = numbers.scatter_indices_batching_dims.get_values()
        index_map, vector_dim = numbers.scatter_dims_to_operand_dims.get_values(), numbers.index_vector_dim.data
        if len(shape) != (count := len(window) + len(inserted) + len(batching)):
            raise VerifyException(
                "Expects rank-of operand to match size-of('update_window_dims') + size-of('inserted_window_dims') + "
                f"size-of('input_batching_dims') i.e. {count} but got {len(shape)}."
            )
        verify_sorted("update_window_dims", window, OF_SCATTER)
        verify_unique("update_window_dims", window, OF_SCATTER)
        verify_range("update_window_dims", window, update_rank, "rank-of('updates')")
        verify_distinct("inserted_window_dims", inserted, "input_batching_dims", batching)
        verify_sorted("inserted_window_dims", inserted, OF_SCATTER)
        verify_range("inserted_window_dims", inserted, len(shape), "rank-of('operand')")
        verify_sorted("input_batching_dims", batching, OF_SCATTER)
        verify_range("input_batching_dims", batching, len(shape), "rank-of('operand')")
        verify_unique("scatter_indices_batching_dims", index_batching, OF_SCATTER)
        verify_range("scatter_indices_batching_dims", index_batching, len(index_shape), "rank-of('scatter_indices')")
        if vector_dim in index_batching:
            raise VerifyException(
                f"expects scatter_indices_batching_dims not to include index_vector_dim {vector_dim}."
            )
        if len(batching) != len(index_batching):
            raise VerifyException("input_batching_dims and scatter_indices_batching_dims should have the same size.")
        for i, (dimension, index_dimension) in enumerate(zip(batching, index_batching, strict=True)):
            if not is_compatible_dim(shape[dimension], index_shape[index_dimension]):
                raise VerifyException(
                    f"input_batching_dims[{i}] and scatter_indices_batching_dims[{i}] must have compatible sizes, "
                    f"but got {shape[dimension]} and {index_shape[index_dimension]}."
                )
        if not is_compatible_dim(index_shape[vector_dim], len(index_map)):
            raise VerifyException(
                f"Scatter op has {len(index_map)} elements in scatter_dims_to_operand_dims and the bound of dimension "
                f"index_vector_dim={vector_dim} of scatter_indices is {index_shape[vector_dim]}. "
                "These two numbers must be equal."
            )
        verify_distinct("scatter_dims_to_operand_dims", index_map, "input_batching_dims", batching)
        verify_range("scatter_dims_to_operand_dims", index_map, len(shape), "rank-of('operand')")

    def verify_sizes(self, shape: Sequence[int], index_shape: Sequence[int], update_shape: Sequence[int]) -> None:
        """A window fits into the inputs, and there is one for each index vector."""
        numbers = self.scatter_dimension_numbers
        window = numbers.update_window_dims.get_values()
        dropped = (*numbers.inserted_window_dims.get_values(), *numbers.input_batching_dims.get_values())
        limits = [size for i, size in enumerate(shape) if i not in dropped]
        for dimension, limit in zip(window, limits, strict=True):
            if update_shape[dimension] > limit >= 0:
                raise VerifyException(
                    "expects bounds of the window dimensions of updates to not exceed the bounds of the corresponding "
                    f"dimensions of operand. For dimension {dimension}, updates bound is {update_shape[dimension]}, "
                    f"operand bound is {limit}."
                )
        indices = iter([size for i, size in enumerate(index_shape) if i != numbers.index_vector_dim.data])
        for dimension in (i for i in range(len(update_shape)) if i not in window):
            if not is_compatible_dim(update_shape[dimension], size := next(indices)):
                raise VerifyException(
                    "expects bounds of the scatter dimensions of updates to be same as the bounds of the corresponding "
                    f"dimensions of scatter indices. For scatter dimension {dimension}, updates bound is "
                    f"{update_shape[dimension]} , scatter_indices bound is {size}."
                )
