"""What JAX prints with locations is the module that it prints without, and our print of it is MLIR's."""

from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax._src.interpreters.mlir import make_ir_context
from jax.export import export
from jaxlib.mlir import ir

import xshardy
from xshardy.syntax.locations import file_and_line, given_name, location_of
from xshardy.transforms.call_graph import functions_of


def layer(p: Any, x: Any) -> Any:
    return jnp.tanh(x @ p["w"] + p["b"])


def loss(p: Any, x: Any) -> Any:
    y = layer(p, layer(p, x))
    return jnp.mean(lax.fori_loop(0, 3, lambda i, z: z * 2.0, y) ** 2)


def sort_and_scan(x: Any) -> Any:
    return lax.scan(lambda c, y: (c + y, jnp.sort(y)), x[0], x)


P = {"w": jnp.ones((4, 4)), "b": jnp.ones(4)}
X = jnp.ones((2, 4))

FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "layer": (layer, (P, X)),
    "loss": (loss, (P, X)),
    "gradient": (jax.value_and_grad(loss), (P, X)),
    "sort_and_scan": (sort_and_scan, (X,)),
    "softmax": (jax.nn.softmax, (X,)),
    "gather": (lambda x, i: x[i], (X, jnp.zeros(3, int))),
    "scatter": (lambda x, i: x.at[i].add(1.0), (X, jnp.zeros(3, int))),
    "while": (lambda x: lax.while_loop(lambda c: jnp.sum(c) < 9, lambda c: c * 2, x), (X,)),
    "cond": (lambda x: lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, x), (X,)),
    "random": (lambda k: jax.random.normal(k, (3, 4)), (jax.random.key(0),)),
    "vmap": (jax.vmap(lambda x: jnp.linalg.norm(x)), (X,)),
    "inner jit": (lambda x: jax.jit(jnp.cumsum)(x), (X,)),
    "reduce window": (lambda x: lax.reduce_window(x, 0.0, lax.add, (2, 2), (1, 1), "SAME"), (X,)),
    "convolution": (lambda x: lax.conv(x, x, (1, 1), "SAME"), (jnp.ones((1, 1, 4, 4)),)),
    "named scope": (jax.named_call(lambda x: x + 1, name='a "quoted" ä'), (X,)),
    "checkpoint": (jax.grad(jax.checkpoint(lambda x: jnp.sum(jnp.sin(jnp.sin(x))))), (X,)),
}


@cache
def lowered(name: str) -> jax.stages.Lowered:
    function, arguments = FUNCTIONS[name]
    return jax.jit(function).lower(*arguments)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_with_locations_it_is_the_same_module(name: str):
    program = lowered(name)
    text = program.as_text(debug_info=True)
    module = xshardy.parse(text)
    assert xshardy.print_module(module) == xshardy.print_module(xshardy.parse(program.as_text()))
    with make_ir_context():
        mlir = ir.Module.parse(text).operation.get_asm(enable_debug_info=True)
    assert xshardy.print_module(module, debug_info=True) == mlir


@pytest.mark.parametrize("name", ["loss", "gradient"])
def test_exported_programs_too(name: str):
    function, arguments = FUNCTIONS[name]
    text = str(export(jax.jit(function))(*arguments).mlir_module())
    with make_ir_context():
        mlir = ir.Module.parse(text).operation.get_asm(enable_debug_info=True)
    assert xshardy.print_module(xshardy.parse(text), debug_info=True) == mlir


def test_names_and_lines_are_those_of_the_program():
    module = xshardy.parse(lowered("loss"))
    main = functions_of(module)["main"]
    assert [given_name(location_of(argument)) for argument in main.args] == ["p['b']", "p['w']", "x"]
    dot = next(op for op in main.walk() if op.name == "stablehlo.dot_general")
    assert file_and_line(location_of(dot)) == f"test_jax_locations.py:{layer.__code__.co_firstlineno + 1}"


def test_every_object_of_jax_is_a_program():
    function, arguments = FUNCTIONS["loss"]
    program = lowered("loss")
    expected = xshardy.print_module(xshardy.parse(program.as_text()))
    for source in (program, jax.jit(function).trace(*arguments), program.compiler_ir("stablehlo")):
        assert xshardy.print_module(xshardy.parse(source)) == expected
        assert "model" not in expected
    exported = export(jax.jit(function))(*arguments)
    assert xshardy.print_module(xshardy.parse(exported)) == xshardy.print_module(xshardy.parse(exported.mlir_module()))


def test_hlo_in_binary_form():
    computation: Any = lowered("loss").compiler_ir("hlo")
    module = computation.as_serialized_hlo_module_proto()
    text = xshardy.print_module(xshardy.read_hlo(computation.as_hlo_text(print_large_constants=True)))
    size = len(module)
    varint = bytes([(size >> shift) & 127 | (128 if size >> shift > 127 else 0) for shift in range(0, 63, 7)
                    if shift == 0 or size >> shift])  # fmt: skip
    for data in (module, b"\x0a" + varint + module):  # an HloModuleProto, an HloProto
        assert xshardy.print_module(xshardy.read_hlo(data)) == text


FORMS = ['"f":1:2 to 3:4', '"f":2:2 to 1:4', '"f":1:2 to :9', '"f":7', '"f":0:0', "fused[]", 'fused["a", "a"]',
         'fused["a", unknown, fused["b", "c":1:2]]', 'fused<"m">["a"]', 'fused<1>[unknown, "a"]', '"a"(unknown)',
         '"a"("b"("c":1:2))', 'callsite("a" at callsite("b" at unknown))', '"\\C3\\A4\\\\\\22\\0A"', "#loc1",
         '"n"(#loc2)', 'fused<{x = 1 : i32}>["a", #loc2]']  # fmt: skip
"""Locations in all of MLIR's forms."""


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_printed_as_mlir_does(form: str):
    text = (
        '#loc2 = loc("early":1:2)\nmodule {\n  func.func @f(%arg0: i32 loc("x"(#loc2))) -> i32 {\n'
        f'    return %arg0 : i32 loc({form})\n  }} loc(#loc1)\n}} loc({form})\n#loc1 = loc("late"(#loc2))\n'
    )
    with make_ir_context():
        mlir = ir.Module.parse(text).operation.get_asm(enable_debug_info=True)
    assert xshardy.print_module(xshardy.parse(text), debug_info=True) == mlir
