"""
Kernels give the same numbers before and after every pass from xla_gpu to unrolled loops over vectors.

Row XGPU-54.
"""

from collections.abc import Iterator, Sequence

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xshardy.interpreters.simt import run_kernel
from xshardy.syntax import parse_module
from xshardy.transforms.canonicalize import CanonicalizePass
from xshardy.transforms.cse import CSEPass
from xshardy.transforms.loop_invariant_code_motion import LoopInvariantCodeMotionPass
from xshardy.transforms.xla_gpu.flatten_tensors import FlattenTensorsPass
from xshardy.transforms.xla_gpu.fuse_loops import FuseLoopsPass
from xshardy.transforms.xla_gpu.lower_xla_gpu_loops_to_scf import LowerXlaGpuLoopsToScfPass
from xshardy.transforms.xla_gpu.lower_xla_gpu_to_scf import LowerXlaGpuToScfPass
from xshardy.transforms.xla_gpu.optimize_loops import OptimizeLoopsPass
from xshardy.transforms.xla_gpu.peel_loops import PeelLoopsPass
from xshardy.transforms.xla_gpu.simplify_arith import SimplifyArithPass
from xshardy.transforms.xla_gpu.unswitch_loops import UnswitchLoopsPass
from xshardy.transforms.xla_gpu.vectorize_loads_stores import VectorizeLoadsStoresPass
from xshardy.universe import new_context

PASSES: Sequence[ModulePass] = (
    LowerXlaGpuToScfPass(),
    FuseLoopsPass(),
    PeelLoopsPass(),
    LowerXlaGpuLoopsToScfPass(),
    SimplifyArithPass(),
    CanonicalizePass(),
    FlattenTensorsPass(),
    CSEPass(),
    LoopInvariantCodeMotionPass(),
    UnswitchLoopsPass(),
    LoopInvariantCodeMotionPass(),
    VectorizeLoadsStoresPass(gpu_device_info="cuda_compute_capability {major: 9}"),
    CanonicalizePass(),
    OptimizeLoopsPass(),
    CanonicalizePass(),
)


def kernel(threads: int, blocks: int = 1) -> str:
    """The attributes of a kernel and its launch."""
    block, grid = f"array<i32: {threads}, 1, 1>", f"array<i32: {blocks}, 1, 1>"
    return f"attributes {{xla.entry, gpu.known_block_size = {block}, gpu.known_grid_size = {grid}}}"


def levels(text: str) -> Iterator[tuple[str, ModuleOp]]:
    """The module as it is and after each pass, with the name of the pass. It is one module, which changes."""
    context = new_context()
    module = parse_module(text, "kernel.mlir", context)
    yield "nothing", module
    for step in PASSES:
        step.apply(context, module)
        module.verify()
        yield step.name, module


def check_levels(text: str, arguments: Sequence[np.ndarray], expected: np.ndarray) -> str:
    """Check that every level has the result `expected`, bit by bit. Returns the last module, as text."""
    for name, module in levels(text):
        (result,) = run_kernel(module, arguments)
        np.testing.assert_array_equal(result.reshape(expected.shape), expected, err_msg=f"after {name}")
    return str(module)


