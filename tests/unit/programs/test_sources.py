"""Whatever one entry of the library takes, all take: each entry on each kind of source."""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec
from xdsl.utils.exceptions import VerifyException

import xshardy

jax: Any = import_module("jax")  # without its types, which are incomplete
MESH = AbstractMesh((2,), ("data",), axis_types=(AxisType.Auto,))

MLIR = """sdy.mesh @mesh = <["data"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %y: tensor<8x4xf32>)
    -> tensor<8x4xf32> {
  %0 = stablehlo.tanh %x : tensor<8x4xf32>
  %1 = stablehlo.add %0, %y : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
"""
HLO = """HloModule m

ENTRY %main (x: f32[8,4], y: f32[8,4]) -> f32[8,4] {
  %x = f32[8,4]{1,0} parameter(0), sharding={devices=[2,1]<=[2]}
  %y = f32[8,4]{1,0} parameter(1)
  %t = f32[8,4]{1,0} tanh(%x)
  ROOT %s = f32[8,4]{1,0} add(%t, %y)
}
"""


def function(x: Any, y: Any) -> Any:
    return jax.numpy.tanh(x) + y


def arguments() -> tuple[Any, Any]:
    x = jax.ShapeDtypeStruct((8, 4), "float32", sharding=NamedSharding(MESH, PartitionSpec("data")))
    return x, jax.ShapeDtypeStruct((8, 4), "float32")


def binary_hlo() -> bytes:
    from jaxlib import _hlo  # pyright: ignore

    return _hlo.hlo_module_from_text(HLO).as_serialized_hlo_module_proto()  # pyright: ignore


def of_jaxlib() -> Any:
    lowered = jax.jit(function).trace(*arguments()).lower(lowering_platforms=("cpu",))
    return lowered.compiler_ir("stablehlo")


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


SOURCES: Mapping[str, Callable[[Path], Any]] = {
    "text": lambda folder: MLIR,
    "bytes": lambda folder: MLIR.encode(),
    "path": lambda folder: written(folder / "step.mlir", MLIR),
    "name of a file": lambda folder: str(written(folder / "step.mlir", MLIR)),
    "bytecode": lambda folder: xshardy.write_bytecode(xshardy.parse(MLIR)),
    "file of bytecode": lambda folder: written(folder / "step.mlirbc", xshardy.write_bytecode(xshardy.parse(MLIR))),
    "artifact": lambda folder: xshardy.write_artifact(xshardy.parse(MLIR)),
    "module": lambda folder: xshardy.parse(MLIR),
    "HLO text": lambda folder: HLO,
    "file of HLO": lambda folder: written(folder / "step.hlo", HLO),
    "binary HLO": lambda folder: binary_hlo(),
    "file of binary HLO": lambda folder: str(written(folder / "step.hlo.pb", binary_hlo())),
    "module of HLO": lambda folder: xshardy.read_hlo(HLO),
    "lowered": lambda folder: jax.jit(function).trace(*arguments()).lower(lowering_platforms=("cpu",)),
    "traced": lambda folder: jax.jit(function).trace(*arguments()),
    "exported": lambda folder: jax.export.export(jax.jit(function), platforms=("cpu",))(*arguments()),
    "serialized export": lambda folder: bytes(
        jax.export.export(jax.jit(function), platforms=("cpu",))(*arguments()).serialize()
    ),
    "module of jaxlib": lambda folder: of_jaxlib(),
    "function": lambda folder: function,
    "function of jax.jit": lambda folder: jax.jit(function),
}

ENTRIES: Mapping[str, Callable[[Any, Mapping[str, Any]], Any]] = {
    "run_passes": lambda source, given: xshardy.run_passes(source, "canonicalize", **given),
    "propagate": lambda source, given: xshardy.propagate(source, **given),
    "partition": lambda source, given: xshardy.partition(source, **given).arguments[0].local_shape,
    "plan": lambda source, given: xshardy.plan(source, **given).argument_bytes,
    "prove": lambda source, given: (lambda verdict: verdict and verdict.pair.arguments[0].local_shape)(
        xshardy.prove(source, **given)
    ),
    "explain": lambda source, given: xshardy.explain(source, argument=0, **given).placement.local_shape,
    "run": lambda source, given: xshardy.run(source, given.get("arguments")).program.arguments[0].local_shape,
    "emit": lambda source, given: xshardy.emit(source, **given),
}
"""Those that compile kernels, `compile` and `compile_program`, read as `emit` and `partition` do."""

EXPECTED = {"partition": (4, 4), "plan": 2 * 4 * 4 * 4, "prove": (4, 4), "explain": (4, 4), "run": (4, 4)}
"""What a device holds: half of each argument, in elements, and in bytes."""


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("kind", SOURCES)
def test_each_entry_takes_each_source(entry: str, kind: str, tmp_path: Path):
    given = {"arguments": arguments()} if kind.startswith("function") else {}
    result = ENTRIES[entry](SOURCES[kind](tmp_path), given)
    if entry in EXPECTED:
        assert result == EXPECTED[entry]
    else:
        assert "tanh" in xshardy.print_module(result)


def test_meshes_are_given_to_all_that_propagate():
    sharded = xshardy.print_module(xshardy.propagate(MLIR, mesh="data=4"))
    assert 'sdy.mesh @mesh = <["data"=4]>' in sharded
    assert xshardy.explain(MLIR, argument=1, mesh={"data": 8}).placement.local_shape == (1, 4)


def test_a_module_has_the_names_that_it_is_printed_with():
    """It is planned and explained without its text, so that there are no lines."""
    module = xshardy.parse(MLIR)
    before = xshardy.print_module(module)
    explained = xshardy.explain(module, value="%1")
    assert explained.tensor == "%1" and "argument 0 (%arg0)" in str(explained)
    assert xshardy.plan(module).peak_bytes == xshardy.plan(MLIR).peak_bytes
    assert xshardy.print_module(module) == before


def test_an_invalid_program_is_refused_with_its_place():
    text = MLIR.replace("%1 : tensor<8x4xf32>\n", "%0 : tensor<8x4xf32>\n").replace('{"data"}', '{"rows"}')
    for entry in (xshardy.parse, xshardy.propagate, xshardy.partition, xshardy.plan):
        with pytest.raises(VerifyException, match=r"step\.mlir:2:\d+: error: .*rows"):
            entry(text, "step.mlir")


def test_tuples_of_custom_calls_are_dissolved():
    propagated = xshardy.propagate("""sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %t = stablehlo.custom_call @f(%x) : (tensor<8xf32>) -> tuple<tensor<8xf32>, tensor<8xf32>>
  %c = stablehlo.get_tuple_element %t[1] : (tuple<tensor<8xf32>, tensor<8xf32>>) -> tensor<8xf32>
  %r = stablehlo.negate %c : tensor<8xf32>
  return %r : tensor<8xf32>
}
""")
    assert "@f(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)" in str(propagated)
