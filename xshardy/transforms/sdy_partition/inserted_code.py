"""The base of what patterns of the partitioner insert operations with."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import Dense, dense_values, zeros
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.dialects.stablehlo.quantized_types import quantized_element, storage_type
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.failures import OperationFailedException


@dataclass(frozen=True, slots=True)
class InsertedCode:
    """Inserts operations in front of the one that is rewritten."""

    rewriter: PatternRewriter

    def insert(self, op: Operation, sharding: TensorShardingAttr | None = None) -> SSAValue:
        """Insert `op`, with the sharding of its result if it is no collective of sdy, and return its result."""
        if sharding is not None:
            op.attributes[SHARDING] = TensorShardingPerValueAttr([sharding])
        self.rewriter.insert(op)
        return op.results[0]

    def replace(self, op: Operation, *values: SSAValue) -> None:
        """Replace the results of `op` by `values`, and erase `op`."""
        self.rewriter.replace(op, (), values)

    def constant(self, value: Dense) -> SSAValue:
        return self.insert(stablehlo.ConstantOp(value))

    def zero(self, element: Attribute) -> SSAValue:
        """A scalar."""
        return self.zeros(TensorType(element, []))

    def zeros(self, type: TensorType) -> SSAValue:
        """
        `stablehlo.constant dense<0>`, or `bitcast_convert` of stored zero points: quantized elements are integers.

        Raises `OperationFailedException` at the operation that is rewritten for a type with several zero points.
        """
        element = quantized_element(type)
        if element is None:
            return self.constant(zeros(type))
        if element.quantized_dimension is not None:
            op = self.rewriter.insertion_point.insert_before
            assert op is not None, "a pattern inserts in front of an operation"
            raise OperationFailedException(
                op,
                f"'{op.name}' op needs zeros of {element}, which has a scale for each index: let a sharding constraint "
                "replicate its operands and results",
            )
        stored, point = storage_type(element), element.zero_points.data[0].data
        wrapped = point - (1 << stored.width.data) if point >> (stored.width.data - 1) == 1 else point
        integers = self.constant(dense_values(TensorType(stored, type.get_shape()), [wrapped]))
        return self.insert(stablehlo.BitcastConvertOp(integers, type))

    def padded(
        self,
        value: SSAValue,
        shape: Sequence[int],
        sharding: TensorShardingAttr | None,
        padding: SSAValue | None = None,
    ) -> SSAValue:
        """`value` with `padding`, or zeros, at the end of dimensions, up to `shape`; itself if it has that shape."""
        type = tensor_type(value)
        if type.get_shape() == tuple(shape):
            return value
        none = [0] * len(shape)
        high = [after - extent for extent, after in zip(type.get_shape(), shape, strict=True)]
        padding = self.zero(type.element_type) if padding is None else padding
        return self.insert(
            stablehlo.PadOp(value, padding, none, high, none, TensorType(type.element_type, shape)), sharding
        )

    def trimmed(self, value: SSAValue, shape: Sequence[int], sharding: TensorShardingAttr | None) -> SSAValue:
        """The first elements of each dimension of `value`, up to `shape`; itself if it has that shape."""
        if tensor_type(value).get_shape() == tuple(shape):
            return value
        rank = len(shape)
        return self.insert(stablehlo.SliceOp(value, [0] * rank, shape, [1] * rank), sharding)
