"""
Hand convolutions to cuDNN, as XLA:GPU does: forward, or as the gradient of the input or of the filter.

Calls are in the layout of channels last, `b01f_o01i->b01f`, and have the window of the forward convolution. The other
direction, and the arithmetic, are in `library_calls/convolution.py`.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects import stablehlo
from xshardy.dialects.hlo.annotation_names import BACKEND_CONFIG
from xshardy.dialects.shapes import is_static, shape_of
from xshardy.dialects.stablehlo.attributes import Precision
from xshardy.dialects.stablehlo.building import Tensors, element_type
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.hlo_text.codecs import PRECISIONS
from xshardy.hlo_text.fields import ReversibleDimension, write_window
from xshardy.indexing.tensor_maps import minor_to_major, row_major, values_of
from xshardy.rewriting import PatternPass, Step, match_op_type
from xshardy.transforms.call_graph import outside_of_fusions

TYPES = (BFloat16Type(), Float16Type(), Float32Type(), Float64Type())
"""The element types that cuDNN convolves. Source: NVIDIA, cuDNN documentation; XLA's convolution rewriter."""
RANKS = (2, 3)
"""The numbers of spatial dimensions that cuDNN takes."""


@dataclass(frozen=True, slots=True)
class ForwardDimension:
    """A dimension of a forward convolution, and what is added to its input so that the padding is symmetric."""

    window: ReversibleDimension
    size: int
    """The elements of the input."""
    low: int = 0
    high: int = 0

    @staticmethod
    def of(size: int, moved: int, kernel: int, stride: int, dilation: int, low: int) -> "ForwardDimension | None":
        """
        For a filter of `kernel` elements, a dilation apart, at `moved` positions, a stride apart, the first `low`
        before the input. None if positions would be left out, or are inside of the input.
        """
        least = (moved - 1) * stride + (kernel - 1) * dilation + 1 - size - low
        pad = min(low, least + stride - 1)
        if low < 0 or least + stride - 1 < 0:
            return None
        window = ReversibleDimension(kernel, stride, 1, dilation, pad, pad)
        return ForwardDimension(window, size, low - pad, max(least - pad, 0))


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor of a convolution: its two dimensions that are not spatial, then those that are."""

    value: SSAValue
    roles: Sequence[int]
    is_swapped: bool = False
    """Whether the second of the two is the major one for cuDNN."""

    @property
    def order(self) -> list[int]:
        """The dimensions in the order of cuDNN."""
        first, second, *spatial = self.roles
        return [second, *spatial, first] if self.is_swapped else [first, *spatial, second]

    @property
    def spatial(self) -> list[int]:
        """The sizes of the spatial dimensions."""
        return [shape_of(self.value)[d] for d in self.roles[2:]]

    @property
    def shape(self) -> list[int]:
        """The shape in the order of cuDNN."""
        return [shape_of(self.value)[d] for d in self.order]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of cuDNN that computes a convolution."""

    target: str
    lhs: Tensor
    rhs: Tensor
    result: Tensor
    dimensions: Sequence[ForwardDimension | None]
    reverses_filter: bool = field(default=False)
    """Whether cuDNN reverses the filter, and the convolution does not."""


def tensors_of(op: stablehlo.ConvolutionOp) -> tuple[Tensor, Tensor, Tensor]:
    """The operands and the result of `op`."""
    lhs, rhs, result = op.dimension_numbers.roles
    return Tensor(op.lhs, lhs), Tensor(op.rhs, rhs), Tensor(op.result, result)


def forward(op: stablehlo.ConvolutionOp) -> Call | None:
    """The call of a convolution whose input has no gaps, and whose filter is not reversed."""
    lhs, rhs, result = tensors_of(op)
    if is_reversed(op) or any(d.base_dilation != 1 for d in op.window()):
        return None
    dimensions = [
        ForwardDimension.of(size, moved, d.size, d.stride, d.window_dilation, d.low)
        for d, size, moved in zip(op.window(), lhs.spatial, result.spatial, strict=True)
    ]
    return Call("__cudnn$convForward", lhs, Tensor(rhs.value, rhs.roles, True), result, dimensions)


