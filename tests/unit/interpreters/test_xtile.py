"""Kernels of tiles and the operations of xtile, beside numpy."""

from collections.abc import Sequence
from itertools import product

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects import func
from xdsl.utils.exceptions import InterpretationError

from xshardy.interpreters.xtile.evaluator import evaluate, run_tiles
from xshardy.syntax import parse_module

RNG = np.random.default_rng(0)


def results(text: str, *arguments: np.ndarray) -> list[np.ndarray]:
    """What the first function of `text` returns."""
    function = parse_module(text).ops.first
    assert isinstance(function, func.FuncOp)
    return evaluate(function, arguments)


@given(
    shape=st.tuples(st.integers(1, 6), st.integers(1, 6)),
    sizes=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    strides=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    offsets=st.tuples(st.integers(-2, 7), st.integers(-2, 7)),
)
def test_tiles_are_read_and_written_element_by_element(shape, sizes, strides, offsets):
    rows, columns = shape
    buffer, tile_type = f"memref<{rows}x{columns}xi32>", f"tensor<{sizes[0]}x{sizes[1]}xi32>"
    module = parse_module(f"""
        xtile.entry_func @copy(%in: {buffer}, %out: memref<{sizes[0]}x{sizes[1]}xi32>, %back: {buffer}, %tile: index) {{
          %zero = arith.constant 0 : index
          %i = arith.constant {offsets[0]} : index
          %j = arith.constant {offsets[1]} : index
          %x = xtile.extract %in[%i, %j][{sizes[0]}, {sizes[1]}][{strides[0]}, {strides[1]}] : {buffer} -> {tile_type}
          xtile.insert %x into %out[%zero, %zero][{sizes[0]}, {sizes[1]}][1, 1]
            : {tile_type} -> memref<{sizes[0]}x{sizes[1]}xi32>
          xtile.insert %x into %back[%i, %j][{sizes[0]}, {sizes[1]}][{strides[0]}, {strides[1]}]
            : {tile_type} -> {buffer}
          xtile.return
        }}""")
    numbers = np.arange(1, rows * columns + 1, dtype=np.int32).reshape(shape)
    tile, back = np.zeros(sizes, np.int32), np.zeros(shape, np.int32)
    for i, j in product(*map(range, sizes)):
        row, column = offsets[0] + i * strides[0], offsets[1] + j * strides[1]
        if 0 <= row < rows and 0 <= column < columns:
            tile[i, j] = back[row, column] = numbers[row, column]
    found = run_tiles(module, [numbers, np.full(sizes, 7, np.int32), np.zeros(shape, np.int32)], 1)
    assert [array.tolist() for array in found] == [numbers.tolist(), tile.tolist(), back.tolist()]


SOFTMAX = """
    xtile.entry_func @softmax(%in: memref<6x5xf32, #xtile.layout<[0, 1]>>, %out: memref<6x5xf32>, %tile: index) {
      %zero = arith.constant 0 : index
      %first = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> (d0 * 4), domain: d0 in [0, 1]">(%tile)
      %low = arith.constant 0xFF800000 : f32
      %none = arith.constant 0.0 : f32
      %read = xtile.extract %in[%first, %zero][4, 8][1, 1] : memref<6x5xf32, #xtile.layout<[0, 1]>> -> tensor<4x8xf32>
      %x = xtile.mask %read bounds [4, 5], %low : tensor<4x8xf32>
      %init = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %max = stablehlo.reduce(%x init: %init) applies stablehlo.maximum across dimensions = [1]
        : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
      %wide = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
      %less = arith.subf %x, %wide : tensor<4x8xf32>
      %exp = math.exp %less : tensor<4x8xf32>
      %start = tensor.from_elements %none : tensor<f32>
      %sum = stablehlo.reduce(%exp init: %start) applies stablehlo.add across dimensions = [1]
        : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
      %sums = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
      %y = stablehlo.divide %exp, %sums : tensor<4x8xf32>
      xtile.insert %y into %out[%first, %zero][4, 8][1, 1] : tensor<4x8xf32> -> memref<6x5xf32>
      xtile.return
    }"""


def test_a_softmax_whose_last_tile_is_partly_outside():
    x = RNG.normal(size=(6, 5)).astype(np.float32)
    given, y = run_tiles(parse_module(SOFTMAX), [x, np.zeros_like(x)], 2)
    expected = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(y, expected / expected.sum(1, keepdims=True), rtol=1e-6)
    assert given.tobytes() == x.tobytes()


