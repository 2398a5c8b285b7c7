"""Conversions of small floats: rounding of every f16, results of kernels, and their instructions after ptxas."""

import re

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import (
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    ModuleOp,
    ReducedPrecisionFloatType,
    f16,
    f32,
)

from xshardy import compiler
from xshardy.gpus.capability import ComputeCapability
from xshardy.lowering.code_generators import compile_module
from xshardy.lowering.ptxas import assemble
from xshardy.ptx.kernels import run_kernel
from xshardy.syntax import parse_module
from xshardy.transforms.xla_gpu.float_instructions import Target, greatest_not_overflowing, nvidia_instructions

Array = npt.NDArray[np.generic]

FORMATS = [(Float8E5M2Type(), ml_dtypes.float8_e5m2), (Float8E4M3FNType(), ml_dtypes.float8_e4m3fn)]
SMALL = {"f8E5M2": ml_dtypes.float8_e5m2, "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f4E2M1FN": ml_dtypes.float4_e2m1fn}
FNUZ = {"f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz, "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz}
WIDE = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
DTYPES = {**SMALL, **FNUZ, **WIDE}

EVERY_HALF = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
THREADS = 256


@pytest.mark.parametrize("small, dtype", FORMATS)
def test_every_f16(small: ReducedPrecisionFloatType, dtype: type):
    codes = np.arange(0x7C00, dtype=np.uint16)
    with np.errstate(over="ignore"):
        is_finite = np.isfinite(codes.view(np.float16).astype(dtype).astype(np.float32))
    np.testing.assert_array_equal(is_finite, codes <= greatest_not_overflowing(f16, small))


@pytest.mark.parametrize("small, dtype", FORMATS)
def test_f32_around_the_last(small: ReducedPrecisionFloatType, dtype: type):
    last = greatest_not_overflowing(f32, small)
    values = np.array([last - 1, last, last + 1], dtype=np.uint32).view(np.float32)
    with np.errstate(over="ignore"):
        assert np.isfinite(values.astype(dtype).astype(np.float32)).tolist() == [True, True, False]


@pytest.mark.parametrize(
    "small, capability, before, ptx",
    [
        (Float8E4M3FNType(), (8, 9), (8, 8), (8, 1)),
        (Float8E5M2Type(), (9, 0), (8, 9), (7, 8)),
        (Float4E2M1FNType(), (10, 0), (9, 0), (8, 6)),
    ],
)
def test_oldest_targets(
    small: ReducedPrecisionFloatType, capability: tuple[int, int], before: tuple[int, int], ptx: tuple[int, int]
):
    """Source: PTX ISA, `cvt`, "Target ISA Notes"."""

    def has_instructions(capability: tuple[int, int], ptx: tuple[int, int]) -> bool:
        return small.__class__ in nvidia_instructions(Target(ComputeCapability(*capability), ptx, specific=True))

    assert has_instructions(capability, ptx)
    assert not has_instructions(capability, (ptx[0], ptx[1] - 1))
    assert not has_instructions(before, ptx)


# -- Kernels ----------------------------------------------------------------------------------------------------------


def converting_kernel(count: int, source: str, result: str, each: int = 1) -> ModuleOp:
    """A kernel that converts `count` floats, a multiple of the block; a thread `each` of them that are neighbours."""
    convert = "truncf" if source in WIDE else "extf"
    blocks = count // THREADS // each
    domain = f"d0 in [0, {THREADS - 1}], d1 in [0, {blocks - 1}], s0 in [0, {each - 1}]"
    return parse_module(
        f"""
        func.func @kernel(%in: tensor<{count}x{source}> {{llvm.align = 16 : i64, xla.slice_index = 0, xla.invariant}},
                          %out: tensor<{count}x{result}> {{llvm.align = 16 : i64, xla.slice_index = 1}})
            -> tensor<{count}x{result}>
            attributes {{xla.entry, gpu.known_block_size = array<i32: {THREADS}, 1, 1>,
                         gpu.known_grid_size = array<i32: {blocks}, 1, 1>}} {{
          %thread = gpu.thread_id x {{xla.range = [0 : index, {THREADS - 1} : index]}}
          %block = gpu.block_id x {{xla.range = [0 : index, {blocks - 1} : index]}}
          %all = xla_gpu.loop (%thread, %block)[%lane] -> (%i) in
              #xla_gpu.indexing_map<"(d0, d1)[s0] -> (d0 * {each} + d1 * {THREADS * each} + s0), domain: {domain}">
              iter_args(%to = %out) -> (tensor<{count}x{result}>) {{
            %x = tensor.extract %in[%i] : tensor<{count}x{source}>
            %r = arith.{convert} %x : {source} to {result}
            %written = tensor.insert %r into %to[%i] : tensor<{count}x{result}>
            xla_gpu.yield %written : tensor<{count}x{result}>
          }}
          func.return %all : tensor<{count}x{result}>
        }}"""
    )


