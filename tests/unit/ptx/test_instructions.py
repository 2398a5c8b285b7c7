"""Instructions on seeded operands, with the bounds of their types among them, beside Python's integers and floats."""

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ptx_kernels import kernel

from xshardy.lowering.ptxas import assemble
from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.faults import FaultError
from xshardy.ptx.machine import Machine, Options

THREADS = 96
EDGES = [
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    63,
    64,
    255,
    256,
    2**15,
    2**16 - 1,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**32,
    2**63,
    2**64 - 1,
]


def operands(bits: int, seed: int) -> Array:
    """Random bits, half of them edges."""
    rng = np.random.default_rng(seed)
    random = rng.integers(0, 2**64, THREADS, dtype=np.uint64)
    edges = rng.choice(np.array(EDGES, np.uint64), THREADS)
    return np.where(rng.random(THREADS) < 0.5, random, edges).astype(f"u{bits // 8}")


def executed(statement: str, bits: tuple[int, ...], result: int, arrays: list[Array]) -> Array:
    """The results of `statement`, which computes `$d` from `$a`, `$b`, `$c`, one per thread."""
    names = {8: "%h", 16: "%h", 32: "%r", 64: "%rd"}
    lines: list[str] = []
    for number, (name, width) in enumerate(zip("abc", bits, strict=False)):
        register = f"{names[width]}{10 + number}"
        lines.append(f"mul.wide.u32 %rd9, %r1, {width // 8};\nadd.s64 %rd9, %rd9, %rd{number + 1};")
        lines.append(f"ld.global.b{width} {register}, [%rd9];")
        statement = statement.replace(f"${name}", register)
    statement = statement.replace("$d", f"{names[result]}15")
    lines += [statement, f"mul.wide.u32 %rd9, %r1, {result // 8};\nadd.s64 %rd9, %rd9, %rd{len(bits) + 1};"]
    lines.append(f"st.global.b{result} [%rd9], {names[result]}15;")
    out = np.zeros(THREADS, f"u{result // 8}")
    Machine(kernel("\n".join(lines), parameters=len(bits) + 1)).run([1], [THREADS], [*arrays, out])
    return out


def signed(value: int, bits: int = 32) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def truncated(x: int, y: int) -> int:
    """The quotient, rounded towards zero."""
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def field(x: int, at: int, length: int) -> int:
    return x >> (at & 255) & ((1 << (length & 255)) - 1)


def signed_field(x: int, at: int, length: int) -> int:
    at, length = at & 255, length & 255
    if length == 0:
        return 0
    value = signed(x)
    sign = value >> min(at + length - 1, 31) & 1
    found = value >> at & ((1 << length) - 1)
    return found | (-1 << length if sign else 0)


def inserted(x: int, y: int, at: int, length: int) -> int:
    place = mask(length & 255) << (at & 255)
    return y & ~place | x << (at & 255) & place


def mask(length: int) -> int:
    return (1 << length) - 1


def permuted(x: int, y: int, selector: int) -> int:
    result = 0
    for byte in range(4):
        chosen = selector >> 4 * byte & 15
        value = (y << 32 | x) >> 8 * (chosen & 7) & 255
        if chosen & 8:
            value = 255 if value & 128 else 0
        result |= value << 8 * byte
    return result


SELECTED: dict[str, Callable[[int, int], int]] = {
    "f4e": lambda start, byte: start + byte,
    "b4e": lambda start, byte: (start - byte) % 8,
    "rc8": lambda start, byte: start,
    "ecl": max,
    "ecr": min,
    "rc16": lambda start, byte: start % 2 * 2 + byte % 2,
}
"""The byte of both operands that a mode of `prmt` selects for each byte of the result. Source: PTX ISA, `prmt`."""

UNARY: dict[str, tuple[tuple[int, ...], int, Callable[[int], int]]] = {
    "abs.s32 $d, $a;": ((32,), 32, lambda a: abs(signed(a))),
    "neg.s16 $d, $a;": ((16,), 16, lambda a: -a),
    "popc.b64 $d, $a;": ((64,), 32, lambda a: a.bit_count()),
    "clz.b32 $d, $a;": ((32,), 32, lambda a: 32 - a.bit_length()),
    "bfind.u32 $d, $a;": ((32,), 32, lambda a: a.bit_length() - 1),
    "brev.b32 $d, $a;": ((32,), 32, lambda a: int(f"{a:032b}"[::-1], 2)),
    "not.b32 $d, $a;": ((32,), 32, lambda a: ~a),
    "cnot.b32 $d, $a;": ((32,), 32, lambda a: a == 0),
    "cnot.b64 $d, $a;": ((64,), 64, lambda a: a == 0),
    "cvt.s64.s32 $d, $a;": ((32,), 64, lambda a: signed(a)),
    "cvt.u32.u64 $d, $a;": ((64,), 32, lambda a: a),
    "cvt.s32.s8 $d, $a;": ((32,), 32, lambda a: signed(a & 255, 8)),
    "cvt.sat.u16.u32 $d, $a;": ((32,), 16, lambda a: min(a, 65535)),
    "mov.b64 {%r20, %r21}, $a; mov.b64 $d, {%r21, %r20};": ((64,), 64, lambda a: a >> 32 | a << 32),
}

