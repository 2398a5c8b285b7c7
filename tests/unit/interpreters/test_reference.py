"""The tolerance of the check: wide where rounding moves a result, and narrow enough to find wrong kernels elsewhere."""

from itertools import chain, repeat

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ml_dtypes import bfloat16
from xdsl.dialects.func import FuncOp

from xshardy.hlo_text import parse_hlo
from xshardy.interpreters.reference import Reference


def computation_of(body: str) -> FuncOp:
    *_, function = (op for op in parse_hlo(f"HloModule m\n{body}").ops if isinstance(op, FuncOp))
    return function


ONE_MINUS_LOGISTIC = """
ENTRY main {
  x = f32[64] parameter(0)
  one = f32[] constant(1)
  ones = f32[64] broadcast(one), dimensions={}
  negated = f32[64] negate(x)
  exponential = f32[64] exponential(negated)
  sum = f32[64] add(exponential, ones)
  logistic = f32[64] divide(ones, sum)
  ROOT result = f32[64] subtract(ones, logistic)
}
"""

ROTARY = """
ENTRY main {
  position = s32[64] parameter(0)
  angle = f32[64] convert(position)
  base = f32[] constant(0.7311)
  step = f32[64] broadcast(base), dimensions={}
  turned = f32[64] multiply(angle, step)
  ROOT result = f32[64] sine(turned)
}
"""

SUM = """
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY main {
  x = f32[8,256] parameter(0)
  zero = f32[] constant(0)
  ROOT sum = f32[8] reduce(x, zero), dimensions={1}, to_apply=add
}
"""

SCALED_EXPONENTIAL = """
ENTRY main {
  x = f32[64] parameter(0)
  factor = f32[] constant(0.3)
  factors = f32[64] broadcast(factor), dimensions={}
  scaled = f32[64] multiply(x, factors)
  ROOT result = f32[64] exponential(scaled)
}
"""

floats = st.lists(st.floats(-20, 20, width=32), min_size=64, max_size=64).map(lambda x: np.array(x, np.float32))


@settings(max_examples=20)
@given(floats)
def test_exact_results_are_within_the_tolerance_of_a_cancellation(x: np.ndarray):
    exact = 1 - 1 / (1 + np.exp(-x.astype(np.float64)))
    comparison = Reference(computation_of(ONE_MINUS_LOGISTIC), [x]).compare(0, exact.astype(np.float32))
    assert comparison, comparison


@settings(max_examples=20)
@given(floats, st.integers(0, 63))
def test_a_wrong_digit_where_nothing_cancels_is_found(x: np.ndarray, index: int):
    x = -np.abs(x)  # the logistic is below 1/2
    reference = Reference(computation_of(ONE_MINUS_LOGISTIC), [x])
    wrong = reference.results[0].copy()
    wrong[index] *= 1 + 2.0**-14
    comparison = reference.compare(0, wrong)
    assert (comparison.wrong, comparison.worst) == (1, (index,))


@settings(max_examples=20)
@given(floats, st.sampled_from([0.3001, 0.2999, 0.31, -0.3]))
def test_a_wrong_constant_is_found(x: np.ndarray, factor: float):
    x[0] = 4
    wrong = np.exp(x.astype(np.float64) * factor).astype(np.float32)
    assert not Reference(computation_of(SCALED_EXPONENTIAL), [x]).compare(0, wrong)


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_sums_in_any_order_agree_and_a_missed_element_is_found(seed: int):
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 2, (8, 256)).astype(np.float32)
    reference = Reference(computation_of(SUM), [x])
    one_by_one = np.cumsum(rng.permuted(x, axis=1), axis=1, dtype=np.float32)[:, -1]
    assert reference.compare(0, one_by_one)
    missed = np.unravel_index(np.argmin(np.abs(np.abs(x) - 0.05)), x.shape)
    without = x.copy()
    without[missed] = 0
    comparison = reference.compare(0, without.sum(axis=1))
    assert (comparison.wrong, comparison.worst) == (1, missed[:1])


SCATTER = """
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY main {
  x = f32[64,48] parameter(0)
  rows = s32[512,1] parameter(1)
  updates = f32[512,48] parameter(2)
  ROOT r = f32[64,48] scatter(x, rows, updates), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, indices_are_sorted=true, to_apply=add
}
"""


