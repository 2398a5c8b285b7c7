"""
A padded program computes what the evaluator does on arrays of the size in use, and what XLA does for the CPU.

XLA's results are set to their bounds at last: JAX cannot hold a dynamic one, and may crash.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from xshardy.dialects.shapes import shape_of
from xshardy.interpreters.stablehlo import evaluate
from xshardy.launch.prepared_program import entry_of
from xshardy.numerics.element_types import Array
from xshardy.syntax import parse_module
from xshardy.transforms.hlo.dynamic_dimensions.padded_value import dynamic_dims, largest_shape, largest_type
from xshardy.transforms.hlo.pad_dynamic_dimensions import PadDynamicDimensionsPass

M = "tensor<?x4xf32, #stablehlo.bounds<6, ?>>"
V = "tensor<?xf32, #stablehlo.bounds<6>>"
I = "tensor<?xi32, #stablehlo.bounds<6>>"  # noqa: E741
TALL = "tensor<?x4xf32, #stablehlo.bounds<18, ?>>"
WIDE = "tensor<?x8xf32, #stablehlo.bounds<6, ?>>"
FLAT = "tensor<?xf32, #stablehlo.bounds<24>>"
ADD = """({ ^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %s = stablehlo.add %a, %b : tensor<f32>
  stablehlo.return %s : tensor<f32> })"""
INDEX = "index_vector_dim = 1"

CASES = {
    "elementwise": (f"%r = stablehlo.exponential %m : {M}", M),
    "with_static": (f"%r = stablehlo.add %m, %x : ({M}, tensor<6x4xf32>) -> {M}", M),
    "scalars": (f"%r = stablehlo.clamp %zero, %m, %one : (tensor<f32>, {M}, tensor<f32>) -> {M}", M),
    "size": (f"%r = stablehlo.get_dimension_size %m, dim = 0 : ({M}) -> tensor<i32>", "tensor<i32>"),
    "sum": (
        f"%r = stablehlo.reduce(%m init: %zero) applies stablehlo.add across dimensions = [0] : ({M}, tensor<f32>) -> "
        "tensor<4xf32>",
        "tensor<4xf32>",
    ),
    "maximum": (
        f"%r = stablehlo.reduce(%m init: %low) applies stablehlo.maximum across dimensions = [0, 1] : "
        f"({M}, tensor<f32>) -> tensor<f32>",
        "tensor<f32>",
    ),
    "sum_of_rows": (
        f"%r = stablehlo.reduce(%m init: %zero) applies stablehlo.add across dimensions = [1] : ({M}, tensor<f32>) -> "
        f"{V}",
        V,
    ),
    "maximum_in_a_wider_type": (
        f"""%r = "stablehlo.reduce"(%m, %low) <{{dimensions = array<i64: 0>}}> ({{
        ^bb0(%a: tensor<f64>, %b: tensor<f64>):
          %s = stablehlo.maximum %a, %b : tensor<f64>
          stablehlo.return %s : tensor<f64> }}) : ({M}, tensor<f32>) -> tensor<4xf64>""",
        "tensor<4xf64>",
    ),
    "windows_in_a_wider_type": (
        f"""%r = "stablehlo.reduce_window"(%v, %zero) <{{window_dimensions = array<i64: 6>,
          padding = dense<[[0, 5]]> : tensor<1x2xi64>}}> ({{ ^bb0(%a: tensor<f64>, %b: tensor<f64>):
          %s = stablehlo.add %a, %b : tensor<f64>
          stablehlo.return %s : tensor<f64> }})
          : ({V}, tensor<f32>) -> tensor<?xf64, #stablehlo.bounds<6>>""",
        "tensor<?xf64, #stablehlo.bounds<6>>",
    ),
    "conjunction": (
        f"""%j = stablehlo.set_dimension_size %q, %n, dim = 0 : (tensor<6xi32>, tensor<i32>) -> {I}
        %c = stablehlo.constant dense<-1> : tensor<i32>
        %r = stablehlo.reduce(%j init: %c) applies stablehlo.and across dimensions = [0] : ({I}, tensor<i32>)
          -> tensor<i32>""",
        "tensor<i32>",
    ),
    "exclusive_disjunction": (
        f"""%j = stablehlo.set_dimension_size %q, %n, dim = 0 : (tensor<6xi32>, tensor<i32>) -> {I}
        %c = stablehlo.constant dense<5> : tensor<i32>
        %r = stablehlo.reduce(%j init: %c) applies stablehlo.xor across dimensions = [0] : ({I}, tensor<i32>)
          -> tensor<i32>""",
        "tensor<i32>",
    ),
    "running_sum": (
        f'%r = "stablehlo.reduce_window"(%m, %zero) <{{window_dimensions = array<i64: 6, 1>, '
        f"padding = dense<[[5, 0], [0, 0]]> : tensor<2x2xi64>}}> {ADD} : ({M}, tensor<f32>) -> {M}",
        M,
    ),
    "windows": (
        f'%r = "stablehlo.reduce_window"(%m, %zero) <{{window_dimensions = array<i64: 3, 1>, '
        f"window_strides = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>}}> {ADD} "
        f": ({M}, tensor<f32>) -> tensor<?x4xf32, #stablehlo.bounds<3, ?>>",
        "tensor<?x4xf32, #stablehlo.bounds<3, ?>>",
    ),
    "broadcast": (f"%r = stablehlo.broadcast_in_dim %v, dims = [0] : ({V}) -> {M}", M),
    "transpose": (
        f"%r = stablehlo.transpose %m, dims = [1, 0] : ({M}) -> tensor<4x?xf32, #stablehlo.bounds<?, 6>>",
        "tensor<4x?xf32, #stablehlo.bounds<?, 6>>",
    ),
    "contracted": (
        f"%r = stablehlo.dot_general %m, %m, contracting_dims = [0] x [0] : ({M}, {M}) -> tensor<4x4xf32>",
        "tensor<4x4xf32>",
    ),
    "contracted_with_static": (
        f"%r = stablehlo.dot_general %v, %w, contracting_dims = [0] x [0] : ({V}, tensor<6xf32>) -> tensor<f32>",
        "tensor<f32>",
    ),
    "batch": (
        f"%r = stablehlo.dot_general %m, %m, batching_dims = [0] x [0], contracting_dims = [1] x [1] : ({M}, {M}) -> "
        f"{V}",
        V,
    ),
    "product": (
        f"%r = stablehlo.dot_general %m, %k, contracting_dims = [1] x [0] : ({M}, tensor<4x8xf32>) -> {WIDE}",
        WIDE,
    ),
    "slice": (
        f"%r = stablehlo.slice %m [0:6, 1:3] : ({M}) -> tensor<?x2xf32, #stablehlo.bounds<6, ?>>",
        "tensor<?x2xf32, #stablehlo.bounds<6, ?>>",
    ),
    "concatenate": (
        f"%r = stablehlo.concatenate %m, %x, %m, dim = 0 : ({M}, tensor<6x4xf32>, {M}) -> {TALL}",
        TALL,
    ),
    "beside": (f"%r = stablehlo.concatenate %m, %m, dim = 1 : ({M}, {M}) -> {WIDE}", WIDE),
    "merge": (f"%r = stablehlo.reshape %m : ({M}) -> {FLAT}", FLAT),
    "split": (
        f"%f = stablehlo.reshape %m : ({M}) -> {FLAT}\n"
        f"%r = stablehlo.reshape %f : ({FLAT}) -> tensor<1x?x2xf32, #stablehlo.bounds<?, 12, ?>>",
        "tensor<1x?x2xf32, #stablehlo.bounds<?, 12, ?>>",
    ),
    "inner": (
        f"%r = stablehlo.reshape %m : ({M}) -> tensor<1x?x2x2xf32, #stablehlo.bounds<?, 6, ?, ?>>",
        "tensor<1x?x2x2xf32, #stablehlo.bounds<?, 6, ?, ?>>",
    ),
    "pad": (
        f"%r = stablehlo.pad %m, %one, low = [1, 0], high = [2, 1], interior = [1, 0] : ({M}, tensor<f32>) -> "
        "tensor<?x5xf32, #stablehlo.bounds<14, ?>>",
        "tensor<?x5xf32, #stablehlo.bounds<14, ?>>",
    ),
    "reverse": (f"%r = stablehlo.reverse %m, dims = [0, 1] : {M}", M),
    "sort": (
        f"""%r = "stablehlo.sort"(%m) <{{dimension = 0 : i64, is_stable = true}}> ({{
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
            %less = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
            stablehlo.return %less : tensor<i1> }}) : ({M}) -> {M}""",
        M,
    ),
    "gather": (
        f"%p = stablehlo.set_dimension_size %q, %n, dim = 0 : (tensor<6xi32>, tensor<i32>) -> {I}\n"
        f'%r = "stablehlo.gather"(%k, %p) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], '
        f"collapsed_slice_dims = [0], start_index_map = [0], {INDEX}>, slice_sizes = array<i64: 1, 8>}}> "
        f": (tensor<4x8xf32>, {I}) -> {WIDE}",
        WIDE,
    ),
    "scatter": (
        f"%p = stablehlo.set_dimension_size %q, %n, dim = 0 : (tensor<6xi32>, tensor<i32>) -> {I}\n"
        f'%r = "stablehlo.scatter"(%x, %p, %m) <{{scatter_dimension_numbers = #stablehlo.scatter<'
        f"update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], {INDEX}>}}> {ADD} "
        f": (tensor<6x4xf32>, {I}, {M}) -> tensor<6x4xf32>",
        "tensor<6x4xf32>",
    ),
    "loop": (
        f"""%1 = stablehlo.constant dense<1> : tensor<i32>
        %r, %left = stablehlo.while(%a = %m, %j = %n) : {M}, tensor<i32>
        cond {{
          %more = stablehlo.compare GT, %j, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %more : tensor<i1>
        }} do {{
          %less = stablehlo.subtract %j, %1 : tensor<i32>
          %double = stablehlo.add %a, %a : {M}
          %first = stablehlo.set_dimension_size %double, %less, dim = 0 : ({M}, tensor<i32>) -> {M}
          stablehlo.return %first, %less : {M}, tensor<i32>
        }}""",
        M,
    ),
    "branch": (
        f"""%p = stablehlo.compare GT, %n, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %r = "stablehlo.if"(%p) ({{
          %sum = stablehlo.add %m, %m : {M}
          stablehlo.return %sum : {M}
        }}, {{
          %first = stablehlo.set_dimension_size %x, %i, dim = 0 : (tensor<6x4xf32>, tensor<i32>) -> {M}
          stablehlo.return %first : {M}
        }}) : (tensor<i1>) -> {M}""",
        M,
    ),
    "two_dimensions": (
        f"%b = stablehlo.set_dimension_size %m, %i, dim = 1 : ({M}, tensor<i32>) -> "
        "tensor<?x?xf32, #stablehlo.bounds<6, 4>>\n"
        "%r = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [0, 1] : "
        "(tensor<?x?xf32, #stablehlo.bounds<6, 4>>, tensor<f32>) -> tensor<f32>",
        "tensor<f32>",
    ),
}