BINARY: dict[str, tuple[tuple[int, ...], int, Callable[[int, int], int]]] = {
    "add.s32 $d, $a, $b;": ((32, 32), 32, lambda a, b: a + b),
    "add.sat.s32 $d, $a, $b;": ((32, 32), 32, lambda a, b: min(max(signed(a) + signed(b), -(2**31)), 2**31 - 1)),
    "sub.s64 $d, $a, $b;": ((64, 64), 64, lambda a, b: a - b),
    "mul.lo.s32 $d, $a, $b;": ((32, 32), 32, lambda a, b: a * b),
    "mul.hi.u32 $d, $a, $b;": ((32, 32), 32, lambda a, b: a * b >> 32),
    "mul.hi.s32 $d, $a, $b;": ((32, 32), 32, lambda a, b: signed(a) * signed(b) >> 32),
    "mul.hi.u64 $d, $a, $b;": ((64, 64), 64, lambda a, b: a * b >> 64),
    "mul.hi.s64 $d, $a, $b;": ((64, 64), 64, lambda a, b: signed(a, 64) * signed(b, 64) >> 64),
    "mul.wide.s32 $d, $a, $b;": ((32, 32), 64, lambda a, b: signed(a) * signed(b)),
    "mul.wide.u16 $d, $a, $b;": ((16, 16), 32, lambda a, b: a * b),
    "mul24.lo.u32 $d, $a, $b;": ((32, 32), 32, lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF)),
    "div.s32 $d, $a, $b;": ((32, 32), 32, lambda a, b: truncated(signed(a), signed(b)) if b else -1),
    "rem.u32 $d, $a, $b;": ((32, 32), 32, lambda a, b: a % b if b else a),
    "min.s32 $d, $a, $b;": ((32, 32), 32, lambda a, b: min(signed(a), signed(b))),
    "max.u64 $d, $a, $b;": ((64, 64), 64, max),
    "shl.b32 $d, $a, $b;": ((32, 32), 32, lambda a, b: a << b if b < 32 else 0),
    "shr.u64 $d, $a, $b;": ((64, 32), 64, lambda a, b: a >> b),
    "shr.s32 $d, $a, $b;": ((32, 32), 32, lambda a, b: signed(a) >> min(b, 31)),
    "bmsk.clamp.b32 $d, $a, $b;": ((32, 32), 32, lambda a, b: mask(min(b, 32)) << min(a, 32)),
    "bmsk.wrap.b32 $d, $a, $b;": ((32, 32), 32, lambda a, b: mask(b & 31) << (a & 31)),
    "szext.clamp.u32 $d, $a, $b;": ((32, 32), 32, lambda a, b: a & mask(min(b, 32))),
    "szext.wrap.u32 $d, $a, $b;": ((32, 32), 32, lambda a, b: a & mask(b & 31)),
    "szext.clamp.s32 $d, $a, $b;": ((32, 32), 32, lambda a, b: signed_field(a, 0, min(b, 32))),
    "szext.wrap.s32 $d, $a, $b;": ((32, 32), 32, lambda a, b: signed_field(a, 0, b & 31)),
    "bfi.b32 $d, $a, $b, 5, 9;": ((32, 32), 32, lambda a, b: inserted(a, b, 5, 9)),
    "setp.lt.s32 %p1, $a, $b; selp.b32 $d, $a, $b, %p1;": ((32, 32), 32, lambda a, b: min(signed(a), signed(b))),
    "setp.hi.u32 %p1|%p2, $a, $b; selp.b32 $d, 1, 2, %p2;": ((32, 32), 32, lambda a, b: 2 if a > b else 1),
    "setp.lt.and.u32 %p1, $a, $b, !%p3; selp.b32 $d, 1, 0, %p1;": ((32, 32), 32, lambda a, b: int(a < b)),
    "set.ge.u32.s32 $d, $a, $b;": ((32, 32), 32, lambda a, b: -(signed(a) >= signed(b))),
}

TERNARY: dict[str, tuple[tuple[int, ...], int, Callable[[int, int, int], int]]] = {
    "mad.lo.s32 $d, $a, $b, $c;": ((32, 32, 32), 32, lambda a, b, c: a * b + c),
    "mad.hi.sat.s32 $d, $a, $b, $c;": (
        (32, 32, 32),
        32,
        lambda a, b, c: min(max((signed(a) * signed(b) >> 32) + signed(c), -(2**31)), 2**31 - 1),
    ),
    "mad.wide.u32 $d, $a, $b, $c;": ((32, 32, 64), 64, lambda a, b, c: a * b + c),
    "sad.u32 $d, $a, $b, $c;": ((32, 32, 32), 32, lambda a, b, c: c + abs(a - b)),
    "shf.l.wrap.b32 $d, $a, $b, $c;": ((32, 32, 32), 32, lambda a, b, c: (b << 32 | a) << (c & 31) >> 32),
    "shf.r.clamp.b32 $d, $a, $b, $c;": ((32, 32, 32), 32, lambda a, b, c: (b << 32 | a) >> min(c, 32)),
    "lop3.b32 $d, $a, $b, $c, 0xCA;": ((32, 32, 32), 32, lambda a, b, c: a & b | ~a & c),
    "prmt.b32 $d, $a, $b, $c;": ((32, 32, 32), 32, permuted),
    "bfe.u32 $d, $a, $b, $c;": ((32, 32, 32), 32, field),
    "bfe.s32 $d, $a, $b, $c;": ((32, 32, 32), 32, signed_field),
    "add.cc.u32 %r20, $a, $b; addc.u32 $d, $c, 0;": ((32, 32, 32), 32, lambda a, b, c: c + (a + b >> 32)),
    "add.cc.u32 %r20, $a, $b; addc.cc.u32 %r21, 0, 0; addc.u32 $d, $c, 0;": ((32, 32, 32), 32, lambda a, b, c: c),
    "add.cc.u32 %r20, $a, $b; addc.cc.u32 %r21, $b, $c; addc.u32 $d, $a, 0;": (
        (32, 32, 32),
        32,
        lambda a, b, c: a + (b + c + (a + b >> 32) >> 32),
    ),
    "sub.cc.u32 %r20, $a, $b; subc.cc.u32 %r21, $b, $c; subc.u32 $d, $a, 0;": (
        (32, 32, 32),
        32,
        lambda a, b, c: a - (b < c + (a < b)),
    ),
    "sub.cc.u32 %r20, $a, $b; subc.u32 $d, $c, 0;": ((32, 32, 32), 32, lambda a, b, c: c - (a < b)),
    "sub.cc.u32 %r20, $a, $b; subc.cc.u32 %r21, $b, $b; subc.u32 $d, $c, 0;": (
        (32, 32, 32),
        32,
        lambda a, b, c: c - (a < b),
    ),
    "mad.lo.cc.u32 %r20, $a, $b, $c; madc.hi.u32 $d, $a, $b, 0;": (
        (32, 32, 32),
        32,
        lambda a, b, c: (a * b >> 32) + ((a * b & 0xFFFFFFFF) + c >> 32),
    ),
    "slct.u32.s32 $d, $a, $b, $c;": ((32, 32, 32), 32, lambda a, b, c: b if signed(c) < 0 else a),
    "dp2a.lo.u32.u32 $d, $a, $b, $c;": (
        (32, 32, 32),
        32,
        lambda a, b, c: c + sum((a >> 16 * i & 65535) * (b >> 8 * i & 255) for i in range(2)),
    ),
    "dp2a.hi.s32.s32 $d, $a, $b, $c;": (
        (32, 32, 32),
        32,
        lambda a, b, c: c + sum(signed(a >> 16 * i & 65535, 16) * signed(b >> 8 * i + 16 & 255, 8) for i in range(2)),
    ),
    "dp4a.u32.u32 $d, $a, $b, $c;": (
        (32, 32, 32),
        32,
        lambda a, b, c: c + sum((a >> 8 * i & 255) * (b >> 8 * i & 255) for i in range(4)),
    ),
    "vabsdiff4.u32.u32.u32.add $d, $a, $b, $c;": (
        (32, 32, 32),
        32,
        lambda a, b, c: c + sum(abs((a >> 8 * i & 255) - (b >> 8 * i & 255)) for i in range(4)),
    ),
    "vadd2.s32.s32.u32.sat $d, $a, $b, $c;": (
        (32, 32, 32),
        32,
        lambda a, b, c: sum(
            (min(max(signed(a >> i & 65535, 16) + (b >> i & 65535), -(2**15)), 2**15 - 1) & 65535) << i for i in (0, 16)
        ),
    ),
    "vsub4.u32.u32.u32 $d, $a, $b, $c;": (
        (32, 32, 32),
        32,
        lambda a, b, c: sum(((a >> i) - (b >> i) & 255) << i for i in (0, 8, 16, 24)),
    ),
    "vmin2.u32.s32.s32 $d, $a, $b, $c;": (
        (32, 32, 32),
        32,
        lambda a, b, c: sum(
            (min(signed(a >> i & 65535, 16), signed(b >> i & 65535, 16)) & 65535) << i for i in (0, 16)
        ),
    ),
}

