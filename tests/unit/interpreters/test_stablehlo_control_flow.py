"""Ops that choose between regions or repeat one, against XLA on the CPU."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from xshardy.dialects import stablehlo
from xshardy.hlo_text import parse_hlo
from xshardy.interpreters.reducers import is_associative, is_commutative
from xshardy.interpreters.stablehlo import evaluate
from xshardy.numerics.element_types import Array
from xshardy.syntax import parse_module

TYPE = "tensor<3xf32>"
IF = f"""
  func.func @main(%p: tensor<i1>, %x: {TYPE}) -> ({TYPE}, {TYPE}) {{
    %y = stablehlo.negate %x : {TYPE}
    %0:2 = "stablehlo.if"(%p) ({{
      %1 = stablehlo.add %x, %y : {TYPE}
      stablehlo.return %1, %y : {TYPE}, {TYPE}
    }}, {{
      %1 = stablehlo.multiply %y, %y : {TYPE}
      stablehlo.return %y, %1 : {TYPE}, {TYPE}
    }}) : (tensor<i1>) -> ({TYPE}, {TYPE})
    func.return %0#0, %0#1 : {TYPE}, {TYPE}
  }}"""
CASE = f"""
  func.func @main(%i: tensor<i32>, %x: {TYPE}) -> {TYPE} {{
    %0 = "stablehlo.case"(%i) ({{
      stablehlo.return %x : {TYPE}
    }}, {{
      %1 = stablehlo.negate %x : {TYPE}
      stablehlo.return %1 : {TYPE}
    }}, {{
      %1 = stablehlo.multiply %x, %x : {TYPE}
      stablehlo.return %1 : {TYPE}
    }}) : (tensor<i32>) -> {TYPE}
    func.return %0 : {TYPE}
  }}"""
WHILE = f"""
  func.func private @step(%x: {TYPE}, %y: {TYPE}) -> {TYPE} {{
    %0 = stablehlo.add %x, %y : {TYPE}
    func.return %0 : {TYPE}
  }}
  func.func @main(%n: tensor<i32>, %x: {TYPE}) -> ({TYPE}, tensor<i32>, {TYPE}) {{
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%a = %x, %i = %zero) : {TYPE}, tensor<i32>
      cond {{
        %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %go : tensor<i1>
      }} do {{
        %1:2 = stablehlo.while(%b = %a, %j = %i) : {TYPE}, tensor<i32>
          cond {{
            %more = stablehlo.compare GT, %j, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %more : tensor<i1>
          }} do {{
            %2 = func.call @step(%b, %x) : ({TYPE}, {TYPE}) -> {TYPE}
            %less = stablehlo.subtract %j, %one : tensor<i32>
            stablehlo.return %2, %less : {TYPE}, tensor<i32>
          }}
        %next = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %1#0, %next : {TYPE}, tensor<i32>
      }}
    func.return %0#0, %0#1, %x : {TYPE}, tensor<i32>, {TYPE}
  }}"""
X = np.array([1.5, -2, 0.25], np.float32)


@pytest.mark.parametrize(
    ("text", "choices"),
    [(IF, np.array([False, True])), (CASE, np.arange(-2, 5, dtype=np.int32)), (WHILE, np.arange(5, dtype=np.int32))],
    ids=["if", "case", "while"],
)
def test_control_flow_computes_what_xla_computes(
    text: str, choices: Array, run_on_xla: Callable[[str, Sequence[Array]], list[Array]]
):
    module = parse_module(text)
    for choice in choices:
        arguments = [np.asarray(choice), X]
        for ours, theirs in zip(evaluate(module, arguments), run_on_xla(text, arguments), strict=True):
            np.testing.assert_array_equal(ours, theirs, str(choice))


SUM = "%r = stablehlo.add %a, %b : tensor<f32>"
SUM_OF_ROW = """%row = stablehlo.constant dense<1.0> : tensor<2xf32>
          %left = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<1xf32>
          %right = stablehlo.reshape %b : (tensor<f32>) -> tensor<1xf32>
          %both = stablehlo.concatenate %left, %right, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
          %r = stablehlo.dot_general %both, %row, contracting_dims = [0] x [0]
            : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>"""
SUM_BY_CALL = "%r = func.call @sum(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>"
SUM_BY_IF = f"""%less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %r = "stablehlo.if"(%less) ({{
            {SUM.replace("%r", "%s")}
            stablehlo.return %s : tensor<f32>
          }}, {{
            {SUM.replace("%r", "%s").replace("%a, %b", "%b, %a")}
            stablehlo.return %s : tensor<f32>
          }}) : (tensor<i1>) -> tensor<f32>"""
SUM_BY_WHILE = """%false = stablehlo.constant dense<false> : tensor<i1>
          %true = stablehlo.constant dense<true> : tensor<i1>
          %r, %again = stablehlo.while(%y = %a, %is_first = %true) : tensor<f32>, tensor<i1>
          cond {
            stablehlo.return %is_first : tensor<i1>
          } do {
            %s = stablehlo.add %y, %b : tensor<f32>
            stablehlo.return %s, %false : tensor<f32>, tensor<i1>
          }"""


@pytest.mark.parametrize("body", [SUM_OF_ROW, SUM_BY_CALL, SUM_BY_IF, SUM_BY_WHILE], ids=["row", "call", "if", "while"])
def test_body_with_tensors_or_branches_is_applied_to_each_element(body: str):
    text = f"""func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {{
          {SUM_OF_ROW}
          return %r : tensor<f32>
        }}
        func.func @main(%x: tensor<2x4xf32>, %z: tensor<f32>, %u: tensor<2x2xf32>, %i: tensor<2x1xi32>)
            -> (tensor<2xf32>, tensor<2x2xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {{
          %0 = stablehlo.reduce(%x init: %z) across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
            reducer(%a: tensor<f32>, %b: tensor<f32>) {{
          {body}
            stablehlo.return %r : tensor<f32>
          }}
          %1 = "stablehlo.reduce_window"(%x, %z) ({{
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          {body}
            stablehlo.return %r : tensor<f32>
          }}) {{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}}
            : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x2xf32>
          %2 = "stablehlo.map"(%x, %x) ({{
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          {body}
            stablehlo.return %r : tensor<f32>
          }}) {{dimensions = array<i64: 0, 1>}} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
          %3 = "stablehlo.sort"(%x) ({{
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          {body}
            %double = stablehlo.add %b, %b : tensor<f32>
            %first = stablehlo.compare LT, %r, %double : (tensor<f32>, tensor<f32>) -> tensor<i1>
            stablehlo.return %first : tensor<i1>
          }}) {{dimension = 1 : i64}} : (tensor<2x4xf32>) -> tensor<2x4xf32>
          %4 = "stablehlo.scatter"(%x, %i, %u) ({{
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          {body}
            stablehlo.return %r : tensor<f32>
          }}) {{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0],
            inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}}
            : (tensor<2x4xf32>, tensor<2x1xi32>, tensor<2x2xf32>) -> tensor<2x4xf32>
          %5 = "stablehlo.select_and_scatter"(%x, %u, %z) ({{
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
            %keeps = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
            stablehlo.return %keeps : tensor<i1>
          }}, {{
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          {body}
            stablehlo.return %r : tensor<f32>
          }}) {{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}}
            : (tensor<2x4xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<2x4xf32>
          return %0, %1, %2, %3, %4, %5
            : tensor<2xf32>, tensor<2x2xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
        }}"""
    x = np.array([[4, -1, 0.5, 2], [1, 3, -7, 0.25]], np.float32)
    u, i = np.array([[8, 16], [32, 64]], np.float32), np.array([[1], [3]], np.int32)
    scattered = x.copy()
    scattered[:, [1, 3]] += u
    pairs = x.reshape(2, 2, 2)
    expected = [
        x.sum(1) + 1,
        pairs.sum(2) + 1,
        2 * x,
        np.sort(x),
        scattered,
        (1 + np.where(pairs == pairs.max(2, keepdims=True), u[..., None], 0)).reshape(2, 4),
    ]
    for ours, right in zip(evaluate(parse_module(text), [x, np.asarray(1, np.float32), u, i]), expected, strict=True):
        np.testing.assert_array_equal(ours, right)


def test_body_with_tensors_is_as_associative_as_without():
    reduce = """func.func @main(%x: tensor<4xf32>, %z: tensor<f32>, %k: tensor<2xf32>) -> tensor<f32> {{
          %0 = stablehlo.reduce(%x init: %z) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
            reducer(%a: tensor<f32>, %b: tensor<f32>) {{
          {}
            stablehlo.return %r : tensor<f32>
          }}
          return %0 : tensor<f32>
        }}"""
    weighted = SUM_OF_ROW.replace("%both, %row", "%both, %k")
    for body, is_sum in (SUM, True), (SUM_OF_ROW, True), (weighted, False):
        (block,) = (
            op.body.block for op in parse_module(reduce.format(body)).walk() if isinstance(op, stablehlo.ReduceOp)
        )
        assert is_associative(block) == is_commutative(block) == is_sum


def test_what_orders_or_separates_passes_its_operand_on():
    text = """HloModule m
ENTRY e {
  x = f32[3] parameter(0)
  t = token[] after-all()
  o = f32[3] add-dependency(x, t)
  d = f32[3] domain(o), domain={kind="sharding", entry={maximal device=0}, exit={maximal device=1}}
  p = (f32[3], f32[3]) tuple(x, d)
  c = (f32[3], f32[3]) copy(p)
  ROOT r = f32[3] get-tuple-element(c), index=1
}"""
    (result,) = evaluate(parse_hlo(text), [X])
    np.testing.assert_array_equal(result, X)
