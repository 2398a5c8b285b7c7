"""Partitions of windows, pads and scans along sharded dimensions are proved, and variants that are wrong are not."""

import pytest

from xshardy.programs.program import read_program
from xshardy.programs.source import source_in
from xshardy.proving.pair import Pair, partitioned_pair
from xshardy.proving.prove import decide
from xshardy.proving.refutation import refute
from xshardy.syntax import print_module

X = "tensor<4x16x8xf32>"
ROWS = '{sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}'


def program(arguments: str, result: str, body: str, mesh: str = '"x"=4') -> bytes:
    """A module with one function. Rows, the second dimension of `X`, are sharded."""
    return f"""
module {{
  sdy.mesh @mesh = <[{mesh}]>
  func.func @main({arguments}) -> ({result}) {{
{body}
  }}
}}""".encode()


def over_rows(result: str, body: str) -> bytes:
    """A function of one tensor `X`, whose result is sharded along rows too."""
    return program(f"%x: {X} {ROWS}", f"{result} {ROWS}", body)


def convolution(dims: str, window: str, types: str, groups: int = 1) -> str:
    return (
        f"stablehlo.convolution(%x, %w) dim_numbers = {dims}, window = {{{window}}} "
        f"{{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : {types}"
    )


def convolved(window: str, kernel: str, result: str, groups: int = 1) -> bytes:
    """A convolution of rows."""
    types = f"({X}, {kernel}) -> {result}"
    op = convolution("[b, 0, f]x[0, i, o]->[b, 0, f]", window, types, groups)
    body = f"    %0 = {op}\n    return %0 : {result}"
    return program(f"%x: {X} {ROWS}, %w: {kernel}", f"{result} {ROWS}", body)


def reduced_windows(combiner: str, initial: str, attributes: str, result: str) -> bytes:
    return over_rows(
        result,
        f"""    %i = stablehlo.constant dense<{initial}> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %i) <{{{attributes}}}> ({{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.{combiner} %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }}) : ({X}, tensor<f32>) -> {result}
    return %0 : {result}""",
    )


def window(size: int, stride: int, low: int, high: int) -> str:
    return (
        f"window_dimensions = array<i64: 1, {size}, 1>, window_strides = array<i64: 1, {stride}, 1>, "
        f"padding = dense<[[0, 0], [{low}, {high}], [0, 0]]> : tensor<3x2xi64>"
    )


def pooling_gradient(size: int, stride: int, high: int, count: int) -> bytes:
    """What `jax.grad` makes of a maximum over windows of `size` rows."""
    padded, pooled = f"tensor<4x{16 + high}x8xf32>", f"tensor<4x{count}x8xf32>"
    return program(
        f"%x: {X} {ROWS}, %g: {pooled} {ROWS}",
        f"{X} {ROWS}",
        f"""    %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %z = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %x, %i, low = [0, 0, 0], high = [0, {high}, 0], interior = [0, 0, 0]
      : ({X}, tensor<f32>) -> {padded}
    %1 = "stablehlo.select_and_scatter"(%0, %g, %z) <{{
      padding = dense<0> : tensor<3x2xi64>, window_dimensions = array<i64: 1, {size}, 1>,
      window_strides = array<i64: 1, {stride}, 1>}}> ({{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %2 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }}, {{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %2 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }}) : ({padded}, {pooled}, tensor<f32>) -> {padded}
    %3 = stablehlo.slice %1 [0:4, 0:16, 0:8] : ({padded}) -> {X}
    return %3 : {X}""",
    )


def padded(low: int, high: int, interior: int, rows: int) -> bytes:
    result = f"tensor<4x{rows}x8xf32>"
    return over_rows(
        result,
        f"""    %i = stablehlo.constant dense<2.500000e+00> : tensor<f32>
    %0 = stablehlo.pad %x, %i, low = [0, {low}, 0], high = [0, {high}, 0], interior = [0, {interior}, 0]
      : ({X}, tensor<f32>) -> {result}
    %1 = stablehlo.tanh %0 : {result}
    return %1 : {result}""",
    )


SAME = "stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]"
KERNEL = "tensor<3x8x8xf32>"

