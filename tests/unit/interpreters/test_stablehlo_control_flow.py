"""Ops that choose between regions or repeat one, against XLA on the CPU."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from xdsl.utils.exceptions import InterpretationError

from xshardy.hlo_text import parse_hlo
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


def test_choice_of_each_element_is_refused():
    module = parse_module(
        """func.func @main(%x: tensor<5xf32>, %z: tensor<f32>) -> tensor<f32> {
          %0 = stablehlo.reduce(%x init: %z) across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
            reducer(%a: tensor<f32>, %b: tensor<f32>) {
              %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
              %1 = "stablehlo.if"(%less) ({
                stablehlo.return %a : tensor<f32>
              }, {
                stablehlo.return %b : tensor<f32>
              }) : (tensor<i1>) -> tensor<f32>
              stablehlo.return %1 : tensor<f32>
            }
          func.return %0 : tensor<f32>
        }"""
    )
    with pytest.raises(InterpretationError, match=r"stablehlo.if: it chooses for each element anew here"):
        evaluate(module, [np.arange(5, dtype=np.float32), np.asarray(0, np.float32)])


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