def converted(values: Array, source: str, result: str, target: str, each: int = 1) -> tuple[Array, str]:
    """The result of the kernel for `target` on `values`, executed on the PTX machine, and its LLVM IR."""
    module = compiler.lower(converting_kernel(values.size, source, result, each), "llvm", target=target)
    kernel = compile_module(module, target)
    written = run_kernel(kernel, {0: values, 1: np.zeros(values.size, DTYPES[result])})
    return written[1], kernel.llvm_ir


def assert_same_floats(actual: Array, expected: Array):
    """Equal, down to the sign of zero; of NaNs there are many."""
    actual, expected = actual.astype(np.float64), expected.astype(np.float64)
    np.testing.assert_array_equal(actual, expected)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(actual[numbers]), np.signbit(expected[numbers]))


@pytest.mark.parametrize("each", [1, 4])
@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
@pytest.mark.parametrize("source", ["f16", "bf16", "f32"])
@pytest.mark.parametrize("result", ["f8E5M2", "f8E4M3FN"])
def test_rounding_of_every_16_bits(source: str, result: str, target: str, each: int):
    bits = np.random.default_rng(0).permutation(EVERY_HALF.view(np.uint16))  # out-of-range values too
    values = (bits.astype(np.uint32) << 16).view(np.float32) if source == "f32" else bits.view(WIDE[source])
    actual, text = converted(values, source, result, target, each)
    conversions = len(re.findall(r"= call i16 @llvm\.nvvm", text))
    assert conversions == (0 if target == "sm_80" else (each + 1) // 2)
    with np.errstate(over="ignore", invalid="ignore"):
        assert_same_floats(actual, values.astype(SMALL[result]))


@pytest.mark.parametrize("result", ["f8E5M2", "f8E4M3FN"])
def test_rounding_of_f32_beside_the_middles(result: str):
    codes = np.arange(127, dtype=np.uint8)
    positive = codes.view(SMALL[result]).astype(np.float32)
    with np.errstate(invalid="ignore"):
        middles = (positive[:-1] + positive[1:]) / 2
    middles = middles[np.isfinite(middles)]
    around = np.concatenate([middles, np.nextafter(middles, np.float32(0)), np.nextafter(middles, np.float32(np.inf))])
    values = np.resize(np.concatenate([around, -around]), 1024)
    actual, _ = converted(values, "f32", result, "sm_90")
    assert_same_floats(actual, values.astype(SMALL[result]))


@pytest.mark.parametrize("each", [1, 4])
@pytest.mark.parametrize("target", ["sm_80", "sm_89", "sm_90"])
@pytest.mark.parametrize("result", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("source", ["f8E5M2", "f8E4M3FN"])
def test_every_f8_widened(source: str, result: str, target: str, each: int):
    values = np.resize(np.random.default_rng(0).permutation(256).astype(np.uint8), 1024).view(SMALL[source])
    actual, text = converted(values, source, result, target, each)
    conversions = len(re.findall(r"= call <2 x half> @llvm\.nvvm", text))
    assert conversions == (0 if target == "sm_80" else (each + 1) // 2)
    assert_same_floats(actual, values.astype(np.float64))


@pytest.mark.parametrize("each", [1, 4])
@pytest.mark.parametrize("target, by_instruction", [("sm_100", False), ("sm_100a", True)])
def test_f4(target: str, by_instruction: bool, each: int):
    values = np.linspace(-7, 7, 1024).astype(np.float32)
    actual, text = converted(values, "f32", "f4E2M1FN", target, each)
    assert ("e2m1x2" in text) == by_instruction
    assert_same_floats(actual, values.astype(SMALL["f4E2M1FN"]))
    codes = np.arange(1024, dtype=np.uint8) % 16
    actual, text = converted(codes.view(SMALL["f4E2M1FN"]), "f4E2M1FN", "f32", target, each)
    assert ("e2m1x2" in text) == by_instruction
    assert_same_floats(actual, codes.view(SMALL["f4E2M1FN"]))


# -- PTX --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["sm_80", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a"])
@pytest.mark.parametrize("source, result", [("f32", "f8E4M3FN"), ("f16", "f8E5M2"), ("f8E4M3FN", "f32")])
def test_ptxas_accepts(source: str, result: str, target: str):
    module = compiler.lower(converting_kernel(THREADS, source, result), "llvm", target=target)
    kernel = compile_module(module, target)
    assert ("x2." in kernel.ptx) == (target != "sm_80")
    assemble(kernel.ptx, target)


@pytest.mark.parametrize("source, result", [("f32", "f4E2M1FN"), ("f4E2M1FN", "f16")])
@pytest.mark.parametrize("target", ["sm_100", "sm_100a", "sm_120a"])
def test_ptxas_accepts_f4(source: str, result: str, target: str):
    module = compiler.lower(converting_kernel(THREADS, source, result), "llvm", target=target)
    kernel = compile_module(module, target)
    assert ("e2m1x2" in kernel.ptx) == (target != "sm_100")
    assemble(kernel.ptx, target)