INTEGERS: dict[str, tuple[tuple[int, ...], int, Callable[..., int]]] = {**UNARY, **BINARY, **TERNARY}
"""By statement: the bits of the operands and of the result, and what it computes, modulo the width."""


@pytest.mark.parametrize("statement", INTEGERS)
def test_integers(statement: str):
    bits, result, expected = INTEGERS[statement]
    arrays = [operands(width, seed) for seed, width in enumerate(bits)]
    found = executed(statement, bits, result, arrays)
    for row, value in zip(zip(*(array.tolist() for array in arrays), strict=True), found.tolist(), strict=True):
        assert value == expected(*row) % (1 << result), row


def numbers(dtype: type[Any], seed: int) -> Array:
    rng = np.random.default_rng(seed)
    specials = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 3e38, 1e-40, 2.5, 3.5, -2.5, 65504.0, 1e-8])
    plain = rng.normal(0, 4, THREADS) * np.exp2(rng.integers(-10, 10, THREADS))
    return np.where(rng.random(THREADS) < 0.3, rng.choice(specials, THREADS), plain).astype(dtype)


def exact_result(name: str, x: Fraction, y: Fraction, z: Fraction = Fraction(0)) -> Fraction:
    return x + y if name == "add" else x * y + z


@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize("name", ["add", "mul", "fma"])
def test_rounding_of_f32(name: str, mode: str):
    """Each result is the exact one rounded in the direction of the mode."""
    count = 3 if name == "fma" else 2
    arrays = [numbers(np.float32, seed) for seed in range(count)]
    arrays = [np.where(np.abs(array) > 1e30, np.float32(1.5), array) for array in arrays]
    listed = ", ".join(["$d", "$a", "$b", "$c"][: count + 1])
    bits = [array.view(np.uint32) for array in arrays]
    found = executed(f"{name}.{mode}.f32 {listed};", (32,) * count, 32, bits).view(np.float32)
    for row, value in zip(zip(*(array.tolist() for array in arrays), strict=True), found, strict=True):
        exact = exact_result(name, *map(Fraction, row))
        if Fraction(float(value)) == exact:
            continue
        below, above = np.nextafter(value, np.float32(-np.inf)), np.nextafter(value, np.float32(np.inf))
        if mode == "rn":
            error = abs(Fraction(float(value)) - exact)
            assert error <= min(abs(Fraction(float(other)) - exact) for other in (below, above)), row
        else:
            towards = {"rm": False, "rp": True, "rz": exact < 0}[mode]
            assert (Fraction(float(value)) > exact) == towards, row
            assert (Fraction(float(below)) < exact) if towards else (Fraction(float(above)) > exact), row


SPREAD = [0.0, -0.0, 1.0, 3.0, -1.5, 5e-324, -1e-160, 1e-300, 1e160, -1e300, 1.7e308, 1 + 2.0**-52, 2.0**-537]


def wide_numbers(seed: int) -> Array:
    """Numbers of f64 whose products and quotients over- and underflow, and cancel."""
    rng = np.random.default_rng(seed)
    plain = rng.normal(0, 4, THREADS) * np.exp2(rng.integers(-300, 300, THREADS))
    return np.where(rng.random(THREADS) < 0.4, rng.choice(SPREAD, THREADS), plain)


def sign_of_rest(name: str, row: list[float], found: float | Fraction) -> int:
    """Whether the exact result is larger (1) or smaller (-1) than `found`."""
    x, y, z = (Fraction(number) for number in (*row, 0.0, 0.0)[:3])
    if math.isinf(found):
        return -1 if found > 0 else 1
    value = Fraction(found)
    rest = {
        "add": lambda: x + y - value,
        "mul": lambda: x * y - value,
        "fma": lambda: x * y + z - value,
        "div": lambda: (x - value * y) * (1 if y > 0 else -1),
        "sqrt": lambda: x - value * value,
    }[name]()
    return (rest > 0) - (rest < 0)


def middle(x: float, y: float) -> Fraction:
    return (Fraction(x) + Fraction(y)) / 2


@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize(("name", "count"), [("add", 2), ("mul", 2), ("fma", 3), ("div", 2), ("sqrt", 1)])
def test_rounding_of_f64(name: str, count: int, mode: str):
    """The exact result is between the one found and the next one, also if it is no number of f64."""
    arrays = [wide_numbers(seed) for seed in range(count)]
    if name == "fma":
        arrays[2] = np.where(np.arange(THREADS) % 3 == 0, -arrays[0] * arrays[1], arrays[2])
        arrays[2] = np.where(np.isfinite(arrays[2]), arrays[2], 1.0)
    arrays[0] = np.abs(arrays[0]) if name == "sqrt" else arrays[0]
    arrays[-1] = np.where(arrays[-1] == 0, 3.0, arrays[-1]) if name == "div" else arrays[-1]
    listed = ", ".join(["$d", "$a", "$b", "$c"][: count + 1])
    bits = [array.view(np.uint64) for array in arrays]
    found = executed(f"{name}.{mode}.f64 {listed};", (64,) * count, 64, bits).view(np.float64).tolist()
    for row, value in zip(zip(*(array.tolist() for array in arrays), strict=True), found, strict=True):
        sign = sign_of_rest(name, [*row], value)
        if sign == 0:
            continue
        next_one = math.nextafter(value, sign * math.inf)
        if mode == "rn":
            is_bounded = math.isfinite(value) and math.isfinite(next_one)
            assert not is_bounded or sign_of_rest(name, [*row], middle(value, next_one)) != sign, row
        else:
            towards_zero = (value > 0 or (value == 0 and math.copysign(1, value) > 0)) == (sign > 0)
            assert {"rz": towards_zero, "rm": sign > 0, "rp": sign < 0}[mode], (row, value)
            assert math.isinf(next_one) or sign_of_rest(name, [*row], next_one) != sign, (row, value)


