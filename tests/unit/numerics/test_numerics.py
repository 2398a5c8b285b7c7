"""Arithmetic against exact numbers of Python, over random operands."""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xshardy.numerics import complexes, floats, integers
from xshardy.numerics.conversions import convert
from xshardy.numerics.element_types import BITS, FLOATS, float_info
from xshardy.numerics.fused import product_and_sum

INTEGERS = [
    np.dtype(scalar)
    for scalar in (np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64, ml_dtypes.int4, ml_dtypes.uint4)
]
NARROW_FLOATS = [
    np.dtype(np.float16),
    *(np.dtype(getattr(ml_dtypes, name)) for name in ("bfloat16", "float8_e5m2", "float8_e4m3fn", "float4_e2m1fn")),
]
words = st.integers(0, 2**64 - 1)


def number(word: int, dtype: np.dtype) -> tuple[np.ndarray, int]:
    """The lowest bits of `word` as an array of one number, and that number."""
    array = integers.wrapped(np.array([word], np.uint64), dtype)
    return array, int(array[0])


def modulo(value: int, dtype: np.dtype) -> int:
    """`value` as a number of `dtype`."""
    return number(value % 2**64, dtype)[1]


@given(x=words, y=words, small=st.integers(0, 70))
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers_are_exact_modulo_their_width(dtype: np.dtype, x: int, y: int, small: int):
    (a, m), (b, n) = number(x, dtype), number(y, dtype)
    width = BITS[dtype]
    assert int(integers.multiply(a, b)[0]) == modulo(m * n, dtype)
    assert int(integers.subtract(a, b)[0]) == modulo(m - n, dtype)
    quotient, rest = int(integers.divide(a, b)[0]), int(integers.remainder(a, b)[0])
    if n == 0:
        assert (quotient, rest) == (modulo(-1, dtype), m)
    else:
        assert quotient == modulo(math.trunc(Fraction(m, n)), dtype)
        assert rest == modulo(m - n * math.trunc(Fraction(m, n)), dtype)
        assert int(integers.floor_divide(a, b)[0]) == modulo(m // n, dtype)
        assert int(integers.as_typed(integers.ceil_quotient)(a, b)[0]) == modulo(-(-m // n), dtype)
    exponent, e = number(small, dtype)
    if e >= 0:
        assert int(integers.power(a, exponent)[0]) == modulo(m**e, dtype)
    amount, shift = number(small, dtype)
    count = shift % 2**width
    assert int(integers.shift_left(a, amount)[0]) == modulo(m << count if count < width else 0, dtype)
    assert int(integers.shift_right_arithmetic(a, amount)[0]) == (
        modulo(int(integers.signed(a)[0]) >> min(count, width - 1), dtype)
    )
    bits = m % 2**width
    assert int(integers.population_count(a)[0]) == modulo(bits.bit_count(), dtype)
    assert int(integers.count_leading_zeros(a)[0]) == modulo(width - bits.bit_length(), dtype)
    assert int(integers.count_trailing_zeros(a)[0]) == modulo((bits & -bits).bit_length() - 1 if bits else width, dtype)


def nearest(value: Fraction, dtype: np.dtype) -> set[float]:
    """The numbers of `dtype` nearest to `value`: two where it is a tie."""
    with np.errstate(invalid="ignore"):
        everything = np.arange(2 ** (8 * dtype.itemsize), dtype=f"u{dtype.itemsize}").view(dtype).astype(np.float64)
    finite = np.unique(everything[np.isfinite(everything)])
    place = int(np.searchsorted(finite, float(value)))
    candidates = [float(x) for x in finite[max(place - 2, 0) : place + 2]]
    distance = min(abs(Fraction(x) - value) for x in candidates)
    return {x for x in candidates if abs(Fraction(x) - value) == distance}


@given(significand=st.integers(-(2**53), 2**53), exponent=st.integers(-60, -40))
@pytest.mark.parametrize("dtype", NARROW_FLOATS, ids=str)
def test_f64_is_rounded_once(dtype: np.dtype, significand: int, exponent: int):
    x = math.ldexp(significand, exponent)
    if abs(x) <= float_info(dtype).largest:
        assert float(floats.narrowed(np.array([x]), dtype)[0]) in nearest(Fraction(x), dtype)


@pytest.mark.parametrize("signed", [True, False])
def test_all_powers_of_8_bits(signed: bool):
    """XLA on a CPU reads the six lowest bits of an exponent only, and large unsigned exponents as negative ones."""
    numbers = np.arange(256).astype(np.int8 if signed else np.uint8)
    x, y = (half.ravel() for half in np.meshgrid(numbers, numbers))
    expected = [
        pow(m, e, 256) if e >= 0 else {1: 1, -1: 1 - 2 * (e % 2)}.get(m, 0)
        for m, e in zip(x.tolist(), y.tolist(), strict=True)
    ]
    assert (integers.power(x, y).view(np.uint8) == np.array(expected).astype(np.uint8)).all()


FLOATS_OF_A_BYTE = [dtype for dtype in FLOATS.values() if dtype.itemsize == 1]


@pytest.mark.parametrize("source", FLOATS_OF_A_BYTE, ids=str)
@pytest.mark.parametrize("target", FLOATS_OF_A_BYTE, ids=str)
def test_floats_of_a_byte_become_each_other_as_by_way_of_f32(source: np.dtype, target: np.dtype):
    """f32 holds all of them. Some pairs `ml_dtypes` does not convert."""
    x = np.arange(2 ** ml_dtypes.finfo(source).bits, dtype=np.uint8).view(source)
    expected = x.astype(np.float32).astype(target)
    np.testing.assert_array_equal(convert(x, target).astype(np.float32), expected.astype(np.float32))


def test_a_conversion_to_the_same_type_keeps_the_bits_of_nan():
    codes = np.arange(256, dtype=np.uint8)
    x = codes.view(ml_dtypes.float8_e5m2)
    assert (convert(x, x.dtype).view(np.uint8) == codes).all()


@given(word=words, shift=st.integers(0, 63))
@pytest.mark.parametrize("dtype", NARROW_FLOATS[:2], ids=str)
@pytest.mark.parametrize("source", [np.dtype(np.int64), np.dtype(np.uint64), np.dtype(np.int8)], ids=str)
def test_integers_are_rounded_once(source: np.dtype, dtype: np.dtype, word: int, shift: int):
    x, n = number(word >> shift, source)
    if abs(n) <= float_info(dtype).largest:
        assert float(convert(x, dtype)[0]) in nearest(Fraction(n), dtype)


@given(x=st.floats(width=64), y=st.floats(width=64))
def test_total_order_sorts_all_floats(x: float, y: float):
    def key(value: float) -> tuple[float, ...]:
        sign = math.copysign(1, value)
        return (sign * 3,) if math.isnan(value) else (2 * sign if math.isinf(value) else sign, value, sign)

    a, b = (floats.total_order(np.array([value]))[0] for value in (x, y))
    if not (math.isnan(x) and math.isnan(y)):
        assert (a < b) == (key(x) < key(y))


@given(x=st.floats(-1, 1))
def test_erf_inv_undoes_erf(x: float):
    with np.errstate(all="ignore"):
        inverse = float(floats.erf_inv(np.array([x]))[0])
    if abs(x) == 1:
        assert inverse == math.copysign(math.inf, x)
    else:
        assert math.isclose(math.erf(inverse), x, rel_tol=1e-14, abs_tol=1e-300)


@given(x=st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15))
def test_halves_are_rounded_away_from_zero(x: float):
    whole = math.floor(abs(Fraction(x)) + Fraction(1, 2))
    assert float(floats.round_half_away_from_zero(np.array([x]))[0]) == math.copysign(whole, x)


FACTORS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 1.0, 3.0, 5e-324, 1e-160, 1e-300, 1e300, 2.0**-537, 1 + 2.0**-52]),
)