def backward_input(op: stablehlo.ConvolutionOp) -> Call | None:
    """The call for the gradient of the input: the reversed filter moves over elements that are a stride apart."""
    lhs, rhs, result = tensors_of(op)
    if any(d.stride != 1 for d in op.window()) or op.feature_group_count.value.data != 1:
        return None
    dimensions = [
        ForwardDimension.of(
            size, moved, d.size, d.base_dilation, d.window_dilation, (d.size - 1) * d.window_dilation - d.low
        )
        for d, size, moved in zip(op.window(), result.spatial, lhs.spatial, strict=True)
    ]
    reverses = not is_reversed(op)
    reverse = rhs.value.owner
    if reverses and isinstance(reverse, stablehlo.ReverseOp) and reverses_all(reverse, rhs):
        rhs, reverses = Tensor(reverse.operand, rhs.roles), False
    return Call("__cudnn$convBackwardInput", lhs, rhs, result, dimensions, reverses)


def backward_filter(op: stablehlo.ConvolutionOp) -> Call | None:
    """The call for the gradient of the filter: the gradient of the output moves over the input, as a filter."""
    lhs, rhs, result = tensors_of(op)
    is_plain = not is_reversed(op) and all(d.base_dilation == 1 for d in op.window())
    if not is_plain or op.feature_group_count.value.data != 1:
        return None
    dimensions = [
        ForwardDimension.of(size, d.size, kernel, d.window_dilation, d.stride, d.low)
        for d, size, kernel in zip(op.window(), lhs.spatial, result.spatial, strict=True)
    ]
    x, dw = (Tensor(each.value, each.roles, True) for each in (lhs, result))
    return Call("__cudnn$convBackwardFilter", x, rhs, dw, dimensions)


def reverses_all(op: stablehlo.ReverseOp, filter: Tensor) -> bool:
    """Whether `op` reverses the spatial dimensions of `filter`, and no others."""
    return sorted(values_of(op.dimensions)) == sorted(filter.roles[2:])


def is_reversed(op: stablehlo.ConvolutionOp) -> bool:
    """Whether any dimension of the window is reversed."""
    return op.window_reversal is not None and any(op.window_reversal.get_values())


def kinds_of(op: stablehlo.ConvolutionOp) -> Sequence[Callable[[stablehlo.ConvolutionOp], Call | None]]:
    """
    What `op` may be, the likeliest first.

    Where several are right, their speed differs: JAX's gradient of a filter takes the batch for the features, and so
    has them in the other order.
    """
    batch, feature, *_ = op.dimension_numbers.roles[0]
    filter = op.rhs.owner
    is_gap = any(d.base_dilation != 1 for d in op.window())
    if (
        is_reversed(op)
        or is_gap
        or (isinstance(filter, stablehlo.ReverseOp) and reverses_all(filter, tensors_of(op)[1]))
    ):
        return backward_input, forward
    return (backward_filter, forward) if feature < batch else (forward,)


def is_convolved_by_cudnn(op: stablehlo.ConvolutionOp) -> bool:
    """Whether cuDNN takes the types, ranks and groups of `op`, in row-major layouts, and nothing is empty."""
    values = (op.lhs, op.rhs, op.result)
    reversal = set(op.window_reversal.get_values()) if op.window_reversal is not None else set[int]()
    return (
        len({element_type(value) for value in values}) == 1
        and element_type(op.result) in TYPES
        and len(op.window()) in RANKS
        and op.batch_group_count.value.data == 1
        and len(reversal) < 2
        and all(is_static(tensor_type(value)) and prod(shape_of(value)) for value in values)
        and all(minor_to_major(value) == row_major(shape_of(value)) for value in values)
    )


