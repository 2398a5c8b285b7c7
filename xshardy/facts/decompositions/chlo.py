"""
The operations of CHLO in operations of StableHLO.

Functions of f32 are computed as f64, and functions of narrower floats as f32, where a formula would lose precision
otherwise; functions of complex numbers always as f64. Source: StableHLO's CHLO dialect, "Broadcasting" and the
definitions of its operations.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ComplexType,
    Float8E8M0FNUType,
    FloatAttr,
    FloatData,
    IntAttr,
    IntegerAttr,
    IntegerType,
    Signedness,
    TensorType,
    f32,
    f64,
)
from xdsl.ir import Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.chlo import broadcasting, constants, elementwise
from xshardy.dialects.chlo.top_k import TopKOp
from xshardy.dialects.dense_elements import dense_values
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.attributes import ComparisonDirection, ComparisonType
from xshardy.dialects.stablehlo.building import Decomposition, Tensors, element_type
from xshardy.dialects.stablehlo.top_k import first_in_order
from xshardy.dialects.stablehlo.types import bit_width
from xshardy.facts.broadcasts import ELEMENTWISE_OF
from xshardy.facts.decompositions import complex_formulas, formulas
from xshardy.facts.decompositions.complex_functions import conj, parts, square
from xshardy.facts.decompositions.formulas import Arithmetic

FUNCTIONS: Mapping[str, Callable[..., Operation]] = {
    "absolute": stablehlo.AbsOp,
    "add": stablehlo.AddOp,
    "atan2": stablehlo.Atan2Op,
    "cos": stablehlo.CosineOp,
    "divide": stablehlo.DivOp,
    "exp": stablehlo.ExpOp,
    "expm1": stablehlo.Expm1Op,
    "floor": stablehlo.FloorOp,
    "log": stablehlo.LogOp,
    "log1p": stablehlo.Log1pOp,
    "multiply": stablehlo.MulOp,
    "negate": stablehlo.NegOp,
    "select": stablehlo.SelectOp,
    "sin": stablehlo.SineOp,
    "sqrt": stablehlo.SqrtOp,
    "subtract": stablehlo.SubtractOp,
}
"""The operation of each function of `Arithmetic` that is one."""


class TensorFloats(Arithmetic[SSAValue]):
    """Arithmetic on tensors of one float type and shape, by operations of StableHLO."""

    def __init__(self, t: Tensors, type: AnyFloat, shape: Sequence[int]):
        self.t = t
        self.type = TensorType(type, shape)
        self.is_double = type == f64

    def value(self, x: SSAValue | float) -> SSAValue:
        return x if isinstance(x, SSAValue) else self.t(stablehlo.ConstantOp(dense_values(self.type, [x])))

    def apply(self, function: str, *operands: SSAValue | float) -> SSAValue:
        return self.t(FUNCTIONS[function](*map(self.value, operands)))

    def compare(self, x: SSAValue, direction: ComparisonDirection, y: SSAValue | float) -> SSAValue:
        return self.t(stablehlo.CompareOp(x, self.value(y), direction, ComparisonType.FLOAT))

    def is_less(self, x: SSAValue, y: SSAValue | float) -> SSAValue:
        return self.compare(x, ComparisonDirection.LT, y)

    def is_equal(self, x: SSAValue, y: SSAValue | float) -> SSAValue:
        return self.compare(x, ComparisonDirection.EQ, y)

    def erf(self, x: SSAValue) -> SSAValue:
        return formulas.erf(self, x)

    def erfc(self, x: SSAValue) -> SSAValue:
        return formulas.erfc(self, x)

    def copy_sign(self, x: SSAValue | float, y: SSAValue) -> SSAValue:
        size = self.absolute(self.value(x))
        bits = bits_of(self.t, y)
        is_negative = self.t(
            stablehlo.CompareOp(bits, self.t.like(0, bits), ComparisonDirection.LT, ComparisonType.SIGNED)
        )
        return self.select(is_negative, self.negate(size), size)


def bits_of(t: Tensors, x: SSAValue) -> SSAValue:
    """The bits of floats, as signed integers."""
    type = IntegerType(bit_width(element_type(x)))
    return t(stablehlo.BitcastConvertOp(x, TensorType(type, shape_of(x))))


def static_shape(op: Operation) -> Sequence[int]:
    """The shape of the first result. Raises `NotImplementedError` unless it is known."""
    type = op.results[0].type
    if not isinstance(type, TensorType) or DYNAMIC_INDEX in type.get_shape():
        raise NotImplementedError("its shape is known only at run time")
    return type.get_shape()


# -- Functions of floats ----------------------------------------------------------------------------------------------


def at_least_f32(type: AnyFloat) -> AnyFloat:
    return type if bit_width(type) >= bit_width(f32) else f32


def wider(type: AnyFloat) -> AnyFloat:
    """f64 for f32; f32 for narrower floats."""
    return f64 if bit_width(type) >= bit_width(f32) else f32


def in_type(t: Tensors, x: SSAValue, type: AnyFloat) -> SSAValue:
    """`x` with elements of `type`."""
    return x if element_type(x) == type else t.convert(x, type)


def by_formula(formula: Callable[..., SSAValue], type_of: Callable[[AnyFloat], AnyFloat] = wider) -> Decomposition:
    """`formula`, computed in the float type `type_of(operand type)`. It takes all operands."""

    def decompose(op: Operation, t: Tensors) -> Sequence[SSAValue]:
        narrow = element_type(op.operands[0])
        if not isinstance(narrow, AnyFloat):
            raise NotImplementedError(f"there is no formula for {narrow}")
        wide = type_of(narrow)
        f = TensorFloats(t, wide, static_shape(op))
        return [in_type(t, formula(f, *(in_type(t, operand, wide) for operand in op.operands)), narrow)]

    return decompose


def by_formulas(
    formula: Callable[..., SSAValue],
    of_parts: Callable[..., complex_formulas.Complex[SSAValue]],
    type_of: Callable[[AnyFloat], AnyFloat] = wider,
) -> Decomposition:
    """`formula` of a float, and `of_parts` of the parts of a complex number, as `by_formula`."""
    of_float = by_formula(formula, type_of)

    def decompose(op: Operation, t: Tensors) -> Sequence[SSAValue]:
        (operand,) = op.operands
        if not isinstance(element_type(operand), ComplexType):
            return of_float(op, t)
        re, im = parts(t, operand)
        narrow = cast(AnyFloat, element_type(re))
        f = TensorFloats(t, f64, static_shape(op))
        results = of_parts(f, in_type(t, re, f64), in_type(t, im, f64))
        return [t(stablehlo.ComplexOp(*(in_type(t, result, narrow) for result in results)))]

    return decompose


def is_inf(op: elementwise.IsInfOp, t: Tensors) -> Sequence[SSAValue]:
    f = _floats(op, t)
    return [f.is_equal(f.absolute(op.operand), math.inf)]


def is_pos_inf(op: elementwise.IsPosInfOp, t: Tensors) -> Sequence[SSAValue]:
    return [_floats(op, t).is_equal(op.operand, math.inf)]


def is_neg_inf(op: elementwise.IsNegInfOp, t: Tensors) -> Sequence[SSAValue]:
    return [_floats(op, t).is_equal(op.operand, -math.inf)]


def _floats(op: Operation, t: Tensors) -> TensorFloats:
    return TensorFloats(t, cast(AnyFloat, element_type(op.operands[0])), static_shape(op))


def next_after(op: elementwise.NextAfterOp, t: Tensors) -> Sequence[SSAValue]:
    """The float next to `lhs` in the direction of `rhs`; `rhs` if they are equal, NaN if an operand is NaN."""
    x, y, f = op.lhs, op.rhs, _floats(op, t)
    if isinstance(element_type(x), Float8E8M0FNUType):
        codes = TensorType(IntegerType(8, Signedness.UNSIGNED), shape_of(x))
        of_x, of_y = (t(stablehlo.BitcastConvertOp(value, codes)) for value in (x, y))
        return [t(stablehlo.BitcastConvertOp(_next_power(of_x, of_y, t), x.type))]
    bits = bits_of(t, x)
    grows = t.xor(f.is_less(x, y), f.is_less(x, 0))  # away from 0
    moved = t.add(bits, t.select(grows, t.like(1, bits), t.like(-1, bits)))
    moved = t(stablehlo.BitcastConvertOp(moved, x.type))
    smallest = f.copy_sign(t(stablehlo.BitcastConvertOp(t.like(1, bits), x.type)), y)
    result = f.select(f.is_equal(x, 0), smallest, moved)
    result = f.select(f.is_equal(x, y), y, result)
    is_nan = t.either(f.compare(x, ComparisonDirection.NE, x), f.compare(y, ComparisonDirection.NE, y))
    return [f.select(is_nan, f.add(x, y), result)]


def _next_power(x: SSAValue, y: SSAValue, t: Tensors) -> SSAValue:
    """`next_after` on the bits of f8E8M0FNU, which count up: it has neither a sign nor a zero, and NaN is the last."""
    step = t.select(t.compare(x, ComparisonDirection.LT, y), t.like(1, x), t.like(255, x))
    moved = t.select(t.compare(x, ComparisonDirection.EQ, y), y, t.add(x, step))
    for operand in (x, y):
        moved = t.select(t.compare(operand, ComparisonDirection.EQ, t.like(255, x)), operand, moved)
    return moved


# -- Functions that StableHLO has in another form ---------------------------------------------------------------------


def tan(op: elementwise.TanOp, t: Tensors) -> Sequence[SSAValue]:
    return [t(stablehlo.TanOp(op.operand))]


def mulhi(op: elementwise.MulhiOp, t: Tensors) -> Sequence[SSAValue]:
    """The upper half of the bits of the product, computed with twice the bits; of 64 bits, from products of halves."""
    type = cast(IntegerType, element_type(op.lhs))
    width, shape = type.width.data, static_shape(op)
    is_unsigned = type.signedness.data is Signedness.UNSIGNED
    shift = stablehlo.ShiftRightLogicalOp if is_unsigned else stablehlo.ShiftRightArithmeticOp
    if width > 32:
        return [_high_product_of_halves(op.lhs, op.rhs, shift, t)]
    wide = IntegerType(max(8, 2 * width), type.signedness.data)
    product = t.multiply(t.convert(op.lhs, wide), t.convert(op.rhs, wide))
    return [t.convert(t(shift(product, t.constant(width, wide, shape))), type)]


def _high_product_of_halves(
    x: SSAValue, y: SSAValue, shift: type[stablehlo.ShiftRightLogicalOp | stablehlo.ShiftRightArithmeticOp], t: Tensors
) -> SSAValue:
    """
    The upper half of `x * y`, for 64 bits as two digits of 32: long multiplication.

    Upper digits have the sign; `shift` moves them down. No sum leaves 64 bits: a digit is less than 2 ** 32, so that
    the product of two, and two digits more, are less than 2 ** 64.
    """

    def upper(value: SSAValue) -> SSAValue:
        return t(shift(value, t.like(32, value)))

    def lower(value: SSAValue) -> SSAValue:
        return t.both(value, t.like(0xFFFFFFFF, value))

    carried = t.shifted_right(t.multiply(lower(x), lower(y)), 32)
    across = t.add(t.multiply(upper(x), lower(y)), carried)
    crossed = t.add(t.multiply(lower(x), upper(y)), lower(across))
    return t.add(t.multiply(upper(x), upper(y)), t.add(upper(across), upper(crossed)))


# -- Broadcasting -----------------------------------------------------------------------------------------------------


def _spread(t: Tensors, value: SSAValue, shape: Sequence[int], dims: Sequence[int]) -> SSAValue:
    if shape_of(value) == tuple(shape):
        return value
    return t(stablehlo.BroadcastInDimOp(value, dims, TensorType(element_type(value), shape)))


def _aligned(op: broadcasting.BroadcastBinaryOp, t: Tensors) -> tuple[SSAValue, SSAValue]:
    """
    Both operands in the shape of the result: aligned to the right, or along `broadcast_dimensions`.

    Raises `NotImplementedError` if they do not fit, which upstream accepts: the operation then computes nothing.
    """
    shape = static_shape(op)
    dimensions = None if op.broadcast_dimensions is None else op.broadcast_dimensions.get_values()
    if broadcasting.broadcast([shape_of(op.lhs), shape_of(op.rhs)], dimensions) != tuple(shape):
        along = "" if dimensions is None else f" along {list(dimensions)}"
        raise NotImplementedError(f"{op.lhs.type} and {op.rhs.type} cannot be broadcast{along} to {op.result.type}")
    found: list[SSAValue] = []
    for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        rank = len(shape_of(value))
        dims: Sequence[int] = range(len(shape) - rank, len(shape))
        if op.broadcast_dimensions is not None and rank < len(shape_of(other)):
            dims = op.broadcast_dimensions.get_values()
        found.append(_spread(t, value, shape, list(dims)))
    return found[0], found[1]


def broadcast(kind: Callable[..., Operation], decomposition: Decomposition | None) -> Decomposition:
    """`kind` of both operands, in the shape of the result. An operation of CHLO is decomposed in turn."""

    def decompose(op: broadcasting.BroadcastBinaryOp, t: Tensors) -> Sequence[SSAValue]:
        aligned = kind(*_aligned(op, t))
        return [t(aligned)] if decomposition is None else decomposition(aligned, t)

    return decompose


def broadcast_compare(op: broadcasting.BroadcastCompareOp, t: Tensors) -> Sequence[SSAValue]:
    kind = None if op.compare_type is None else ComparisonType[op.compare_type.data.name]
    direction = ComparisonDirection[op.comparison_direction.data.name]
    return [t(stablehlo.CompareOp(*_aligned(op, t), direction, kind))]


def broadcast_select(op: broadcasting.BroadcastSelectOp, t: Tensors) -> Sequence[SSAValue]:
    shape = static_shape(op)

    def aligned(value: SSAValue) -> SSAValue:
        return _spread(t, value, shape, list(range(len(shape) - len(shape_of(value)), len(shape))))

    pred = op.pred if not shape_of(op.pred) else aligned(op.pred)
    return [t.select(pred, aligned(op.on_true), aligned(op.on_false))]


# -- Constants, top-k -------------------------------------------------------------------------------------------------


def constant(op: constants.ConstantOp, t: Tensors) -> Sequence[SSAValue]:
    return [t(stablehlo.ConstantOp(op.value))]


def constant_like(op: constants.ConstantLikeOp, t: Tensors) -> Sequence[SSAValue]:
    type = TensorType(element_type(op.results[0]), static_shape(op))
    match op.value:
        case IntegerAttr(value=IntAttr(data=number)) | FloatAttr(value=FloatData(data=number)):
            return [t(stablehlo.ConstantOp(dense_values(type, [number])))]
        case _:
            raise NotImplementedError(f"{op.value} is not a number")


def top_k(op: TopKOp, t: Tensors) -> Sequence[SSAValue]:
    """A stable sort in descending order, of the elements and their indices, and the first `k` of it."""
    if DYNAMIC_INDEX in shape_of(op.operand):
        raise NotImplementedError("its shape is known only at run time")
    return first_in_order(t, op.operand, op.k.value.data, ComparisonDirection.GT)


OF_COMPLEX: Mapping[type[Operation], Decomposition] = {
    elementwise.AcosOp: by_formulas(formulas.acos, complex_formulas.acos),
    elementwise.AcoshOp: by_formulas(formulas.acosh, complex_formulas.acosh),
    elementwise.AsinOp: by_formulas(formulas.asin, complex_formulas.asin),
    elementwise.AsinhOp: by_formulas(formulas.asinh, complex_formulas.asinh),
    elementwise.AtanOp: by_formulas(formulas.atan, complex_formulas.atan, at_least_f32),
    elementwise.AtanhOp: by_formulas(formulas.atanh, complex_formulas.atanh),
    elementwise.CoshOp: by_formulas(formulas.cosh, complex_formulas.cosh),
    elementwise.SinhOp: by_formulas(formulas.sinh, complex_formulas.sinh),
}
"""Functions that have a formula for complex numbers, too."""

_WITHOUT_BROADCASTS: Mapping[type[Operation], Decomposition] = {
    **OF_COMPLEX,
    constants.ConstantLikeOp: constant_like,
    constants.ConstantOp: constant,
    elementwise.BesselI1eOp: by_formula(formulas.bessel_i1e),
    elementwise.ConjOp: conj,
    elementwise.DigammaOp: by_formula(formulas.digamma),
    elementwise.ErfInvOp: by_formula(formulas.erf_inv, at_least_f32),
    elementwise.ErfOp: by_formula(formulas.erf),
    elementwise.ErfcOp: by_formula(formulas.erfc),
    elementwise.IsInfOp: is_inf,
    elementwise.IsNegInfOp: is_neg_inf,
    elementwise.IsPosInfOp: is_pos_inf,
    elementwise.LgammaOp: by_formula(formulas.lgamma),
    elementwise.MulhiOp: mulhi,
    elementwise.NextAfterOp: next_after,
    elementwise.PolygammaOp: by_formula(formulas.polygamma),
    elementwise.SquareOp: square,
    elementwise.TanOp: tan,
    elementwise.ZetaOp: by_formula(formulas.zeta),
    TopKOp: top_k,
}

DECOMPOSITIONS: Mapping[type[Operation], Decomposition] = {
    **_WITHOUT_BROADCASTS,
    **{op: broadcast(kind, _WITHOUT_BROADCASTS.get(kind)) for op, kind in ELEMENTWISE_OF.items()},
    broadcasting.BroadcastCompareOp: broadcast_compare,
    broadcasting.BroadcastSelectOp: broadcast_select,
}