@given(x=FACTORS, y=FACTORS, other=FACTORS, ulps=st.integers(-3, 3), cancels=st.booleans())
def test_a_fused_sum_is_rounded_once(x: float, y: float, other: float, ulps: int, cancels: bool):
    """To the nearest number, also if the product is too large or too small for f64, or cancels with the term."""
    z = -x * y if cancels and math.isfinite(x * y) else other
    for _ in range(abs(ulps)):
        z = math.nextafter(z, math.copysign(math.inf, ulps))
    z = z if math.isfinite(z) else other
    with np.errstate(all="ignore"):
        value, error = (float(part[0]) for part in product_and_sum(*(np.array([each]) for each in (x, y, z))))
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    try:
        wanted = float(exact)
    except OverflowError:
        assert (value, error < 0) == (math.inf if exact > 0 else -math.inf, exact > 0)
        return
    if exact == 0:
        wanted = x * y + z if x * y == 0 else 0.0
    assert (value, math.copysign(1, value)) == (wanted, math.copysign(1, wanted))
    rest = exact - Fraction(value)
    assert np.sign(error) == (rest > 0) - (rest < 0)


def test_a_fused_sum_with_an_infinite_term_is_that_term():
    with np.errstate(all="ignore"):
        value, error = product_and_sum(np.array([1e200, 1e200]), np.array([1e200, np.inf]), np.full(2, -np.inf))
    assert value[0] == -np.inf and np.isnan(value[1]) and not error.any()


@pytest.mark.parametrize("kind", [np.complex64, np.complex128])
def test_complex_functions_overflow_only_where_their_results_do(kind: type[np.complex64 | np.complex128]):
    """Compared with a wider type; numpy's absolute value of these numbers is infinite, or has few digits."""
    limits, wide = np.finfo(kind), np.complex128 if kind is np.complex64 else np.clongdouble
    sizes = np.array([limits.max, limits.max / 3, limits.tiny, limits.smallest_subnormal * 5], limits.dtype)
    re, im = (part.ravel() for part in np.meshgrid([*sizes, *-sizes], [*sizes, *-sizes]))
    z = complexes.create(re, im)
    whole = z.astype(wide)
    with np.errstate(all="ignore"):
        compared = {
            "sign": (complexes.sign(z), whole / np.abs(whole)),
            "divide": (complexes.divide(z, np.conj(z)), whole / np.conj(whole)),
            "rsqrt": (complexes.rsqrt(z), 1 / np.sqrt(whole)),
            "cbrt": (complexes.cbrt(z), np.cbrt(np.abs(whole)) * np.exp(1j * np.angle(whole) / 3)),
        }
    for name, (got, expected) in compared.items():
        expected = expected.astype(kind)
        assert np.all(np.abs(got - expected) <= 64 * limits.eps * np.abs(expected)), name
