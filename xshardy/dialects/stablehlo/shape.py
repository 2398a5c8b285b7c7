"""Ops that move elements to other positions, or read them under another shape, and compute nothing."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX, ComplexType, DenseArrayBase, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.shapes import is_static
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.constraints import IntegerAtLeast
from xshardy.dialects.stablehlo.formats import SameOperandsAndResultType, VariadicOperandWithAttribute
from xshardy.dialects.stablehlo.inference import (
    InfersResultTypes,
    bounded,
    require_compatible_elements,
    require_same_element_types,
)
from xshardy.dialects.stablehlo.quantized_types import verify_broadcast_axis, verify_moved_axis, verify_reshaped_axis
from xshardy.dialects.stablehlo.types import (
    BOUNDED_TENSOR,
    PER_AXIS_TENSOR,
    TENSOR,
    bit_width,
    bounds_of,
    is_compatible_dim,
    is_compatible_shape,
    tensor_type,
)

__all__ = [
    "BitcastConvertOp",
    "BroadcastInDimOp",
    "BroadcastOp",
    "ConcatenateOp",
    "PadOp",
    "ReshapeOp",
    "ReverseOp",
    "TransposeOp",
]

I64_ARRAY = DenseArrayBase.constr(i64)


@irdl_op_definition
class BitcastConvertOp(IRDLOperation):
    """The bits of the operand in another element type; a change of width adds or removes an innermost dimension."""

    name = "stablehlo.bitcast_convert"
    operand = operand_def(PER_AXIS_TENSOR)
    result = result_def(PER_AXIS_TENSOR)
    traits = traits_def(Pure())
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"

    def __init__(self, operand: SSAValue, result_type: Attribute):
        super().__init__(operands=[operand], result_types=[result_type])

    def verify_(self) -> None:
        source, target = tensor_type(self.operand), tensor_type(self.result)
        if isinstance(source.element_type, ComplexType) != isinstance(target.element_type, ComplexType):
            raise VerifyException(f"cannot convert between real and complex types, but got: '{source}' and '{target}'")
        small, big = sorted((source, target), key=lambda type: bit_width(type.element_type))
        small_bits, big_bits = bit_width(small.element_type), bit_width(big.element_type)
        small_shape, big_shape = small.get_shape(), big.get_shape()
        if small_bits != big_bits:
            if len(small_shape) != len(big_shape) + 1:
                raise VerifyException(
                    f"rank of smaller element type ({len(small_shape)}) should be 1 more than rank of larger element "
                    f"type ({len(big_shape)}), but {len(small_shape)} != {len(big_shape)} + 1."
                )
            *prefix, innermost = small_shape
            if innermost != DYNAMIC_INDEX and innermost * small_bits != big_bits:
                raise VerifyException(
                    f"requires compatible bit widths. Got: '{source}' and '{target}', "
                    f"but {small_bits} * {innermost} != {big_bits}."
                )
            small_shape = tuple(prefix)
        if not is_compatible_shape(small_shape, big_shape):
            raise VerifyException(
                "operand and result shapes must match except for the innermost dimension of the shape with the "
                f"smaller element type. Got: '{source}' and '{target}'."
            )


@irdl_op_definition
class BroadcastOp(InfersResultTypes):
    """Repeat the operand along new dimensions of sizes `broadcast_sizes`, in front of its own."""

    name = "stablehlo.broadcast"
    operand = operand_def(TENSOR)
    broadcast_sizes = prop_def(I64_ARRAY)
    result = result_def(PER_AXIS_TENSOR)
    traits = traits_def(Pure())
    assembly_format = "$operand `,` `sizes` `=` $broadcast_sizes attr-dict `:` functional-type(operands, results)"

    def __init__(self, operand: SSAValue, broadcast_sizes: Sequence[int]):
        type = tensor_type(operand)
        super().__init__(
            operands=[operand],
            result_types=[TensorType(type.element_type, [*broadcast_sizes, *type.get_shape()])],
            properties={"broadcast_sizes": integers(broadcast_sizes)},
        )

    def infer_result_types(self) -> Sequence[Attribute]:
        sizes, type = self.broadcast_sizes.get_values(), tensor_type(self.operand)
        for size in sizes:
            if size < 0:
                raise VerifyException(f"Broadcast with negative dimension size {size}")
        return [TensorType(type.element_type, [*sizes, *type.get_shape()])]


@irdl_op_definition
class BroadcastInDimOp(IRDLOperation):
    """Repeat the operand; its dimension `i`, unless of size 1, is dimension `broadcast_dimensions[i]` of the result."""

    name = "stablehlo.broadcast_in_dim"
    operand = operand_def(PER_AXIS_TENSOR)
    broadcast_dimensions = prop_def(I64_ARRAY)
    result = result_def(BOUNDED_TENSOR)
    traits = traits_def(Pure())
    assembly_format = "$operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)"

    def __init__(self, operand: SSAValue, broadcast_dimensions: Sequence[int], result_type: Attribute):
        super().__init__(
            operands=[operand],
            result_types=[result_type],
            properties={"broadcast_dimensions": integers(broadcast_dimensions)},
        )

    def verify_(self) -> None:
        require_compatible_elements(self.operand, self.result)
        sizes, result_sizes = tensor_type(self.operand).get_shape(), tensor_type(self.result).get_shape()
        dimensions = self.broadcast_dimensions.get_values()
        if len(dimensions) != len(sizes):
            raise VerifyException(
                f"broadcast_dimensions size ({len(dimensions)}) does not match operand rank ({len(sizes)})"
            )
        if len(set(dimensions)) != len(dimensions):
            raise VerifyException("broadcast_dimensions should not have duplicates")
        for i, (size, dimension) in enumerate(zip(sizes, dimensions, strict=True)):
            if not 0 <= dimension < len(result_sizes):
                raise VerifyException(
                    f"broadcast_dimensions contains invalid value {dimension} for result with rank {len(result_sizes)}"
                )
            if size not in (1, DYNAMIC_INDEX, result_sizes[dimension]):
                raise VerifyException(
                    f"size of operand dimension {i} ({size}) is not equal to 1 or size of result dimension "
                    f"{dimension} ({result_sizes[dimension]})"
                )
        verify_broadcast_axis(self.operand.type, self.result.type, dimensions)


@irdl_op_definition
class ConcatenateOp(InfersResultTypes):
    """The operands, one after the other along `dimension`."""

    name = "stablehlo.concatenate"
    inputs = var_operand_def(TENSOR)
    dimension = prop_def(IntegerAtLeast("dimension"))
    result = result_def(TENSOR)
    traits = traits_def(Pure())
    custom_directives = (VariadicOperandWithAttribute,)
    assembly_format = (
        "custom<VariadicOperandWithAttribute>($inputs) `dim` `=` $dimension attr-dict `:` "
        "functional-type(operands, results)"
    )

    def __init__(self, inputs: Sequence[SSAValue], dimension: int, result_type: Attribute):
        super().__init__(
            operands=[inputs], result_types=[result_type], properties={"dimension": IntegerAttr(dimension, i64)}
        )

    def infer_result_types(self) -> Sequence[Attribute]:
        if not self.inputs:
            raise VerifyException("expected 1 or more operands, but found 0")
        require_same_element_types(self.inputs)
        first = tensor_type(self.inputs[0])
        rank, dimension = first.get_num_dims(), self.dimension.value.data
        if rank == 0:
            raise VerifyException("rank-0 values cannot be concatenated")
        if not 0 <= dimension < rank:
            raise VerifyException(f"dimension {dimension} is out-of-bounds for input rank {rank}")
        shapes = [tensor_type(value).get_shape() for value in self.inputs]
        for i, shape in enumerate(shapes):
            if len(shape) != rank:
                raise VerifyException(f"operands (0) and ({i}) do not match rank")
            for d in set(range(rank)) - {dimension}:
                if not is_compatible_dim(shapes[0][d], shape[d]):
                    raise VerifyException(
                        f"shapes of operand (0) and ({i}) are not compatible at non-concat index {d}: "
                        f"({', '.join(map(str, shapes[0]))}) != ({', '.join(map(str, shape))})"
                    )
        result = [next((s for s in sizes if s != DYNAMIC_INDEX), DYNAMIC_INDEX) for sizes in zip(*shapes, strict=True)]
        along = [shape[dimension] for shape in shapes]
        result[dimension] = DYNAMIC_INDEX if DYNAMIC_INDEX in along else sum(along)
        return [TensorType(first.element_type, result)]


@irdl_op_definition
class PadOp(InfersResultTypes):
    """`padding_value` around the operand and between its elements; a negative `low` or `high` cuts elements off."""

    name = "stablehlo.pad"
    operand = operand_def(TENSOR)
    padding_value = operand_def(TENSOR)
    edge_padding_low = prop_def(I64_ARRAY)
    edge_padding_high = prop_def(I64_ARRAY)
    interior_padding = prop_def(I64_ARRAY)
    result = result_def(TENSOR)
    traits = traits_def(Pure())
    assembly_format = (
        "$operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high `,` "
        "`interior` `=` $interior_padding attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        operand: SSAValue,
        padding_value: SSAValue,
        low: Sequence[int],
        high: Sequence[int],
        interior: Sequence[int],
        result_type: Attribute,
    ):
        super().__init__(
            operands=[operand, padding_value],
            result_types=[result_type],
            properties={
                "edge_padding_low": integers(low),
                "edge_padding_high": integers(high),
                "interior_padding": integers(interior),
            },
        )

    def infer_result_types(self) -> Sequence[Attribute]:
        require_same_element_types(self.operands)
        if (padding_rank := tensor_type(self.padding_value).get_num_dims()) != 0:
            raise VerifyException(f"padding value type should be a rank-0 tensor, is rank {padding_rank}")
        operand = tensor_type(self.operand)
        rank = operand.get_num_dims()
        columns = [a.get_values() for a in (self.edge_padding_low, self.edge_padding_high, self.interior_padding)]
        for name, values in zip(("edge_padding_low", "edge_padding_high", "interior_padding"), columns, strict=True):
            if len(values) != rank:
                raise VerifyException(f"{name} length ({len(values)}) must match operand rank ({rank})")
        shape, sizes = list[int](), zip(operand.get_shape(), bounds_of(operand), strict=True)
        for i, ((size, bound), low, high, interior) in enumerate(zip(sizes, *columns, strict=True)):
            if interior < 0:
                raise VerifyException(f"Interior padding cannot be negative: {interior}")
            largest = bound if size == DYNAMIC_INDEX else size
            padded = largest + low + high + max(largest - 1, 0) * interior
            if largest != DYNAMIC_INDEX and padded < 0:
                what = "bound" if size == DYNAMIC_INDEX else "size"
                raise VerifyException(f"Padding result in negative {what} for dimension {i}")
            shape.append(size if size == DYNAMIC_INDEX else padded)
        return [TensorType(operand.element_type, shape)]


@irdl_op_definition
class ReshapeOp(IRDLOperation):
    """The same elements in the same row-major order, under another shape."""

    name = "stablehlo.reshape"
    operand = operand_def(PER_AXIS_TENSOR)
    result = result_def(BOUNDED_TENSOR)
    traits = traits_def(Pure())
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"

    def __init__(self, operand: SSAValue, result_type: Attribute):
        super().__init__(operands=[operand], result_types=[result_type])

    def verify_(self) -> None:
        require_compatible_elements(self.operand, self.result)
        source, target = tensor_type(self.operand), tensor_type(self.result)
        if not is_static(source) or not is_static(target):
            return
        count, expected = prod(target.get_shape()), prod(source.get_shape())
        if count != expected:
            raise VerifyException(
                f"number of output elements ({count}) doesn't match expected number of elements ({expected})"
            )
        verify_reshaped_axis(self.operand.type, self.result.type)


@irdl_op_definition
class ReverseOp(InfersResultTypes):
    """The elements in reverse order along each of `dimensions`."""

    name = "stablehlo.reverse"
    operand = operand_def(TENSOR)
    dimensions = prop_def(I64_ARRAY)
    result = result_def(TENSOR)
    traits = traits_def(Pure())
    custom_directives = (SameOperandsAndResultType,)
    assembly_format = (
        "$operand `,` `dims` `=` $dimensions attr-dict `:` "
        "custom<SameOperandsAndResultType>(type(operands), type(results))"
    )

    def __init__(self, operand: SSAValue, dimensions: Sequence[int]):
        super().__init__(
            operands=[operand], result_types=[operand.type], properties={"dimensions": integers(dimensions)}
        )

    def infer_result_types(self) -> Sequence[Attribute]:
        dimensions, rank = self.dimensions.get_values(), tensor_type(self.operand).get_num_dims()
        if len(set(dimensions)) != len(dimensions):
            raise VerifyException(f"dimensions should be unique. Got: {', '.join(map(str, dimensions))}")
        for dimension in dimensions:
            if dimension < 0:
                raise VerifyException(f"all dimensions should be non-negative. Got dimension: {dimension}.")
            if dimension >= rank:
                raise VerifyException(f"all dimensions should be between [0, {rank}). Got dimension: {dimension}.")
        return [self.operand.type]


@irdl_op_definition
class TransposeOp(InfersResultTypes):
    """Dimension `i` of the result is dimension `permutation[i]` of the operand."""

    name = "stablehlo.transpose"
    operand = operand_def(PER_AXIS_TENSOR)
    permutation = prop_def(I64_ARRAY)
    result = result_def(PER_AXIS_TENSOR)
    traits = traits_def(Pure())
    assembly_format = "$operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)"

    def __init__(self, operand: SSAValue, permutation: Sequence[int]):
        type = tensor_type(operand)
        shape = type.get_shape()
        super().__init__(
            operands=[operand],
            result_types=[TensorType(type.element_type, [shape[i] for i in permutation])],
            properties={"permutation": integers(permutation)},
        )

    def infer_result_types(self) -> Sequence[Attribute]:
        type, permutation = tensor_type(self.operand), self.permutation.get_values()
        shape = type.get_shape()
        if len(permutation) != len(shape):
            raise VerifyException(
                f"TransposeOp operand rank {len(shape)} does not match permutation size {len(permutation)}"
            )
        if sorted(permutation) != list(range(len(shape))):
            raise VerifyException(
                f"attribute permutation must be a permutation of [{', '.join(map(str, range(len(shape))))}] "
                f"but got {', '.join(map(str, permutation))}"
            )
        verify_moved_axis(self.operand.type, self.result.type, permutation)
        bounds = bounds_of(type)
        return [bounded(type.element_type, [shape[i] for i in permutation], [bounds[i] for i in permutation])]