MIXED: dict[str, Callable[[Array, Array], Array]] = {
    "add.f32.TYPE $d, $a, $b;": lambda x, y: x + y,
    "add.rn.sat.f32.TYPE $d, $a, $b;": lambda x, y: np.clip(x + y, 0, 1),
    "sub.rn.f32.TYPE $d, $a, $b;": lambda x, y: x - y,
    "fma.rn.f32.TYPE $d, $a, $a, $b;": lambda x, y: (x.astype(np.float64) * x + y).astype(np.float32),
}


@pytest.mark.parametrize("name, dtype", [("f16", np.float16), ("bf16", ml_dtypes.bfloat16)])
@pytest.mark.parametrize("statement", MIXED)
def test_sums_of_narrow_numbers_and_f32(statement: str, name: str, dtype: type[Any]):
    x, y = numbers(dtype, 0), numbers(np.float32, 1)
    bits = [x.view(np.uint16), y.view(np.uint32)]
    found = executed(statement.replace("TYPE", name), (16, 32), 32, bits).view(np.float32)
    np.testing.assert_array_equal(found, MIXED[statement](x.astype(np.float32), y))


def test_sums_of_narrow_numbers_and_f32_have_the_modifiers_that_ptxas_takes():
    for statement in ("fma.f32.f16 $d, $a, $a, $b;", "add.ftz.f32.f16 $d, $a, $b;", "mul.f32.f16 $d, $a, $b;"):
        with pytest.raises(PtxError):
            executed(statement, (16, 32), 32, [operands(16, 0), operands(32, 0)])


@pytest.mark.parametrize(("mode", "sign"), [("rn", 1.0), ("rz", 1.0), ("rp", 1.0), ("rm", -1.0)])
@pytest.mark.parametrize("bits, dtype", [(32, np.float32), (64, np.float64)])
def test_numbers_that_cancel_make_a_zero_of_the_sign_of_the_mode(
    bits: int, dtype: type[np.floating], mode: str, sign: float
):
    operands = [np.full(THREADS, value, dtype).view(f"uint{bits}") for value in (2.0, 3.0, -6.0)]
    fused = executed(f"fma.{mode}.f{bits} $d, $a, $b, $c;", (bits,) * 3, bits, operands).view(dtype)
    minus_three = np.full(THREADS, -3.0, dtype).view(f"uint{bits}")
    total = executed(f"add.{mode}.f{bits} $d, $a, $b;", (bits,) * 2, bits, [operands[1], minus_three]).view(dtype)
    for found in (fused, total):
        assert (found == 0).all() and (np.copysign(1.0, found) == sign).all()


@pytest.mark.parametrize(
    ("literal", "value"), [("1.5", 1.5), ("2.5e-3", 0.0025), ("0d3FF8000000000000", 1.5), ("0f3FC00000", 1.5)]
)
@pytest.mark.parametrize("bits, dtype", [(32, np.float32), (64, np.float64)])
def test_literals_of_floats(bits: int, dtype: type[np.floating], literal: str, value: float):
    numbers = np.arange(THREADS, dtype=dtype)
    found = executed(f"add.rn.f{bits} $d, $a, {literal};", (bits,), bits, [numbers.view(f"u{bits // 8}")]).view(dtype)
    np.testing.assert_array_equal(found, numbers + dtype(value))


@pytest.mark.parametrize(
    ("statement", "operands", "expected"),
    [
        ("add.ftz.f32 $d, $a, $b;", (1e-39, 2e-38), 2e-38),
        ("add.ftz.f32 $d, $a, $b;", (-1e-39, -0.0), -0.0),
        ("mul.ftz.f32 $d, $a, $b;", (1e-39, 1e30), 0.0),
        ("mul.ftz.f32 $d, $a, $b;", (-1e-20, 1e-19), -0.0),
        ("fma.rn.ftz.f32 $d, $a, $b, $c;", (1e-39, 1e30, 2.0), 2.0),
        ("mul.f32 $d, $a, $b;", (1e-20, 1e-19), 1e-39),
    ],
)
def test_subnormal_operands_and_results_become_zeros_if_asked(
    statement: str, operands: tuple[float, ...], expected: float
):
    bits = [np.full(THREADS, value, np.float32).view(np.uint32) for value in operands]
    found = executed(statement, (32,) * len(bits), 32, bits).view(np.float32)
    assert found.tobytes() == np.full_like(found, expected).tobytes()


BF16, F16, F8 = ml_dtypes.bfloat16, np.float16, ml_dtypes.float8_e4m3fn

CONVERSIONS: dict[str, tuple[type[Any], int, int, Callable[[Array], Array]]] = {
    "cvt.rn.bf16.f32 $d, $a;": (np.float32, 32, 16, lambda x: x.astype(BF16).view(np.uint16)),
    "cvt.rn.f16.f32 $d, $a;": (np.float32, 32, 16, lambda x: x.astype(F16).view(np.uint16)),
    "cvt.f32.bf16 $d, $a;": (BF16, 16, 32, lambda x: x.astype(np.float32).view(np.uint32)),
    "cvt.f64.f32 $d, $a;": (np.float32, 32, 64, lambda x: x.astype(np.float64).view(np.uint64)),
    "cvt.rmi.f32.f32 $d, $a;": (np.float32, 32, 32, lambda x: np.floor(x).view(np.uint32)),
    "cvt.rpi.f32.f32 $d, $a;": (np.float32, 32, 32, lambda x: np.ceil(x).view(np.uint32)),
    "cvt.rzi.f32.f32 $d, $a;": (np.float32, 32, 32, lambda x: np.trunc(x).view(np.uint32)),
    "cvt.rni.f32.f32 $d, $a;": (np.float32, 32, 32, lambda x: np.rint(x).view(np.uint32)),
    "cvt.sat.f32.f32 $d, $a;": (np.float32, 32, 32, lambda x: np.clip(x, 0, 1).view(np.uint32)),
    "cvt.rzi.s32.f32 $d, $a;": (
        np.float32,
        32,
        32,
        lambda x: np.clip(np.trunc(x.astype(np.float64)), -(2**31), 2**31 - 1).astype(np.int32).view(np.uint32),
    ),
    "cvt.rn.bf16x2.f32 $d, $a, 0f3F800000;": (
        np.float32,
        32,
        32,
        lambda x: x.astype(BF16).view(np.uint16).astype(np.uint32) << 16 | 0x3F80,
    ),
    "cvt.rn.satfinite.e4m3x2.f32 $d, $a, 0f00000000;": (
        np.float32,
        32,
        16,
        lambda x: np.clip(x, -448, 448).astype(F8).view(np.uint8).astype(np.uint16) << 8,
    ),
    "cvt.rn.f16x2.e4m3x2 $d, $a;": (
        np.uint16,
        16,
        32,
        lambda x: x.view(F8).astype(F16).view(np.uint32),
    ),
}