def test_loops_branches_and_opaque_arguments():
    module = parse_module("""
        func.func private @twice(%x: tensor<2xi32>) -> tensor<2xi32> {
          %0 = stablehlo.add %x, %x : tensor<2xi32>
          func.return %0 : tensor<2xi32>
        }
        xtile.entry_func @kernel(%in: memref<6xi32>, %out: memref<2xi32>, %limit: index, %tile: index)
            attributes {num_opaque_args = 1 : i32} {
          %zero = arith.constant 0 : index
          %two = arith.constant 2 : index
          %six = arith.constant 6 : index
          %start = arith.constant dense<0> : tensor<2xi32>
          %sum = scf.for %i = %zero to %six step %two iter_args(%s = %start) -> (tensor<2xi32>) {
            %x = xtile.extract %in[%i][2][1] : memref<6xi32> -> tensor<2xi32>
            %y = func.call @twice(%x) : (tensor<2xi32>) -> tensor<2xi32>
            %is_low = arith.cmpi slt, %i, %limit : index
            %z = scf.if %is_low -> (tensor<2xi32>) {
              scf.yield %y : tensor<2xi32>
            } else {
              scf.yield %x : tensor<2xi32>
            }
            %t = arith.addi %s, %z : tensor<2xi32>
            scf.yield %t : tensor<2xi32>
          }
          xtile.insert %sum into %out[%zero][2][1] : tensor<2xi32> -> memref<2xi32>
          xtile.return
        }""")
    _, out = run_tiles(module, [np.arange(6, dtype=np.int32), np.zeros(2, np.int32), np.int64(4)], 1)
    assert out.tolist() == [2 * (0 + 2) + 4, 2 * (1 + 3) + 5]


@pytest.mark.parametrize("is_reverse", [False, True])
@pytest.mark.parametrize("argument", ["tensor<2xf32>", "f32"])
def test_scan(argument: str, is_reverse: bool):
    add = "stablehlo.add" if argument != "f32" else "arith.addf"
    text = f"""func.func @scan(%x: tensor<2x3xf32>, %c: tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>) {{
      %0, %1 = xtile.scan(%x) inits(%c) dimension = 1
        {{scan_dim_size = 3 : i64, is_reverse = {str(is_reverse).lower()}}}
        : (tensor<2x3xf32>), (tensor<2xf32>) -> (tensor<2x3xf32>), (tensor<2xf32>) {{
      ^bb0(%a: {argument}, %b: {argument}):
        %s = {add} %a, %b : {argument}
        xtile.yield %s : {argument}
      }}
      func.return %0, %1 : tensor<2x3xf32>, tensor<2xf32>
    }}"""
    x, c = RNG.integers(-9, 9, (2, 3)).astype(np.float32), np.array([10, 20], np.float32)
    order = -1 if is_reverse else 1
    expected = np.cumsum(x[:, ::order], 1)[:, ::order] + c[:, None]
    y, last = results(text, x, c)
    assert y.tolist() == expected.tolist()
    assert last.tolist() == expected[:, 0 if is_reverse else -1].tolist()


def test_scan_takes_the_slice_and_then_the_carried_value():
    """`y = x - c`, and `x` is carried on."""
    text = """func.func @differences(%x: tensor<4xi32>, %c: tensor<i32>) -> (tensor<4xi32>, tensor<i32>) {
      %0, %1 = xtile.scan(%x) inits(%c) dimension = 0 {scan_dim_size = 4 : i64}
        : (tensor<4xi32>), (tensor<i32>) -> (tensor<4xi32>), (tensor<i32>) {
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %d = stablehlo.subtract %a, %b : tensor<i32>
        stablehlo.return %d, %a : tensor<i32>, tensor<i32>
      }
      func.return %0, %1 : tensor<4xi32>, tensor<i32>
    }"""
    y, last = results(text, np.array([3, 5, 4, 9], np.int32), np.array(1, np.int32))
    assert (y.tolist(), last.tolist()) == ([2, 2, -1, 5], 9)


def product_of(lhs: str, lhs_scale: str, rhs: str, rhs_scale: str, attributes: str, result: str) -> str:
    return f"""func.func @product(%a: {lhs}, %s: {lhs_scale}, %b: {rhs}, %t: {rhs_scale}) -> {result} {{
      %0 = xtile.dot_scaled %a scale %s, %b scale %t {{fastMath = true, {attributes}}}
        : {lhs}, {lhs_scale} * {rhs}, {rhs_scale} -> {result}
      func.return %0 : {result}
    }}"""


def test_product_of_scaled_blocks():
    a = RNG.normal(size=(3, 64)).astype(ml_dtypes.float8_e4m3fn)
    b = RNG.normal(size=(64, 5)).astype(ml_dtypes.float8_e5m2)
    s, t = RNG.integers(120, 134, (3, 2)).astype(np.int8), RNG.integers(120, 134, (5, 2)).astype(np.int8)
    text = product_of(
        "tensor<3x64xf8E4M3FN>", "tensor<3x2xi8>", "tensor<64x5xf8E5M2>", "tensor<5x2xi8>",
        "lhs_elem_type = f8E4M3FN, rhs_elem_type = f8E5M2", "tensor<3x5xf32>",
    )  # fmt: skip
    factors = [np.exp2(x.view(np.uint8).astype(np.float64) - 127).repeat(32, 1) for x in (s, t)]
    expected = (a.astype(np.float64) * factors[0]) @ (b.astype(np.float64) * factors[1].T)
    (found,) = results(text, a, s, b, t)
    assert found.tolist() == expected.astype(np.float32).tolist()


