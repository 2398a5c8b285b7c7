"""Functions of CHLO on complex numbers, by operations on their parts."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import AnyFloat, ComplexType, TensorType
from xdsl.ir import Attribute, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.chlo import elementwise
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.attributes import ComparisonDirection, ComparisonType
from xshardy.dialects.stablehlo.building import Tensors, element_type


def parts(t: Tensors, x: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The real and imaginary parts of a tensor of complex numbers."""
    part = TensorType[Attribute](cast(ComplexType[AnyFloat], element_type(x)).element_type, shape_of(x))
    return t(stablehlo.RealOp(x, part)), t(stablehlo.ImagOp(x, part))


def conj(op: elementwise.ConjOp, t: Tensors) -> Sequence[SSAValue]:
    """A real number is its own conjugate."""
    if not isinstance(element_type(op.operand), ComplexType):
        return [op.operand]
    real, imag = parts(t, op.operand)
    return [t(stablehlo.ComplexOp(real, t(stablehlo.NegOp(imag))))]


def square(op: elementwise.SquareOp, t: Tensors) -> Sequence[SSAValue]:
    """
    The real part of a complex square is `(real - imag) * (real + imag)`, which overflows only where the result does.

    It is 0 where finite parts have one absolute value, for there the product may be that of 0 and an infinity. Source:
    StableHLO's decomposition of `chlo.square`, which XLA uses.
    """
    if not isinstance(element_type(op.operand), ComplexType):
        return [t.multiply(op.operand, op.operand)]
    x, y = parts(t, op.operand)
    sizes = t(stablehlo.AbsOp(x)), t(stablehlo.AbsOp(y))
    is_equal = t(stablehlo.CompareOp(*sizes, ComparisonDirection.EQ, ComparisonType.FLOAT))
    vanishes = t.both(t(stablehlo.IsFiniteOp(x)), is_equal)
    zero = t(stablehlo.SubtractOp(x, x))  # where it is chosen; a constant needs a known shape
    real = t.select(vanishes, zero, t.multiply(t(stablehlo.SubtractOp(x, y)), t.add(x, y)))
    product = t.multiply(x, y)
    return [t(stablehlo.ComplexOp(real, t.add(product, product)))]
