"""Programs compute the same when operations are made asynchronous, put in order, and made synchronous again."""

import numpy as np
import pytest
from async_programs import programs
from hypothesis import given
from hypothesis.strategies import integers, sampled_from, sets
from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects.hlo import AsyncOperation, StartOp
from xshardy.interpreters.random_elements import random_inputs
from xshardy.interpreters.stablehlo import evaluate
from xshardy.syntax import parse_module
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.hlo_async.schedule import AsyncSchedulePass
from xshardy.transforms.hlo_async.unwrap import AsyncUnwrapPass
from xshardy.transforms.hlo_async.wrap import AsyncWrapPass, wrap_matching
from xshardy.universe import new_context

PROGRAMS = {
    "slices": """
      func.func @main(%x: tensor<8xf32>, %i: tensor<i32>) -> (tensor<2xf32>, tensor<8xf32>) {
        %0 = stablehlo.slice %x [2:4] : (tensor<8xf32>) -> tensor<2xf32>
        %1 = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<8xf32>, tensor<i32>) -> tensor<2xf32>
        %2 = stablehlo.add %0, %1 : tensor<2xf32>
        %3 = stablehlo.dynamic_update_slice %x, %2, %i
          : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
        return %2, %3 : tensor<2xf32>, tensor<8xf32>
      }""",
    "reductions_and_products": """
      func.func @main(%x: tensor<4x6xf32>, %y: tensor<6x4xf32>) -> (tensor<4x4xf32>, tensor<f32>) {
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
          : (tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>
        %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1]
          : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
        return %0, %1 : tensor<4x4xf32>, tensor<f32>
      }""",
    "fusion_of_two_results": """
      func.func private @fused(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>) {
        %0 = stablehlo.add %x, %y : tensor<4xf32>
        %1 = stablehlo.compare LT, %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        return %0, %1 : tensor<4xf32>, tensor<4xi1>
      }
      func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xf32>) {
        %0:2 = hlo.fusion loop @fused(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>)
        %1 = hlo.copy %0#0 : tensor<4xf32>
        return %0#1, %1 : tensor<4xi1>, tensor<4xf32>
      }""",
}
ANYTHING = (
    "add",
    "compare",
    "copy",
    "dot-general",
    "dynamic-slice",
    "dynamic-update-slice",
    "fusion",
    "reduce",
    "slice",
)


def starts_in(module: ModuleOp) -> int:
    return sum(isinstance(op, StartOp) for op in module.walk())


@pytest.mark.parametrize("max_in_flight", [None, 1, 2])
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_stay(name: str, max_in_flight: int | None):
    module = parse_module(PROGRAMS[name])
    before = str(module)
    arguments = random_inputs(functions_of(module)["main"].function_type.inputs.data, seed=3)
    expected = evaluate(module, arguments)
    AsyncWrapPass(ANYTHING).apply(new_context(), module)
    assert starts_in(module) >= 2
    AsyncSchedulePass(max_in_flight).apply(new_context(), module)
    module.verify()
    for ours, synchronous in zip(evaluate(module, arguments), expected, strict=True):
        np.testing.assert_array_equal(ours, synchronous)
    AsyncUnwrapPass().apply(new_context(), module)
    module.verify()
    assert starts_in(module) == 0
    assert functions_of(module).keys() == functions_of(parse_module(before)).keys()
    for ours, synchronous in zip(evaluate(module, arguments), expected, strict=True):
        np.testing.assert_array_equal(ours, synchronous)


@pytest.mark.parametrize("name", PROGRAMS)
def test_unwrapping_undoes_wrapping(name: str):
    module = parse_module(PROGRAMS[name])
    before = str(module)
    AsyncWrapPass(ANYTHING).apply(new_context(), module)
    AsyncUnwrapPass().apply(new_context(), module)
    assert str(module) == before


@given(programs(max_steps=14, max_chains=5), sets(sampled_from(["negate", "add", "multiply"])), integers(0, 2**31))
def test_random_programs_stay(text: str, opcodes: set[str], seed: int):
    module = parse_module(text)
    arguments = list(np.random.default_rng(seed).standard_normal((2, 4)).astype(np.float32))
    expected = evaluate(module, arguments)
    wrap_matching(module, lambda op: op.name.removeprefix("stablehlo.") in opcodes)
    module.verify()
    AsyncUnwrapPass().apply(new_context(), module)
    module.verify()
    assert not any(isinstance(op, AsyncOperation) for op in module.walk())
    for ours, before in zip(evaluate(module, arguments), expected, strict=True):
        np.testing.assert_array_equal(ours, before)