PROGRAMS = {
    "convolution": convolved(SAME, KERNEL, X),
    "convolution_strided": convolved(SAME.replace("stride = [1]", "stride = [2]"), KERNEL, "tensor<4x8x8xf32>"),
    "convolution_with_gaps_in_kernel": convolved(
        SAME.replace("[1, 1]", "[2, 2]").replace("rhs_dilate = [1]", "rhs_dilate = [2]"), KERNEL, X
    ),
    "convolution_causal_reversed": convolved(SAME.replace("[1, 1]", "[2, 0]").replace("[false]", "[true]"), KERNEL, X),
    "convolution_transposed": convolved(
        SAME.replace("[1, 1]", "[2, 1]").replace("lhs_dilate = [1]", "lhs_dilate = [2]"), KERNEL, "tensor<4x32x8xf32>"
    ),
    "convolution_depthwise": convolved(SAME, "tensor<3x1x8xf32>", X, 8),
    "convolution_of_gradients": program(
        f"%x: {X} {ROWS}, %w: {X} {ROWS}",
        KERNEL,
        "    %0 = "
        + convolution("[f, 0, b]x[i, 0, o]->[0, b, f]", SAME, f"({X}, {X}) -> {KERNEL}")
        + f"\n    return %0 : {KERNEL}",
    ),
    "average_pooling": reduced_windows("add", "0.000000e+00", window(3, 2, 0, 1), "tensor<4x8x8xf32>"),
    "average_pooling_of_ones": program(
        f"%x: {X} {ROWS}",
        f"tensor<4x8x8xf32> {ROWS}",
        f"""    %z = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %i = stablehlo.constant dense<1.000000e+00> : {X}
    %0 = "stablehlo.reduce_window"(%i, %z) <{{{window(3, 2, 0, 1)}}}> ({{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }}) : ({X}, tensor<f32>) -> tensor<4x8x8xf32>
    return %0 : tensor<4x8x8xf32>""",
    ),
    "max_pooling": reduced_windows("maximum", "0xFF800000", window(3, 1, 1, 1), X),
    "cumulative_sum": reduced_windows("add", "0.000000e+00", window(16, 1, 15, 0), X),
    "cumulative_max_reversed": reduced_windows("maximum", "0xFF800000", window(16, 1, 0, 15), X),
    "cumulative_product": reduced_windows("multiply", "1.000000e+00", window(16, 1, 15, 0), X),
    "sum_of_windows_with_gaps": reduced_windows(
        "add", "0.000000e+00", window(3, 1, 1, 2) + ", base_dilations = array<i64: 1, 2, 1>", "tensor<4x32x8xf32>"
    ),
    "max_pooling_gradient": pooling_gradient(2, 2, 0, 8),
    "max_pooling_gradient_of_windows_that_overlap": pooling_gradient(3, 2, 1, 8),
    "pad": padded(3, 1, 0, 20),
    "pad_interior": padded(1, 0, 1, 32),
    "pad_interior_uneven": padded(1, 2, 1, 34),
    "pad_negative_interior": padded(-2, -2, 2, 42),
    "roll": over_rows(
        X,
        f"""    %0 = stablehlo.slice %x [0:4, 11:16, 0:8] : ({X}) -> tensor<4x5x8xf32>
    %1 = stablehlo.slice %x [0:4, 0:11, 0:8] : ({X}) -> tensor<4x11x8xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<4x5x8xf32>, tensor<4x11x8xf32>) -> {X}
    %3 = stablehlo.add %2, %x : {X}
    return %3 : {X}""",
    ),
    "stencil": over_rows(
        "tensor<4x14x8xf32>",
        f"""    %0 = stablehlo.slice %x [0:4, 0:14, 0:8] : ({X}) -> tensor<4x14x8xf32>
    %1 = stablehlo.slice %x [0:4, 2:16, 0:8] : ({X}) -> tensor<4x14x8xf32>
    %2 = stablehlo.subtract %0, %1 : tensor<4x14x8xf32>
    return %2 : tensor<4x14x8xf32>""",
    ),
    "reverse": over_rows(
        X,
        f"""    %0 = stablehlo.reverse %x, dims = [1] : {X}
    %1 = stablehlo.add %0, %x : {X}
    return %1 : {X}""",
    ),
}


def pair_of(name: str) -> Pair:
    return partitioned_pair(read_program(source_in(PROGRAMS[name], f"{name}.mlir")))