@pytest.mark.parametrize("statement", CONVERSIONS)
def test_conversions(statement: str):
    dtype, width, result, expected = CONVERSIONS[statement]
    source = np.arange(THREADS, dtype=np.uint16) * 641 & 0x7777 if dtype is np.uint16 else numbers(dtype, 1)
    with np.errstate(all="ignore"):
        want = expected(source)
    found = executed(statement, (width,), result, [source.view(f"u{width // 8}")])
    canonical = found.view(np.float32) if "f32.f32" in statement else found
    wanted = want.view(np.float32) if "f32.f32" in statement else want
    np.testing.assert_array_equal(canonical, wanted)  # zeros of both signs are equal


DIRECTED: dict[str, tuple[type[Any], type[Any]]] = {
    "cvt.MODE.f16.f32 $d, $a;": (np.float32, np.float16),
    "cvt.MODE.f32.f64 $d, $a;": (np.float64, np.float32),
    "cvt.MODE.f32.s32 $d, $a;": (np.int32, np.float32),
    "cvt.MODE.f32.u32 $d, $a;": (np.uint32, np.float32),
}


@pytest.mark.parametrize("mode", ["rz", "rm", "rp"])
@pytest.mark.parametrize("statement", DIRECTED)
def test_conversions_are_rounded_in_the_direction_of_their_mode(statement: str, mode: str):
    source, target = map(np.dtype, DIRECTED[statement])
    from_bits, to_bits = 8 * source.itemsize, 8 * target.itemsize
    x = operands(from_bits, 0).view(source) if source.kind in "iu" else numbers(source.type, 1)
    x = np.where(np.abs(x) > 60000, source.type(1) / 3, x).astype(source) if target == np.float16 else x
    bits = [x.view(f"u{source.itemsize}")]
    found = executed(statement.replace("MODE", mode), (from_bits,), to_bits, bits).view(target)
    for number, value in zip(x.tolist(), found, strict=True):
        exact, result = Fraction(number), Fraction(float(value))
        towards = {"rm": False, "rp": True, "rz": exact < 0}[mode]
        assert result >= exact if towards else result <= exact, number
        if result != exact:
            next_one = Fraction(float(np.nextafter(value, target.type(-math.inf if towards else math.inf))))
            assert next_one < exact if towards else next_one > exact, number


@pytest.mark.parametrize(
    ("statement", "x", "expected"),
    [
        ("cvt.rz.f16.f32 $d, $a;", 70000.0, 0x7BFF),
        ("cvt.rp.f16.f32 $d, $a;", 70000.0, 0x7C00),
        ("cvt.rm.f16.f32 $d, $a;", -1e-30, 0x8001),
        ("cvt.rz.bf16.f32 $d, $a;", 1.0078124, 0x3F80),
        ("cvt.rz.bf16.f32 $d, $a;", math.nan, 0x7FFF),
        ("cvt.rn.relu.f16.f32 $d, $a;", -3.0, 0),
        ("cvt.rn.relu.f16.f32 $d, $a;", 3.0, 0x4200),
        ("cvt.rn.relu.f16.f32 $d, $a;", math.nan, 0x7FFF),
        ("cvt.rz.relu.bf16.f32 $d, $a;", -3.0, 0),
        ("cvt.rn.satfinite.f16.f32 $d, $a;", -math.inf, 0xFBFF),
    ],
)
def test_conversions_to_16_bits(statement: str, x: float, expected: int):
    found = executed(statement, (32,), 16, [np.full(THREADS, x, np.float32).view(np.uint32)])
    assert [*map(hex, {*found.tolist()})] == [hex(expected)]


@pytest.mark.parametrize(
    ("statement", "x", "expected"),
    [
        ("cvt.rpi.s32.f32 $d, $a;", 1e-40, 1),
        ("cvt.rpi.ftz.s32.f32 $d, $a;", 1e-40, 0),
        ("cvt.rn.tf32.f32 $d, $a;", 1 + 2.0**-11, 0x3F800000),
        ("cvt.rn.tf32.f32 $d, $a;", 1 + 3 * 2.0**-11, 0x3F804000),
        ("cvt.rna.tf32.f32 $d, $a;", 1 + 2.0**-11, 0x3F802000),
        ("cvt.rna.tf32.f32 $d, $a;", -1 - 2.0**-11, 0xBF802000),
        ("cvt.rna.tf32.f32 $d, $a;", 1 + 2.0**-12, 0x3F800000),
        ("cvt.rz.tf32.f32 $d, $a;", -1 - 2.0**-11 - 2.0**-12, 0xBF800000),
        ("cvt.rn.relu.tf32.f32 $d, $a;", -1.5, 0),
        ("cvt.rna.tf32.f32 $d, $a;", 3.4028235e38, 0x7F800000),
        ("cvt.rna.satfinite.tf32.f32 $d, $a;", 3.4028235e38, 0x7F7FE000),
        ("cvt.rna.satfinite.tf32.f32 $d, $a;", -math.inf, 0xFF7FE000),
    ],
)
def test_conversions_to_32_bits(statement: str, x: float, expected: int):
    found = executed(statement, (32,), 32, [np.full(THREADS, x, np.float32).view(np.uint32)])
    assert [*map(hex, {*found.tolist()})] == [hex(expected)]


def test_integers_of_64_bits_are_rounded_to_nearest_only():
    with pytest.raises(PtxError, match=r"the rounding .rz of integers of 64 bits is not supported"):
        executed("cvt.rz.f32.u64 $d, $a;", (64,), 32, [operands(64, 0)])


def test_a_fused_product_and_sum_with_relu_has_no_negative_results():
    x = np.resize(np.array([1.5, -2.0, 0.0, -np.inf, np.nan], np.float16), THREADS)
    found = executed("fma.rn.relu.f16 $d, $a, 0x3C00, $a;", (16,), 16, [x.view(np.uint16)]).view(np.float16)
    np.testing.assert_array_equal(found, np.resize(np.array([3.0, 0.0, 0.0, 0.0, np.nan], np.float16), THREADS))