def test_updates_in_any_order_agree_and_one_missed_or_doubled_is_found():
    rng = np.random.default_rng(0)
    x = rng.normal(0, 2, (64, 48)).astype(np.float32)
    updates = rng.normal(0, 2, (512, 48)).astype(np.float32)
    updates[100] = 0.01
    rows = np.sort(rng.integers(0, 64, 512)).astype(np.int32)
    reference = Reference(computation_of(SCATTER), [x, rows[:, None], updates])
    exact = x.astype(np.float64)
    np.add.at(exact, rows, updates)
    updates_first = np.zeros_like(x)
    np.add.at(updates_first, rows, updates)
    updates_first += x
    others_first = x.copy()
    np.add.at(others_first, rows[::-1], updates[::-1])
    for right in (exact.astype(np.float32), updates_first, others_first):
        assert reference.compare(0, right)
    for missed_or_doubled in (-updates[100], updates[100]):
        wrong = exact.copy()
        wrong[rows[100]] += missed_or_doubled
        assert reference.compare(0, wrong.astype(np.float32)).wrong == 48


PRODUCT = SUM.replace("add", "multiply").replace("constant(0)", "constant(1)")


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_products_that_overflow_in_some_orders_agree_and_others_are_compared(seed: int):
    """Half of the rows have parts that leave f32: the order decides whether the product is 0, infinite or no number."""
    rng = np.random.default_rng(seed)
    logarithms = rng.normal(0, 0.1, (8, 256))
    logarithms[1::2] = rng.permuted(np.full((4, 256), [30.0, -30.0] * 128), axis=1)
    x = np.exp(logarithms).astype(np.float32)
    reference = Reference(computation_of(PRODUCT), [x])
    with np.errstate(all="ignore"):
        permuted = np.multiply.accumulate(rng.permuted(x, axis=1), axis=1, dtype=np.float32)[:, -1]
        assert reference.compare(0, permuted)
        missed = permuted / x.max(axis=1)
    missed[1::2] = permuted[1::2]
    comparison = reference.compare(0, missed.astype(np.float32))
    assert comparison.wrong == 4
    assert comparison.undetermined <= 4


def test_an_element_at_the_place_of_the_next_is_found():
    x = np.linspace(-3, 3, 64, dtype=np.float32)
    reference = Reference(computation_of(SCALED_EXPONENTIAL), [x])
    assert not reference.compare(0, np.roll(reference.results[0], 1))


def test_the_sine_of_a_large_angle_has_no_digit_to_compare_and_that_is_said():
    positions = np.full(64, 5, np.int32)
    positions[:8] = 10**9 + np.arange(8)
    reference = Reference(computation_of(ROTARY), [positions])
    moved = reference.results[0].copy()
    moved[:8] = -moved[:8]
    comparison = reference.compare(0, moved)
    assert comparison
    assert comparison.undetermined == 8
    assert "8 of them without a digit to compare" in str(comparison)
    moved[20] *= 1.0001
    assert reference.compare(0, moved).worst == (20,)


def test_tiny_results_are_compared_too():
    x = np.full(64, -80, np.float32)
    reference = Reference(computation_of(SCALED_EXPONENTIAL), [x])
    assert not reference.compare(0, np.zeros(64, np.float32))


def test_computations_that_are_exact_have_no_spread():
    computation = computation_of("""
ENTRY main {
  i = s32[32] iota(), iota_dimension=0
  x = f32[32] convert(i)
  half = f32[] constant(0.5)
  halves = f32[32] broadcast(half), dimensions={}
  scaled = f32[32] multiply(x, halves)
  root = f32[32] exponential(halves)
  ROOT floor = f32[32] floor(scaled)
}
""")
    assert not Reference(computation, []).spread(0, 4).any()


def test_a_rounding_that_errors_may_move_over_a_step_is_undetermined():
    """The third of 3 * (1 / 3) may be just below 1, whose floor is 0."""
    computation = computation_of("""
ENTRY main {
  x = f32[4] parameter(0)
  log = f32[4] log(x)
  y = f32[4] exponential(log)
  ROOT floor = f32[4] floor(y)
}
""")
    reference = Reference(computation, [np.array([3, 5, 7.5, 2.5], np.float32)])
    other = np.array([3, 5, 7, 2], np.float32) - np.array([1, 1, 0, 0], np.float32)
    above = np.array([3, 5, 7, 2], np.float32)
    assert reference.compare(0, other)
    assert reference.compare(0, above)
    assert reference.compare(0, above + np.array([0, 0, 1, 0], np.float32)).worst == (2,)


