"""Folds of arith against numpy, which computes with the same widths."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import floats, integers, sampled_from
from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType, f16, f32, f64, i1
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.dialects.extensions.arith_elementwise import RELATIONS, Predicate
from xshardy.transforms.canonicalization import arith_floats, arith_integers, arith_patterns
from xshardy.transforms.canonicalization.constants import signed

INTEGERS = {8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}
FLOATS = {f16: np.float16, f32: np.float32, f64: np.float64}

EXACT = {
    arith.AddiOp: np.add,
    arith.SubiOp: np.subtract,
    arith.MuliOp: np.multiply,
    arith.AndIOp: np.bitwise_and,
    arith.OrIOp: np.bitwise_or,
    arith.XOrIOp: np.bitwise_xor,
    arith.MaxSIOp: np.maximum,
    arith.MinSIOp: np.minimum,
    arith.FloorDivSIOp: np.floor_divide,
    arith.RemSIOp: np.fmod,
}
QUOTIENTS = {
    arith.DivSIOp: math.trunc,
    arith.DivUIOp: math.floor,
    arith.FloorDivSIOp: math.floor,
    arith.CeilDivSIOp: math.ceil,
    arith.CeilDivUIOp: math.ceil,
}
"""How each division rounds the exact quotient."""
UNSIGNED = {
    arith.DivUIOp: np.floor_divide,
    arith.RemUIOp: np.remainder,
    arith.MaxUIOp: np.maximum,
    arith.MinUIOp: np.minimum,
}
SHIFTS = {arith.ShLIOp: np.left_shift, arith.ShRSIOp: np.right_shift}
FLOATING = {
    arith.AddfOp: np.add,
    arith.SubfOp: np.subtract,
    arith.MulfOp: np.multiply,
    arith.DivfOp: np.divide,
    arith.MaximumfOp: np.maximum,
    arith.MinimumfOp: np.minimum,
    arith.MaxnumfOp: np.fmax,
    arith.MinnumfOp: np.fmin,
}
COMPARISONS = {"slt": np.less, "sle": np.less_equal, "sgt": np.greater, "sge": np.greater_equal, "eq": np.equal}


def values(*attrs: Attribute) -> tuple[SSAValue, ...]:
    """An unknown value for each attribute, of its type."""
    return AnyOp(result_types=[attr.get_type() for attr in attrs]).results  # pyright: ignore


def integer_fold(op: type[Operation], width: int, a: int, b: int) -> int | None:
    """What `op` folds to for two constants; None: it does not."""
    attrs = [IntegerAttr(value, IntegerType(width)) for value in (a, b)]
    operands = values(*attrs)
    folded = arith_integers.FOLDS[op](op(*operands), attrs)
    if isinstance(folded, SSAValue):
        folded = attrs[operands.index(folded)]
    assert folded is None or isinstance(folded, IntegerAttr)
    return None if folded is None else folded.value.data


widths = sampled_from(list(INTEGERS))
any_integer = integers(-(1 << 63), (1 << 63) - 1)


@pytest.mark.parametrize("op", EXACT)
@given(width=widths, a=any_integer, b=any_integer | integers(-3, 3))
@np.errstate(all="ignore")
def test_integers_wrap_as_numpy_does(op: type[Operation], width: int, a: int, b: int):
    a, b = signed(a, width), signed(b, width)
    folded = integer_fold(op, width, a, b)
    if folded is None:
        assert b == 0 or (b == -1 and a == -(1 << (width - 1)))
    else:
        assert folded == int(EXACT[op](INTEGERS[width](a), INTEGERS[width](b)))


@pytest.mark.parametrize("op", UNSIGNED)
@given(width=widths, a=any_integer, b=any_integer | integers(-3, 3))
def test_unsigned_integers(op: type[Operation], width: int, a: int, b: int):
    unsigned = np.dtype(INTEGERS[width]).name.replace("int", "uint")
    mask = (1 << width) - 1
    folded = integer_fold(op, width, signed(a, width), signed(b, width))
    if folded is None:
        assert b & mask == 0
    else:
        expected = UNSIGNED[op](np.dtype(unsigned).type(a & mask), np.dtype(unsigned).type(b & mask))
        assert folded == signed(int(expected), width)


@pytest.mark.parametrize("op", QUOTIENTS)
@given(a=integers(-8, 15), b=integers(-8, 15))
def test_quotients(op: type[Operation], a: int, b: int):
    """Of 4 bits. A quotient that is too large, and one by 0, are undefined."""
    is_unsigned = op in (arith.DivUIOp, arith.CeilDivUIOp)
    x, y = (value & 15 if is_unsigned else signed(value, 4) for value in (a, b))
    folded = integer_fold(op, 4, signed(a, 4), signed(b, 4))
    if y == 0 or (x, y) == (-8, -1):
        assert folded is None
    else:
        assert folded == signed(QUOTIENTS[op](Fraction(x, y)), 4)


@given(a=integers(-8, 7), b=integers(-8, 7))
def test_logical_shifts(a: int, b: int):
    folded = integer_fold(arith.ShRUIOp, 4, a, b)
    assert folded == (signed((a & 15) >> b, 4) if 0 <= b < 4 else None)


@pytest.mark.parametrize("op", [arith.FPToSIOp, arith.FPToUIOp])
@given(a=floats(-300, 300, width=32))
def test_float_to_integer(op: type[Operation], a: float):
    """Of 8 bits, rounded toward zero. A number that is too large is undefined."""
    attr = FloatAttr(a, f32)
    folded = arith_floats.FOLDS[op](op(*values(attr), IntegerType(8)), [attr])
    lower, upper = (-128, 127) if op is arith.FPToSIOp else (0, 255)
    expected = signed(math.trunc(a), 8) if lower <= math.trunc(a) <= upper else None
    assert expected == (folded.value.data if isinstance(folded, IntegerAttr) else folded)


@pytest.mark.parametrize(
    ("op", "left", "right"),
    [
        (arith.AddfOp, -0.0, -0.0),
        (arith.SubfOp, None, 0.0),
        (arith.MulfOp, 1.0, 1.0),
        (arith.DivfOp, None, 1.0),
        (arith.MaximumfOp, -math.inf, -math.inf),
        (arith.MinimumfOp, math.inf, math.inf),
        (arith.MaxnumfOp, None, None),  # of a NaN and infinity, it is infinity
    ],
)
def test_neutral_floats(op: type[Operation], left: float | None, right: float | None):
    """`left op x` and `x op right` are `x`, and no other constant is neutral."""
    for constant in (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf):
        attr = FloatAttr(constant, f32)
        x, y = values(attr, attr)
        for is_neutral, found in (
            (is_same(constant, left), arith_floats.FOLDS[op](op(y, x), [attr, None])),
            (is_same(constant, right), arith_floats.FOLDS[op](op(x, y), [None, attr])),
        ):
            assert found is (x if is_neutral else None)


def is_same(a: float, b: float | None) -> bool:
    return b is not None and a == b and math.copysign(1, a) == math.copysign(1, b)


@pytest.mark.parametrize("op", SHIFTS)
@given(width=widths, a=any_integer, b=integers(0, 70))
def test_shifts(op: type[Operation], width: int, a: int, b: int):
    a, b = signed(a, width), signed(b, width)
    folded = integer_fold(op, width, a, b)
    if 0 <= b < width:
        assert folded == int(SHIFTS[op](INTEGERS[width](a), INTEGERS[width](b)))
    else:
        assert folded is None


@pytest.mark.parametrize("predicate", COMPARISONS)
@given(width=widths, a=any_integer, b=any_integer)
def test_comparisons(predicate: str, width: int, a: int, b: int):
    attrs = [IntegerAttr(signed(value, width), IntegerType(width)) for value in (a, b)]
    folded = arith_integers.fold_cmpi(arith.CmpiOp(*values(*attrs), predicate), attrs)
    expected = COMPARISONS[predicate](*(attr.value.data for attr in attrs))
    assert folded == IntegerAttr(int(expected), i1)


@pytest.mark.parametrize("predicate", Predicate)
@given(a=integers(-3, 3), b=integers(-3, 3))
def test_swapped_and_inverse_predicates(predicate: Predicate, a: int, b: int):
    def holds(predicate: Predicate, x: int, y: int) -> bool:
        mask = (1 << 64) - 1 if predicate.is_unsigned else -1
        return RELATIONS[predicate](x & mask, y & mask)

    assert holds(predicate, a, b) == holds(arith_patterns.SWAPPED[predicate], b, a)
    assert holds(predicate, a, b) != holds(arith_patterns.INVERSE[predicate], a, b)


@pytest.mark.parametrize("op", FLOATING)
@given(type=sampled_from(list(FLOATS)), a=floats(width=16), b=floats(width=16))
@np.errstate(all="ignore")
def test_floats_round_as_numpy_does(op: type[Operation], type: AnyFloat, a: float, b: float):
    attrs = [FloatAttr(value, type) for value in (a, b)]
    folded = arith_floats.FOLDS[op](op(*values(*attrs)), attrs)
    assert isinstance(folded, FloatAttr)
    expected = float(FLOATING[op](FLOATS[type](a), FLOATS[type](b)))
    if math.isnan(expected):
        assert math.isnan(folded.value.data)
        return
    assert folded.value.data == expected
    if a != 0 or b != 0:  # numpy takes either zero for the larger one
        assert math.copysign(1, folded.value.data) == math.copysign(1, expected)


@given(floats(width=32))
@np.errstate(all="ignore")
def test_float_conversions(a: float):
    attr = FloatAttr(a, f32)
    narrowed = arith_floats.FOLDS[arith.TruncFOp](arith.TruncFOp(*values(attr), f16), [attr])
    assert isinstance(narrowed, FloatAttr)
    assert narrowed.value.data == float(np.float16(np.float32(a))) or math.isnan(a)
    bits = arith_floats.FOLDS[arith.BitcastOp](arith.BitcastOp(*values(attr), IntegerType(32)), [attr])
    if not math.isnan(a):
        assert isinstance(bits, IntegerAttr)
        assert bits.value.data == int(np.float32(a).view(np.int32))
    integer = arith_floats.FOLDS[arith.FPToSIOp](arith.FPToSIOp(*values(attr), IntegerType(16)), [attr])
    if math.isfinite(a) and -(1 << 15) - 1 < a < 1 << 15:
        assert isinstance(integer, IntegerAttr)
        assert integer.value.data == int(a)
    else:
        assert integer is None


@pytest.mark.parametrize("predicate", range(16))
@given(a=sampled_from((0.0, -0.0, 1.0, -1.0, math.inf, math.nan)), b=sampled_from((0.0, 1.0, -math.inf, math.nan)))
def test_float_comparisons(predicate: int, a: float, b: float):
    # LLVM's numbers have a bit each for unordered, less, greater and equal; here `uno` comes behind the others.
    unordered_first = (0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 8, 15)
    bits = unordered_first[predicate]
    is_unordered = math.isnan(a) or math.isnan(b)
    expected = (bits & 1 and a == b) or (bits & 2 and a > b) or (bits & 4 and a < b) or (bits & 8 and is_unordered)
    assert arith_floats.compare(predicate, a, b) == bool(expected)
