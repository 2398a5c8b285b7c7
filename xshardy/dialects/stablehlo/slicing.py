"""Ops that read or replace a part of a tensor, at static or dynamic indices."""

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.formats import SliceRanges, VariadicOperandWithAttribute
from xshardy.dialects.stablehlo.inference import InfersResultTypes, require_same_element_types
from xshardy.dialects.stablehlo.types import SCALAR_INTEGER, TENSOR, bounds_of, tensor_type

__all__ = ["DynamicSliceOp", "DynamicUpdateSliceOp", "SliceOp", "TorchIndexSelectOp"]

I64_ARRAY = DenseArrayBase.constr(i64)


def slice_shape(starts: Sequence[int], limits: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """The number of elements of `range(start, limit, stride)` in each dimension."""
    return tuple(-(-(limit - start) // stride) for start, limit, stride in zip(starts, limits, strides, strict=True))


def require_one_index_type(indices: Sequence[SSAValue]) -> None:
    """The indices at which a slice starts have one element type."""
    if len({tensor_type(index).element_type for index in indices}) > 1:
        raise VerifyException("start indices must have same element type")


@irdl_op_definition
class SliceOp(InfersResultTypes):
    """The elements at `range(start, limit, stride)` in each dimension."""

    name = "stablehlo.slice"
    operand = operand_def(TENSOR)
    start_indices = prop_def(I64_ARRAY)
    limit_indices = prop_def(I64_ARRAY)
    strides = prop_def(I64_ARRAY)
    result = result_def(TENSOR)
    traits = traits_def(Pure())
    custom_directives = (SliceRanges,)
    assembly_format = (
        "$operand custom<SliceRanges>($start_indices, $limit_indices, $strides) attr-dict `:` "
        "functional-type(operands, results)"
    )

    def __init__(self, operand: SSAValue, starts: Sequence[int], limits: Sequence[int], strides: Sequence[int]):
        super().__init__(
            operands=[operand],
            result_types=[TensorType(tensor_type(operand).element_type, slice_shape(starts, limits, strides))],
            properties={
                "start_indices": integers(starts),
                "limit_indices": integers(limits),
                "strides": integers(strides),
            },
        )

    def infer_result_types(self) -> Sequence[Attribute]:
        operand = tensor_type(self.operand)
        shape = operand.get_shape()
        columns = [a.get_values() for a in (self.start_indices, self.limit_indices, self.strides)]
        for name, values in zip(("start_indices", "limit_indices", "strides"), columns, strict=True):
            if len(values) != len(shape):
                raise VerifyException(
                    f"the number of elements in {name} ({len(values)}) does not match the rank of the operand "
                    f"({len(shape)})"
                )
        for i, (size, bound, start, limit, stride) in enumerate(zip(shape, bounds_of(operand), *columns, strict=True)):
            if start < 0:
                raise VerifyException(f"negative start index {start} in dimension {i}")
            if size != DYNAMIC_INDEX and limit > size:
                raise VerifyException(f"limit index {limit} is larger than dimension size {size} in dimension {i}")
            if bound != DYNAMIC_INDEX and limit > bound:
                raise VerifyException(f"limit index {limit} is larger than dimension bound {bound} in dimension {i}")
            if start > limit:
                raise VerifyException(f"start index {start} is larger than limit index {limit} in dimension {i}")
            if stride <= 0:
                raise VerifyException(f"stride must be positive but got {stride} in dimension {i}")
        return [TensorType(operand.element_type, slice_shape(*columns))]


@irdl_op_definition
class DynamicSliceOp(InfersResultTypes):
    """A slice of `slice_sizes` that starts at `start_indices`, which are moved so that it stays inside the operand."""

    name = "stablehlo.dynamic_slice"
    operand = operand_def(TENSOR)
    start_indices = var_operand_def(SCALAR_INTEGER)
    slice_sizes = prop_def(I64_ARRAY)
    result = result_def(TENSOR)
    traits = traits_def(Pure())
    custom_directives = (VariadicOperandWithAttribute,)
    assembly_format = (
        "$operand `,` custom<VariadicOperandWithAttribute>($start_indices) `sizes` `=` $slice_sizes attr-dict `:` "
        "functional-type(operands, results)"
    )

    def __init__(self, operand: SSAValue, start_indices: Sequence[SSAValue], slice_sizes: Sequence[int]):
        super().__init__(
            operands=[operand, start_indices],
            result_types=[TensorType(tensor_type(operand).element_type, slice_sizes)],
            properties={"slice_sizes": integers(slice_sizes)},
        )

    def infer_result_types(self) -> Sequence[Attribute]:
        operand, sizes = tensor_type(self.operand), self.slice_sizes.get_values()
        shape = operand.get_shape()
        if len(self.start_indices) != len(sizes):
            raise VerifyException(
                f"has mismatched number of slice sizes ({len(sizes)}) and number of start indices "
                f"({len(self.start_indices)})"
            )
        if len(shape) != len(sizes):
            raise VerifyException(
                f"has mismatched number of start indices ({len(sizes)}) and the rank of operand ({len(shape)})"
            )
        require_one_index_type(self.start_indices)
        for i, (size, dimension) in enumerate(zip(sizes, shape, strict=True)):
            if size < 0:
                raise VerifyException(f"has negative size index to dynamic slice: {size}")
            if dimension != DYNAMIC_INDEX and size > dimension:
                raise VerifyException(
                    f"has slice size {size} greater than dimension size {dimension} in dimension {i} of operand"
                )
        return [TensorType(operand.element_type, sizes)]


@irdl_op_definition
class DynamicUpdateSliceOp(InfersResultTypes):
    """The operand with `update` written at `start_indices`, which are moved so that it stays inside the operand."""

    name = "stablehlo.dynamic_update_slice"
    operand = operand_def(TENSOR)
    update = operand_def(TENSOR)
    start_indices = var_operand_def(SCALAR_INTEGER)
    result = result_def(TENSOR)
    traits = traits_def(Pure())
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"

    def __init__(self, operand: SSAValue, update: SSAValue, start_indices: Sequence[SSAValue]):
        super().__init__(operands=[operand, update, start_indices], result_types=[operand.type])

    def infer_result_types(self) -> Sequence[Attribute]:
        require_same_element_types([self.operand, self.update])
        shape, update_shape = tensor_type(self.operand).get_shape(), tensor_type(self.update).get_shape()
        if len(shape) != len(update_shape):
            raise VerifyException(f"update rank does not match operand rank: {len(update_shape)} vs {len(shape)}.")
        if len(shape) != (count := len(self.start_indices)):
            raise VerifyException(f"expects number of start_indices to match operand rank: {count} vs {len(shape)}.")
        require_one_index_type(self.start_indices)
        for i, (size, update_size) in enumerate(zip(shape, update_shape, strict=True)):
            if DYNAMIC_INDEX not in (size, update_size) and not 0 <= update_size <= size:
                raise VerifyException(
                    f"expects size at dimension {i} of update to be in range [0, {size}]. Got: {update_size}."
                )
        return [self.operand.type]


@irdl_op_definition
class TorchIndexSelectOp(IRDLOperation):
    """The elements of `operand` at the places in `index` along `dim`; kept for older programs: see gather."""

    name = "stablehlo.torch_index_select"
    operand = operand_def(TENSOR)
    index = operand_def(TENSOR)
    dim = prop_def(IntegerAttr.constr(i64))
    batch_dims = prop_def(IntegerAttr.constr(i64))
    result = result_def(TENSOR)
    traits = traits_def(Pure())
