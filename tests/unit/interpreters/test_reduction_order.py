"""Reductions whose results depend on the order of their steps are found by evaluating their reducers."""

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

from xshardy.hlo_text import parse_hlo
from xshardy.interpreters.inputs import inputs_of
from xshardy.interpreters.reduction_order import (
    NO_IDENTITY,
    NOT_ASSOCIATIVE,
    NOT_COMMUTATIVE,
    NOT_SORTED,
    NOT_UNIQUE,
    UPDATES_IN_ORDER,
)
from xshardy.interpreters.reference import Reference
from xshardy.syntax import parse_module
from xshardy.transforms.sdy.main_function import main_function


def computation_of(text: str) -> FuncOp:
    *_, function = (op for op in parse_hlo(f"HloModule m\n{text}").ops if isinstance(op, FuncOp))
    return function


def reduction(type: str, body: str, init: str) -> FuncOp:
    return computation_of(f"""
f {{
  a = {type}[] parameter(0)
  b = {type}[] parameter(1)
  {body}
}}
ENTRY main {{
  x = {type}[4,8] parameter(0)
  init = {type}[] constant({init})
  ROOT reduced = {type}[4] reduce(x, init), dimensions={{1}}, to_apply=f
}}
""")


def test_the_elements_of_a_tuple_are_results_of_their_own():
    module = parse_module("""
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tuple<tensor<4x8xf32>, tensor<4xf32>>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %d = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %d : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %t = stablehlo.tuple %x, %r : tuple<tensor<4x8xf32>, tensor<4xf32>>
  return %x, %t : tensor<4x8xf32>, tuple<tensor<4x8xf32>, tensor<4xf32>>
}""")
    assert undefined(main_function(module)).keys() == {2}


def undefined(computation: FuncOp) -> dict[int, str]:
    return dict(Reference(computation, inputs_of(computation, seed=0)).undefined)


@pytest.mark.parametrize(
    ("type", "body", "init"),
    [
        ("f32", "ROOT c = f32[] add(a, b)", "0"),
        ("bf16", "ROOT c = bf16[] add(a, b)", "0"),
        ("f32", "ROOT c = f32[] multiply(a, b)", "1"),
        ("f32", "ROOT c = f32[] maximum(a, b)", "-inf"),
        ("f32", "ROOT c = f32[] maximum(b, a)", "0"),
        ("s32", "ROOT c = s32[] add(a, b)", "0"),
        ("u8", "ROOT c = u8[] multiply(a, b)", "1"),
        ("pred", "ROOT c = pred[] xor(a, b)", "false"),
        ("c64", "ROOT c = c64[] add(a, b)", "(0, 0)"),
        ("f32", "p = f32[] multiply(a, a) q = f32[] multiply(b, b) s = f32[] add(p, q) ROOT c = f32[] sqrt(s)", "0"),
    ],
)
def test_reductions_that_are_defined(type: str, body: str, init: str):
    assert undefined(reduction(type, body, init)) == {}


@pytest.mark.parametrize(
    ("type", "body", "init", "reason"),
    [
        ("f32", "ROOT c = f32[] subtract(a, b)", "0", NOT_ASSOCIATIVE),
        ("s32", "ROOT c = s32[] subtract(a, b)", "0", NOT_ASSOCIATIVE),
        ("f32", "s = f32[] multiply(b, b) ROOT c = f32[] add(a, s)", "0", NOT_ASSOCIATIVE),
        ("bf16", "s = bf16[] add(b, b) ROOT c = bf16[] add(a, s)", "0", NOT_ASSOCIATIVE),
        ("f32", "ROOT c = f32[] copy(b)", "0", NOT_COMMUTATIVE),
        ("f32", "ROOT c = f32[] add(a, b)", "1", NO_IDENTITY),
        ("s32", "ROOT c = s32[] multiply(a, b)", "2", NO_IDENTITY),
        ("pred", "ROOT c = pred[] xor(a, b)", "true", NO_IDENTITY),
    ],
)
def test_reductions_that_depend_on_the_order(type: str, body: str, init: str, reason: str):
    assert undefined(reduction(type, body, init)) == {0: f"%reduced: {reason}"}


