"""Comparisons and extremes of pairs, their modifiers, and packing, beside numpy and Python's integers."""

import math

import ml_dtypes
import numpy as np
import pytest
from ptx_kernels import kernel
from test_instructions import EDGES, THREADS, executed, signed

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.machine import Machine

HALVES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}
ORDERED = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
COMBINATIONS = {"": lambda x, c: x, ".and": np.logical_and, ".or": np.logical_or, ".xor": np.logical_xor}


def halves(name: str, seed: int) -> Array:
    """Two numbers for each thread: NaN, infinities, zeros, subnormal and normal numbers, many of them equal."""
    numbers = np.array([0.0, -0.0, 1.0, -1.0, 3.0, 3e-8, -3e-8, math.nan, math.inf, -math.inf, 0.5, 6e4])
    return np.random.default_rng(seed).choice(numbers, (THREADS, 2)).astype(HALVES[name])


def as_words(pairs: Array) -> Array:
    return pairs.view(np.uint32)[:, 0]


def expected_of(comparison: str, x: Array, y: Array) -> Array:
    """Source: PTX ISA, `set`: a comparison with `u` at its end holds too if an operand is NaN, others do not."""
    a, b = x.astype(np.float64), y.astype(np.float64)
    unordered = np.isnan(a) | np.isnan(b)
    if comparison in ("num", "nan"):
        return unordered == (comparison == "nan")
    holds = ORDERED[comparison[:2]](a, b)
    return holds | unordered if comparison.endswith("u") else holds & ~unordered


def test_registers_keep_their_bits_in_long_loops():
    """What runs often is compiled: registers are read as packed and narrower types, and as what they were written."""
    x, y = (np.random.default_rng(seed).normal(0, 1, (THREADS, 2)).astype(np.float16) for seed in (0, 1))
    statement = """mov.b32 %r20, 0; mov.b32 %r21, 0; mov.b32 %r22, 1;
$loop:
add.f16x2 %r20, %r20, $a;
xor.b32 %r22, %r22, %r20;
cvt.s32.s8 %r23, %r22;
mul.f16x2 %r24, %r20, $b;
add.s32 %r22, %r22, %r23;
xor.b32 %r22, %r22, %r24;
cvt.u32.u16 %r23, %r22;
add.u32 %r22, %r22, %r23;
add.u32 %r21, %r21, 1;
setp.lt.u32 %p1, %r21, 40;
@%p1 bra $loop;
mov.b32 $d, %r22;"""
    total, bits = np.zeros_like(x), np.ones(THREADS, np.uint32)
    for _ in range(40):
        total = total + x
        bits = bits ^ as_words(total)
        bits = (bits + (bits & 0xFF).astype(np.uint8).view(np.int8).astype(np.int32).view(np.uint32)) ^ as_words(
            total * y
        )
        bits = bits + (bits & 0xFFFF)
    found = executed(statement, (32, 32), 32, [as_words(x), as_words(y)])
    np.testing.assert_array_equal(found, bits)


@pytest.mark.parametrize("name", HALVES)
@pytest.mark.parametrize("combination", COMBINATIONS)
@pytest.mark.parametrize("comparison", [*ORDERED, *(f"{name}u" for name in ORDERED), "num", "nan"])
def test_set_of_pairs(name: str, combination: str, comparison: str):
    """A half of the result for each pair of elements: 0xffff, or 1.0 if the result is a pair of numbers too."""
    x, y = halves(name, 1), halves(name, 2)
    is_odd = np.arange(THREADS)[:, None] % 2 == 1
    holds = COMBINATIONS[combination](expected_of(comparison, x, y), is_odd)
    operands = "$a, $b, %p1" if combination else "$a, $b"
    predicate = "and.b32 %r5, %r1, 1;\nsetp.eq.u32 %p1, %r5, 1;\n"
    one = int(np.ones(1, HALVES[name]).view(np.uint16)[0])
    for result, true in (("u32", 0xFFFF), ("s32", 0xFFFF), (f"{name}x2", one)):
        statement = f"{predicate}set.{comparison}{combination}.{result}.{name}x2 $d, {operands};"
        found = executed(statement, (32, 32), 32, [as_words(x), as_words(y)])
        np.testing.assert_array_equal(found, as_words(np.where(holds, true, 0).astype(np.uint16)))
    statement = f"{predicate}set.{comparison}{combination}.{name}.{name} $d, {operands};"
    found = executed(statement, (16, 16), 16, [x.view(np.uint16)[:, 0].copy(), y.view(np.uint16)[:, 0].copy()])
    np.testing.assert_array_equal(found, np.where(holds[:, 0], one, 0))


