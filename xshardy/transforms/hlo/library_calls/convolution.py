"""
Convolutions of cuDNN: forward, for the gradient of the input, and for that of the filter.

All have the `window` and `dim_labels` of the forward convolution, and are one `stablehlo.convolution`. The gradient of
the input moves the reversed filter over the gradient of the output, whose elements are a stride apart; that of the
filter moves the gradient of the output over the input, as a filter whose elements are a stride apart.
Source: V. Dumoulin, F. Visin, A guide to convolution arithmetic for deep learning, 2016.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from xdsl.dialects.builtin import DenseArrayBase, TensorType, i1
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.attributes import Precision
from xshardy.dialects.stablehlo.building import Tensors
from xshardy.dialects.stablehlo.windows import WindowDimension
from xshardy.hlo_text.fields import ReversibleDimension, read_window
from xshardy.hlo_text.forms.contractions import dimension_numbers
from xshardy.hlo_text.lexer import Tokens
from xshardy.hlo_text.parser import source_of
from xshardy.transforms.hlo.library_calls.scalars import (
    ACTIVATIONS,
    LibraryCallError,
    added_to_last,
    converted,
    precisions,
    scaled,
    working_type,
)


@dataclass(frozen=True, slots=True)
class Convolution:
    """What the text of a call says about its forward convolution."""

    window: tuple[ReversibleDimension, ...]
    input: str
    filter: str
    output: str
    groups: int
    precision: tuple[Precision, ...] = ()
    """That of each operand; none for the default."""

    @staticmethod
    def of(window: str, labels: str, groups: int, precision: str = "") -> "Convolution":
        """`{size=3x3}`, `b01f_o01i->b01f`, 1, `{highest,default}`"""
        input, rest = labels.split("_")
        filter, output = rest.split("->")
        tokens = Tokens(source_of(window, "window"))
        named = [name for name in precision.strip("{}").split(",") if name]
        return Convolution(read_window(tokens) if window else (), input, filter, output, groups, precisions(named))

    @property
    def labels(self) -> tuple[str, str, str]:
        """The letters of the dimensions of input, filter and output."""
        return self.input, self.filter, self.output


def forward(c: Convolution, x: SSAValue, w: SSAValue, type: TensorType) -> stablehlo.ConvolutionOp:
    """The convolution itself."""
    return _operation(c, x, w, f"{c.input}_{c.filter}->{c.output}", type, c.window)


def backward_input(c: Convolution, dy: SSAValue, w: SSAValue, type: TensorType) -> stablehlo.ConvolutionOp:
    """The gradient of the input, of type `type`. Raises `LibraryCallError` for several groups."""
    _require_one_group(c)
    window: list[ReversibleDimension] = []
    for label, d in zip("0123456789", c.window, strict=False):
        size, moved = type.get_shape()[c.input.index(label)], shape_of(dy)[c.output.index(label)]
        reach = (d.size - 1) * d.window_dilation
        low = reach - d.low
        high = size - ((moved - 1) * d.stride + 1) - low + reach
        window.append(replace(d, stride=1, base_dilation=d.stride, low=low, high=high, is_reversed=1 - d.is_reversed))
    labels = f"{c.output}_{c.filter.translate(str.maketrans('io', 'oi'))}->{c.input}"
    return _operation(c, dy, w, labels, type, window)


def backward_filter(c: Convolution, x: SSAValue, dy: SSAValue, type: TensorType) -> stablehlo.ConvolutionOp:
    """The gradient of the filter, of type `type`. Raises `LibraryCallError` for several groups."""
    _require_one_group(c)
    window: list[ReversibleDimension] = []
    for label, d in zip("0123456789", c.window, strict=False):
        if d.is_reversed:
            raise LibraryCallError("the gradient of a filter that is moved in reverse")
        size, moved = shape_of(x)[c.input.index(label)], shape_of(dy)[c.output.index(label)]
        high = (d.size - 1) * d.window_dilation + (moved - 1) * d.stride + 1 - size - d.low
        window.append(ReversibleDimension(moved, d.window_dilation, 1, d.stride, d.low, high))
    batch_as_feature = c.input.translate(str.maketrans("bf", "fb"))
    gradient_as_filter = c.output.translate(str.maketrans("bf", "io"))
    result = c.filter.translate(str.maketrans("io", "bf"))
    return _operation(c, x, dy, f"{batch_as_feature}_{gradient_as_filter}->{result}", type, window)


def _require_one_group(c: Convolution) -> None:
    if c.groups != 1:
        raise LibraryCallError(f"the gradient of a convolution with {c.groups} groups of features")


def _operation(
    c: Convolution,
    x: SSAValue,
    w: SSAValue,
    labels: str,
    type: TensorType,
    window: Sequence[ReversibleDimension],
) -> stablehlo.ConvolutionOp:
    numbers = dimension_numbers(labels, len(window), LibraryCallError)
    plain = [WindowDimension(d.size, d.stride, d.base_dilation, d.window_dilation, d.low, d.high) for d in window]
    made = stablehlo.ConvolutionOp(x, w, numbers, type, plain, c.groups, precision=c.precision)
    if any(d.is_reversed for d in window):
        made.window_reversal = DenseArrayBase.from_list(i1, [int(d.is_reversed) for d in window])
    return made


KINDS: Mapping[str, Callable[[Convolution, SSAValue, SSAValue, TensorType], stablehlo.ConvolutionOp]] = {
    "__cudnn$convBackwardFilter": backward_filter,
    "__cudnn$convBackwardInput": backward_input,
    "__cudnn$convBiasActivationForward": forward,
    "__cudnn$convForward": forward,
}
"""The convolution of each target."""


def convolution(
    target: str,
    c: Convolution,
    operands: Sequence[SSAValue],
    type: TensorType,
    config: Mapping[str, Any],
    t: Tensors,
) -> SSAValue:
    """
    `activation(scale * convolution + side_scale * side + bias)`: the first result of a call of `target`.

    `operands` are the two of the convolution, then the bias and the side input if it has them.

    `config` is its `cudnn_conv_backend_config`. Raises `LibraryCallError` for an unknown activation, and for
    shapes that do not fit.
    """
    if (activation := ACTIVATIONS.get(config.get("activation_mode", "kNone"))) is None:
        raise LibraryCallError(f"a convolution with the activation {config['activation_mode']}")
    working = TensorType(working_type(type.element_type), type.get_shape())
    first, second, *others = operands
    made = KINDS[target](c, first, second, working)
    try:
        made.verify()
    except VerifyException as error:
        raise LibraryCallError(f"a convolution that is none: {error}") from None
    value = scaled(t, t(made), config.get("conv_result_scale", 1))
    if len(others) > 1:
        side = converted(t, others[1], working.element_type)
        value = t.add(value, scaled(t, side, config.get("side_input_scale", 0)))
    if others:
        if c.output[-1] != "f":
            raise LibraryCallError("a convolution with a bias whose features are not the last dimension")
        value = added_to_last(t, value, others[0])
    return converted(t, activation(t, value), type.element_type)