ARGMAX = """
f {
  a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  larger = pred[] compare(a, b), direction=GT
  equal = pred[] compare(a, b), direction=EQ
  before = pred[] compare(i, j), direction=LT
  first = pred[] and(equal, before)
  left = pred[] or(larger, first)
  value = f32[] select(left, a, b)
  index = s32[] select(LEFT, i, j)
  ROOT both = (f32[], s32[]) tuple(value, index)
}
ENTRY main {
  x = f32[4,8] parameter(0)
  i = s32[4,8] iota(), iota_dimension=1
  low = f32[] constant(-inf)
  zero = s32[] constant(0)
  ROOT reduced = (f32[4], s32[4]) reduce(x, i, low, zero), dimensions={1}, to_apply=f
}
"""


def test_an_argument_of_the_maximum_is_defined_only_if_ties_are_broken_by_the_index():
    assert undefined(computation_of(ARGMAX.replace("LEFT", "left"))) == {}
    assert set(undefined(computation_of(ARGMAX.replace("LEFT", "larger")))) == {0, 1}


def test_only_results_that_read_the_reduction_are_undefined():
    computation = computation_of("""
f { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] subtract(a, b) }
ENTRY main {
  x = f32[4,8] parameter(0)
  zero = f32[] constant(0)
  difference = f32[4] reduce(x, zero), dimensions={1}, to_apply=f
  root = f32[4,8] sqrt(x)
  negated = f32[4] negate(difference)
  ROOT all = (f32[4,8], f32[4]) tuple(root, negated)
}
""")
    assert undefined(computation) == {1: f"%difference: {NOT_ASSOCIATIVE}"}


SCATTER = """
f {{ a = f32[] parameter(0)  b = f32[] parameter(1)  {body} }}
ENTRY main {{
  x = f32[10] parameter(0)
  i = s32[4,1] parameter(1)
  u = f32[4] parameter(2)
  ROOT scattered = f32[10] scatter(x, i, u), update_window_dims={{}}, inserted_window_dims={{0}},
    scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply=f{flags}
}}
"""


@pytest.mark.parametrize(
    ("body", "flags", "indices", "reason"),
    [
        ("ROOT c = f32[] add(a, b)", "", [1, 1, 2, 9], None),
        ("ROOT c = f32[] subtract(a, b)", "", [1, 1, 2, 9], None),  # (x - a) - b is (x - b) - a
        ("ROOT c = f32[] copy(b)", "", [1, 2, 3, 9], None),
        ("ROOT c = f32[] copy(b)", "", [1, -1, 10, 10], None),  # outside: skipped
        ("ROOT c = f32[] copy(b)", "", [1, 2, 1, 9], UPDATES_IN_ORDER),
        ("ROOT c = f32[] add(a, b)", ", unique_indices=true", [1, 2, 1, 9], NOT_UNIQUE),
        ("ROOT c = f32[] add(a, b)", ", indices_are_sorted=true", [1, 2, 1, 9], NOT_SORTED),
    ],
)
def test_scatters(body: str, flags: str, indices: list[int], reason: str | None):
    computation = computation_of(SCATTER.format(body=body, flags=flags))
    inputs = [np.zeros(10, np.float32), np.array(indices, np.int32).reshape(4, 1), np.arange(4, dtype=np.float32)]
    assert Reference(computation, inputs).undefined == ({} if reason is None else {0: f"%scattered: {reason}"})