def program(name: str) -> str:
    """A program that applies a case to a matrix and a vector, `%n` of whose 6 rows and elements are in use."""
    body, result = CASES[name]
    return f"""
    func.func @main(%x: tensor<6x4xf32>, %w: tensor<6xf32>, %k: tensor<4x8xf32>, %q: tensor<6xi32>, %n: tensor<i32>,
                    %i: tensor<i32>) -> {result} {{
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %m = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<6x4xf32>, tensor<i32>) -> {M}
      %v = stablehlo.set_dimension_size %w, %n, dim = 0 : (tensor<6xf32>, tensor<i32>) -> {V}
      {body}
      return %r : {result}
    }}"""


def arguments(size: int) -> list[Array]:
    rng = np.random.default_rng(size)
    floats = [rng.normal(size=shape).astype(np.float32) for shape in ((6, 4), (6,), (4, 8))]
    if size < 6:
        floats[0][size:] = np.nan  # no result depends on what is behind the size in use
    return [*floats, rng.integers(0, 4, 6, np.int32), np.array(size, np.int32), np.array(2, np.int32)]


@pytest.mark.parametrize("size", [0, 1, 2, 5, 6])
@pytest.mark.parametrize("name", CASES)
def test_padded_programs_compute_the_same(name: str, size: int):
    module = parse_module(program(name))
    types = [*entry_of(module).function_type.outputs]
    (wanted,) = evaluate(module, arguments(size))
    PadDynamicDimensionsPass().rewrite_module(module)
    module.verify()
    assert all(-1 not in shape_of(value) for op in module.walk() for value in op.results)
    found, *sizes = evaluate(module, arguments(size))
    for dimension, in_use in zip(dynamic_dims(types[0]), sizes, strict=True):
        assert not found.take(range(int(in_use), found.shape[dimension]), dimension).any(), "the rest is zero"
        found = found.take(range(int(in_use)), dimension)
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