def test_product_of_packed_elements_in_batches():
    """Two elements of 4 bits in each byte, the first in the low bits, along the dimension that is summed."""
    a = RNG.integers(0, 16, (2, 3, 32)).astype(np.uint8)
    b = RNG.integers(0, 16, (2, 32, 4)).astype(np.uint8)
    s, t = (np.ones(shape, ml_dtypes.float8_e8m0fnu) for shape in ((2, 3, 1), (2, 4, 1)))
    text = product_of(
        "tensor<2x3x16xi8>", "tensor<2x3x1xf8E8M0FNU>", "tensor<2x16x4xi8>", "tensor<2x4x1xf8E8M0FNU>",
        "lhs_elem_type = f4E2M1FN, rhs_elem_type = i4, dot_dimension_numbers = #stablehlo.dot<"
        "lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], "
        "rhs_contracting_dimensions = [1]>", "tensor<2x3x4xf32>",
    )  # fmt: skip
    packed = (a[..., ::2] | a[..., 1::2] << 4).view(np.int8), (b[:, ::2] | b[:, 1::2] << 4).view(np.int8)
    expected = a.view(ml_dtypes.float4_e2m1fn).astype(np.float64) @ (b.astype(np.int64) - 16 * (b > 7))
    (found,) = results(text, packed[0], s, packed[1], t)
    assert found.tolist() == expected.astype(np.float32).tolist()


def test_product_without_factors():
    text = """func.func @product(%a: tensor<2x4xbf16>, %b: tensor<4x2xbf16>) -> tensor<2x2xf32> {
      %0 = xtile.dot_scaled %a, %b {fastMath = true, lhs_elem_type = bf16, rhs_elem_type = bf16}
        : tensor<2x4xbf16> * tensor<4x2xbf16> -> tensor<2x2xf32>
      func.return %0 : tensor<2x2xf32>
    }"""
    a, b = (RNG.normal(size=shape).astype(ml_dtypes.bfloat16) for shape in ((2, 4), (4, 2)))
    (found,) = results(text, a, b)
    np.testing.assert_array_equal(found, (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32))


def product_error(attributes: str, factors: int = 1) -> str:
    text = product_of(
        "tensor<2x32xi8>", f"tensor<2x{factors}xi8>", "tensor<32x2xi8>", "tensor<2x1xi8>",
        f"lhs_elem_type = i8, rhs_elem_type = i8{attributes}", "tensor<2x2xf32>",
    )  # fmt: skip
    arrays = (np.zeros(shape, np.int8) for shape in ((2, 32), (2, factors), (32, 2), (2, 1)))
    with pytest.raises(InterpretationError) as error:
        results(text, *arrays)
    return str(error.value)


def test_what_products_are_refused():
    numbers = "#stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>"
    message = product_error(f", dot_dimension_numbers = {numbers}")
    assert "expected products of [batch, m, k] and [batch, k, n]" in message
    assert "3 factors for 32 elements: no whole blocks" in product_error("", factors=3)
    packed = product_of(
        "tensor<2x16xi8>", "tensor<2x1xi8>", "tensor<16x2xi8>", "tensor<2x1xi8>",
        "lhs_elem_type = i4, rhs_elem_type = i4, rhs_k_pack = false", "tensor<2x2xf32>",
    )  # fmt: skip
    arrays = (np.zeros(shape, np.int8) for shape in ((2, 16), (2, 1), (16, 2), (2, 1)))
    with pytest.raises(InterpretationError, match="packed along m or n: pack them along k"):
        results(packed, *arrays)


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("func.func private @f()", [], "expected one xtile.entry_func, but the module has 0"),
        (SOFTMAX, [np.zeros(3, np.float32)], "has 2 arguments and the number of the tile, but got 1"),
        (SOFTMAX, [np.zeros((6, 5)), np.zeros((6, 5))], r"is a memref<6x5xf32, .*>, but .* is float64\[6, 5\]"),
        ("""xtile.entry_func @f(%all: memref<2xi64>, %tile: index) {
              %0 = xtile.select_buffer %all[%tile] : memref<2xi64> -> memref<4xf32>
              xtile.return
            }""", [np.zeros(2, np.int64)], "its operand holds addresses"),
    ],
)  # fmt: skip
def test_what_kernels_are_refused(text: str, arguments: Sequence[np.ndarray], message: str):
    with pytest.raises(InterpretationError, match=message):
        run_tiles(parse_module(text), arguments, 1)
