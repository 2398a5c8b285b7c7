"""Conversions of small floats by AMD's GPUs, executed at level llvm."""

import re

import numpy as np
import pytest
from test_convert_float_nvidia import DTYPES, EVERY_HALF, Array, assert_same_floats, converting_kernel

from xshardy import compiler
from xshardy.launch.kernel_levels import compiled_at, run_compiled
from xshardy.lowering.code_generators import compile_module
from xshardy.ptx.errors import PtxError
from xshardy.ptx.machine import Machine

FORMATS = [("gfx942", "f8E4M3FNUZ"), ("gfx942", "f8E5M2FNUZ"), ("gfx1201", "f8E4M3FN"), ("gfx1201", "f8E5M2")]
"""The formats that each target has."""


def converted(values: Array, source: str, result: str, target: str, each: int) -> tuple[Array, str]:
    """What the kernel for `target` gives for `values`, and its LLVM IR."""
    module = compiler.lower(converting_kernel(values.size, source, result, each), "llvm", target=target)
    (written,) = run_compiled(compiled_at("llvm", module, target), [values, np.zeros(values.size, DTYPES[result])], [1])
    return written, compile_module(module, target).llvm_ir


def conversions(llvm_ir: str) -> int:
    return len(re.findall(r"= call .*@llvm\.amdgcn\.cvt", llvm_ir))


@pytest.mark.parametrize("each", [1, 4])
@pytest.mark.parametrize(("target", "result"), [*FORMATS, ("gfx1100", "f8E4M3FN"), ("gfx942", "f8E4M3FN")])
def test_rounding_of_every_16_bits(target: str, result: str, each: int):
    values = (np.random.default_rng(0).permutation(EVERY_HALF.view(np.uint16)).astype(np.uint32) << 16).view(np.float32)
    actual, text = converted(values, "f32", result, target, each)
    assert conversions(text) == ((each + 1) // 2 if (target, result) in FORMATS else 0)
    with np.errstate(over="ignore", invalid="ignore"):
        assert_same_floats(actual, values.astype(DTYPES[result]))


@pytest.mark.parametrize("each", [1, 4])
@pytest.mark.parametrize("result", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize(("target", "source"), FORMATS)
def test_every_f8_widened(target: str, source: str, result: str, each: int):
    values = np.resize(np.random.default_rng(0).permutation(256).astype(np.uint8), 1024).view(DTYPES[source])
    actual, text = converted(values, source, result, target, each)
    assert conversions(text) == (each + 1) // 2
    assert_same_floats(actual, values.astype(np.float64))


@pytest.mark.parametrize(("target", "source"), FORMATS)
def test_llvm_has_the_instructions(target: str, source: str):
    name = "bf8" if "5M2" in source else "fp8"
    for types, instruction in (((source, "f32"), f"v_cvt_pk_f32_{name}"), (("f32", source), f"v_cvt_pk_{name}_f32")):
        module = compiler.lower(converting_kernel(1024, *types, 4), "llvm", target=target)
        assert compile_module(module, target).assembly.count(instruction) >= 2


def test_a_gpu_without_the_instructions_does_not_execute_them():
    text = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry k()
{
  .reg .b32 %r<3>;
  .reg .f32 %f<2>;
  amdgcn.cvt_f32_fp8.gfx1100 %f1, %r1, 0;
  ret;
}"""
    with pytest.raises(PtxError, match="this GPU has no fp8"):
        Machine(text).run([1], [32], [])