LONG = "tensor<?xf32, #stablehlo.bounds<300>>"
BYTES = "tensor<?xui8, #stablehlo.bounds<6>>"
NARROW_INDICES = {
    "dynamic_slice": (
        f"""%m = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<300xf32>, tensor<i32>) -> {LONG}
        %r = stablehlo.dynamic_slice %m, %i, sizes = [100] : ({LONG}, tensor<i8>) -> tensor<100xf32>""",
        100,
        290,
    ),
    "scatter": (
        f"""%m = stablehlo.set_dimension_size %p, %n, dim = 0 : (tensor<6xui8>, tensor<i32>) -> {BYTES}
        %v = stablehlo.set_dimension_size %w, %n, dim = 0 : (tensor<6xf32>, tensor<i32>) -> {V}
        %r = "stablehlo.scatter"(%x, %m, %v) <{{scatter_dimension_numbers = #stablehlo.scatter<
          inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], {INDEX}>}}> {ADD}
          : (tensor<300xf32>, {BYTES}, {V}) -> tensor<300xf32>""",
        300,
        4,
    ),
}
"""Indices into 300 elements, a number that 8 bits do not have: a body, the elements of its result, the size in use."""


@pytest.mark.parametrize("name", NARROW_INDICES)
def test_indices_of_a_type_that_has_no_last_index(name: str):
    body, count, size = NARROW_INDICES[name]
    module = parse_module(f"""
    func.func @main(%x: tensor<300xf32>, %w: tensor<6xf32>, %p: tensor<6xui8>, %i: tensor<i8>, %n: tensor<i32>)
        -> tensor<{count}xf32> {{
      {body}
      return %r : tensor<{count}xf32>
    }}""")
    indices = np.array([9, 255, 3, 9, 9, 9], np.uint8), np.array(70, np.int8), np.array(size, np.int32)
    given = [np.arange(300, dtype=np.float32), np.ones(6, np.float32), *indices]
    wanted = evaluate(module, given)
    PadDynamicDimensionsPass().rewrite_module(module)
    np.testing.assert_array_equal(evaluate(module, given), wanted)


