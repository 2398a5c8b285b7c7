"""Arithmetic with numbers of a configuration, and how precise it is."""

from collections.abc import Callable, Mapping, Sequence
from math import pi, sqrt
from typing import Any, cast

from xdsl.dialects.builtin import BFloat16Type, ComplexType, Float16Type, TensorType, f32
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import DiagnosticException

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import dense_values
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.attributes import Precision
from xshardy.dialects.stablehlo.building import Tensors, element_type


class LibraryCallError(DiagnosticException):
    """A library call whose configuration is not supported."""


def working_type(type: Attribute) -> Attribute:
    """The type in which a library adds up products of elements of `type`, and applies what follows."""
    return f32 if isinstance(type, BFloat16Type | Float16Type) else type


def precisions(names: Sequence[str]) -> tuple[Precision, ...]:
    """
    The precision of each operand, by its name in any case; none if all are `DEFAULT`.

    Raises `LibraryCallError` for another name.
    """
    try:
        found = tuple(Precision(name.upper()) for name in names)
    except ValueError as error:
        raise LibraryCallError(f"{error}: expected one of {', '.join(Precision)}") from None
    return found if any(each != Precision.DEFAULT for each in found) else ()


def scalar(t: Tensors, number: float, like: SSAValue) -> SSAValue:
    """A tensor of the type of `like`, which may be complex, whose elements are all `number`."""
    type = cast(Any, element_type(like))
    value = (number, 0) if isinstance(element_type(like), ComplexType) else number
    return t.splat(t(stablehlo.ConstantOp(dense_values(TensorType(type, []), [value]))), shape_of(like))


def converted(t: Tensors, x: SSAValue, type: Attribute) -> SSAValue:
    """`x` with elements of `type`; itself if it has them."""
    return x if element_type(x) == type else t.convert(x, type)


def scaled(t: Tensors, x: SSAValue, factor: float) -> SSAValue:
    """`x` times `factor`."""
    return x if factor == 1 else t.multiply(x, scalar(t, factor, x))


def added_to_last(t: Tensors, x: SSAValue, bias: SSAValue) -> SSAValue:
    """`x + bias`, for a `bias` of one dimension: the last of `x`."""
    rank = len(shape_of(x))
    type = TensorType(element_type(x), shape_of(x))
    return t.add(x, t(stablehlo.BroadcastInDimOp(converted(t, bias, element_type(x)), [rank - 1], type)))


def relu(t: Tensors, x: SSAValue) -> SSAValue:
    """The maximum of `x` and 0."""
    return t(stablehlo.MaxOp(x, scalar(t, 0, x)))


def gelu(t: Tensors, x: SSAValue) -> SSAValue:
    """`x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`, as cuBLASLt documents its epilogue."""
    cubed = t.multiply(x, t.multiply(x, x))
    inner = scaled(t, t.add(x, scaled(t, cubed, 0.044715)), sqrt(2 / pi))
    return t.multiply(scaled(t, x, 0.5), t.add(t(stablehlo.TanhOp(inner)), scalar(t, 1, x)))


def elu(t: Tensors, x: SSAValue) -> SSAValue:
    """`x` where it is positive, else `exp(x) - 1`."""
    positive = t(stablehlo.CompareOp(x, scalar(t, 0, x), stablehlo.ComparisonDirection.GT))
    return t.select(positive, x, t(stablehlo.Expm1Op(x)))


def relu6(t: Tensors, x: SSAValue) -> SSAValue:
    """`x` between 0 and 6."""
    return t(stablehlo.MinOp(relu(t, x), scalar(t, 6, x)))


ACTIVATIONS: Mapping[str, Callable[[Tensors, SSAValue], SSAValue]] = {
    "kElu": elu,
    "kNone": lambda t, x: x,
    "kRelu": relu,
    "kRelu6": relu6,
}
"""The functions that cuDNN applies to a convolution, by the names that XLA gives them."""
