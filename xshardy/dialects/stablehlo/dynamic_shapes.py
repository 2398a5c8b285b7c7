"""
Ops with a shape that is known only at run time: an operand of one dimension has the sizes of the result.

A constant shape must agree with the result type.
"""

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import ConstantLike, NoMemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.dense_elements import first_values
from xshardy.dialects.shapes import is_static
from xshardy.dialects.stablehlo.constraints import IntegerAtLeast
from xshardy.dialects.stablehlo.gather import GatheringOp
from xshardy.dialects.stablehlo.inference import InfersResultTypes, bounded
from xshardy.dialects.stablehlo.quantized_types import quantized_element, verify_broadcast_axis, verify_reshaped_axis
from xshardy.dialects.stablehlo.types import (
    DIMENSION_TENSOR,
    I32_TENSOR,
    INTEGER_TENSOR,
    PER_AXIS_TENSOR,
    STATIC_DIMENSION_TENSOR,
    TENSOR,
    bounds_of,
    is_compatible,
    is_compatible_dim,
    is_compatible_element,
    tensor_type,
)

__all__ = [
    "DynamicBroadcastInDimOp",
    "DynamicGatherOp",
    "DynamicIotaOp",
    "DynamicPadOp",
    "DynamicReshapeOp",
    "GetDimensionSizeOp",
    "RealDynamicSliceOp",
    "SetDimensionSizeOp",
]

I64_ARRAY = DenseArrayBase.constr(i64)


def constant_integers(value: SSAValue) -> tuple[int, ...] | None:
    """The elements of `value`, or the first of a large splat, if it is a constant of integers; else None."""
    owner = value.owner
    if not isinstance(owner, Operation) or not owner.has_trait(ConstantLike):
        return None
    constant = owner.properties.get("value")
    if not isinstance(constant, DenseIntOrFPElementsAttr):
        return None
    constant = cast(DenseIntOrFPElementsAttr, constant)
    if not isinstance(constant.get_element_type(), IntegerType | IndexType):
        return None
    return cast(tuple[int, ...], first_values(constant))


def verify_elements(operand: SSAValue, result: SSAValue) -> None:
    """Operand and result have one element type; if one is quantized, what is asked of them depends on the op."""
    if quantized_element(operand) is not None or quantized_element(result) is not None:
        return
    if not is_compatible_element(tensor_type(operand).element_type, tensor_type(result).element_type):
        raise VerifyException(
            f"expects operand and result to have compatible element type. Got: '{operand.type}' and '{result.type}'"
        )


def verify_constant_shape(shape: SSAValue, result: SSAValue) -> None:
    """A constant `shape` is one that the type of `result` allows."""
    sizes = constant_integers(shape)
    if sizes is None:
        return
    type = tensor_type(result)
    if any(size < 0 for size in sizes) or not is_compatible(TensorType(type.element_type, sizes), type):
        raise VerifyException(
            f"output shape [{', '.join(map(str, sizes))}] is incompatible with return type of operation '{type}'"
        )


def verify_dimension(dimension: int, operand: SSAValue) -> None:
    """`operand` has a dimension `dimension`."""
    if dimension >= (rank := tensor_type(operand).get_num_dims()):
        raise VerifyException(f"requires dimension attribute in range [0, {rank}); found ({dimension})")


def verify_same_elements(**values: SSAValue) -> None:
    """All of `values` have the same element type. Keywords are the names in diagnostics."""
    if len({tensor_type(value).element_type for value in values.values()}) > 1:
        raise VerifyException(f"failed to verify that all of {{{', '.join(values)}}} have same element type")


def verify_same_type(**values: SSAValue) -> None:
    """All of `values` have the same type. Keywords are the names in diagnostics."""
    if len({value.type for value in values.values()}) > 1:
        raise VerifyException(f"failed to verify that all of {{{', '.join(values)}}} have same type")