@pytest.mark.parametrize(
    ("indices", "reason"),
    [([[0, 3], [1, 2], [0, 9]], None), ([[0, 3], [2, 1], [0, 9]], NOT_SORTED), ([[4, 4], [5, 6], [7, 8]], NOT_UNIQUE)],
)
@pytest.mark.parametrize("dim", [0, 1])
def test_indices_of_each_batch_are_sorted_and_unique_by_themselves(
    indices: list[list[int]], reason: str | None, dim: int
):
    """As `jax.vmap` of an update of sorted rows writes them."""
    shape = [3, 2] if dim == 0 else [2, 3]
    updates = "x".join(map(str, shape))
    module = parse_module(f"""
func.func @main(%x: tensor<3x10xf32>, %i: tensor<{updates}x1xi32>, %u: tensor<{updates}xf32>) -> tensor<3x10xf32> {{
  %scattered = "stablehlo.scatter"(%x, %i, %u) <{{indices_are_sorted = true, unique_indices = true,
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0],
    scatter_indices_batching_dims = [{dim}], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }}) : (tensor<3x10xf32>, tensor<{updates}x1xi32>, tensor<{updates}xf32>) -> tensor<3x10xf32>
  return %scattered : tensor<3x10xf32>
}}""")
    vectors = np.array(indices, np.int32) if dim == 0 else np.array(indices, np.int32).T
    inputs = [np.zeros((3, 10), np.float32), vectors[..., None], np.arange(6, dtype=np.float32).reshape(shape)]
    assert Reference(main_function(module), inputs).undefined == (
        {} if reason is None else {0: f"%scattered: {reason}"}
    )


def test_equal_updates_come_in_any_order():
    computation = computation_of(SCATTER.format(body="ROOT c = f32[] copy(b)", flags=""))
    inputs = [np.zeros(10, np.float32), np.full((4, 1), 3, np.int32), np.ones(4, np.float32)]
    assert Reference(computation, inputs).undefined == {}


@pytest.mark.parametrize("flags", ["", ", unique_indices=true", ", indices_are_sorted=true, unique_indices=true"])
@pytest.mark.parametrize("body", ["ROOT c = f32[] copy(b)", "ROOT c = f32[] add(a, b)"])
@pytest.mark.parametrize("seed", range(5))
def test_the_inputs_drawn_for_a_scatter_define_its_result(body: str, flags: str, seed: int):
    computation = computation_of(SCATTER.format(body=body, flags=flags))
    assert not Reference(computation, inputs_of(computation, seed)).undefined


def test_inputs_of_what_a_nested_fusion_combines_are_plain_and_start_neutral():
    computation = computation_of("""
product {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT p = f32[] multiply(a, b)
}
inner {
  x = f32[4000] parameter(0)
  one = f32[] parameter(1)
  ROOT r = f32[] reduce(x, one), dimensions={0}, to_apply=product
}
ENTRY outer {
  start = f32[] parameter(0)
  y = f32[4000] parameter(1)
  n = f32[] fusion(y, start), kind=kInput, calls=inner
  ROOT a = f32[] abs(n)
}
""")
    start, elements = inputs_of(computation, seed=0)
    assert start == 1 and np.isfinite(elements).all()


def scatter_reading(around: str, body: str) -> FuncOp:
    """A scatter whose body has `%a` of the input, `%b` of the updates, and `%s` from around."""
    module = parse_module(f"""
func.func @main(%x: tensor<4xf32>, %i: tensor<9x1xi32>, %u: tensor<9xf32>, %p: tensor<f32>) -> tensor<4xf32> {{
  %s = {around} : tensor<f32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    {body}
    stablehlo.return %r : tensor<f32>
  }}) : (tensor<4xf32>, tensor<9x1xi32>, tensor<9xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}}""")
    return main_function(module)


@pytest.mark.parametrize("around", ["stablehlo.negate %p", "stablehlo.constant dense<3.0>"])
def test_a_body_that_reads_a_value_from_around_is_evaluated_with_a_sample_of_it(around: str):
    scaled = "%m = stablehlo.multiply %b, %s : tensor<f32>\n%r = stablehlo.add %a, %m : tensor<f32>"
    inputs = inputs_of(scatter_reading(around, scaled), 0)
    assert len(set(inputs[1].ravel().tolist())) < 9  # updates commute, so that elements may have several
    first = "%m = stablehlo.subtract %s, %a : tensor<f32>\n%r = stablehlo.multiply %m, %b : tensor<f32>"
    computation = scatter_reading(around, first)
    distinct = inputs_of(computation, 0)[1].ravel().tolist()
    assert len(set(distinct)) == 9
