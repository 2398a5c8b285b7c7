"""Windows, convolutions, wider bodies and random bits: the reference gives what XLA gives on a CPU."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from xshardy.interpreters.stablehlo import evaluate
from xshardy.numerics.element_types import Array, numpy_dtype
from xshardy.syntax import parse_module

RunOnXla = Callable[[str, Sequence[Array]], list[Array]]


def body(operation: str, type: str) -> str:
    return f"""({{
        ^bb0(%a: tensor<{type}>, %b: tensor<{type}>):
          %c = stablehlo.{operation} %a, %b : tensor<{type}>
          stablehlo.return %c : tensor<{type}>
      }})"""


def main(operation: str, operands: Sequence[str], results: Sequence[str]) -> str:
    """A function of one operation, in which `{0}` is the first operand and `{type}` its function type."""
    types = [f"tensor<{type}>" for type in operands]
    given = [f"tensor<{type}>" for type in results]
    arguments = ", ".join(f"%x{i}: {type}" for i, type in enumerate(types))
    signature = f"({', '.join(types)}) -> ({', '.join(given)})"
    written = operation.replace("TYPE", signature)
    for i in range(len(operands)):
        written = written.replace(f"ARG{i}", f"%x{i}")
    names = ", ".join(f"%r#{i}" for i in range(len(results))) if len(results) > 1 else "%r"
    bound = f"%r:{len(results)}" if len(results) > 1 else "%r"
    return f"""
    module {{
      func.func public @main({arguments}) -> ({", ".join(given)}) {{
        {bound} = {written} : {signature}
        func.return {names} : {", ".join(given)}
      }}
    }}
    """


def inputs_of(text: str) -> list[Array]:
    """Small integers, of every element type."""
    rng = np.random.default_rng(0)
    (function,) = parse_module(text).ops
    types = [argument.type for argument in function.body.block.args]
    return [rng.integers(0, 5, type.get_shape()).astype(numpy_dtype(type)) for type in types]


def check(run_on_xla: RunOnXla, text: str, arguments: Sequence[Array] | None = None) -> None:
    arguments = inputs_of(text) if arguments is None else arguments
    for ours, theirs in zip(evaluate(parse_module(text), arguments), run_on_xla(text, arguments), strict=True):
        np.testing.assert_array_equal(ours, theirs)


WINDOWS = {
    "window_dimensions = array<i64: 2, 3>": "4x5",
    "window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 3>": "2x2",
    "window_dimensions = array<i64: 2, 3>, padding = dense<[[1, 0], [-1, 2]]> : tensor<2x2xi64>": "5x6",
    "window_dimensions = array<i64: 2, 3>, window_dilations = array<i64: 3, 2>": "2x3",
    "window_dimensions = array<i64: 2, 3>, base_dilations = array<i64: 2, 3>": "8x17",
}


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize(("operation", "type"), [("add", "f32"), ("maximum", "i32"), ("minimum", "f64")])
def test_reduce_window(run_on_xla: RunOnXla, window: str, operation: str, type: str):
    """The initial value is neutral, or nearly: how often it is counted in, XLA leaves open."""
    shape = WINDOWS[window]
    text = main(
        f'"stablehlo.reduce_window"(ARG0, ARG1) <{{{window}}}> {body(operation, type)}',
        [f"5x7x{type}", type],
        [f"{shape}x{type}"],
    )
    (x, init) = inputs_of(text)
    neutral = {"add": 0, "maximum": -100, "minimum": 100}[operation]
    check(run_on_xla, text, [x, np.full_like(init, neutral)])


CONVOLUTIONS = {
    "{}": ("2x5x6x3", "2x3x3x4", "2x4x4x4", 1, 1),
    "{stride = [2, 2], pad = [[1, 1], [0, 1]]}": ("2x5x6x3", "2x3x3x4", "2x3x3x4", 1, 1),
    "{lhs_dilate = [2, 2], rhs_dilate = [3, 2], pad = [[0, 1], [1, 0]]}": ("1x4x5x2", "2x2x2x3", "1x5x8x3", 1, 1),
    "{reverse = [true, false]}": ("2x5x6x3", "2x3x3x4", "2x4x4x4", 1, 1),
    "{pad = [[-1, 0], [0, 0]]}": ("2x5x6x4", "2x3x2x6", "2x3x4x6", 2, 1),
    "{rhs_dilate = [1, 2]}": ("4x5x6x3", "2x3x3x6", "2x4x2x6", 1, 2),
    "{pad = [[1, 1], [1, 1]]}": ("2x5x6x3", "5x6x3x4", "2x3x3x4", 1, 1),
    "{stride = [2, 1], pad = [[0, 1], [1, 0]], lhs_dilate = [2, 1]}": ("2x4x5x4", "6x5x2x6", "2x2x2x6", 2, 1),
    "{pad = [[9, 9], [0, 0]]}": ("2x3x4x3", "20x4x3x2", "2x2x1x2", 1, 1),
}


@pytest.mark.parametrize("window", CONVOLUTIONS)
@pytest.mark.parametrize("type", ["f32", "complex<f64>"])
def test_convolution(run_on_xla: RunOnXla, window: str, type: str):
    lhs, rhs, result, features, batches = CONVOLUTIONS[window]
    operation = (
        f"stablehlo.convolution(ARG0, ARG1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {window} "
        f"{{batch_group_count = {batches} : i64, feature_group_count = {features} : i64}}"
    )
    check(run_on_xla, main(operation, [f"{lhs}x{type}", f"{rhs}x{type}"], [f"{result}x{type}"]))


def test_dot(run_on_xla: RunOnXla):
    check(run_on_xla, main("stablehlo.dot ARG0, ARG1", ["3x4xf32", "4x5xf32"], ["3x5xf32"]))
    check(run_on_xla, main("stablehlo.dot ARG0, ARG1", ["4xi32", "4xi32"], ["i32"]))


@pytest.mark.parametrize("algorithm", ["THREE_FRY", "PHILOX"])
@pytest.mark.parametrize("type", ["ui32", "3xui8", "4x5xui32", "3x5xui16", "3x2x3xui64", "0xui32"])
@pytest.mark.parametrize("counter", [0, 2**32 - 1, 2**64 - 2])
def test_random_bits(run_on_xla: RunOnXla, algorithm: str, type: str, counter: int):
    operation = f"stablehlo.rng_bit_generator ARG0, algorithm = {algorithm}"
    text = main(operation, ["2xui64"], ["2xui64", type])
    check(run_on_xla, text, [np.array([123456789123456789, counter], np.uint64)])


def test_random_bits_of_a_counter_of_two_words(run_on_xla: RunOnXla):
    text = main("stablehlo.rng_bit_generator ARG0, algorithm = PHILOX", ["3xui64"], ["3xui64", "7xui32"])
    check(run_on_xla, text, [np.array([5, 2**64 - 1, 77], np.uint64)])


def test_groups_are_cut_out_together(monkeypatch: pytest.MonkeyPatch):
    """Thousands of groups, one for each feature, need as many parts of the operands, and no more."""
    groups = 64
    text = f"""
    func.func @main(%x: tensor<1x{groups}x5xf32>, %k: tensor<{groups}x1x3xf32>) -> tensor<1x{groups}x3xf32> {{
      %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {{}}
        {{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}}
        : (tensor<1x{groups}x5xf32>, tensor<{groups}x1x3xf32>) -> tensor<1x{groups}x3xf32>
      return %0 : tensor<1x{groups}x3xf32>
    }}"""
    split, made = np.split, list[int]()

    def counting(x: Any, count: Any, axis: int) -> Any:
        parts = split(x, count, axis)
        made.append(len(parts))
        return parts

    monkeypatch.setattr(np, "split", counting)
    x = np.arange(groups * 5, dtype=np.float32).reshape(1, groups, 5)
    (found,) = evaluate(parse_module(text), [x, np.ones((groups, 1, 3), np.float32)])
    assert sum(made) == 2 * groups
    np.testing.assert_array_equal(found, x[..., :3] + x[..., 1:4] + x[..., 2:])
