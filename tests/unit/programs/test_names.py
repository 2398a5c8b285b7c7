"""What users call a tensor: JAX's name of its operation, and a line of their own file."""

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import xshardy
from xshardy.programs.program import read_program
from xshardy.programs.source import source_of

MESH = AbstractMesh((4,), ("x",), axis_types=(AxisType.Auto,))
FLAX = "/venv/lib/python3.11/site-packages/flax/linen/linear.py"

# What JAX 0.10 writes for a module of Flax: the innermost place is in Flax, and what is inside of a jitted function
# has a name and no place.
MODULE = f"""
sdy.mesh @mesh = <["x"=2]>
func.func public @main(%arg0: tensor<8x8xf32> loc("p['w']")) -> (tensor<8x8xf32> {{jax.result_info = "['loss']"}}) {{
  %0 = stablehlo.dot %arg0, %arg0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> loc(#dot)
  %1 = func.call @clip(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32> loc(#call)
  func.return %1 : tensor<8x8xf32>
}}
func.func private @clip(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {{
  %0 = stablehlo.negate %arg0 : tensor<8x8xf32> loc(#inside)
  func.return %0 : tensor<8x8xf32>
}} loc(#function)
#flax = loc("{FLAX}":42:7)
#user = loc("/home/me/model.py":7:1)
#at = loc(callsite(#flax at #user))
#dot = loc("jit(step)/Model/Block_0/query/dot_general"(#at))
#call = loc("jit(step)/jit(clip)"(#user))
#inside = loc("neg")
#function = loc("jit:"(#call))
"""


def descriptions(text: str) -> list[str]:
    program = read_program(source_of(text, "m.mlir"))
    return [program.names.describe(result) for op in program.module.walk() for result in op.results]


def test_a_tensor_of_a_library_is_at_the_line_of_the_user():
    assert descriptions(MODULE) == [
        "%0 Model/Block_0/query/dot_general (model.py:7)",
        "%1 clip (model.py:7)",
        "%0 clip/neg (model.py:7)",
    ]


def test_a_place_in_a_library_is_better_than_none():
    only_flax = MODULE.replace('"/home/me/model.py"', f'"{FLAX}"')
    assert descriptions(only_flax)[0] == "%0 Model/Block_0/query/dot_general (linear.py:42)"


def test_results_have_the_names_of_jax():
    explained = xshardy.explain(MODULE, result=0)
    assert "result 0 (['loss'])" in str(explained)


def rolled(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    y = jnp.roll(x, 1, 0) + jnp.where(x > 0, x, -x)
    return y, jax.lax.with_sharding_constraint(y[:1023], NamedSharding(MESH, P("x")))


def test_each_of_several_results_has_its_name():
    types = "tensor<2xf32>, tensor<2xf32>, tensor<2xf32>"
    call = f"stablehlo.custom_call @f(%x) : (tensor<2xf32>) -> ({types})"
    tanh = "stablehlo.tanh %a : tensor<2xf32>"
    text = f"func.func @f(%x: tensor<2xf32>) {{\n  %a, %b:2 = {call}\n  {tanh}\n  %c =\n    {tanh}\n  return\n}}"
    assert descriptions(text) == [
        "%a (line 2)",
        "%b#0 (line 2)",
        "%b#1 (line 2)",
        "result 0 of stablehlo.tanh (line 3)",
        "%c (line 5)",
    ]


def test_what_jax_jits_inside_is_at_the_line_of_the_call():
    argument = jax.ShapeDtypeStruct((1024, 8), jnp.float32, sharding=NamedSharding(MESH, P("x")))
    plan = xshardy.plan(jax.jit(rolled).trace(argument))
    line = f"test_names.py:{rolled.__code__.co_firstlineno + 1}"
    texts = [f"{each.tensor} {each.cause.text}" for each in plan.collectives]
    assert any(f"_roll_static/slice ({line})" in text for text in texts)
    assert any("it is returned as result 1 (result[1])" in text for text in texts)
    assert not any("(line " in text or "jax_functions.py" in text for text in texts)


@pytest.mark.parametrize("stack", ["jit(f)/a/b/c/" + "long_name_of_a_module/" * 4 + "dot"])
def test_a_long_name_begins_with_an_ellipsis(stack: str):
    (shown, *_) = descriptions(MODULE.replace("jit(step)/Model/Block_0/query/dot_general", stack))
    assert shown == "%0 .../long_name_of_a_module/dot (model.py:7)"