def inserted(call: Call, op: stablehlo.ConvolutionOp, t: Tensors) -> SSAValue:
    """The result of `call`, which computes `op`, in the dimensions of `op`."""
    dimensions = [d for d in call.dimensions if d is not None]
    is_gradient_of_input = call.target == "__cudnn$convBackwardInput"
    low, high = [0, *(d.low for d in dimensions), 0], [0, *(d.high for d in dimensions), 0]
    lhs, rhs = (t.transpose(each.value, each.order) for each in (call.lhs, call.rhs))
    shape = call.result.shape
    if call.reverses_filter:
        rhs = t(stablehlo.ReverseOp(rhs, range(1, 1 + len(dimensions))))
    padded = [below + size + above for below, size, above in zip(low, shape, high, strict=True)]
    if not is_gradient_of_input:
        lhs, padded = pad(t, lhs, low, high), shape
    made = stablehlo.CustomCallOp(call.target, [lhs, rhs], [TensorType(element_type(op.result), padded)])
    spatial = "".join(map(str, range(len(dimensions))))
    texts = {
        "hlo.window": write_window([d.window for d in dimensions]),
        "hlo.dim_labels": f"b{spatial}f_o{spatial}i->b{spatial}f",
        BACKEND_CONFIG: json.dumps({"cudnn_conv_backend_config": {"activation_mode": "kNone", "conv_result_scale": 1}}),
    }
    if (groups := op.feature_group_count.value.data) != 1:
        texts["hlo.feature_group_count"] = str(groups)
    precisions = PRECISIONS.decode(op.precision_config) if op.precision_config is not None else ()
    if any(each != Precision.DEFAULT for each in precisions):
        texts["hlo.operand_precision"] = f"{{{','.join(each.value.lower() for each in precisions)}}}"
    made.attributes.update({name: StringAttr(text) for name, text in texts.items()})
    result = t(made)
    if padded != shape:
        limits = [below + size for below, size in zip(low, shape, strict=True)]
        result = t(stablehlo.SliceOp(result, low, limits, [1] * len(shape)))
    order = call.result.order
    return t.transpose(result, [order.index(d) for d in range(len(order))])


def pad(t: Tensors, x: SSAValue, low: Sequence[int], high: Sequence[int]) -> SSAValue:
    """`x` with zeros around it; itself if there are none."""
    if not any(low) and not any(high):
        return x
    sizes = [below + size + above for below, size, above in zip(low, shape_of(x), high, strict=True)]
    zero = t.constant(0, cast(AnyFloat, element_type(x)))
    return t(stablehlo.PadOp(x, zero, low, high, [0] * len(sizes), TensorType(element_type(x), sizes)))


class ConvolutionToCall(RewritePattern):
    """
    `convolution %x, %w` -> `custom_call @__cudnn$convForward(%x, %w)`, with transposes to channels last if needed.

    And `@__cudnn$convBackwardInput` or `@__cudnn$convBackwardFilter`. Padding that is not symmetric is added before.
    """

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.ConvolutionOp, rewriter: PatternRewriter, /):
        if not is_convolved_by_cudnn(op):
            return
        for kind in kinds_of(op):
            call = kind(op)
            if call is not None and None not in call.dimensions:
                rewriter.replace(op, (), [inserted(call, op, Tensors(rewriter))])
                return


class RewriteConvolutionsPass(PatternPass):
    """
    Replace convolutions of floating-point numbers, of two or three dimensions, by calls of cuDNN.

    What cuDNN does not take stays: other types and ranks, gradients with groups, padding that cuts elements off. So do
    those in fusions.
    """

    name = "hlo-rewrite-convolutions"
    source: ClassVar[str] = "XLA:GPU's convolution rewriter and padding legalization; NVIDIA, cuDNN documentation"

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        yield Step((ConvolutionToCall(),), roots=outside_of_fusions(module))