@pytest.mark.parametrize("name", PROGRAMS)
def test_partition_is_proved(name: str):
    pair = pair_of(name)
    decision = decide(pair)
    assert decision.is_proved, decision.frontier


ZERO, LOWEST = "dense<0.000000e+00> : tensor<f32>", "dense<0xFF800000> : tensor<f32>"

WRONG = {
    "halo_one_row_late": ("convolution", "dense<[6, 0, 0, 0]>", "dense<[6, 1, 0, 0]>"),
    "halo_of_another_device": ("convolution", "[[0, 1], [1, 2], [2, 3]]", "[[0, 1], [2, 2], [1, 3]]"),
    "halo_of_another_row": ("convolution", "%arg0 [0:4, 3:4, 0:8]", "%arg0 [0:4, 2:3, 0:8]"),
    "padding_is_not_zero": ("convolution", ZERO, "dense<1.000000e+00> : tensor<f32>"),
    "kernel_reversed": ("convolution", "reverse = [false]", "reverse = [true]"),
    "stride_phase": ("convolution_strided", "%8 [0:4, 0:5, 0:8]", "%8 [0:4, 1:6, 0:8]"),
    "gaps_at_odd_rows": ("convolution_transposed", "%10 [0:4, 1:11, 0:8]", "%10 [0:4, 0:10, 0:8]"),
    "gaps_are_not_zero": ("convolution_transposed", ZERO, "dense<1.000000e+00> : tensor<f32>"),
    "windows_shifted": ("average_pooling", "%8 [0:4, 0:5, 0:8]", "%8 [0:4, 1:6, 0:8]"),
    "missing_rows_are_zero": (
        "max_pooling",
        f"%cst = stablehlo.constant {LOWEST}",
        f"%cst = stablehlo.constant {ZERO}",
    ),
    "minimum_for_maximum": ("max_pooling", "stablehlo.maximum", "stablehlo.minimum"),
    "cumulative_sum_without_itself": ("cumulative_sum", "[15, 0]", "[16, -1]"),
    "cumulative_sum_at_another_part": ("cumulative_sum", "dense<[0, 4, 8, 12]>", "dense<[0, 4, 12, 8]>"),
    "product_of_another_start": ("cumulative_product", "dense<1.000000e+00>", "dense<2.000000e+00>"),
    "last_of_equal_is_selected": ("max_pooling_gradient", "GE", "GT"),
    "gradient_of_another_window": (
        "max_pooling_gradient_of_windows_that_overlap",
        "dense<[2, 1, 1, 0]>",
        "dense<[2, 1, 0, 0]>",
    ),
    "padding_masked_by_zero": ("max_pooling_gradient_of_windows_that_overlap", "dense<17>", "dense<16>"),
    "padding_of_another_number": ("pad", "dense<2.500000e+00>", "dense<2.000000e+00>"),
    "part_one_row_late": ("pad", "dense<[4, 3, 2, 1]>", "dense<[4, 3, 3, 1]>"),
    "gap_before_and_not_behind": (
        "pad_interior",
        "low = [0, 1, 0], high = [0, 0, 0]",
        "low = [0, 0, 0], high = [0, 1, 0]",
    ),
    "gap_of_another_number": ("pad_interior", "dense<2.500000e+00>", "dense<0.000000e+00>"),
    "rolled_to_another_device": ("roll", "[[0, 2], [1, 3], [2, 0], [3, 1]]", "[[0, 3], [1, 2], [2, 0], [3, 1]]"),
    "reversed_within_devices": ("reverse", "[[0, 3], [1, 2], [2, 1], [3, 0]]", "[[0, 0], [1, 1], [2, 2], [3, 3]]"),
}
"""A program, and what is replaced by what in the program of each device."""


@pytest.mark.parametrize("name", WRONG)
def test_wrong_partition_is_not_proved(name: str):
    of, old, new = WRONG[name]
    pair = pair_of(of)
    text = print_module(pair.local)
    assert old in text, text
    local = read_program(source_in(text.replace(old, new, 1).encode(), f"{name}.mlir")).module
    wrong = Pair(pair.whole, local, pair.arguments, pair.results, pair.devices, pair.names)
    assert not decide(wrong).is_proved
    assert refute(wrong) is not None, "the variant computes the same: it tests nothing"
