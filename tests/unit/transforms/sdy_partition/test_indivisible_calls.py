"""Sizes that do not divide, through calls, loops and branches: parts stay padded, results are those of one device."""

import warnings
from random import Random

import numpy as np
import pytest
from partitioning.shardings import MESHES
from stablehlo_programs import random_nested_program

import xshardy
from xshardy.dialects.stablehlo import AllGatherOp
from xshardy.engines.checked_run import run_module
from xshardy.engines.simulated import Simulated
from xshardy.interpreters.stablehlo import evaluate
from xshardy.launch.prepared_program import entry_of
from xshardy.programs.partitioned import PartitionedProgram
from xshardy.transforms.failures import OperationFailedException
from xshardy.universe import new_context


def check_random_program(seed: int) -> None:
    rng = Random(seed)
    mesh = rng.choice(MESHES)
    text, arguments = random_nested_program(rng, rng.randint(1, 10), [*mesh.sizes])
    module = xshardy.parse(f"sdy.mesh @mesh = {str(mesh).removeprefix('#sdy.mesh')}\n{text}")
    wanted = evaluate(entry_of(module), arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            run = run_module(module, Simulated(), new_context(), arguments=arguments)
        except OperationFailedException as refused:
            assert "reduces a dimension that its sharding does not divide" in str(refused)
            return
    for one, other in zip(run.results, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_compute_on_a_mesh_what_one_device_does(seed: int):
    check_random_program(seed)


MAIN = """
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<16x62xf32>, %p: tensor<i32>) -> tensor<16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.sine %x : tensor<16x62xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"x"}]> : tensor<16x62xf32>
  BODY
  %r = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<16x62xf32>, tensor<f32>) -> tensor<16xf32>
  return %r : tensor<16xf32>
}
func.func private @outer(%x: tensor<16x62xf32>) -> tensor<16x62xf32> {
  %0 = call @inner(%x) : (tensor<16x62xf32>) -> tensor<16x62xf32>
  %1 = call @inner(%0) : (tensor<16x62xf32>) -> tensor<16x62xf32>
  return %1 : tensor<16x62xf32>
}
func.func private @inner(%x: tensor<16x62xf32>) -> tensor<16x62xf32> {
  %0 = stablehlo.cosine %x : tensor<16x62xf32>
  return %0 : tensor<16x62xf32>
}
"""
CALL = "call @outer({}) : (tensor<16x62xf32>) -> tensor<16x62xf32>"
BODIES = {
    "calls": f"%2 = {CALL.format('%1')}\n  %3 = {CALL.format('%2')}",
    "loop": f"""%n = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<3> : tensor<i32>
  %2:2 = stablehlo.while(%i = %n, %c = %1) : tensor<i32>, tensor<16x62xf32> cond {{
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  }} do {{
    %next = stablehlo.add %i, %one : tensor<i32>
    %d = {CALL.format("%c")}
    stablehlo.return %next, %d : tensor<i32>, tensor<16x62xf32>
  }}""",
    "branches": f"""%3 = "stablehlo.case"(%p) ({{
    %a = {CALL.format("%1")}
    stablehlo.return %a : tensor<16x62xf32>
  }}, {{
    stablehlo.return %1 : tensor<16x62xf32>
  }}) : (tensor<i32>) -> tensor<16x62xf32>""",
    "predicate": f"""%no = stablehlo.constant dense<0> : tensor<i32>
  %is = stablehlo.compare EQ, %p, %no : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %3 = "stablehlo.if"(%is) ({{
    %a = {CALL.format("%1")}
    stablehlo.return %a : tensor<16x62xf32>
  }}, {{
    %b = stablehlo.constant dense<1.0> : tensor<16x62xf32>
    stablehlo.return %b : tensor<16x62xf32>
  }}) : (tensor<i1>) -> tensor<16x62xf32>""",
}


def all_gathers(program: PartitionedProgram) -> int:
    return sum(isinstance(op, AllGatherOp) for op in program.module.walk())


@pytest.mark.parametrize("body", BODIES)
def test_calls_keep_padded_parts(body: str):
    text = MAIN.replace("BODY", BODIES[body]).replace("reduce(%3", "reduce(%2#1" if body == "loop" else "reduce(%3")
    assert not all_gathers(xshardy.partition(text))
    assert xshardy.run(text, check=True).agrees
    assert xshardy.run(text, check=True, on="kernels").agrees


def test_a_function_that_is_called_with_different_shardings_is_padded_for_each():
    text = MAIN.replace(
        "BODY",
        "%2 = sdy.sharding_constraint %0 <@mesh, [{}, {}]> : tensor<16x62xf32>\n  "
        f"%s = {CALL.format('%2')}\n  %t = {CALL.format('%1')}\n  %3 = stablehlo.add %s, %t : tensor<16x62xf32>",
    )
    assert xshardy.run(text, check=True).agrees


def test_random_numbers_of_jax_are_drawn_in_padded_parts():
    import jax

    axis_types = (jax.sharding.AxisType.Auto,)
    mesh = jax.sharding.AbstractMesh((8,), ("d",), axis_types=axis_types)
    rows = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("d"))
    whole = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())

    def initial(key: object) -> object:
        return jax.lax.with_sharding_constraint(0.02 * jax.random.normal(key, (57, 6)), rows).sum(0)

    key = jax.ShapeDtypeStruct((2,), np.uint32, sharding=whole)
    program = xshardy.partition(jax.jit(initial).trace(key))
    assert not all_gathers(program)
    assert xshardy.run(jax.jit(initial).trace(key), [np.array([0, 7], np.uint32)], check=True).agrees
