"""
Dot products and convolutions of padded tensors: padding of contracted dimensions becomes zero.

It does in both operands: the product of zero with padding that is infinite or NaN is NaN.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from xdsl.dialects.builtin import DenseIntElementsAttr, DenseIntOrFPElementsAttr, TensorType, i64
from xdsl.ir import SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.dialects.stablehlo.windows import WindowDimension, dilated
from xshardy.transforms.sdy_partition.pad.padded_tensors import PaddedTensor, PaddedTensors
from xshardy.transforms.sdy_partition.pad.padding_code import PaddingCode, shape_of
from xshardy.transforms.sdy_partition.pad.padding_pattern import PaddingPattern


def with_zeros(value: SSAValue, tensor: PaddedTensor, dims: Sequence[int], code: PaddingCode) -> SSAValue:
    """`value` with zeros as padding in `dims`."""
    if tensor.has_zeros or not {*tensor.padded_dims} & {*dims}:
        return value
    zero = code.zeros(TensorType(tensor_type(value).element_type, []))  # tests replace `zero`, which pads, by another
    return code.masked(value, tensor, zero, dims)


@dataclass(frozen=True, slots=True)
class Contraction:
    """The dimensions of a dot product, in pairs of the left and the right operand."""

    batching: tuple[Sequence[int], Sequence[int]]
    contracting: tuple[Sequence[int], Sequence[int]]

    @staticmethod
    def of(op: stablehlo.DotOp | stablehlo.DotGeneralOp) -> "Contraction":
        if isinstance(op, stablehlo.DotOp):
            return Contraction(((), ()), ((tensor_type(op.lhs).get_num_dims() - 1,), (0,)))
        numbers = op.dot_dimension_numbers
        return Contraction(
            (numbers.lhs_batching_dimensions.get_values(), numbers.rhs_batching_dimensions.get_values()),
            (numbers.lhs_contracting_dimensions.get_values(), numbers.rhs_contracting_dimensions.get_values()),
        )

    def fits(self, lhs: Sequence[int], rhs: Sequence[int], result: Sequence[int]) -> bool:
        """Whether tensors of these shapes have such a product."""
        pairs = [*zip(*self.batching, strict=True), *zip(*self.contracting, strict=True)]
        left, right = (
            [extent for dim, extent in enumerate(shape) if dim not in (*self.batching[side], *self.contracting[side])]
            for side, shape in enumerate((lhs, rhs))
        )
        product = [*(lhs[dim] for dim in self.batching[0]), *left, *right]
        return all(lhs[lhs_dim] == rhs[rhs_dim] for lhs_dim, rhs_dim in pairs) and product == [*result]


class PadDot(PaddingPattern[stablehlo.DotOp | stablehlo.DotGeneralOp, PaddedTensors]):
    """
    `dot_general %a, %b` -> `dot_general (select %is_valid, %a, 0), (select %is_valid, %b, 0)`, where contracted.

    Requires: equal padding of dimensions that are paired.
    """

    @staticmethod
    def decide(op: stablehlo.DotOp | stablehlo.DotGeneralOp, tensors: PaddedTensors) -> PaddedTensors | None:
        shapes = (tensor.padded for tensor in (*tensors.operands, *tensors.results))
        return tensors if Contraction.of(op).fits(*shapes) else None

    def rewrite(self, op: stablehlo.DotOp | stablehlo.DotGeneralOp, decision: PaddedTensors, code: PaddingCode) -> None:
        for index, dims in enumerate(Contraction.of(op).contracting):
            op.operands[index] = with_zeros(op.operands[index], decision.operands[index], dims, code)
        code.rewriter.notify_op_modified(op)


def window_over(dimension: WindowDimension, size: int, positions: int) -> WindowDimension:
    """`dimension` with as much padding after `size` elements as makes the window have this many `positions`."""
    if dimension.positions(size) == positions:
        return dimension
    needed = (positions - 1) * dimension.stride + dilated(dimension.size, dimension.window_dilation)
    return replace(dimension, high=needed - dimension.low - dilated(size, dimension.base_dilation))


def padding_of(window: Sequence[WindowDimension]) -> DenseIntElementsAttr:
    """The padding of `window` as the attribute of an operation."""
    amounts = [amount for dimension in window for amount in (dimension.low, dimension.high)]
    attribute = DenseIntOrFPElementsAttr.from_list(TensorType(i64, [len(window), 2]), amounts)
    return cast(DenseIntElementsAttr, attribute)


class PadConvolution(PaddingPattern[stablehlo.ConvolutionOp, PaddedTensors]):
    """
    `convolution(%a, %b)` -> `slice (convolution((select %is_valid, %a, 0), (select %is_valid, %b, 0)))`

    Requires: equal padding of batches and features.

    Refuses: a kernel with padding along windows, which would multiply elements by zero that may be infinite.
    """

    @staticmethod
    def decide(op: stablehlo.ConvolutionOp, tensors: PaddedTensors) -> PaddedTensors | None:
        numbers = op.dimension_numbers
        (lhs, rhs), (result,) = tensors.operands, tensors.results
        inputs, kernel, outputs = numbers.roles
        groups = (op.feature_group_count.value.data, op.batch_group_count.value.data)
        pads_groups = {*lhs.padded_dims} & {*inputs[:2]} or {*rhs.padded_dims} & {*kernel[:2]}
        fits = (
            not {*rhs.padded_dims} & {*kernel[2:]}
            and (groups == (1, 1) or not pads_groups)
            and lhs.padded[inputs[0]] == result.padded[outputs[0]] * groups[1]
            and lhs.padded[inputs[1]] == rhs.padded[kernel[0]] * groups[0]
            and rhs.padded[kernel[1]] == result.padded[outputs[1]]
        )
        return tensors if fits else None

    def rewrite(self, op: stablehlo.ConvolutionOp, decision: PaddedTensors, code: PaddingCode) -> None:
        (lhs, rhs), (result,) = decision.operands, decision.results
        inputs, kernel, outputs = op.dimension_numbers.roles
        op.operands[0] = with_zeros(op.lhs, lhs, inputs[1:], code)
        op.operands[1] = with_zeros(op.rhs, rhs, [kernel[0], *kernel[2:]], code)
        window, shape = list(op.window()), list(result.padded)
        for place, dimension in enumerate(window):
            size, target = shape_of(op.lhs)[inputs[2 + place]], outputs[2 + place]
            positions = dimension.positions(size)
            if positions > shape[target] and result.whole.parts(target) == 1:
                shape[target] = positions
            else:
                window[place] = window_over(dimension, size, shape[target])
        if window != list(op.window()):
            op.padding = padding_of(window)
        if tuple(shape) == result.padded:
            code.rewriter.notify_op_modified(op)
            return
        element = tensor_type(op.result).element_type
        properties, attributes = dict(op.properties), dict(op.attributes)
        larger = stablehlo.ConvolutionOp.create(
            operands=op.operands,
            result_types=[TensorType(element, shape)],
            properties=properties,
            attributes=attributes,
        )
        code.replace(op, code.trimmed(code.insert(larger), result.padded, result.sharding))
