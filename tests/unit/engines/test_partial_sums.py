"""Programs with unreduced tensors agree with the whole program on one device, and reduce as little as they can."""

import pytest

import xshardy
from xshardy.engines.checked_run import run_module
from xshardy.engines.engine import engine_named
from xshardy.universe import new_context

HEAD = 'sdy.mesh @mesh = <["x"=2, "y"=2]>\n'
SUM = '#sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>'
RESULT = '{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>}'
OPERANDS = (
    '%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, '
    '%b: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}'
)
DOT = f"%0 = stablehlo.dot %a, %b {RESULT} : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>"

PROGRAMS: dict[str, tuple[str, int]] = {
    "an argument is reduced and divided": (
        f"""func.func @main(%a: tensor<8x4xf32> {{sdy.sharding = {SUM}}}) -> tensor<8x4xf32> {{
          %0 = sdy.sharding_constraint %a <@mesh, [{{"x"}}, {{}}]> : tensor<8x4xf32>
          return %0 : tensor<8x4xf32>
        }}""",
        0,
    ),
    "a sum of sums is reduced once": (
        f"""func.func @main({OPERANDS}) -> tensor<8x6xf32> {{
          {DOT}
          %1 = stablehlo.add %0, %0 {RESULT} : tensor<8x6xf32>
          %2 = sdy.sharding_constraint %1 <@mesh, [{{}}, {{}}]> : tensor<8x6xf32>
          return %2 : tensor<8x6xf32>
        }}""",
        1,
    ),
    "what shardings do not say passes on": (
        f"""func.func @main({OPERANDS}) -> tensor<48xf32> {{
          {DOT}
          %1 = stablehlo.negate %0 : tensor<8x6xf32>
          %2 = stablehlo.reshape %1 : (tensor<8x6xf32>) -> tensor<48xf32>
          %3 = stablehlo.slice %2 [0:24] : (tensor<48xf32>) -> tensor<24xf32>
          %4 = stablehlo.concatenate %3, %3, dim = 0 : (tensor<24xf32>, tensor<24xf32>) -> tensor<48xf32>
          %5 = stablehlo.tanh %4 : tensor<48xf32>
          return %5 : tensor<48xf32>
        }}""",
        1,
    ),
    "replicated to unreduced and divided": (
        """func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> tensor<8x4xf32> {
          %0 = sdy.sharding_constraint %a <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x4xf32>
          %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
          return %1 : tensor<8x4xf32>
        }""",
        0,
    ),
    "sharded to unreduced, with padding": (
        f"""func.func @main(%a: tensor<8x5xf32>) -> (tensor<8x5xf32> {{sdy.sharding = {SUM}}}) {{
          %0 = sdy.sharding_constraint %a <@mesh, [{{}}, {{"x"}}]> : tensor<8x5xf32>
          %1 = stablehlo.negate %0 : tensor<8x5xf32>
          %2 = sdy.sharding_constraint %1 <@mesh, [{{}}, {{}}], unreduced={{"x"}}> : tensor<8x5xf32>
          return %2 : tensor<8x5xf32>
        }}""",
        0,
    ),
    "a reduction in two steps": (
        """func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>},
                           %b: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>})
            -> tensor<8x6xf32> {
          %0 = stablehlo.dot %a, %b : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
          %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}], unreduced={"x", "y"}> : tensor<8x6xf32>
          %2 = sdy.sharding_constraint %1 <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x6xf32>
          %3 = stablehlo.add %2, %2 : tensor<8x6xf32>
          %4 = sdy.sharding_constraint %3 <@mesh, [{}, {}]> : tensor<8x6xf32>
          return %4 : tensor<8x6xf32>
        }""",
        2,
    ),
    "a loop adds up in a function, and reduces at its end": (
        """func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4xf32> {
          %zeros = stablehlo.constant dense<0.0> : tensor<4xf32>
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %n = stablehlo.constant dense<3> : tensor<i32>
          %0:2 = stablehlo.while(%i = %zero, %s = %zeros) : tensor<i32>, tensor<4xf32> cond {
            %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %c : tensor<i1>
          } do {
            %j = stablehlo.add %i, %one : tensor<i32>
            %t = func.call @step(%x, %s) : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<4xf32>
            stablehlo.return %j, %t : tensor<i32>, tensor<4xf32>
          }
          return %0#1 : tensor<4xf32>
        }
        func.func private @step(%x: tensor<8x4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
          %z = stablehlo.constant dense<0.0> : tensor<f32>
          %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0]
            : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
          %1 = sdy.sharding_constraint %0 <@mesh, [{}], unreduced={"x"}> : tensor<4xf32>
          %2 = stablehlo.add %s, %1 : tensor<4xf32>
          return %2 : tensor<4xf32>
        }""",
        1,
    ),
    "a manual computation takes and gives parts": (
        """func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                           %b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>})
            -> (tensor<4xf32>, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
          %0 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}], unreduced={"x"}>]
              out_shardings=[<@mesh, [{}], unreduced={"x"}>] manual_axes={"x"}
              (%p: tensor<4x4xf32>, %q: tensor<4xf32>) {
            %z = stablehlo.constant dense<0.0> : tensor<f32>
            %s = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0]
              : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
            %t = stablehlo.add %s, %q : tensor<4xf32>
            sdy.return %t : tensor<4xf32>
          } : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<4xf32>
          %1 = stablehlo.exponential %0 : tensor<4xf32>
          return %1, %0 : tensor<4xf32>, tensor<4xf32>
        }""",
        1,
    ),
    "an all-reduce that is written already": (
        f"""func.func @main({OPERANDS}) -> tensor<8x6xf32> {{
          %0 = stablehlo.dot %a, %b {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{}}, {{}}]>]>}}
            : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
          %1 = sdy.all_reduce {{"x"}} %0 out_sharding=<@mesh, [{{}}, {{}}]> : tensor<8x6xf32>
          return %1 : tensor<8x6xf32>
        }}""",
        1,
    ),
}


@pytest.mark.parametrize("engine", ["simulated", "kernels"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_of_partial_sums(name: str, engine: str):
    text, reductions = PROGRAMS[name]
    module = xshardy.parse(HEAD + text)
    run = run_module(module, engine_named(engine), new_context(), check=True)
    assert run.agrees
    assert str(run.program).count('"stablehlo.all_reduce"') == reductions


@pytest.mark.parametrize("name", PROGRAMS)
def test_plans_of_partial_sums(name: str):
    assert xshardy.plan(HEAD + PROGRAMS[name][0])
