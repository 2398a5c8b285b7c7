"""
Operations that branch, loop or look indices up, from StableHLO text to every level of a kernel, on a CPU.

Row XGPU-49.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from test_random_fusions import check_exactly
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException

from xshardy.emitters.elemental.support import require_emittable
from xshardy.emitters.loop import emit_loop_fusion
from xshardy.emitters.preparation import prepare
from xshardy.interpreters.stablehlo import evaluate
from xshardy.transforms.xla_gpu.codegen_pipeline import EMITTED, LEVELS
from xshardy.universe import new_context

TYPES = (
    *("i1", "i4", "ui4", "i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64"),
    *("f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2", "complex<f32>", "complex<f64>"),
)


def computation_of(text: str) -> FuncOp:
    """The function called `main` of a module."""
    module = Parser(new_context(), text).parse_module()
    module.verify()
    return next(op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == "main")


def check(text: str, levels: Sequence[str] = LEVELS) -> None:
    """Emit the function @main of a StableHLO module in a loop, run it, and compare with the reference."""
    computation = computation_of(text)
    prepared = prepare(computation)
    require_emittable(prepared)
    check_exactly(emit_loop_fusion(prepared, "main").module, computation, levels)


def main(operation: str, operands: Sequence[str], result: str) -> str:
    """A module that applies `operation`, in which `{0}` is the first operand, to tensors of these types."""
    arguments = ", ".join(f"%x{i}: tensor<{type}>" for i, type in enumerate(operands))
    names = [f"%x{i}" for i in range(len(operands))]
    types = ", ".join(f"tensor<{type}>" for type in operands)
    return f"""
    func.func @main({arguments}) -> tensor<{result}> {{
      %r = {operation.format(*names, types=types, result=f"tensor<{result}>")}
      func.return %r : tensor<{result}>
    }}
    """


def reduction(body: str, type: str) -> str:
    """The body of a reduction of one operation."""
    return f"""({{
        ^bb0(%a: tensor<{type}>, %b: tensor<{type}>):
          %c = {body} %a, %b : tensor<{type}>
          stablehlo.return %c : tensor<{type}>
      }})"""


# -- Dynamic slices ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("type", TYPES)
def test_dynamic_slice(type: str):
    operation = "stablehlo.dynamic_slice {0}, {1}, {2}, sizes = [3, 2] : ({types}) -> {result}"
    check(main(operation, [f"5x7x{type}", "i32", "i32"], f"3x2x{type}"), [EMITTED, LEVELS[-1]])


@pytest.mark.parametrize("index", ["i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64"])
def test_start_indices_are_clamped(index: str):
    """Also if the highest start exceeds the range of the index type."""
    operation = "stablehlo.dynamic_slice {0}, {1}, sizes = [3] : ({types}) -> {result}"
    for size in (3, 5, 300):
        check(main(operation, [f"{size}xf32", index], "3xf32"))


@pytest.mark.parametrize(
    ("shape", "update"), [("5x7x", "2x3x"), ("5x7x", "5x3x"), ("5x7x", "5x7x"), ("5x7x", "0x3x"), ("0x7x", "0x3x")]
)
def test_dynamic_update_slice(shape: str, update: str):
    """Of some of the operand, of all of it along one dimension or both, and of nothing."""
    operation = "stablehlo.dynamic_update_slice {0}, {1}, {2}, {3} : ({types}) -> {result}"
    check(main(operation, [f"{shape}f32", f"{update}f32", "i64", "i64"], f"{shape}f32"))


def test_dynamic_slices_of_scalars():
    check(main("stablehlo.dynamic_slice {0}, sizes = [] : ({types}) -> {result}", ["f32"], "f32"))
    check(main("stablehlo.dynamic_update_slice {0}, {1} : ({types}) -> {result}", ["f32", "f32"], "f32"))


# -- Gather -----------------------------------------------------------------------------------------------------------

GATHERS = {
    "rows": ("5x7x", "4x1x", "4x1x7x", "offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1", "1, 7"),
    "points": (
        "5x7x",
        "4x2x",
        "4x1x1x",
        "offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1",
        "1, 1",
    ),
    "windows, dimensions swapped": (
        "5x7x",
        "4x2x",
        "4x2x3x",
        "offset_dims = [1, 2], start_index_map = [1, 0], index_vector_dim = 1",
        "2, 3",
    ),
    "collapsed": (
        "5x7x",
        "2x4x",
        "3x4x",
        "offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 0",
        "1, 3",
    ),
    "scalars as vectors": (
        "5x7x",
        "3x2x",
        "3x7x2x",
        "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2",
        "1, 7",
    ),
    "batches": (
        "3x5x7x",
        "4x3x1x",
        "4x3x2x",
        "offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], "
        "start_indices_batching_dims = [1], start_index_map = [2], index_vector_dim = 2",
        "1, 1, 2",
    ),
    "batches behind the vectors": (
        "3x5x7x",
        "1x4x3x",
        "4x3x2x",
        "offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], "
        "start_indices_batching_dims = [2], start_index_map = [2], index_vector_dim = 0",
        "1, 1, 2",
    ),
    "no index": ("5x7x", "4x0x", "4x2x3x", "offset_dims = [1, 2], index_vector_dim = 1", "2, 3"),
}


@pytest.mark.parametrize("name", GATHERS)
@pytest.mark.parametrize("index", ["i32", "ui8"])
def test_gather(name: str, index: str):
    operand, indices, result, numbers, sizes = GATHERS[name]
    operation = (
        f'"stablehlo.gather"({{0}}, {{1}}) <{{{{dimension_numbers = #stablehlo.gather<{numbers}>, '
        f"slice_sizes = array<i64: {sizes}>}}}}> : ({{types}}) -> {{result}}"
    )
    check(main(operation, [f"{operand}f32", f"{indices}{index}"], f"{result}f32"))


def test_gather_of_computed_elements_at_computed_indices():
    """The indices are read once for each component of a vector: they get a function."""
    check("""
    func.func @main(%x: tensor<5x7xf32>, %i: tensor<4x2xi32>) -> tensor<4x1x2xf32> {
      %n = stablehlo.negate %x : tensor<5x7xf32>
      %j = stablehlo.reverse %i, dims = [1] : tensor<4x2xi32>
      %k = stablehlo.add %j, %i : tensor<4x2xi32>
      %r = "stablehlo.gather"(%n, %k) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2],
          start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}>
          : (tensor<5x7xf32>, tensor<4x2xi32>) -> tensor<4x1x2xf32>
      func.return %r : tensor<4x1x2xf32>
    }
    """)


def test_bitcast_of_computed_elements():
    """So are the parts of a wider element."""
    check("""
    func.func @main(%x: tensor<5x4xi8>) -> tensor<5xi32> {
      %n = stablehlo.negate %x : tensor<5x4xi8>
      %r = stablehlo.bitcast_convert %n : (tensor<5x4xi8>) -> tensor<5xi32>
      func.return %r : tensor<5xi32>
    }
    """)


# -- Reductions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("type", TYPES)
def test_reduce(type: str):
    body = "stablehlo.or" if type == "i1" else "stablehlo.add"
    operation = (
        f"stablehlo.reduce({{0}} init: {{1}}) applies {body} across dimensions = [0, 2] : ({{types}}) -> {{result}}"
    )
    check(main(operation, [f"2x3x2x{type}", type], f"3x{type}"))


@pytest.mark.parametrize(
    ("shape", "dimensions", "result"), [("", "", ""), ("0x", "0", ""), ("3x0x", "1", "3x"), ("1x1x", "0, 1", "")]
)
def test_reduce_of_little(shape: str, dimensions: str, result: str):
    """Of scalars, of nothing, and of single elements."""
    operation = (
        f"stablehlo.reduce({{0}} init: {{1}}) applies stablehlo.add across dimensions = [{dimensions}] : "
        "({types}) -> {result}"
    )
    check(main(operation, [f"{shape}f32", "f32"], f"{result}f32"))


def test_reduce_in_wider_elements():
    """The body adds f32, the input has bf16."""
    body = reduction("stablehlo.add", "f32").replace("{", "{{").replace("}", "}}")
    operation = (
        f'"stablehlo.reduce"({{0}}, {{1}}) <{{{{dimensions = array<i64: 1>}}}}> {body} : ({{types}}) -> {{result}}'
    )
    check(main(operation, ["5x7xbf16", "bf16"], "5xf32"))


def test_reduce_of_two_inputs():
    check("""
    func.func @main(%x: tensor<5x7xf32>, %i: tensor<5x7xi32>, %a: tensor<f32>, %b: tensor<i32>)
        -> (tensor<5xi32>, tensor<5xf32>) {
      %r:2 = stablehlo.reduce(%x init: %a), (%i init: %b) across dimensions = [1]
          : (tensor<5x7xf32>, tensor<5x7xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
        reducer(%p: tensor<f32>, %q: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>) {
          %above = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %v = stablehlo.select %above, %p, %q : tensor<i1>, tensor<f32>
          %w = stablehlo.select %above, %j, %k : tensor<i1>, tensor<i32>
          stablehlo.return %v, %w : tensor<f32>, tensor<i32>
        }
      func.return %r#1, %r#0 : tensor<5xi32>, tensor<5xf32>
    }
    """)


def test_reductions_in_a_reduction():
    """What is reduced is itself a reduction, and is read elsewhere too: it gets a function."""
    check("""
    func.func @main(%x: tensor<3x4x5xi32>, %zero: tensor<i32>) -> tensor<3xi32> {
      %a = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [2]
          : (tensor<3x4x5xi32>, tensor<i32>) -> tensor<3x4xi32>
      %b = stablehlo.reduce(%a init: %zero) applies stablehlo.maximum across dimensions = [1]
          : (tensor<3x4xi32>, tensor<i32>) -> tensor<3xi32>
      %c = stablehlo.slice %a [0:3, 1:2] : (tensor<3x4xi32>) -> tensor<3x1xi32>
      %d = stablehlo.reshape %c : (tensor<3x1xi32>) -> tensor<3xi32>
      %r = stablehlo.subtract %b, %d : tensor<3xi32>
      func.return %r : tensor<3xi32>
    }
    """)


def test_equal_bodies_are_one_function():
    computation = computation_of("""
    func.func @main(%x: tensor<3x4xi32>, %zero: tensor<i32>) -> tensor<i32> {
      %a = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
          : (tensor<3x4xi32>, tensor<i32>) -> tensor<3xi32>
      %b = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0]
          : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
      func.return %b : tensor<i32>
    }
    """)
    kernel = emit_loop_fusion(computation, "kernel").module
    names = [op.sym_name.data for op in kernel.ops if isinstance(op, FuncOp)]
    assert names == ["kernel", "main_b", "b_body_add"]


WINDOWS = {
    "plain": ("window_dimensions = array<i64: 2, 3>", "4x5x"),
    "strides": ("window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 3>", "2x2x"),
    "padding": (
        "window_dimensions = array<i64: 2, 3>, padding = dense<[[1, 0], [-1, 2]]> : tensor<2x2xi64>",
        "5x6x",
    ),
    "gaps in the window": ("window_dimensions = array<i64: 2, 3>, window_dilations = array<i64: 3, 2>", "2x3x"),
    "gaps in the base": ("window_dimensions = array<i64: 2, 3>, base_dilations = array<i64: 2, 3>", "8x17x"),
    "all of it": ("window_dimensions = array<i64: 5, 7>", "1x1x"),
    "single elements": ("window_dimensions = array<i64: 1, 1>", "5x7x"),
}


@pytest.mark.parametrize(
    ("type", "name"),
    [*(("f32", name) for name in WINDOWS), *product(["i8", "complex<f32>"], ["padding", "gaps in the base"])],
)
def test_reduce_window(name: str, type: str):
    window, result = WINDOWS[name]
    body = reduction("stablehlo.add", type).replace("{", "{{").replace("}", "}}")
    operation = f'"stablehlo.reduce_window"({{0}}, {{1}}) <{{{{{window}}}}}> {body} : ({{types}}) -> {{result}}'
    check(main(operation, [f"5x7x{type}", type], f"{result}{type}"))


# -- Products ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("type", TYPES)
def test_dot(type: str):
    operation = (
        "stablehlo.dot_general {0}, {1}, batching_dims = [1] x [0], contracting_dims = [0] x [2] : "
        "({types}) -> {result}"
    )
    check(main(operation, [f"2x3x4x{type}", f"3x5x2x{type}"], f"3x4x5x{type}"))


@pytest.mark.parametrize(("type", "wide"), [("i8", "i32"), ("ui8", "i32"), ("bf16", "f32"), ("f8E4M3FN", "f16")])
def test_dot_in_wider_elements(type: str, wide: str):
    operation = "stablehlo.dot_general {0}, {1}, contracting_dims = [1] x [0] : ({types}) -> {result}"
    check(main(operation, [f"3x4x{type}", f"4x5x{type}"], f"3x5x{wide}"))


@pytest.mark.parametrize(("precision", "operations"), [("bf16", 1), ("bf16", 3), ("f16", 1), ("tf32", 1), ("f32", 1)])
def test_dot_of_rounded_operands(precision: str, operations: int):
    """1 + 2 ** -9 is rounded to 1 as a bf16, and only as that."""
    text = f"""
    func.func @main(%x: tensor<3x4xf32>, %y: tensor<4x5xf32>) -> tensor<3x5xf32> {{
      %small = stablehlo.constant dense<1.001953125> : tensor<3x4xf32>
      %a = stablehlo.multiply %x, %small : tensor<3x4xf32>
      %r = stablehlo.dot_general %a, %y, contracting_dims = [1] x [0],
          algorithm = <lhs_precision_type = {precision}, rhs_precision_type = {precision}, accumulation_type = f32,
          lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = {operations},
          allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
      func.return %r : tensor<3x5xf32>
    }}
    """
    check(text, [EMITTED, LEVELS[-1]])
    computation = computation_of(text)
    ones = [np.ones((3, 4), np.float32), np.ones((4, 5), np.float32)]
    is_rounded = (precision, operations) == ("bf16", 1)
    assert (evaluate(computation, ones)[0] == (4 if is_rounded else 4.0078125)).all()


def test_dot_of_vectors_and_of_nothing():
    operation = "stablehlo.dot {0}, {1} : ({types}) -> {result}"
    check(main(operation, ["7xf32", "7xf32"], "f32"))
    check(main(operation, ["3x0xf32", "0x5xf32"], "3x5xf32"))


CONVOLUTIONS = {
    "plain": ("2x5x6x3x", "2x3x3x4x", "2x4x4x4x", "{}", "1", "1"),
    "strides and padding": ("2x5x6x3x", "2x3x3x4x", "2x3x3x4x", "{stride = [2, 2], pad = [[1, 1], [0, 1]]}", "1", "1"),
    "gaps": (
        "1x4x5x2x",
        "2x2x2x3x",
        "1x5x8x3x",
        "{lhs_dilate = [2, 2], rhs_dilate = [3, 2], pad = [[0, 1], [1, 0]]}",
        "1",
        "1",
    ),
    "reversed": ("2x5x6x3x", "2x3x3x4x", "2x4x4x4x", "{reverse = [true, false]}", "1", "1"),
    "groups of features": ("2x5x6x4x", "2x3x2x6x", "2x4x4x6x", "{}", "2", "1"),
    "groups of the batch": ("4x5x6x3x", "2x3x3x6x", "2x4x4x6x", "{}", "1", "2"),
}


@pytest.mark.parametrize(
    ("type", "name"),
    [
        *(("f32", name) for name in CONVOLUTIONS),
        *product(["bf16", "i16", "complex<f32>"], ["strides and padding", "groups of the batch"]),
    ],
)
def test_convolution(name: str, type: str):
    lhs, rhs, result, window, features, batches = CONVOLUTIONS[name]
    operation = (
        "stablehlo.convolution({0}, {1}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = "
        f"{window.replace('{', '{{').replace('}', '}}')} {{{{batch_group_count = {batches} : i64, "
        f"feature_group_count = {features} : i64}}}} : ({{types}}) -> {{result}}"
    )
    check(main(operation, [f"{lhs}{type}", f"{rhs}{type}"], f"{result}{type}"))


def test_convolution_with_other_dimension_numbers():
    operation = (
        "stablehlo.convolution({0}, {1}) dim_numbers = [f, 0, b]x[o, i, 0]->[0, f, b], window = {{}} "
        "{{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({types}) -> {result}"
    )
    check(main(operation, ["3x7x2xf32", "5x3x2xf32"], "6x5x2xf32"))


# -- Bits and bodies --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operand", "result"),
    [
        ("3x5xi32", "3x5x4xi8"),
        ("3x5x4xui8", "3x5xi32"),
        ("3x8xi8", "3xi64"),
        ("5xi64", "5x2xui32"),
        ("5xi16", "5x4xi4"),
        ("5x2xui4", "5xi8"),
        ("5x8xi4", "5xui32"),
        ("5xi32", "5xui32"),
    ],
)
def test_bitcast_convert(operand: str, result: str):
    check(main("stablehlo.bitcast_convert {0} : ({types}) -> {result}", [operand], result))


def test_map_of_a_body_with_several_operations():
    check("""
    func.func @main(%x: tensor<3x5xi32>, %y: tensor<3x5xi8>) -> tensor<3x5xi16> {
      %r = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
        ^bb0(%a: tensor<i32>, %b: tensor<i8>):
          %two = stablehlo.constant dense<2> : tensor<i16>
          %c = stablehlo.convert %a : (tensor<i32>) -> tensor<i16>
          %d = stablehlo.convert %b : (tensor<i8>) -> tensor<i16>
          %e = stablehlo.subtract %c, %d : tensor<i16>
          %f = stablehlo.multiply %e, %two : tensor<i16>
          stablehlo.return %f : tensor<i16>
      }) : (tensor<3x5xi32>, tensor<3x5xi8>) -> tensor<3x5xi16>
      func.return %r : tensor<3x5xi16>
    }
    """)


def test_bodies_that_give_an_argument():
    check("""
    func.func @main(%x: tensor<3x5xi32>, %zero: tensor<i32>) -> tensor<3xi32> {
      %r = stablehlo.reduce(%x init: %zero) across dimensions = [1] : (tensor<3x5xi32>, tensor<i32>) -> tensor<3xi32>
        reducer(%a: tensor<i32>, %b: tensor<i32>) {
          stablehlo.return %a : tensor<i32>
        }
      func.return %r : tensor<3xi32>
    }
    """)


# -- What is not emitted ----------------------------------------------------------------------------------------------

REJECTED = {
    "reads a value from outside of the region": """
    func.func @main(%x: tensor<3x5xi32>, %zero: tensor<i32>) -> tensor<3xi32> {
      %r = stablehlo.reduce(%x init: %zero) across dimensions = [1] : (tensor<3x5xi32>, tensor<i32>) -> tensor<3xi32>
        reducer(%a: tensor<i32>, %b: tensor<i32>) {
          %c = stablehlo.add %a, %zero : tensor<i32>
          stablehlo.return %c : tensor<i32>
        }
      func.return %r : tensor<3xi32>
    }
    """,
    "all results of its fusion must be results of one sort": """
    func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
      %r = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
      }) : (tensor<5xf32>) -> tensor<5xf32>
      func.return %r : tensor<5xf32>
    }
    """,
    "has no size that is known": """
    func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %r = stablehlo.negate %x : tensor<?xf32>
      func.return %r : tensor<?xf32>
    }
    """,
    "it computes in another type than its operands have": """
    func.func @main(%x: tensor<5xi8>, %i: tensor<3x1xi32>, %u: tensor<3xi8>) -> tensor<5xi32> {
      %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
          inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %c = stablehlo.add %a, %b : tensor<i32>
          stablehlo.return %c : tensor<i32>
      }) : (tensor<5xi8>, tensor<3x1xi32>, tensor<3xi8>) -> tensor<5xi32>
      func.return %r : tensor<5xi32>
    }
    """,
    "a truth value takes a byte": """
    func.func @main(%x: tensor<5xi8>) -> tensor<5x8xi1> {
      %r = stablehlo.bitcast_convert %x : (tensor<5xi8>) -> tensor<5x8xi1>
      func.return %r : tensor<5x8xi1>
    }
    """,
}


@pytest.mark.parametrize("message", REJECTED)
def test_rejected_operations(message: str):
    with pytest.raises(PassFailedException, match=message):
        require_emittable(prepare(computation_of(REJECTED[message])))
