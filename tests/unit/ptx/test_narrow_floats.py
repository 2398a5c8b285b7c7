"""Conversions to and from floats of 4 and 6 bits and powers of two, and reductions of f32 in a warp."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ptx_kernels import BLACKWELL, kernel

from xshardy.lowering.ptxas import assemble
from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.machine import Machine

NARROW: dict[str, tuple[type[Any], int]] = {
    "e2m1x2": (ml_dtypes.float4_e2m1fn, 4),
    "e2m3x2": (ml_dtypes.float6_e2m3fn, 6),
    "e3m2x2": (ml_dtypes.float6_e3m2fn, 6),
}
"""Of each pair, its elements and their bits."""


def execute(body: str, *arguments: Array) -> None:
    ptx = kernel(body, parameters=len(arguments), header=BLACKWELL)
    assemble(ptx, "sm_100a")
    Machine(ptx).run([1], [32], arguments)


def stored(name: str) -> str:
    """The bits of a pair in `%h1`: of two halves of a byte, in its lower byte."""
    if name == "e2m1x2":
        return ".reg .b8 %b<4>;\n{0} %b1, {1};\nmov.b16 %h1, {{%b1, %b1}};"
    return "{0} %h1, {1};"


@pytest.mark.parametrize("name", NARROW)
def test_conversions_from_f32(name: str):
    """Rounded to the nearest of all numbers of the type, to even of two, and to the largest beyond and for NaN."""
    dtype, bits = NARROW[name]
    every = np.arange(1 << bits, dtype=np.uint8).view(dtype).astype(np.float32)
    largest = every.max()
    source = np.random.default_rng(bits).uniform(-1.2, 1.2, (32, 2)).astype(np.float32) * largest
    source[:4] = [[np.nan, np.inf], [-np.inf, -0.0], [every[1] / 2, every[2] * 0.75], [every[1], -every[2]]]
    found = np.zeros(32, np.uint32)
    body = f"""
mul.wide.u32 %rd8, %r1, 8;
add.s64 %rd9, %rd1, %rd8;
.reg .f32 %f<4>;
ld.global.v2.f32 {{%f1, %f2}}, [%rd9];
{stored(name).format(f"cvt.rn.satfinite.{name}.f32", "%f2, %f1")}
cvt.u32.u16 %r5, %h1;
mul.wide.u32 %rd8, %r1, 4;
add.s64 %rd9, %rd2, %rd8;
st.global.b32 [%rd9], %r5;"""
    execute(body, source, found)
    step = 4 if bits == 4 else 8
    for thread in range(32):
        for number in range(2):
            code = int(found[thread]) >> step * number & (1 << bits) - 1
            value, wanted = every[code], source[thread, number]
            if np.isnan(wanted) or abs(wanted) > largest:
                assert value == (largest if np.isnan(wanted) or wanted > 0 else -largest)
                continue
            distance = np.abs(every - wanted)
            nearest = {float(each) for each in every[distance == distance.min()]}
            assert float(value) in nearest
            assert len(nearest) == 1 or code % 2 == 0
            assert np.signbit(value) == np.signbit(wanted)


@pytest.mark.parametrize("name", [*NARROW, "ue8m0x2"])
def test_conversions_to_16_bits(name: str):
    """Exact."""
    dtype, bits = NARROW.get(name, (ml_dtypes.float8_e8m0fnu, 8))
    result, wide = ("bf16x2", ml_dtypes.bfloat16) if name == "ue8m0x2" else ("f16x2", np.float16)
    codes = np.random.default_rng(bits).integers(0, 1 << bits, (32, 2)).astype(np.uint8)
    source = (codes[:, 0] | codes[:, 1].astype(np.uint32) << (4 if bits == 4 else 8)).astype(np.uint32)
    found = np.zeros(32, np.uint32)
    taken, operand = ".reg .b8 %b<4>;\nmov.b16 {%b1, %b2}, %h1;" if bits == 4 else "", "%b1" if bits == 4 else "%h1"
    body = f"""
mul.wide.u32 %rd8, %r1, 4;
add.s64 %rd9, %rd1, %rd8;
ld.global.b32 %r5, [%rd9];
cvt.u16.u32 %h1, %r5;
{taken}
cvt.rn.{result}.{name} %r6, {operand};
add.s64 %rd9, %rd2, %rd8;
st.global.b32 [%rd9], %r6;"""
    execute(body, source, found)
    np.testing.assert_array_equal(found.view(wide).reshape(32, 2), codes.view(dtype).astype(np.float32).astype(wide))


@pytest.mark.parametrize("name", ["min", "max"])
@pytest.mark.parametrize("modifiers", ["", ".abs", ".NaN", ".abs.NaN"])
@pytest.mark.parametrize("missing", [0, 1, 32])
def test_reductions_of_f32(name: str, modifiers: str, missing: int):
    """NaN is left out, unless there is nothing else, or the instruction wants it."""
    source = np.random.default_rng(missing).standard_normal(32).astype(np.float32)
    source[32 - missing :] = np.nan
    found = np.zeros(32, np.float32)
    body = f"""
.reg .f32 %f<4>;
mul.wide.u32 %rd8, %r1, 4;
add.s64 %rd9, %rd1, %rd8;
ld.global.f32 %f1, [%rd9];
redux.sync.{name}{modifiers}.f32 %f2, %f1, -1;
add.s64 %rd9, %rd2, %rd8;
st.global.f32 [%rd9], %f2;"""
    execute(body, source, found)
    values = np.abs(source) if "abs" in modifiers else source
    known = values[~np.isnan(values)]
    wanted = np.float32(np.nan)
    if len(known) and not (missing and "NaN" in modifiers):
        wanted = known.min() if name == "min" else known.max()
    np.testing.assert_array_equal(found, np.full(32, wanted))


@pytest.mark.parametrize(
    ("instruction", "message"),
    [
        ("cvt.rn.e2m3x2.f32 %h1, %f1, %f1;", "needs .satfinite"),
        ("cvt.rz.satfinite.ue8m0x2.f32 %h1, %f1, %f1;", "conversions to .ue8m0x2 are not supported"),
        ("redux.sync.add.f32 %f2, %f1, -1;", "floats have the reductions .min and .max of .f32 only"),
    ],
)
def test_what_there_is_not(instruction: str, message: str):
    with pytest.raises(PtxError, match=message):
        Machine(kernel(f".reg .f32 %f<4>;\n{instruction}", parameters=0)).run([1], [32], [])