@pytest.mark.parametrize("types", ["f16x2.f32", "f16.f16x2", "u16.f16x2"])
def test_a_comparison_of_pairs_has_a_result_for_both(types: str):
    with pytest.raises(PtxError, match="there is no comparison of"):
        Machine(kernel(f"set.gt.{types} %r5, %r6, %r7;")).run([1], [1], [np.zeros(1), np.zeros(1)])


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("add.ftz.f16 $d, $a, 0x0000;", 0x0000),
        ("add.f16 $d, $a, 0x0000;", 0x0001),
        ("neg.ftz.f16 $d, $a;", 0x8000),
        ("fma.rn.ftz.f16 $d, $a, 0x7bff, 0x3c00;", 0x3C00),
        ("mul.ftz.f16 $d, 0x0400, 0x3800;", 0x0000),
        ("mul.f16 $d, 0x0400, 0x3800;", 0x0200),
        ("max.ftz.f16 $d, $a, 0x0000;", 0x0000),
        ("set.gt.ftz.f16.f16 $d, $a, 0x0000;", 0x0000),
        ("set.gt.f16.f16 $d, $a, 0x0000;", 0x3C00),
        ("setp.gt.ftz.f16 %p1, $a, 0x0000; selp.b16 $d, 1, 2, %p1;", 2),
        ("ex2.approx.ftz.bf16 $d, 0xff00;", 0x0000),
        ("cvt.ftz.f32.f16 %r5, $a; cvt.rn.f16.f32 $d, %r5;", 0x0001),  # .ftz is of numbers of f32
    ],
)
def test_subnormal_halves_become_zeros_if_asked(statement: str, expected: int):
    """0x0001 is the smallest subnormal number of f16."""
    assert set(executed(statement, (16,), 16, [np.ones(THREADS, np.uint16)]).tolist()) == {expected}


def test_subnormal_f64_of_approximate_reciprocals_are_zeros():
    """Source: PTX ISA, `rcp.approx.ftz.f64`: the reciprocal of a subnormal number is infinite."""
    for name in ("rcp", "rsqrt"):
        bits = np.full(THREADS, 1 << 51, np.uint64)
        assert np.isinf(executed(f"{name}.approx.ftz.f64 $d, $a;", (64,), 64, [bits]).view(np.float64)).all()


@pytest.mark.parametrize("with_nan", [False, True])
@pytest.mark.parametrize("name", ["min", "max"])
@pytest.mark.parametrize("type", ["f16x2", "bf16x2", "f32"])
def test_extremes_with_the_exclusive_or_of_the_signs(name: str, type: str, with_nan: bool):
    """Source: PTX ISA, `min`, `max`: the magnitudes are compared, and NaN has no sign."""
    short = type.removesuffix("x2")
    x, y = (
        halves(short, seed) if short in HALVES else halves("f16", seed)[:, :1].astype(np.float32) for seed in (3, 4)
    )
    a, b = np.abs(x.astype(np.float64)), np.abs(y.astype(np.float64))
    extreme = {(0, 0): np.fmin, (0, 1): np.minimum, (1, 0): np.fmax, (1, 1): np.maximum}[name == "max", with_nan](a, b)
    expected = np.where(np.signbit(x) != np.signbit(y), -extreme, extreme)
    statement = f"{name}{'.NaN' if with_nan else ''}.xorsign.abs.{type} $d, $a, $b;"
    found = executed(statement, (32, 32), 32, [as_words(x), as_words(y)]).view(x.dtype).reshape(x.shape)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    valid = ~np.isnan(expected)
    np.testing.assert_array_equal(found[valid].astype(np.float64), expected[valid])
    np.testing.assert_array_equal(np.signbit(found[valid]), np.signbit(expected[valid]))
    bits = found.view(np.uint16 if short in HALVES else np.uint32)
    assert set(bits[~valid].tolist()) <= {0x7FFF, 0x7FFFFFFF}