@irdl_op_definition
class DynamicReshapeOp(IRDLOperation):
    """The same elements in the same row-major order, under the shape `output_shape`."""

    name = "stablehlo.dynamic_reshape"
    operand = operand_def(PER_AXIS_TENSOR)
    output_shape = operand_def(STATIC_DIMENSION_TENSOR)
    result = result_def(PER_AXIS_TENSOR)
    traits = traits_def(NoMemoryEffect())
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"

    def verify_(self) -> None:
        verify_elements(self.operand, self.result)
        source, target = tensor_type(self.operand), tensor_type(self.result)
        expected = prod(source.get_shape())
        if is_static(source) and is_static(target) and (count := prod(target.get_shape())) != expected:
            raise VerifyException(
                f"number of output elements ({count}) doesn't match expected number of elements ({expected})"
            )
        verify_constant_shape(self.output_shape, self.result)
        if tensor_type(self.output_shape).get_shape() != (target.get_num_dims(),):
            raise VerifyException("result should have a rank equal to the number of elements in output_shape")
        sizes = constant_integers(self.output_shape)
        if sizes is not None and is_static(source) and prod(sizes) != expected:
            raise VerifyException(
                f"output_shape is incompatible with input type of operation: input has {expected} elements, but "
                f"output_shape has {prod(sizes)}"
            )
        verify_reshaped_axis(source, target)


@irdl_op_definition
class DynamicBroadcastInDimOp(IRDLOperation):
    """
    Repeat the operand, up to the shape `output_dimensions`.

    Its dimension `i` is dimension `broadcast_dimensions[i]` of the result. It has the same size there or, if it has
    size 1, is repeated. The dimensions of the operand that are known to be, or not to be, repeated may be listed.
    """

    name = "stablehlo.dynamic_broadcast_in_dim"
    operand = operand_def(PER_AXIS_TENSOR)
    output_dimensions = operand_def(STATIC_DIMENSION_TENSOR)
    broadcast_dimensions = prop_def(I64_ARRAY)
    known_expanding_dimensions = opt_prop_def(I64_ARRAY)
    known_nonexpanding_dimensions = opt_prop_def(I64_ARRAY)
    result = result_def(PER_AXIS_TENSOR)
    traits = traits_def(NoMemoryEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions attr-dict `:` "
        "functional-type(operands, results)"
    )

    def verify_(self) -> None:
        verify_elements(self.operand, self.result)
        source, target = tensor_type(self.operand), tensor_type(self.result)
        dimensions = self.broadcast_dimensions.get_values()
        self.verify_dimensions(dimensions, source.get_shape(), target.get_shape())
        verify_constant_shape(self.output_dimensions, self.result)
        self.verify_hints(source.get_num_dims())
        sizes = constant_integers(self.output_dimensions)
        if sizes is not None and is_static(source):
            for i, (size, dimension) in enumerate(zip(source.get_shape(), dimensions, strict=True)):
                if size not in (1, sizes[dimension]):
                    raise VerifyException(
                        f"size of operand dimension {i} ({size}) is not equal to 1 or value of shape at index "
                        f"{dimension} ({sizes[dimension]})"
                    )
        verify_broadcast_axis(source, target, dimensions)

    def verify_dimensions(self, dimensions: Sequence[int], sizes: Sequence[int], result_sizes: Sequence[int]) -> None:
        """Each dimension of the operand becomes one of the result that is as large, unless the operand is repeated."""
        if len(dimensions) != len(sizes):
            raise VerifyException(
                f"broadcast_dimensions size ({len(dimensions)}) does not match operand rank ({len(sizes)})"
            )
        if len(result_sizes) < len(sizes):
            raise VerifyException(f"result rank ({len(result_sizes)}) is less than operand rank ({len(sizes)})")
        if len(set(dimensions)) != len(dimensions):
            raise VerifyException("broadcast_dimensions should not have duplicates")
        for i, (size, dimension) in enumerate(zip(sizes, dimensions, strict=True)):
            if not 0 <= dimension < len(result_sizes):
                raise VerifyException(
                    f"broadcast_dimensions contains invalid value {dimension} for result with rank {len(result_sizes)}"
                )
            if size != 1 and not is_compatible_dim(size, result_sizes[dimension]):
                raise VerifyException(
                    f"size of operand dimension {i} ({size}) is not compatible with size of result dimension "
                    f"{dimension} ({result_sizes[dimension]})"
                )

    def verify_hints(self, rank: int) -> None:
        """A dimension of the operand is listed once at most."""
        hints = (self.known_expanding_dimensions, self.known_nonexpanding_dimensions)
        listed = [dimension for hint in hints if hint is not None for dimension in hint.get_values()]
        if len(set(listed)) != len(listed):
            raise VerifyException("duplicate expansion hint for at least one operand dimension")
        for dimension in listed:
            if not 0 <= dimension < rank:
                raise VerifyException(
                    f"hint for expanding dimension {dimension} does not refer to a valid operand dimension"
                )