PROPERTIES = {
    "finite": [0.0, -0.0, 1.0, 1e-310],
    "infinite": [math.inf, -math.inf],
    "number": [0.0, -0.0, 1.0, 1e-310, math.inf, -math.inf],
    "notanumber": [math.nan],
    "normal": [0.0, -0.0, 1.0],
    "subnormal": [1e-310],
}
"""The numbers of f64 that have a property; zeros are normal. Source: PTX ISA, `testp`."""


@pytest.mark.parametrize("name", PROPERTIES)
def test_properties_of_numbers(name: str):
    x = np.array([0.0, -0.0, 1.0, 1e-310, math.inf, -math.inf, math.nan])
    padded = np.resize(x, THREADS).view(np.uint64)
    found = executed(f"testp.{name}.f64 %p1, $a; selp.b32 $d, 1, 0, %p1;", (64,), 32, [padded])
    assert [repr(number) for number, holds in zip(x.tolist(), found.tolist(), strict=False) if holds] == [
        *map(repr, PROPERTIES[name])
    ]


def test_integers_are_rounded_to_floats():
    integers = operands(32, 0)
    found = executed("cvt.rn.f32.s32 $d, $a;", (32,), 32, [integers]).view(np.float32)
    np.testing.assert_array_equal(found, integers.view(np.int32).astype(np.float32))


@pytest.mark.parametrize("name, count", [("fma", 3), ("mad", 3), ("div", 2), ("rcp", 1), ("sqrt", 1)])
def test_an_operation_that_ptxas_does_not_round_by_itself_says_how(name: str, count: int):
    with pytest.raises(PtxError, match=f"{name}.f32: expected one of .rn"):
        executed(f"{name}.f32 $d{', $a' * count};", (32,), 32, [operands(32, 0)])


@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize("bits, dtype", [(32, np.float32), (64, np.float64)])
def test_a_reciprocal_is_a_quotient_of_one(bits: int, dtype: type[np.floating], mode: str):
    x = numbers(dtype, 0)
    one, x = (array.view(f"uint{bits}") for array in (np.ones_like(x), x))
    found = executed(f"rcp.{mode}.f{bits} $d, $a;", (bits,), bits, [x])
    quotient = executed(f"div.{mode}.f{bits} $d, $a, $b;", (bits, bits), bits, [one, x])
    np.testing.assert_array_equal(found.view(dtype), quotient.view(dtype))


@pytest.mark.parametrize("name", ["add", "sub", "mul"])
def test_sums_and_products_are_rounded_to_nearest_by_default(name: str):
    arrays = [numbers(np.float32, seed).view(np.uint32) for seed in (0, 1)]
    nearest, default = (executed(f"{name}{mode}.f32 $d, $a, $b;", (32, 32), 32, arrays) for mode in (".rn", ""))
    np.testing.assert_array_equal(nearest, default)


@pytest.mark.parametrize("types", ["f32.s32", "s32.f32", "f16.f32", "tf32.f32"])
def test_a_conversion_that_may_round_says_how(types: str):
    with pytest.raises(PtxError, match=f"cvt.{types}: expected one of .r"):
        executed(f"cvt.{types} $d, $a;", (32,), 32, [operands(32, 0)])


@pytest.mark.parametrize(
    "statement, compare",
    [
        ("setp.lt.bf16x2 %p1|%p2, $a, $b;", np.less),
        ("setp.nan.bf16x2 %p1|%p2, $a, $b;", lambda x, y: np.isnan(x) | np.isnan(y)),
    ],
)
def test_a_comparison_of_pairs_gives_a_predicate_for_each_half(
    statement: str, compare: Callable[[Array, Array], Array]
):
    x, y = (operands(32, seed) for seed in (0, 1))
    low, high = compare(*(array.view(BF16).reshape(THREADS, 2).astype(np.float32) for array in (x, y))).T
    statement += "\nselp.b32 %r5, 1, 0, %p1;\nselp.b32 %r6, 2, 0, %p2;\nor.b32 $d, %r5, %r6;"
    np.testing.assert_array_equal(executed(statement, (32, 32), 32, [x, y]), low + 2 * high)


@pytest.mark.parametrize(
    "operation, combine", [("and", np.logical_and), ("or", np.logical_or), ("xor", np.logical_xor)]
)
def test_a_comparison_as_a_number_may_be_combined_with_a_predicate(
    operation: str, combine: Callable[[Array, Array], Array]
):
    x, y = (operands(32, seed).view(np.int32) for seed in (0, 1))
    statement = f"setp.gt.s32 %p1, $a, 0;\nset.lt.{operation}.u32.s32 $d, $a, $b, %p1;"
    expected = np.where(combine(x < y, x > 0), np.uint32(2**32 - 1), np.uint32(0))
    np.testing.assert_array_equal(executed(statement, (32, 32), 32, [x.view("u4"), y.view("u4")]), expected)


@pytest.mark.parametrize("operation, expected", [("popc.u32", 5), ("or.pred", 1), ("and.pred", 0)])
def test_a_barrier_with_a_reduction_gives_all_threads_of_a_block_one_result(operation: str, expected: int):
    destination = "%r15" if "u32" in operation else "%p2"
    as_number = "" if "u32" in operation else "\nselp.b32 %r15, 1, 0, %p2;"
    statement = f"setp.lt.u32 %p1, %r1, 5;\nbar.red.{operation} {destination}, 0, %p1;{as_number}"
    found = executed(statement, (32,), 32, [operands(32, 0)])
    np.testing.assert_array_equal(found, np.full(THREADS, expected, np.uint32))


@pytest.mark.parametrize("name, power, bound", [("rcp", -1.0, 2.0**-23), ("rsqrt", -0.5, 2.0**-22.9)])
def test_approximate_functions_move_within_the_documented_error(name: str, power: float, bound: float):
    source = np.linspace(0.1, 9, THREADS, dtype=np.float32)
    body = (
        "mul.wide.u32 %rd9, %r1, 4;\nadd.s64 %rd8, %rd1, %rd9;\nadd.s64 %rd9, %rd2, %rd9;\n"
        f"ld.global.b32 %r5, [%rd8];\n{name}.approx.f32 %r6, %r5;\nst.global.b32 [%rd9], %r6;"
    )
    exact, errors = source.astype(np.float64) ** power, list[float]()
    for generator in (None, np.random.default_rng(0)):
        out = np.zeros(THREADS, np.float32)
        Machine(kernel(body)).run([1], [THREADS], [source, out], Options(errors=generator))
        errors.append(float(np.max(np.abs(out - exact) / exact)))
    rounding = 2.0**-24
    assert errors[0] <= rounding < errors[1] <= bound + rounding


