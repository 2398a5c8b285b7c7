"""Bytecode of JAX and of jaxlib's MLIR is read as the module that its text is, and they read ours."""

import io
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax._src.interpreters.mlir import make_ir_context
from jax._src.lib import _jax
from jax.export import Exported, deserialize, export
from jaxlib.mlir import ir
from jaxlib.mlir.dialects.stablehlo import get_current_version
from xdsl.dialects.builtin import ModuleOp

import xshardy
from xshardy.dialects import stablehlo
from xshardy.dialects.element_names import HLO_FLOATS
from xshardy.syntax.bytecode import read_bytecode, write_artifact, write_bytecode
from xshardy.syntax.locations import location_of
from xshardy.syntax.printer import Printer

NEWEST = get_current_version()
"""The version of StableHLO that the installed jaxlib writes."""

X = np.linspace(-2, 2, 32, dtype=np.float32).reshape(4, 8)


def loop(x: Any) -> Any:
    return lax.scan(lambda c, y: (c + y, jnp.sort(y)), x[0], x)


def window(x: Any) -> Any:
    image = x.reshape(1, 4, 8, 1)
    pooled = lax.reduce_window(image, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return lax.conv_general_dilated(
        pooled, jnp.ones((2, 2, 1, 3)), (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "matmul": lambda x: jnp.tanh(x @ x.T).sum(axis=0),
    "gradient": jax.grad(lambda x: jnp.mean(jax.nn.softmax(x) ** 2)),
    "loop": loop,
    "window": window,
    "gather_and_scatter": lambda x: x[jnp.array([2, 0])].at[:, jnp.array([1, 1])].add(1.0),
    "fft_and_complex": lambda x: jnp.abs(jnp.fft.rfft(x)) + jnp.real(jnp.exp(1j * x[:, :5])),
    "linear_algebra": lambda x: jnp.linalg.cholesky(x @ x.T + 9 * jnp.eye(4)),
    "conditional": lambda x: lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, x),
    "random": lambda x: jax.random.normal(jax.random.key(7), x.shape) + x,
    "small_types": lambda x: (x.astype(jnp.bfloat16), x.astype(jnp.float8_e4m3fn), x > 0, x.astype(jnp.uint8)),
    "sort": lambda x: lax.top_k(x, 2),
}


@cache
def exported(name: str) -> Exported:
    return export(jax.jit(FUNCTIONS[name]))(jax.ShapeDtypeStruct(X.shape, X.dtype))


def generic(module: ModuleOp) -> str:
    """The text without the names of values, which bytecode does not have."""
    for op in module.walk():
        for value in (*op.results, *(argument for region in op.regions for b in region.blocks for argument in b.args)):
            value.name_hint = None
    return Printer(print_generic_format=True).module_text(module)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_artifact_is_its_text(name: str):
    from_bytes = xshardy.parse(exported(name))
    from_text = xshardy.parse(str(exported(name).mlir_module()))
    assert generic(from_bytes) == generic(from_text)
    for read, printed in zip(from_bytes.walk(), from_text.walk(), strict=True):
        is_elided = isinstance(printed.parent_op(), stablehlo.ReduceOp)  # the text of a short `reduce` has no body
        assert is_elided or str(location_of(read)) == str(location_of(printed))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_jax_runs_what_we_write(name: str):
    original = exported(name)
    ours = replace(original, mlir_module_serialized=xshardy.write_artifact(xshardy.parse(original)))
    assert str(ours.mlir_module()) == str(original.mlir_module())
    jax.tree.map(np.testing.assert_array_equal, ours.call(X), original.call(X))


def test_what_we_write_goes_through_the_files_of_jax():
    pytest.importorskip("flatbuffers")
    original = exported("matmul")
    ours = replace(original, mlir_module_serialized=xshardy.write_artifact(xshardy.parse(original)))
    read = deserialize(ours.serialize())
    np.testing.assert_array_equal(read.call(X), original.call(X))
    assert generic(xshardy.parse(read)) == generic(xshardy.parse(original))


@pytest.mark.parametrize("version", ["1.0.0", "1.4.0", "1.8.0", "1.11.0", "1.17.0", NEWEST])
def test_jaxlib_reads_artifacts_of_versions(version: str):
    original = exported("matmul")
    with make_ir_context():
        read = _jax.mlir.deserialize_portable_artifact(write_artifact(xshardy.parse(original), version))
        assert generic(xshardy.parse(str(read))) == generic(xshardy.parse(original))
        theirs = _jax.mlir.serialize_portable_artifact(str(original.mlir_module()), version)
    assert generic(read_bytecode(theirs)) == generic(xshardy.parse(original))


INTEGERS = [f"{sign}{width}" for sign in ("i", "ui") for width in (2, 4, 8, 16, 32, 64)]
ELEMENTS = ("i1", "index", *INTEGERS, *(kind.name for kind in HLO_FLOATS), "tf32", "f6E2M3FN", "f6E3M2FN")


def test_types_of_elements_have_the_codes_of_mlir():
    types = ", ".join((*ELEMENTS, "f80", "f128", "none"))
    with make_ir_context():
        module = ir.Module.parse(f"func.func private @f({types})")
        written = io.BytesIO()
        module.operation.write_bytecode(written)
        ours = xshardy.parse(str(module))
        assert str(ir.Module.parse(write_bytecode(ours))) == str(module)
    assert generic(read_bytecode(written.getvalue())) == generic(ours)


def test_types_of_elements_have_the_codes_of_artifacts():
    arguments = ", ".join(f"%{element}: tensor<2x{element}>" for element in ELEMENTS)
    with make_ir_context():
        module = str(ir.Module.parse(f"func.func @f({arguments}) {{ return }}"))  # jaxlib fails without a body
        ours = xshardy.parse(module)
        assert str(_jax.mlir.deserialize_portable_artifact(write_artifact(ours, NEWEST))) == module
        theirs = _jax.mlir.serialize_portable_artifact(module, NEWEST)
    assert generic(read_bytecode(theirs)) == generic(ours)


PLAIN = """
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func private @g(%x: tensor<2x3xi1>, %v: vector<[2]x3xf32>, %m: memref<?xf32, 3>, %c: i1) -> (tensor<3x2xi1>, i32) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xi1>) -> tensor<3x2xi1> loc("a.py":1:2 to 3:5)
  %1 = stablehlo.constant dense<[1, -2]> : tensor<2xi4>
  %2 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %3 = stablehlo.constant dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>
  %4 = stablehlo.constant dense<0x7F800000> : tensor<100x100xf32>
  %5 = sdy.sharding_constraint %4 <@mesh, [{"x":(1)2}, {?}p2], replicated={"y"}> : tensor<100x100xf32>
  %6 = arith.constant -5 : i32
  %7 = arith.addi %6, %6 overflow<nsw> : i32
  %8 = arith.constant 1.5 : f8E4M3FN
  %9 = chlo.broadcast_add %1, %1 {broadcast_dimensions = array<i64: 0>} : (tensor<2xi4>, tensor<2xi4>) -> tensor<2xi4>
  cf.cond_br %c, ^bb1(%7 : i32), ^bb2
^bb1(%10: i32):
  return %0, %10 : tensor<3x2xi1>, i32 loc(fused<"why">["a", callsite("b" at unknown)])
^bb2:
  cf.br ^bb1(%6 : i32)
}
"""


WITH_RESOURCES = """
func.func @main() -> (tensor<2xf32>, tensor<3xi8>, tensor<2xf32>) {
  %0 = stablehlo.constant dense_resource<floats> : tensor<2xf32>
  %1 = stablehlo.constant dense_resource<aligned_to_16_bytes> : tensor<3xi8>
  %2 = stablehlo.constant dense_resource<elsewhere> : tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<3xi8>, tensor<2xf32>
}
{-# dialect_resources: { builtin: {
  floats: "0x040000000000803F00000040", aligned_to_16_bytes: "0x10000000010203"
} } #-}
"""


def test_resources_of_mlir_are_those_of_the_text_and_it_reads_names_without_elements():
    with make_ir_context():
        written = io.BytesIO()
        ir.Module.parse(WITH_RESOURCES).operation.write_bytecode(written)
        theirs = read_bytecode(written.getvalue())
    assert generic(theirs) == generic(xshardy.parse(WITH_RESOURCES))
    assert "dense<[1, 2, 3]>" in generic(theirs) and "dense_resource<elsewhere>" in generic(theirs)
    with make_ir_context():  # in the context of before the name is taken; newer MLIR adds a number here, too
        assert "dense_resource<elsewhere" in str(ir.Module.parse(write_bytecode(theirs)))


def test_bytecode_of_mlir_is_its_text_and_it_reads_ours():
    with make_ir_context():
        module = ir.Module.parse(PLAIN)
        written = io.BytesIO()
        module.operation.write_bytecode(written)
        theirs = read_bytecode(written.getvalue())
        text = module.operation.get_asm(enable_debug_info=True)
        assert ir.Module.parse(write_bytecode(theirs)).operation.get_asm(enable_debug_info=True) == text
    ours = xshardy.parse(text)
    assert generic(theirs) == generic(ours)
    assert [str(location_of(op)) for op in theirs.walk()] == [str(location_of(op)) for op in ours.walk()]
