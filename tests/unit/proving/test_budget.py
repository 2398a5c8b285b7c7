"""Proofs that fail end: they share what they know of shared operands, and are given up after a budget of steps."""

import json

import pytest

import xshardy
from xshardy.tools.cli import main

LENGTH = 40


def doubled(last: str) -> str:
    """A sum that is reduced, and added to itself again and again: as a tree, it has 2^40 operands."""
    lines = [f"%{number} = stablehlo.add %{number - 1}, %{number - 1} : tensor<4xf32>" for number in range(1, LENGTH)]
    return f"""
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}], unreduced={{"x"}}>}})
    -> tensor<4xf32> {{
  %0 = stablehlo.negate %x : tensor<4xf32>
  {chr(10).join(lines)}
  %r = {last} %{LENGTH - 1} : tensor<4xf32>
  return %r : tensor<4xf32>
}}
"""


LOCAL = f"""
module attributes {{mhlo.num_partitions = 2 : i32}} {{
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = stablehlo.cosine %x : tensor<4xf32>
  {chr(10).join(f"%{n} = stablehlo.add %{n - 1}, %{n - 1} : tensor<4xf32>" for n in range(1, LENGTH))}
  %r = "stablehlo.all_reduce"(%{LENGTH - 1}) <{{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }}) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}}
}}
"""  # noqa: E501


def test_operands_that_are_shared_are_looked_at_once():
    verdict = xshardy.prove(doubled("stablehlo.sine"), LOCAL, run=False)
    assert not verdict and verdict.given_up is None


def test_a_proof_is_given_up_after_its_budget():
    text = doubled("stablehlo.sine")
    verdict = xshardy.prove(text, run=False, budget=30)
    assert not verdict and verdict.given_up is not None
    assert "given up at" in str(verdict) and "the budget of steps is spent" in str(verdict)
    assert xshardy.prove(text, run=False)


def test_the_command_says_where_it_gave_up(capsys: pytest.CaptureFixture[str]):
    assert main(["prove", "examples/mlp.mlir", "--no-run", "--json", "--budget", "12"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert found["answer"] == "undecided" and found["given_up"]["operation"].startswith("stablehlo.")