@pytest.mark.parametrize(
    "statement, message",
    [
        ("frobnicate.b32 %r5, %r6;", "line 17: frobnicate.b32: unknown instruction"),
        ("add.bogus.f32 %r5, %r6, %r7;", "line 17: add.bogus.f32: unknown modifier .bogus"),
        ("add.s32 %r5, %r6;", "line 17: add.s32 takes 2 operands, but there are 1"),
        ("add.s64 %rd5, %r6, %rd7;", "line 17: add.s64 reads .s64 from %r6, which has 32 bits"),
        ("mov.u32 %r5, nowhere;", "line 17: nowhere is not declared"),
        (
            "setp.lt.f16x2 %p1, %r5, %r6;",
            "line 17: setp.lt.f16x2: a comparison of pairs gives two predicates, p|q",
        ),
        ("add.f16 %h1, %h2, 0d3FF0000000000000;", "line 17: add.f16: this operand cannot be read as .f16"),
        ("mov.u32 %r39, %r40;", "line 17: %r40 is not declared"),
        ("bra $nowhere;", "line 17: a branch needs a label of this entry"),
        ("add.rn %r5, %r6, %r7;", "line 17: add.rn: expected a type"),
        ("add.s32 5, %r6, %r7;", "line 17: add.s32: the result is no register"),
        ("ex2.approx.f64 %rd5, %rd6;", "line 17: ex2.approx.f64: there is no ex2.approx.f64"),
        ("and.pred %p1, %p2, !s;", "line 17: s is no register"),
        ("@s mov.u32 %r5, %r6;", "line 17: s is no register"),
        ("Mov.u32 %r5, %r6;", "line 17: cannot read the instruction 'Mov.u32 %r5, %r6;'"),
        ("ld.global.b32 %r5, [%rd1;", "line 17: cannot read the operands '%r5, [%rd1'"),
        ("ld.global.b32 %r5, [];", "line 17: cannot read the address '[]'"),
        (".reg .v2 .u32 %v;\nld.global.b32 %r5, [%v];", "line 18: the address '[%v]' is a vector"),
        ("ld.global.b32 %r5, %r6;", "line 17: ld.global.b32 expects an address in brackets"),
        ("$twice:\n$twice:", "line 18: label $twice is there twice"),
        ("@%p1 bar.sync 0;", "line 17: bar.sync: a barrier with a guard is not supported: branch around it"),
        ("ld.global.b32 %r5;", "line 17: ld.global.b32 does not take 1 operands"),
        ("mov.u32;", "line 17: mov.u32 does not take 0 operands"),
        ("setp.lt.s32;", "line 17: setp.lt.s32 does not take 0 operands"),
        ("shfl.sync.down.b32 %r5, %r6, %r7, %r5, %r6, %r7;", "line 17: shfl.sync.down.b32 does not take 6 operands"),
        ("add.s32 %r5, , %r7;", "line 17: cannot read the operand ''"),
        (
            "ld.global.v4.b32 {%r5, %r6, %r7}, [%rd1];",
            "line 17: ld.global.v4.b32: 3 elements where the instruction has v4",
        ),
        ("st.global.b32 [%rd1], {%r5, %r6};", "line 17: st.global.b32: 2 elements where the instruction is scalar"),
    ],
)
def test_what_the_machine_does_not_know(statement: str, message: str):
    with pytest.raises(PtxError) as error:
        Machine(kernel(statement)).run([1], [32], [np.zeros(4), np.zeros(4)])
    assert str(error.value) == message


@pytest.mark.parametrize("mode", SELECTED)
def test_modes_of_a_permutation_of_bytes(mode: str):
    x, y, selectors = (operands(32, seed) for seed in (0, 1, 2))
    found = executed(f"prmt.b32.{mode} $d, $a, $b, $c;", (32, 32, 32), 32, [x, y, selectors])
    for low, high, selector, value in zip(x.tolist(), y.tolist(), selectors.tolist(), found.tolist(), strict=True):
        both = (high << 32 | low).to_bytes(8, "little")
        assert value == int.from_bytes(bytes(both[SELECTED[mode](selector % 4, byte)] for byte in range(4)), "little")


ORDERED = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "num": "<=>"}
RELATIONS = {**ORDERED, **{f"{name}u": f"{holds}?" for name, holds in ORDERED.items() if name != "num"}, "nan": "?"}
"""For which relations of two floats a comparison holds; `?` is that of NaN."""


@pytest.mark.parametrize("name", RELATIONS)
def test_comparisons_of_floats(name: str):
    x, y = (np.tile(np.array([0.0, -0.0, 1.5, -2.0, np.inf, np.nan], np.float32), 16) for _ in range(2))
    y = np.sort(y)
    found = executed(
        f"setp.{name}.f32 %p1, $a, $b; selp.b32 $d, 1, 0, %p1;", (32, 32), 32, [x.view("u4"), y.view("u4")]
    )
    for a, b, holds in zip(x.tolist(), y.tolist(), found.tolist(), strict=True):
        relation = "<" if a < b else ">" if a > b else "=" if a == b else "?"
        assert bool(holds) == (relation in RELATIONS[name]), (a, b)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("min", np.fmin), ("max", np.fmax), ("min.NaN", np.minimum), ("max.NaN", np.maximum)],
)
def test_extremes_of_numbers_and_nan(name: str, expected: Callable[[Array, Array], Array]):
    x, y = (np.tile(np.array([1.5, -2.0, np.inf, np.nan], np.float32), THREADS // 4) for _ in range(2))
    y = np.sort(y)
    found = executed(f"{name}.f32 $d, $a, $b;", (32, 32), 32, [x.view("u4"), y.view("u4")])
    np.testing.assert_array_equal(found.view(np.float32), expected(x, y))


@pytest.mark.parametrize(("register", "expected"), [("nwarpid", 3), ("smid", 0), ("nsmid", 1)])
def test_special_registers_of_a_launch(register: str, expected: int):
    found = executed(f"mov.u32 $d, %{register};", (32,), 32, [operands(32, 0)])
    np.testing.assert_array_equal(found, np.full(THREADS, expected))


def test_only_the_threads_of_a_barrier_take_part_in_its_reduction():
    """One of 32 threads: the others of the block are not counted."""
    body = (
        "setp.ge.u32 %p3, %r1, 32;\n@%p3 bra $done;\nsetp.lt.u32 %p1, %r1, 32;\nbar.red.and.pred %p2, 1, 32, %p1;\n"
        "selp.b32 %r5, 1, 0, %p2;\nmul.wide.u32 %rd9, %r1, 4;\nadd.s64 %rd9, %rd9, %rd1;\n"
        "st.global.b32 [%rd9], %r5;\n$done:"
    )
    found = np.zeros(THREADS, np.uint32)
    Machine(kernel(body, parameters=1)).run([1], [THREADS], [found])
    np.testing.assert_array_equal(found, np.arange(THREADS) < 32)


@pytest.mark.parametrize("by", [0, 3, 9])
@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
def test_shuffles_stay_in_segments(mode: str, by: int):
    """Of 8 lanes, by bits 8 to 12 of the last operand. An exchange may leave its segment for one before."""
    x = operands(32, 0)
    clamp = 0x1800 if mode == "up" else 0x181F
    found = executed(f"mov.u32 %r20, {clamp};\nshfl.sync.{mode}.b32 $d, $a, {by}, %r20, -1;", (32,), 32, [x])
    for thread in range(THREADS):
        lane, first = thread % 32, thread % 32 // 8 * 8
        source = {"up": lane - by, "down": lane + by, "bfly": lane ^ by, "idx": first + by % 8}[mode]
        is_valid = source >= first if mode == "up" else source <= first + 7
        assert found[thread] == x[thread - lane + source if is_valid else thread]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("add.u64 $d, %rd1, %rd2;", "add.u64 writes .u64 to %r15, which has 32 bits"),
        ("selp.b32 $d, 1, 0, $a;", "selp.b32 reads .pred from %r10, which has 32 bits"),
        ("cvt.u32 $d, $a;", "cvt.u32: expected 2 types"),
    ],
)
def test_registers_and_types_that_do_not_fit(statement: str, message: str):
    with pytest.raises(PtxError, match=re.escape(message)):
        executed(statement, (32,), 32, [operands(32, 0)])


