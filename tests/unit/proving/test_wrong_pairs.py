"""Pairs that do not hold, and that are like those that do: none is proved. Each file has both programs, and why."""

from pathlib import Path

import pytest
from proof_pairs import Trial, trial_of

WRONG = sorted((Path(__file__).parent / "wrong_pairs").glob("*.mlir"))


def trial_in(path: Path) -> Trial:
    whole, local = path.read_text().split("// -----")
    return trial_of(whole, local)


@pytest.mark.parametrize("path", WRONG, ids=[path.stem for path in WRONG])
def test_a_wrong_pair_is_not_proved(path: Path):
    trial = trial_in(path)
    assert trial.differs(range(6)), "the pair holds, so that the test says nothing"
    assert not trial.decision.is_proved


MESH = 'sdy.mesh @mesh = <["x"=2]>\n'
TWO_NUMBERS = """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {{
  %least = stablehlo.constant dense<0.0> : tensor<f32>
  %greatest = stablehlo.constant dense<1.0> : tensor<f32>
  %shape = stablehlo.constant dense<4> : tensor<1xi64>
  %0 = {first}
  %1 = {second}
  return %0, {result} : tensor<4xf32>, tensor<4xf32>
}}
"""
RANDOM = (
    "stablehlo.rng %least, %greatest, %shape, distribution = UNIFORM : "
    "(tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>"
)
READING = "stablehlo.custom_call @read(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>"


def with_one_result(op: str) -> Trial:
    """A pair of which the whole program applies an operation two times, and the other one takes one result twice."""
    whole = TWO_NUMBERS.format(first=op, second=op, result="%1")
    return trial_of(whole, TWO_NUMBERS.format(first=op, second=op, result="%0").replace(MESH, ""))


def test_random_numbers_are_others_each_time():
    assert with_one_result(RANDOM).decision.unrelated


def test_that_a_call_with_side_effects_returns_the_same_is_an_assumption():
    assert any("@read" in assumption for assumption in with_one_result(READING).decision.assumptions)


FUNCTION = """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = stablehlo.custom_call @apply(%x) {{called_computations = [@function]}} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}}
func.func private @function(%x: tensor<f32>) -> tensor<f32> {{
  %0 = stablehlo.{name} %x : tensor<f32>
  return %0 : tensor<f32>
}}
"""


def test_functions_that_calls_are_given_are_compared():
    whole = FUNCTION.format(name="negate")
    for name, unrelated in (("negate", []), ("abs", [0])):
        local = FUNCTION.format(name=name).replace(MESH, "")
        assert trial_of(whole, local).decision.unrelated == unrelated


REPLICAS = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = "stablehlo.collective_permute"(%x) <{{
    channel_handle = #stablehlo.channel_handle<handle = {handle}, type = {type}>,
    source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}}
"""


def test_a_permutation_without_a_channel_is_one_of_replicas():
    halves = '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}'
    whole = f"""
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8xf32> {halves}) -> (tensor<8xf32> {halves}) {{
  %0 = stablehlo.slice %x [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  %1 = stablehlo.slice %x [4:8] : (tensor<8xf32>) -> tensor<4xf32>
  %2 = stablehlo.concatenate %1, %0, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}}
"""
    assert trial_of(whole, REPLICAS.format(handle=1, type=1)).decision.is_proved
    assert not trial_of(whole, REPLICAS.format(handle=0, type=0)).decision.is_proved