def test_f64_is_measured_in_a_wider_type():
    computation = computation_of("""
ENTRY main {
  x = f64[3] parameter(0)
  sine = f64[3] sine(x)
  ROOT y = f64[3] subtract(x, sine)
}
""")
    x = np.array([1e-3, 0.5, 2.0])
    reference = Reference(computation, [x])
    wide = x.astype(np.longdouble)
    assert reference.compare(0, (wide - np.sin(wide)).astype(np.float64))
    assert not reference.compare(0, reference.results[0] * (1 + 1e-8))


@pytest.mark.parametrize(("hlo", "dtype"), [("f32", "f4"), ("f64", "f8"), ("c64", "c8"), ("c128", "c16")])
def test_products_summed_in_another_order_agree_in_each_type(hlo: str, dtype: str):
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal((2, *shape)).astype(dtype) for shape in ((64, 256), (256, 64)))
    x, y = (parts[0] + 1j * parts[1] if hlo.startswith("c") else parts[0] for parts in (x, y))
    x, y = x.astype(dtype), y.astype(dtype)
    product = f"""
ENTRY main {{
  x = {hlo}[64,256] parameter(0)
  y = {hlo}[256,64] parameter(1)
  ROOT r = {hlo}[64,64] dot(x, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
}}
"""
    reference = Reference(computation_of(product), [x, y])
    one_by_one = np.zeros((64, 64), dtype)
    for k in reversed(range(256)):
        one_by_one += x[:, k, None] * y[None, k]
    assert reference.compare(0, one_by_one)
    wrong = x @ y - x[:, :1] * y[:1]
    assert not reference.compare(0, wrong)


@pytest.mark.parametrize(
    ("part", "other"), [(complex(np.inf, np.nan), complex(np.inf, 1)), (complex(np.nan, np.inf), complex(np.inf, 2))]
)
def test_complex_infinities_agree_whatever_their_other_part(part: complex, other: complex):
    computation = computation_of("""
ENTRY main {
  x = c64[1] parameter(0)
  ROOT y = c64[1] negate(x)
}
""")
    reference = Reference(computation, [np.array([-part], np.complex64)])
    assert reference.compare(0, np.array([other], np.complex64))
    assert not reference.compare(0, np.array([1], np.complex64))
    assert not reference.compare(0, np.array([complex(np.nan, np.nan)], np.complex64))


def test_a_complex_product_near_overflow_may_be_nan():
    """Parts of the product overflow in f32 and cancel: the textbook formula gives NaN, an exact one infinity."""
    computation = computation_of("""
ENTRY main {
  x = c64[2] parameter(0)
  y = c64[2] parameter(1)
  z = c64[2] multiply(x, y)
  ROOT real = f32[2] real(z)
}
""")
    inputs = [np.array([3e38 + 3e38j, 1 + 1j], np.complex64), np.array([2 + 3j, 2 + 3j], np.complex64)]
    reference = Reference(computation, inputs)
    assert reference.compare(0, np.array([np.nan, -1], np.float32))
    assert reference.compare(0, np.array([-np.inf, -1], np.float32))
    assert not reference.compare(0, np.array([-np.inf, np.nan], np.float32))


@pytest.mark.parametrize(("moving", "units", "agrees"), [(60, 4, True), (60, 9, False), (20, 4, False), (0, 2, False)])
def test_an_element_moves_by_units_as_half_of_the_others_do(moving: int, units: int, agrees: bool):
    """The evaluations move `moving` of 64 elements by a unit in the last place, and the actual one another element."""
    exact = np.full(64, 128, bfloat16)

    moved = np.where(np.arange(64) < moving, np.full(64, 129, bfloat16), exact)
    results = chain([exact], repeat(moved))
    actual = exact.copy()
    actual[63] += units
    reference = Reference(computation_of(SUM), [], evaluation=lambda function, inputs, rules: [next(results)])
    assert bool(reference.compare(0, actual)) is agrees