def test_the_address_of_a_part_of_a_variable():
    body = "mov.u64 %rd5, s;\nmov.u64 %rd6, s+24;\nsub.s64 %rd7, %rd6, %rd5;\nst.global.b64 [%rd1], %rd7;"
    found = np.zeros(1, np.uint64)
    Machine(kernel(body, parameters=1, shared=64)).run([1], [1], [found])
    assert found[0] == 24


@pytest.mark.parametrize("load", ["ca", "cg", "cs", "cv", "lu"])
@pytest.mark.parametrize("store", ["wb", "cg", "cs", "wt"])
def test_operators_of_caches_change_no_value(load: str, store: str):
    x, found = np.array([7], np.uint32), np.zeros(1, np.uint32)
    Machine(kernel(f"ld.global.{load}.b32 %r5, [%rd1];\nst.global.{store}.b32 [%rd2], %r5;")).run([1], [1], [x, found])
    assert found[0] == 7


SWITCH = kernel(
    """
$table: .branchtargets $one, $two, $three;
mul.wide.u32 %rd8, %r1, 4;
add.s64 %rd9, %rd1, %rd8;
ld.global.b32 %r5, [%rd9];
brx.idx %r5, $table;
$one: mov.b32 %r6, 10;
bra $end;
$two: mov.b32 %r6, 20;
bra $end;
$three: mov.b32 %r6, 30;
$end:
add.s64 %rd9, %rd2, %rd8;
st.global.b32 [%rd9], %r6;"""
)


def test_a_branch_by_a_table():
    """Each thread goes on at the label that it names."""
    assemble(SWITCH)
    numbers, found = np.arange(64, dtype=np.uint32) % 3, np.zeros(64, np.uint32)
    assert Machine(SWITCH).run([1], [64], [numbers, found]) == []
    assert found.tolist() == (10 * (numbers + 1)).tolist()


def test_a_branch_behind_its_table():
    with pytest.raises(FaultError, match="branches to target 3 of 3"):
        Machine(SWITCH).run([1], [1], [np.full(4, 3, np.uint32), np.zeros(4, np.uint32)])


def test_threads_whose_branch_is_behind_its_table_end():
    numbers, found = np.arange(4, dtype=np.uint32), np.zeros(4, np.uint32)
    (fault,) = Machine(SWITCH).run([1], [4], [numbers, found], Options(collects_faults=True))
    assert fault.message.endswith("branches to target 3 of 3")
    assert found.tolist() == [10, 20, 30, 0]


def test_labels_between_braces_are_of_these_braces():
    """Also in tables; a branch may leave the braces."""
    inner = SWITCH.split("$end:")[0].replace("$table:", "{\n$table:") + "bra $end;\n}\n"
    twice = inner + "$one: $two: mov.b32 %r6, 77;\n$end:" + SWITCH.split("$end:")[1]
    assemble(twice)
    numbers, found = np.arange(64, dtype=np.uint32) % 3, np.zeros(64, np.uint32)
    assert Machine(twice).run([1], [64], [numbers, found]) == []
    assert found.tolist() == (10 * (numbers + 1)).tolist()


def test_a_branch_by_a_table_has_no_guard_and_targets_of_its_entry():
    for right, wrong, message in (
        ("brx.idx", "@%p1 brx.idx", "expected a register and a table of labels, and no guard"),
        ("$three;", "$four;", r"\$four is no label of this entry"),
    ):
        with pytest.raises(PtxError, match=message):
            Machine(SWITCH.replace(right, wrong)).run([1], [1], [np.zeros(1), np.zeros(1)])


def test_what_a_module_is_read_as():
    """With addresses of 64 bits, whatever its pragmas, to the ends of functions. Of several entries, one is chosen."""
    body = "st.global.b32 [%rd1], 7;"
    text, found = kernel(body, parameters=1), np.zeros(1, np.uint32)
    Machine(text.replace(".visible", '.pragma "nounroll";\n.visible')).run([1], [1], [found])
    assert found.tolist() == [7]
    other = text.partition(".visible")[2].replace("k", "l")
    for wrong, message in (
        (text.replace("address_size 64", "address_size 32"), "line 1: addresses have 32 bits: only 64 are supported"),
        (text + ".func f() { ret;", "line [0-9]+: the text ends within a function"),
        (f"{text}.visible {other}", r"line 1: choose an entry of the module \(k, l\)"),
    ):
        with pytest.raises(PtxError, match=message):
            Machine(wrong)
    with pytest.raises(PtxError, match="line 1: no entry m, only k"):
        Machine(text, "m")


def test_a_branch_without_a_table():
    with pytest.raises(PtxError, match=r"brx\.idx needs a table of labels"):
        Machine(SWITCH.replace("brx.idx %r5, $table", "brx.idx %r5, $one"))
