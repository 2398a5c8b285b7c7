"""Sorts, linear algebra, Fourier transforms, batch normalization, and ops that newer ones have replaced, as in XLA."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from test_stablehlo_windows import body, main
from xdsl.utils.exceptions import InterpretationError

from xshardy.interpreters.stablehlo import evaluate
from xshardy.numerics.element_types import Array
from xshardy.syntax import parse_module

RunOnXla = Callable[[str, Sequence[Array]], list[Array]]


def check(run_on_xla: RunOnXla, text: str, arguments: Sequence[Array], tolerance: float = 1e-5) -> None:
    for ours, theirs in zip(evaluate(parse_module(text), arguments), run_on_xla(text, arguments), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


def drawn(*shape: int, dtype: str = "float32") -> Array:
    random = np.random.default_rng(sum(shape))
    values = random.normal(size=shape)
    return (values + 1j * random.normal(size=shape) if dtype.startswith("complex") else values).astype(dtype)


def test_random_integers_are_below_the_upper_bound():
    """XLA's stream is its own affair: only the bounds, and that all numbers are drawn, are compared."""
    text = """func.func @main(%a: tensor<i32>, %b: tensor<i32>) -> tensor<1000xi32> {
      %shape = stablehlo.constant dense<1000> : tensor<1xi64>
      %0 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM
        : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<1000xi32>
      return %0 : tensor<1000xi32>
    }"""
    (found,) = evaluate(parse_module(text), [np.array(-2, np.int32), np.array(3, np.int32)])
    assert found.dtype == np.int32 and set(found.tolist()) == {-2, -1, 0, 1, 2}
    (found,) = evaluate(parse_module(text), [np.array(3, np.int32), np.array(3, np.int32)])
    assert set(found.tolist()) == {3}, "of no numbers, the lower bound"


def test_transforms_of_nothing_are_empty():
    text = """func.func @main(%x: tensor<0x4xf32>) -> tensor<0x3xcomplex<f32>> {
      %0 = stablehlo.fft %x, type = RFFT, length = [4] : (tensor<0x4xf32>) -> tensor<0x3xcomplex<f32>>
      return %0 : tensor<0x3xcomplex<f32>>
    }"""
    (found,) = evaluate(parse_module(text), [np.zeros((0, 4), np.float32)])
    assert (found.shape, found.dtype) == ((0, 3), np.complex64)


@pytest.mark.parametrize(("shape", "dimension"), [("5x7", 0), ("5x7", 1), ("1x8", 0), ("0x3", 0), ("6", -1)])
def test_sort_of_two_tensors(run_on_xla: RunOnXla, shape: str, dimension: int):
    """Equal keys keep the order of their values."""
    compare = """({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
        %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      })"""
    types = [f"{shape}xi32", f"{shape}xf32"]
    properties = f"<{{dimension = {dimension} : i64, is_stable = true}}>"
    text = main(f'"stablehlo.sort"(ARG0, ARG1) {properties} {compare}', types, types)
    sizes = [int(size) for size in shape.split("x")]
    check(run_on_xla, text, [np.random.default_rng(1).integers(0, 4, sizes, np.int32), drawn(*sizes)])


@pytest.mark.parametrize("padding", [[0, 0], [1, 0], [1, 2]])
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_select_and_scatter(run_on_xla: RunOnXla, padding: Sequence[int], stride: int):
    low, high = padding
    count = (6 + low + high - 3) // stride + 1
    select = """({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %ge = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %ge : tensor<i1>
      }"""
    properties = (
        f"window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, {stride}>, "
        f"padding = dense<[[0, 0], [{low}, {high}]]> : tensor<2x2xi64>"
    )
    op = f'"stablehlo.select_and_scatter"(ARG0, ARG1, ARG2) <{{{properties}}}> {select}, {body("add", "i32")[1:]}'
    text = main(op, ["2x6xi32", f"2x{count}xi32", "i32"], ["2x6xi32"])
    random = np.random.default_rng(2)
    check(
        run_on_xla,
        text,
        [random.integers(0, 4, (2, 6), np.int32), random.integers(1, 99, (2, count), np.int32), np.array(0, np.int32)],
    )


