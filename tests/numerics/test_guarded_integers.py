"""Divisions with guards and powers of integers, which modules may come with, go through the whole pipeline."""

import numpy as np

from xshardy import compiler
from xshardy.launch.kernel_levels import compiled_at, run_compiled
from xshardy.lowering.code_generators import compile_module
from xshardy.lowering.ptxas import assemble
from xshardy.syntax import parse_module

COUNT = 64

KERNEL = f"""
func.func @main(%a: tensor<{COUNT}xi32> {{xla.invariant, xla.slice_index = 0}},
                %b: tensor<{COUNT}xi32> {{xla.invariant, xla.slice_index = 1}},
                %out: tensor<{COUNT}xi32> {{xla.slice_index = 2}}) -> tensor<{COUNT}xi32>
    attributes {{xla.entry, gpu.known_block_size = array<i32: {COUNT}, 1, 1>,
                 gpu.known_grid_size = array<i32: 1, 1, 1>}} {{
  %thread = gpu.thread_id x {{xla.range = [0 : index, {COUNT - 1} : index]}}
  %x = tensor.extract %a[%thread] : tensor<{COUNT}xi32>
  %y = tensor.extract %b[%thread] : tensor<{COUNT}xi32>
  %quotient = arith.divsi %x, %y {{xla.guard_ub}} : i32
  %remainder = arith.remsi %x, %y {{xla.guard_ub}} : i32
  %power = math.ipowi %x, %y : i32
  %sum = arith.addi %quotient, %remainder : i32
  %all = arith.xori %sum, %power : i32
  %written = tensor.insert %all into %out[%thread] : tensor<{COUNT}xi32>
  func.return %written : tensor<{COUNT}xi32>
}}"""


def expected(x: int, y: int) -> int:
    """`(x / y + x rem y) xor x ** y` as XLA defines them, modulo 2^32."""
    if y == 0:
        quotient, remainder = -1, x
    else:
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        remainder = x - quotient * y
    power = pow(x, y) if y >= 0 else {1: 1, -1: 1 if y % 2 == 0 else -1}.get(x, 0)
    return ((quotient + remainder) ^ power) & 0xFFFFFFFF


def test_the_lowered_kernel_computes_what_xla_defines():
    smallest, largest = -(2**31), 2**31 - 1
    x = np.resize(np.array([0, 1, -1, 2, -3, 7, smallest, largest], np.int32), COUNT)
    y = np.repeat(np.array([0, 1, -1, 2, -2, 5, 31, 9], np.int32), COUNT // 8)
    want = np.array([expected(int(a), int(b)) for a, b in zip(x, y, strict=True)], np.uint32)
    module = compiler.lower(parse_module(KERNEL), "llvm")
    (got,) = run_compiled(compiled_at("llvm", module), [x, y, np.zeros(COUNT, np.int32)], [2])
    np.testing.assert_array_equal(got.view(np.uint32), want)
    assemble(compile_module(module).ptx, "sm_90")