@irdl_op_definition
class DynamicIotaOp(IRDLOperation):
    """Each element of a tensor of shape `output_shape` is its own index along `iota_dimension`."""

    name = "stablehlo.dynamic_iota"
    output_shape = operand_def(STATIC_DIMENSION_TENSOR)
    iota_dimension = prop_def(IntegerAtLeast("iota_dimension"))
    result = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())
    assembly_format = "$output_shape `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)"

    def verify_(self) -> None:
        if self.iota_dimension.value.data >= tensor_type(self.result).get_num_dims():
            raise VerifyException("iota dimension cannot go beyond the output rank.")
        verify_constant_shape(self.output_shape, self.result)


@irdl_op_definition
class DynamicPadOp(IRDLOperation):
    """`padding_value` around the operand and between its elements; a negative low or high amount cuts elements off."""

    name = "stablehlo.dynamic_pad"
    operand = operand_def(TENSOR)
    padding_value = operand_def(TENSOR.of_rank(0))
    edge_padding_low = operand_def(STATIC_DIMENSION_TENSOR)
    edge_padding_high = operand_def(STATIC_DIMENSION_TENSOR)
    interior_padding = operand_def(STATIC_DIMENSION_TENSOR)
    result = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"

    def verify_(self) -> None:
        paddings = (self.edge_padding_low, self.edge_padding_high, self.interior_padding)
        verify_same_elements(operand=self.operand, padding_value=self.padding_value, result=self.result)
        verify_same_type(edge_padding_low=paddings[0], edge_padding_high=paddings[1], interior_padding=paddings[2])
        source, target = tensor_type(self.operand), tensor_type(self.result)
        rank = source.get_num_dims()
        if target.get_num_dims() != rank:
            raise VerifyException("failed to verify that all of {operand, result} have same rank")
        (count,) = tensor_type(self.edge_padding_low).get_shape()
        if count != rank:
            raise VerifyException(f"padding operands size ({count}) must match operand rank ({rank})")
        low, high, interior = map(constant_integers, paddings)
        if interior is not None and any(amount < 0 for amount in interior):
            raise VerifyException(f"interior_padding must be non-negative, but got {', '.join(map(str, interior))}")
        if low is None or high is None or interior is None or not is_static(source) or not is_static(target):
            return
        sizes = zip(source.get_shape(), target.get_shape(), low, high, interior, strict=True)
        for i, (size, padded, before, after, between) in enumerate(sizes):
            expected = before + size + max(size - 1, 0) * between + after
            if padded != expected:
                raise VerifyException(f"expected output dimension at index {i} to equal {expected}, but got {padded}")