@pytest.mark.parametrize(
    ("kind", "length", "operand", "result"),
    [
        ("FFT", "8", "3x8xcomplex<f32>", "3x8xcomplex<f32>"),
        ("IFFT", "3, 5", "2x3x5xcomplex<f32>", "2x3x5xcomplex<f32>"),
        ("RFFT", "3, 8", "2x3x8xf32", "2x3x5xcomplex<f32>"),
        ("IRFFT", "7", "2x4xcomplex<f32>", "2x7xf32"),
    ],
)
def test_fft(run_on_xla: RunOnXla, kind: str, length: str, operand: str, result: str):
    *shape, element = operand.split("x")
    if element == "f32":
        x = drawn(*map(int, shape))
    else:
        x = drawn(*(int(size) for size in operand.removesuffix("xcomplex<f32>").split("x")), dtype="complex64")
    text = main(f"stablehlo.fft ARG0, type = {kind}, length = [{length}]", [operand], [result])
    check(run_on_xla, text, [x])


@pytest.mark.parametrize("lower", ["true", "false"])
@pytest.mark.parametrize("element", ["f32", "complex<f64>"])
def test_cholesky(run_on_xla: RunOnXla, lower: str, element: str):
    root = drawn(2, 3, 3, dtype="float32" if element == "f32" else "complex128")
    a = root @ np.swapaxes(root, -1, -2).conj() + np.eye(3, dtype=root.dtype)
    type = f"2x3x3x{element}"
    text = main(f'"stablehlo.cholesky"(ARG0) <{{lower = {lower}}}>', [type], [type])
    arrays = evaluate(parse_module(text), [a]), run_on_xla(text, [a])
    triangle = np.tril if lower == "true" else np.triu
    ((ours,), (theirs,)) = arrays
    np.testing.assert_allclose(triangle(ours), triangle(theirs), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("side", ["true", "false"])
@pytest.mark.parametrize("lower", ["true", "false"])
@pytest.mark.parametrize("unit", ["true", "false"])
@pytest.mark.parametrize("form", ["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"])
def test_triangular_solve(run_on_xla: RunOnXla, side: str, lower: str, unit: str, form: str):
    a = drawn(2, 3, 3, dtype="complex64") + 3 * np.eye(3, dtype=np.complex64)
    sizes = (2, 3, 4) if side == "true" else (2, 4, 3)
    types = ["2x3x3xcomplex<f32>", "x".join(map(str, sizes)) + "xcomplex<f32>"]
    properties = (
        f"left_side = {side}, lower = {lower}, unit_diagonal = {unit}, transpose_a = #stablehlo<transpose {form}>"
    )
    text = main(f'"stablehlo.triangular_solve"(ARG0, ARG1) <{{{properties}}}>', types, types[1:])
    check(run_on_xla, text, [a, drawn(*sizes, dtype="complex64")], 1e-3)


@pytest.mark.parametrize("feature", [0, 1, 2])
@pytest.mark.parametrize(
    ("kind", "operands", "results"), [("inference", "xffff", "x"), ("training", "xff", "xff"), ("grad", "xfffx", "xff")]
)
def test_batch_norm(run_on_xla: RunOnXla, feature: int, kind: str, operands: str, results: str):
    shape = (4, 3, 5)
    types = {"x": "4x3x5xf32", "f": f"{shape[feature]}xf32"}
    arrays = [np.abs(drawn(*(shape if letter == "x" else (shape[feature],)))) + i for i, letter in enumerate(operands)]
    names = ", ".join(f"ARG{i}" for i in range(len(operands)))
    properties = f"epsilon = 1.0e-3 : f32, feature_index = {feature} : i64"
    op = f'"stablehlo.batch_norm_{kind}"({names}) <{{{properties}}}>'
    text = main(op, [types[letter] for letter in operands], [types[letter] for letter in results])
    check(run_on_xla, text, arrays, 2e-4)


def test_einsum_and_broadcast(run_on_xla: RunOnXla):
    text = main('stablehlo.einsum ARG0, ARG1, config = "ij,jk->ki"', ["2x3xf32", "3x4xf32"], ["4x2xf32"])
    (found,) = evaluate(parse_module(text), [drawn(2, 3), drawn(3, 4)])
    np.testing.assert_allclose(found, (drawn(2, 3) @ drawn(3, 4)).T, rtol=1e-5)
    text = main('stablehlo.unary_einsum ARG0, config = "ij->j"', ["2x3xf32"], ["3xf32"])
    np.testing.assert_allclose(evaluate(parse_module(text), [drawn(2, 3)])[0], drawn(2, 3).sum(0), rtol=1e-5)
    text = main("stablehlo.broadcast ARG0, sizes = [4, 1]", ["2xf32"], ["4x1x2xf32"])
    check(run_on_xla, text, [drawn(2)])


@pytest.mark.parametrize("batch_dims", [0, 1])
def test_torch_index_select(batch_dims: int):
    """Indices out of bounds are clamped."""
    result = "2x5x4xf32" if batch_dims else "2x2x5x4xf32"
    op = f'"stablehlo.torch_index_select"(ARG0, ARG1) <{{dim = 1 : i64, batch_dims = {batch_dims} : i64}}>'
    text = main(op, ["2x3x4xf32", "2x5xi32"], [result])
    x, index = drawn(2, 3, 4), np.random.default_rng(0).integers(-1, 5, (2, 5), np.int32)
    clamped = np.clip(index, 0, 2)
    wanted = np.stack([x[i, clamped[i]] for i in range(2)]) if batch_dims else x[:, clamped]
    np.testing.assert_array_equal(evaluate(parse_module(text), [x, index])[0], wanted)


def test_rng_goes_on_and_is_in_range():
    text = main("stablehlo.rng ARG0, ARG1, ARG2, distribution = UNIFORM", ["f32", "f32", "1xi64"], ["100xf32"])
    low, high, shape = np.array(2, np.float32), np.array(5, np.float32), np.array([100])
    (numbers,) = evaluate(parse_module(text), [low, high, shape])
    assert ((numbers >= 2) & (numbers < 5)).all() and len({*numbers.tolist()}) > 90


def test_regions_that_ignore_their_elements(run_on_xla: RunOnXla):
    text = """
    func.func @main(%x: tensor<2x5xf32>, %z: tensor<f32>) -> (tensor<2xf32>, tensor<2x4xf32>, tensor<2x5xf32>) {
      %0 = stablehlo.reduce(%x init: %z) across dimensions = [1] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2xf32>
        reducer(%a: tensor<f32>, %b: tensor<f32>) {
          %seven = stablehlo.constant dense<7.0> : tensor<f32>
          stablehlo.return %seven : tensor<f32>
        }
      %1 = "stablehlo.reduce_window"(%x, %z) ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %seven = stablehlo.constant dense<7.0> : tensor<f32>
          stablehlo.return %seven : tensor<f32>
        }) {window_dimensions = array<i64: 1, 2>} : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x4xf32>
      %2 = "stablehlo.map"(%x) ({
        ^bb0(%a: tensor<f32>):
          %seven = stablehlo.constant dense<7.0> : tensor<f32>
          stablehlo.return %seven : tensor<f32>
        }) {dimensions = array<i64: 0, 1>} : (tensor<2x5xf32>) -> tensor<2x5xf32>
      func.return %0, %1, %2 : tensor<2xf32>, tensor<2x4xf32>, tensor<2x5xf32>
    }"""
    arguments = [np.arange(10, dtype=np.float32).reshape(2, 5), np.asarray(0, np.float32)]
    for ours, theirs in zip(evaluate(parse_module(text), arguments), run_on_xla(text, arguments), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_gather_of_nothing_gives_zeros(run_on_xla: RunOnXla):
    text = """func.func @main(%x: tensor<0x2xf32>, %i: tensor<3xi32>) -> tensor<3x2xf32> {
      %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
        collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 0, 2>}>
        : (tensor<0x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
      func.return %0 : tensor<3x2xf32>
    }"""
    arguments = [np.zeros((0, 2), np.float32), np.arange(3, dtype=np.int32)]
    for ours, theirs in zip(evaluate(parse_module(text), arguments), run_on_xla(text, arguments), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_transform_of_no_length_is_refused():
    text = """func.func @main(%x: tensor<1xcomplex<f32>>) -> tensor<1xcomplex<f32>> {
      %0 = stablehlo.fft %x, type = FFT, length = [0] : (tensor<1xcomplex<f32>>) -> tensor<1xcomplex<f32>>
      func.return %0 : tensor<1xcomplex<f32>>
    }"""
    with pytest.raises(InterpretationError, match="a length is 0"):
        evaluate(parse_module(text), [np.ones(1, np.complex64)])