@pytest.mark.parametrize("start", [-1, 0, 1, 3, 9])
@pytest.mark.parametrize("size", [2, 3, 5, 6])
def test_an_update_is_among_the_elements_in_use(size: int, start: int):
    module = parse_module(f"""
    func.func @main(%x: tensor<6xf32>, %u: tensor<2xf32>, %i: tensor<i32>, %n: tensor<i32>) -> tensor<f32> {{
      %v = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<6xf32>, tensor<i32>) -> {V}
      %w = stablehlo.dynamic_update_slice %v, %u, %i : ({V}, tensor<2xf32>, tensor<i32>) -> {V}
      %places = stablehlo.constant dense<[1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0]> : tensor<6xf32>
      %p = stablehlo.multiply %w, %places : ({V}, tensor<6xf32>) -> {V}
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %r = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0] : ({V}, tensor<f32>)
        -> tensor<f32>
      return %r : tensor<f32>
    }}""")
    given = [np.ones(6, np.float32), np.array([2, 3], np.float32), np.array(start, np.int32), np.array(size, np.int32)]
    wanted = given[0][:size].copy()
    wanted[min(max(start, 0), size - 2) :][:2] = given[1]
    expected = sum(number * 10**place for place, number in enumerate(wanted.tolist()))
    assert evaluate(module, given)[0] == expected
    PadDynamicDimensionsPass().rewrite_module(module)
    assert evaluate(module, given)[0] == expected