def test_extremes_of_three_magnitudes():
    x = np.linspace(-3, 4, THREADS, dtype=np.float32)
    found = executed("max.abs.f32 $d, $a, 0fC0000000, 0f3F800000;", (32,), 32, [x.view(np.uint32)]).view(np.float32)
    np.testing.assert_array_equal(found, np.maximum(np.abs(x), 2))


@pytest.mark.parametrize("statement", ["min.abs.f32 %r5, %r5, %r6;", "max.xorsign.f32 %r5, %r5, %r6;"])
def test_two_operands_have_both_modifiers_or_none(statement: str):
    with pytest.raises(PtxError, match=r"two operands have \.xorsign\.abs, three have"):
        Machine(kernel(statement)).run([1], [1], [np.zeros(1), np.zeros(1)])


@pytest.mark.parametrize(("name", "function"), [("min", np.minimum), ("max", np.maximum)])
def test_extremes_of_integers_that_are_not_negative(name: str, function: np.ufunc):
    words = [np.random.default_rng(seed).integers(0, 2**32, THREADS, dtype=np.uint32) for seed in (5, 6)]
    for type, dtype in (("s16x2", np.int16), ("s32", np.int32)):
        x, y = (word.view(dtype) for word in words)
        found = executed(f"{name}.relu.{type} $d, $a, $b;", (32, 32), 32, words)
        np.testing.assert_array_equal(found.view(dtype), np.maximum(function(x, y), 0))


@pytest.mark.parametrize("type", [f"{sign}{bits}" for sign in "us" for bits in (16, 8, 4, 2)])
def test_packing(type: str):
    """Source: PTX ISA, `cvt.pack`: the first number above the second, and the lowest bits of `c` above both."""
    bits = int(type[1:])
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if type[0] == "s" else (0, 2**bits - 1)
    rng = np.random.default_rng(7)
    near = np.concatenate([np.array(EDGES, np.uint64), np.arange(-20, 40).astype(np.uint64)])
    a, b, c = (rng.choice(near, THREADS).astype(np.uint32) for _ in range(3))
    suffix, rest = (".b32", ", $c") if bits < 16 else ("", "")
    found = executed(f"cvt.pack.sat.{type}.s32{suffix} $d, $a, $b{rest};", (32,) * 3, 32, [a, b, c])
    for x, y, z, result in zip(*(values.tolist() for values in (a, b, c, found)), strict=True):
        upper, lower = (min(max(signed(value), low), high) % 2**bits for value in (x, y))
        packed = upper << bits | lower | (z << 2 * bits if rest else 0)
        assert result == packed % 2**32


def test_carries_behind_differences_are_those_of_gpus():
    """`sub.cc` adds the complement and 1, so that `addc` reads 1 where nothing is borrowed; `subc` subtracts 1 more."""
    words = [
        np.random.default_rng(seed).choice(np.array(EDGES, np.uint64), THREADS).astype(np.uint32) for seed in (8, 9)
    ]
    below = words[0] < words[1]
    found = executed("sub.cc.u32 %r20, $a, $b; addc.u32 $d, 0, 0;", (32, 32), 32, words)
    np.testing.assert_array_equal(found, np.where(below, 0, 1))
    carries = words[0].astype(np.uint64) + words[1] >= 2**32
    found = executed("add.cc.u32 %r20, $a, $b; subc.u32 $d, 0, 0;", (32, 32), 32, words)
    np.testing.assert_array_equal(found, np.where(carries, 0, 2**32 - 1))
