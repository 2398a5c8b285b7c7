"""Loops with pipelined loads have the same results."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from xshardy.interpreters.simt import run_kernel
from xshardy.syntax import parse_module
from xshardy.transforms.xla_gpu.optimize_loops import OptimizeLoopsPass
from xshardy.universe import new_context

THREADS = 8


@given(
    iterations=st.integers(2, 40),
    stride=st.integers(0, 5),
    offset=st.integers(0, 9),
    size=st.integers(16, 64),
    in_place=st.booleans(),
)
def test_reading_ahead_changes_no_result(iterations: int, stride: int, offset: int, size: int, in_place: bool):
    result = f"tensor<{THREADS * iterations}xf32>"
    at = f"(d0 + d1 * {stride} + {offset}) mod {size}"
    domain = f"d0 in [0, {THREADS - 1}], d1 in [0, {iterations - 1}]"
    text = f"""
    func.func @kernel(%t: tensor<{size}xf32> {{xla.invariant}}, %out: {result})
        -> {result}
        attributes {{xla.entry, gpu.known_block_size = array<i32: {THREADS}, 1, 1>,
                     gpu.known_grid_size = array<i32: 1, 1, 1>}} {{
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %end = arith.constant {iterations} : index
      %thread = gpu.thread_id x
      %result = scf.for %i = %zero to %end step %one iter_args(%written = %out) -> ({result}) {{
        %at = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0, d1) -> ({at}), domain: {domain}">
          (%thread, %i)
        %to = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0, d1) -> (d0 * {iterations} + d1), domain: {domain}">
          (%thread, %i)
        %x = tensor.extract {"%out[%to]" if in_place else "%t[%at]"}
          : {result if in_place else f"tensor<{size}xf32>"}
        %y = math.sinh %x : f32
        %next = tensor.insert %y into %written[%to] : {result}
        scf.yield %next : {result}
      }}
      func.return %result : {result}
    }}"""
    inputs = [np.linspace(-2, 2, size, dtype=np.float32), np.linspace(-1, 1, THREADS * iterations, dtype=np.float32)]
    module = parse_module(text)
    expected = run_kernel(module, [array.copy() for array in inputs])
    OptimizeLoopsPass(pipeline_loads=True).apply(new_context(), module)
    module.verify()
    assert str(module).count("tensor.extract") == (1 if in_place else 2)
    actual = run_kernel(module, [array.copy() for array in inputs])
    np.testing.assert_array_equal(actual, expected)
