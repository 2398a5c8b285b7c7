"""Folds of floating-point arithmetic, exact to the bit: what rounds is rounded to the type of the result."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import AnyFloat, Float64Type, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.dialects.extensions.arith import RemFOp
from xshardy.dialects.extensions.arith_elementwise import element_type_of
from xshardy.transforms.canonicalization.constants import (
    elementwise,
    is_splat_of,
    signed,
    splat_attr,
    unsigned,
    width_of,
)
from xshardy.transforms.canonicalization.folds import Fold


def _divide(a: float, b: float) -> float:
    if b != 0 or math.isnan(b):
        return a / b
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _remainder(a: float, b: float) -> float:
    return math.nan if math.isinf(a) or b == 0 else math.fmod(a, b)


def _maximum(a: float, b: float) -> float:
    """NaN if either is, and 0.0 is more than -0.0."""
    if math.isnan(a) or math.isnan(b):
        return math.nan
    return max((a, math.copysign(1, a)), (b, math.copysign(1, b)))[0]


def _minimum(a: float, b: float) -> float:
    return -_maximum(-a, -b)


def _number(choose: Callable[[float, float], float]) -> Callable[[float, float], float]:
    """`choose`, but the other operand where one is NaN."""
    return lambda a, b: b if math.isnan(a) else a if math.isnan(b) else choose(a, b)


BINARY: Mapping[type[Operation], Callable[[float, float], float]] = {
    arith.AddfOp: lambda a, b: a + b,
    arith.SubfOp: lambda a, b: a - b,
    arith.MulfOp: lambda a, b: a * b,
    arith.DivfOp: _divide,
    RemFOp: _remainder,
    arith.MaximumfOp: _maximum,
    arith.MinimumfOp: _minimum,
    arith.MaxnumfOp: _number(_maximum),
    arith.MinnumfOp: _number(_minimum),
    math_dialect.CopySignOp: math.copysign,
}

NEUTRAL: Mapping[type[Operation], tuple[float, bool]] = {
    arith.AddfOp: (-0.0, True),
    arith.SubfOp: (0.0, False),
    arith.MulfOp: (1.0, True),
    arith.DivfOp: (1.0, False),
    arith.MaximumfOp: (-math.inf, True),
    arith.MinimumfOp: (math.inf, True),
}
"""`x op neutral` is `x`, and whether `neutral op x` is too. Adding 0.0 is not neutral: it changes -0.0."""

IDEMPOTENT = (arith.MaximumfOp, arith.MinimumfOp, arith.MaxnumfOp, arith.MinnumfOp)

UNARY: Mapping[type[Operation], Callable[[float], float]] = {
    arith.NegfOp: lambda a: -a,
    math_dialect.AbsFOp: abs,
    math_dialect.CeilOp: lambda a: math.copysign(math.ceil(a), a) if math.isfinite(a) else a,
    math_dialect.FloorOp: lambda a: math.copysign(math.floor(a), a) if math.isfinite(a) else a,
    math_dialect.RoundEvenOp: lambda a: math.copysign(round(a), a) if math.isfinite(a) else a,
    math_dialect.SqrtOp: lambda a: math.nan if a < 0 else math.sqrt(a),
    math_dialect.TruncOp: lambda a: math.copysign(math.trunc(a), a) if math.isfinite(a) else a,
}
"""Only what is exact, or rounded correctly, in double precision: of the others, libraries differ in the last bits."""


def fold_binary(op: Operation, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
    """Compute constants; drop a neutral operand."""
    lhs, rhs = op.operands
    type_ = op.results[0].type
    if _is_computable(type_) and (folded := elementwise(BINARY[type(op)], constants, type_)) is not None:
        return folded
    if lhs is rhs and isinstance(op, IDEMPOTENT):
        return lhs
    if type(op) in NEUTRAL:
        neutral, commutes = NEUTRAL[type(op)]
        if is_splat_of(constants[1], neutral):
            return lhs
        if commutes and is_splat_of(constants[0], neutral):
            return rhs
    return None


def fold_unary(op: Operation, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
    """Compute a constant; `negf (negf x)` -> `x`."""
    inner = op.operands[0].owner
    if isinstance(op, arith.NegfOp) and isinstance(inner, arith.NegfOp):
        return inner.operand
    type_ = op.results[0].type
    return elementwise(UNARY[type(op)], constants, type_) if _is_computable(type_) else None


def _is_computable(type: Attribute) -> bool:
    """Whether a double holds every value of the type, and rounding a double result once more is as rounding once."""
    element = element_type_of(type)
    return isinstance(element, AnyFloat) and (isinstance(element, Float64Type) or element.bitwidth <= 32)


_ORDERED: Sequence[Callable[[float, float], bool]] = (
    lambda a, b: False,
    lambda a, b: a == b,
    lambda a, b: a > b,
    lambda a, b: a >= b,
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: a != b,
    lambda a, b: True,
)
"""false, oeq, ogt, oge, olt, ole, one, ord on numbers. Seven further on: the same, true where one is NaN."""


def compare(predicate: int, a: float, b: float) -> bool:
    """What `arith.cmpf` gives: predicates 1 to 7 are false for NaN, 8 to 14 (ueq to uno) and 15 are true."""
    if math.isnan(a) or math.isnan(b):
        return predicate >= 8
    if predicate in (14, 15):
        return predicate == 15
    return _ORDERED[predicate if predicate < 8 else predicate - 7](a, b)


def fold_cmpf(op: arith.CmpfOp, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
    """Compare constants; `false` and `true` hold for anything."""
    predicate = op.predicate.value.data
    if predicate in (0, 15):
        return splat_attr(predicate == 15, op.result.type)
    return elementwise(lambda a, b: compare(predicate, a, b), constants, op.result.type)


def fold_extf(op: arith.ExtFOp, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
    """Every narrower float is also a wider one."""
    return elementwise(lambda a: a, constants, op.result.type) if _is_computable(op.result.type) else None


def fold_truncf(op: arith.TruncFOp, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
    """`truncf (extf x)` -> `x` where the types agree; constants are rounded to nearest, ties to even."""
    inner = op.input.owner
    if isinstance(inner, arith.ExtFOp) and inner.input.type == op.result.type:
        return inner.input
    return elementwise(lambda a: a, constants, op.result.type) if _is_computable(op.result.type) else None


def _fold_from_integer(view: Callable[[int, int], int]) -> Fold:
    def fold(op: Operation, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
        width = width_of(element_type_of(op.operands[0].type))
        # A wider integer is rounded to a double first, and rounding twice is not rounding once.
        if width > 53 or not _is_computable(op.results[0].type):
            return None
        return elementwise(lambda a: float(view(a, width)), constants, op.results[0].type)

    return fold


def _fold_to_integer(is_signed: bool) -> Fold:
    """Rounded toward zero; what does not fit is undefined, and left alone."""

    def fold(op: Operation, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
        width = width_of(element_type_of(op.results[0].type))
        lower, upper = (-(1 << (width - 1)), 1 << (width - 1)) if is_signed else (0, 1 << width)

        def convert(a: float) -> int | None:
            return math.trunc(a) if math.isfinite(a) and lower <= math.trunc(a) < upper else None

        return elementwise(convert, constants, op.results[0].type)

    return fold


def fold_bitcast(op: arith.BitcastOp, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
    """`bitcast (bitcast x)` -> `x`, a bitcast to its own type -> `x`; the bits of constants are read anew."""
    source, target = op.input.type, op.result.type
    inner = op.input.owner
    if source == target:
        return op.input
    if isinstance(inner, arith.BitcastOp) and inner.input.type == target:
        return inner.input
    old, new = (cast(Any, element_type_of(type)) for type in (source, target))
    if width_of(old) % 8 or not all(isinstance(type, IntegerType) or _is_computable(type) for type in (old, new)):
        return None

    def convert(number: int | float) -> int | float | None:
        (read,) = new.unpack(old.pack((number,)), 1)
        # The bits of a NaN are not kept by a double.
        return None if math.isnan(number) or math.isnan(read) else read

    return elementwise(convert, constants, target)


FOLDS: Mapping[type[Operation], Fold] = {
    **dict.fromkeys(BINARY, fold_binary),
    **dict.fromkeys(UNARY, fold_unary),
    arith.CmpfOp: fold_cmpf,
    arith.ExtFOp: fold_extf,
    arith.TruncFOp: fold_truncf,
    arith.SIToFPOp: _fold_from_integer(signed),
    arith.UIToFPOp: _fold_from_integer(unsigned),
    arith.FPToSIOp: _fold_to_integer(True),
    arith.FPToUIOp: _fold_to_integer(False),
    arith.BitcastOp: fold_bitcast,
}