@irdl_op_definition
class DynamicGatherOp(GatheringOp):
    """A slice of `slice_sizes`, which is an operand, for each index vector."""

    name = "stablehlo.dynamic_gather"
    # All three, since xDSL puts the operands that a class adds before those of its base.
    operand = operand_def(TENSOR)
    start_indices = operand_def(INTEGER_TENSOR)
    slice_sizes = operand_def(INTEGER_TENSOR.static().of_rank(1))
    traits = traits_def(NoMemoryEffect())

    def slice_shape(self) -> Sequence[int]:
        (count,) = tensor_type(self.slice_sizes).get_shape()
        sizes = constant_integers(self.slice_sizes)
        return (DYNAMIC_INDEX,) * count if sizes is None else sizes


@irdl_op_definition
class RealDynamicSliceOp(IRDLOperation):
    """The elements at `range(start, limit, stride)` in each dimension, all three of which are operands."""

    name = "stablehlo.real_dynamic_slice"
    operand = operand_def(TENSOR)
    start_indices = operand_def(DIMENSION_TENSOR)
    limit_indices = operand_def(DIMENSION_TENSOR)
    strides = operand_def(DIMENSION_TENSOR)
    result = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"

    def verify_(self) -> None:
        verify_same_elements(operand=self.operand, result=self.result)
        indices = {"start_indices": self.start_indices, "limit_indices": self.limit_indices, "strides": self.strides}
        verify_same_type(**indices)
        rank = tensor_type(self.operand).get_num_dims()
        for name, value in indices.items():
            (count,) = tensor_type(value).get_shape()
            if not is_compatible_dim(count, rank):
                raise VerifyException(f"has mismatched number of operand rank ({rank}) and {name} size ({count})")


@irdl_op_definition
class GetDimensionSizeOp(InfersResultTypes):
    """The size of the operand along `dimension`."""

    name = "stablehlo.get_dimension_size"
    operand = operand_def(PER_AXIS_TENSOR)
    dimension = prop_def(IntegerAtLeast("dimension"))
    result = result_def(I32_TENSOR)
    traits = traits_def(Pure())
    assembly_format = "$operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)"

    def __init__(self, operand: SSAValue, dimension: int):
        super().__init__(
            operands=[operand],
            result_types=[TensorType(i32, [])],
            properties={"dimension": IntegerAttr(dimension, i64)},
        )

    def infer_result_types(self) -> Sequence[Attribute]:
        verify_dimension(self.dimension.value.data, self.operand)
        return [TensorType(i32, [])]


@irdl_op_definition
class SetDimensionSizeOp(InfersResultTypes):
    """The first `size` elements of the operand along `dimension`; the size it had becomes a bound."""

    name = "stablehlo.set_dimension_size"
    operand = operand_def(TENSOR)
    size = operand_def(I32_TENSOR)
    dimension = prop_def(IntegerAtLeast("dimension"))
    result = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())
    assembly_format = "$operand `,` $size `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)"

    def __init__(self, operand: SSAValue, size: SSAValue, dimension: int):
        super().__init__(
            operands=[operand, size],
            result_types=[resized(operand, size, dimension)],
            properties={"dimension": IntegerAttr(dimension, i64)},
        )

    def infer_result_types(self) -> Sequence[Attribute]:
        return [resized(self.operand, self.size, self.dimension.value.data)]


def resized(operand: SSAValue, size: SSAValue, dimension: int) -> TensorType[Attribute]:
    """The type of `operand` with `size`, a scalar, as its size along `dimension`."""
    if tensor_type(size).get_num_dims() != 0:
        raise VerifyException("size operand should be of rank-0")
    verify_dimension(dimension, operand)
    type = tensor_type(operand)
    shape, bounds = list(type.get_shape()), list(bounds_of(type))
    if shape[dimension] != DYNAMIC_INDEX:
        bounds[dimension] = shape[dimension]
    shape[dimension] = DYNAMIC_INDEX
    if constant_integers(size) == (bounds[dimension],):  # no element is removed
        shape[dimension], bounds[dimension] = bounds[dimension], DYNAMIC_INDEX
    return bounded(type.element_type, shape, bounds)