def test_the_numbers_of_a_dynamic_dimension_of_a_size():
    module = parse_module("""
    func.func @main(%s: tensor<2xi64>) -> tensor<3x?xi32, #stablehlo.bounds<?, 8>> {
      %0 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<3x?xi32, #stablehlo.bounds<?, 8>>
      return %0 : tensor<3x?xi32, #stablehlo.bounds<?, 8>>
    }""")
    (wanted,) = evaluate(module, [np.array([3, 5], np.int64)])
    PadDynamicDimensionsPass().rewrite_module(module)
    found, size = evaluate(module, [np.array([3, 5], np.int64)])
    assert wanted.tolist() == [[0, 1, 2, 3, 4]] * 3
    assert found.tolist() == [[0, 1, 2, 3, 4, 0, 0, 0]] * 3 and size == 5


def whole_program(name: str) -> str:
    """The program of a case with a result of static size, whose elements behind the size in use are anything."""
    text, (_, result) = program(name), CASES[name]
    for dimension in dynamic_dims(type := entry_of(parse_module(text)).function_type.outputs.data[0]):
        bound, static = largest_shape(type)[dimension], str(largest_type(type))
        last = f"return %r : {result}"
        text = text.replace(f"-> {result} {{\n      %zero", f"-> {static} {{\n      %zero").replace(
            last,
            f"%bound = stablehlo.constant dense<{bound}> : tensor<i32>\n"
            f"%whole = stablehlo.set_dimension_size %r, %bound, dim = {dimension} "
            f": ({result}, tensor<i32>) -> {static}\n"
            f"return %whole : {static}",
        )
    return text


@pytest.fixture(scope="module")
def on_xla() -> Callable[[str], Callable[[int], Array]]:
    """Compiles a case by XLA, and runs it for a size."""
    jax = pytest.importorskip("jax")
    from jax._src.lib import xla_client

    device = jax.devices("cpu")[0]

    def compiled(name: str) -> Callable[[int], Array]:
        devices = xla_client.DeviceList((device,))
        executable: Any = device.client.compile_and_load(whole_program(name), devices, xla_client.CompileOptions())

        def run(size: int) -> Array:
            buffers = [jax.device_put(argument, device) for argument in arguments(size)]
            results = executable.execute_sharded(buffers).disassemble_into_single_device_arrays()
            return np.asarray(results[0][0])

        return run

    return compiled


ONE_TYPE = "its HLO verifier refuses reductions in a wider type"
NOT_ON_XLA = {
    "exclusive_disjunction": "XLA reduces the initial value once for each element that is not in use",
    "maximum_in_a_wider_type": ONE_TYPE,
    "split": "XLA makes one reshape of both, and has no rule for it",
    "windows_in_a_wider_type": ONE_TYPE,
}


@pytest.mark.parametrize("name", sorted(CASES.keys() - NOT_ON_XLA))
def test_xla_computes_the_same(name: str, on_xla: Callable[[str], Callable[[int], Array]]):
    run = on_xla(name)
    for size in (0, 1, 3, 6):
        (wanted,) = evaluate(parse_module(program(name)), arguments(size))
        found = run(size)[tuple(map(slice, wanted.shape))]
        np.testing.assert_allclose(found, wanted, rtol=1e-4, err_msg=f"size {size}")