def random_array(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    values = np.random.default_rng(0).integers(-4, 5, size=(*shape, 2))
    if dtype.kind == "c":
        return (values[..., 0] + 1j * values[..., 1]).astype(dtype)
    return values[..., 0].astype(dtype)


NUMBERS = {
    "bf16": (np.dtype(ml_dtypes.bfloat16), "arith.addf"),
    "f32": (np.dtype(np.float32), "arith.addf"),
    "f64": (np.dtype(np.float64), "arith.addf"),
    "i1": (np.dtype(np.bool_), "arith.xori"),
    "i8": (np.dtype(np.int8), "arith.addi"),
    "i32": (np.dtype(np.int32), "arith.addi"),
    "i64": (np.dtype(np.int64), "arith.addi"),
    "complex<f32>": (np.dtype(np.complex64), "complex.add"),
    "complex<f64>": (np.dtype(np.complex128), "complex.add"),
}
"""For each element type the numpy type and an operation that is exact on small numbers."""


def added(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return x ^ y if x.dtype == np.bool_ else (x + y).astype(x.dtype)


@pytest.mark.parametrize("element", NUMBERS)
@pytest.mark.parametrize("shape", [(4, 64), (5, 37), (1, 3), (7, 16, 2)])
def test_elementwise(element: str, shape: tuple[int, ...]):
    """Four elements per thread, and threads that have fewer or none where the size is odd."""
    dtype, add = NUMBERS[element]
    size = int(np.prod(shape))
    dims, tensor = len(shape), f"tensor<{'x'.join(map(str, shape))}x{element}>"
    linear = "bl * 128 + th * 4 + i"
    strides = [int(np.prod(shape[d + 1 :])) for d in range(dims)]
    indices = ", ".join(f"(({linear}) floordiv {s}) mod {n}" for s, n in zip(strides, shape, strict=True))
    names = ", ".join(f"%r{d}" for d in range(dims))
    blocks = -(-size // 128)
    text = f"""
    func.func @kernel(%x: {tensor}, %y: {tensor}, %out: {tensor}) -> {tensor} {kernel(32, blocks)} {{
      %th = gpu.thread_id x {{xla.range = [0 : index, 31 : index]}}
      %bl = gpu.block_id x {{xla.range = [0 : index, {blocks - 1} : index]}}
      %result = xla_gpu.loop (%th, %bl)[%i] -> ({names}) in #xla_gpu.indexing_map<"(th, bl)[i] -> ({indices}),"
          "domain: th in [0, 31], bl in [0, {blocks - 1}], i in [0, 3], {linear} in [0, {size - 1}]">
          iter_args(%iter = %out) -> ({tensor}) {{
        %a = tensor.extract %x[{names}] : {tensor}
        %b = tensor.extract %y[{names}] : {tensor}
        %sum = {add} %a, %b : {element}
        %new = tensor.insert %sum into %iter[{names}] : {tensor}
        xla_gpu.yield %new : {tensor}
      }}
      return %result : {tensor}
    }}"""
    x, y = random_array(shape, dtype), random_array(shape[::-1], dtype).reshape(shape)
    last = check_levels(text, [x, y, np.zeros_like(x)], added(x, y))
    whole_vectors = size % 4 == 0 and not element.startswith("complex")
    assert ("vector.transfer_write" in last) == whole_vectors
    assert "scf.for" not in last


@pytest.mark.parametrize("layout", [(0, 1, 2), (1, 0, 2), (2, 0, 1), (2, 1, 0)])
def test_layouts(layout: tuple[int, int, int]):
    """A tensor with a layout, minor dimension first, is read where its elements are in memory."""
    shape = (2, 4, 8)
    encoded = f"tensor<2x4x8xi32, dense<[{', '.join(map(str, layout))}]> : tensor<3xi64>>"
    text = f"""
    func.func @kernel(%x: {encoded}, %out: tensor<2x4x8xi32>) -> tensor<2x4x8xi32> {kernel(16)} {{
      %th = gpu.thread_id x {{xla.range = [0 : index, 15 : index]}}
      %result = xla_gpu.loop (%th)[%i] -> (%a, %b, %c) in #xla_gpu.indexing_map<
          "(th)[i] -> (th floordiv 8, (th floordiv 2) mod 4, (th mod 2) * 4 + i), domain: th in [0, 15], i in [0, 3]">
          iter_args(%iter = %out) -> (tensor<2x4x8xi32>) {{
        %e = tensor.extract %x[%a, %b, %c] : {encoded}
        %new = tensor.insert %e into %iter[%a, %b, %c] : tensor<2x4x8xi32>
        xla_gpu.yield %new : tensor<2x4x8xi32>
      }}
      return %result : tensor<2x4x8xi32>
    }}"""
    values = np.arange(64, dtype=np.int32).reshape(shape)
    in_memory = values.transpose(layout[::-1]).ravel()
    check_levels(text, [in_memory, np.zeros(shape, np.int32)], values)


@pytest.mark.parametrize("element", NUMBERS)
@pytest.mark.parametrize(("to_all", "holders"), [("", [0, 8, 16, 24]), ("to_all ", range(32))])
def test_shuffle_reduce(element: str, to_all: str, holders: Sequence[int]):
    """The first lane of each eight has the sum of these, or every lane has the sum of its eight."""
    dtype, add = NUMBERS[element]
    text = f"""
    func.func private @add(%a: {element}, %b: {element}) -> {element} {{
      %sum = {add} %a, %b : {element}
      return %sum : {element}
    }}
    func.func @kernel(%x: tensor<64x{element}>, %out: tensor<64x{element}>) -> tensor<64x{element}> {kernel(64)} {{
      %th = gpu.thread_id x {{xla.range = [0 : index, 63 : index]}}
      %mine = tensor.extract %x[%th] : tensor<64x{element}>
      %sum = xla_gpu.shuffle_reduce(%mine) to 4 combiner=@add {to_all}: {element}
      %lane = xla_gpu.apply_indexing #xla_gpu.indexing_map<
          "(th) -> (th mod {32 // len(holders)}), domain: th in [0, 63]">(%th)
      %c0 = arith.constant 0 : index
      %holds = arith.cmpi eq, %lane, %c0 : index
      %result = xla_gpu.predicated_insert %sum into %out[%th] if %holds : tensor<64x{element}>
      return %result : tensor<64x{element}>
    }}"""
    x = random_array((8, 8), dtype)
    total = np.bitwise_xor.reduce(x, axis=1) if element == "i1" else x.sum(axis=1).astype(dtype)
    expected = np.zeros((2, 32), dtype)
    expected[:, list(holders)] = np.repeat(total, 8).reshape(2, 32)[:, list(holders)]
    check_levels(text, [x.ravel(), np.zeros(64, dtype)], expected.ravel())


def test_atomic_add():
    """Every thread adds four neighbours to one of two rows, which becomes one vector atomic."""
    text = f"""
    func.func @kernel(%x: tensor<32x4xf32>, %out: tensor<2x4xf32>) -> tensor<2x4xf32> {kernel(32)} {{
      %th = gpu.thread_id x {{xla.range = [0 : index, 31 : index]}}
      %result = xla_gpu.loop (%th)[%i] -> (%row, %column) in #xla_gpu.indexing_map<
          "(th)[i] -> (th mod 2, i), domain: th in [0, 31], i in [0, 3]">
          iter_args(%iter = %out) -> (tensor<2x4xf32>) {{
        %e = tensor.extract %x[%th, %column] : tensor<32x4xf32>
        %new = xla_gpu.atomic_rmw %iter[%row, %column] : tensor<2x4xf32> {{
        ^bb0(%current: f32):
          %sum = arith.addf %current, %e : f32
          xla_gpu.yield %sum : f32
        }}
        xla_gpu.yield %new : tensor<2x4xf32>
      }}
      return %result : tensor<2x4xf32>
    }}"""
    x = random_array((32, 4), np.dtype(np.float32))
    start = random_array((2, 4), np.dtype(np.float32))
    last = check_levels(text, [x, start], start + x.reshape(16, 2, 4).sum(axis=0))
    assert "vector<4xf32>):" in last


def test_loops_that_become_one():
    """Rows are read into a vector, and their reverse is written from it; a third loop counts on with the same map."""
    domain = "domain: th in [0, 31], i in [0, 3], th + i * 32 in [0, 99]"
    text = f"""
    func.func @kernel(%x: tensor<100xi32>, %out: tensor<200xi32>) -> tensor<200xi32> {kernel(32)} {{
      %th = gpu.thread_id x {{xla.range = [0 : index, 31 : index]}}
      %zero = arith.constant dense<0> : vector<4xi32>
      %read = xla_gpu.loop (%th)[%i] -> (%a) in #xla_gpu.indexing_map<"(th)[i] -> (th + i * 32), {domain}">
          iter_args(%v = %zero) -> (vector<4xi32>) {{
        %e = tensor.extract %x[%a] : tensor<100xi32>
        %new = vector.insert %e, %v[%i] : i32 into vector<4xi32>
        xla_gpu.yield %new : vector<4xi32>
      }}
      %one = arith.constant 1 : i32
      %sum = xla_gpu.loop (%th)[%i] -> (%a) in #xla_gpu.indexing_map<"(th)[i] -> (99 - th - i * 32), {domain}">
          iter_args(%s = %one) -> (i32) {{
        %e = tensor.extract %x[%a] : tensor<100xi32>
        %new = arith.addi %s, %e : i32
        xla_gpu.yield %new : i32
      }}
      %result = xla_gpu.loop (%th)[%i] -> (%a) in #xla_gpu.indexing_map<"(th)[i] -> (99 - th - i * 32), {domain}">
          iter_args(%t = %out) -> (tensor<200xi32>) {{
        %e = vector.extract %read[%i] : i32 from vector<4xi32>
        %new = tensor.insert %e into %t[%a] : tensor<200xi32>
        xla_gpu.yield %new : tensor<200xi32>
      }}
      %c100 = arith.constant 100 : index
      %at = arith.addi %th, %c100 : index
      %last = tensor.insert %sum into %result[%at] : tensor<200xi32>
      return %last : tensor<200xi32>
    }}"""
    module = parse_module(text, "kernel.mlir", new_context())
    FuseLoopsPass().apply(new_context(), module)
    assert str(module).count("xla_gpu.loop") == 1

    x = random_array((100,), np.dtype(np.int32))
    sums = [1 + sum(x[99 - th - i * 32] for i in range(4) if th + i * 32 < 100) for th in range(32)]
    check_levels(text, [x, np.zeros(200, np.int32)], np.array([*x[::-1], *sums, *[0] * 68], np.int32))
