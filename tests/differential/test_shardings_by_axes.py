"""
Propagation between two dumps of XLA: shardings by the names of axes, before and after its Shardy pass.

XLA writes them so with a flag, which must be set before JAX starts: another process compiles the programs.
"""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from xshardy.hlo_text import parse_hlo
from xshardy.programs.source import source_of
from xshardy.tools.placed_diagnostics import imported_program
from xshardy.transforms.hlo.inline_regions import InlineRegionsPass
from xshardy.transforms.hlo.to_opcodes import write_hlo
from xshardy.transforms.sdy_propagation.propagation_pipeline import PropagationPipelinePass
from xshardy.transforms.xla_sdy.round_trip_import_pipeline import RoundTripImportPipelinePass
from xshardy.transforms.xla_sdy.stablehlo_export_pipeline import StablehloExportPipelinePass
from xshardy.universe import new_context

pytest.importorskip("jax")

pytestmark = pytest.mark.processes

SCRIPT = """
import jax, jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec
jax.config.update("jax_num_cpu_devices", 8)
mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)

def placed(shape, *axes, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype, sharding=jax.NamedSharding(mesh, PartitionSpec(*axes)))

def layer(x, w):
    y = jax.lax.with_sharding_constraint(jnp.tanh(x @ w), jax.NamedSharding(mesh, PartitionSpec("data", None)))
    return jax.nn.softmax(y @ w.T)

def attention(q, k):
    return jnp.einsum("bqh,bkh->bqk", q, k).max(axis=-1), jnp.swapaxes(k, 0, 1).reshape(16, 128)

def embedding(table, ids):
    return jnp.cumsum(table[ids].reshape(8, 64), axis=0)

def mapped(x, w):
    product = lambda a, b: jax.lax.psum(a @ b, "model")
    specs = PartitionSpec("data", "model"), PartitionSpec("model", None)
    y = jax.shard_map(product, mesh=mesh, in_specs=specs, out_specs=PartitionSpec("data", None))(x, w)
    return jax.lax.with_sharding_constraint(y, jax.NamedSharding(mesh, PartitionSpec("data", None))) * 2, x

def partly_mapped(x, w):
    product = lambda a, b: (jax.lax.psum(a @ b, "data"), a * 2)
    specs = PartitionSpec(None, "data"), PartitionSpec("data")
    out_specs = PartitionSpec(), PartitionSpec(None, "data")
    return jax.shard_map(product, mesh=mesh, in_specs=specs, out_specs=out_specs, axis_names={"data"})(x, w)

for function, *arguments in (
    (layer, placed((8, 16), "data"), placed((16, 32), None, "model")),
    (attention, placed((8, 8, 16), "data", "model"), placed((8, 16, 16), ("data", "model"))),
    (mapped, placed((8, 16), "data", "model"), placed((16, 8), "model")),
    (partly_mapped, placed((8, 16), None, "data"), placed((16, 8), "data", "model")),
    (embedding, placed((64, 16), None, ("model", "data")), placed((8, 4), "data", dtype=jnp.int32)),
):
    jax.jit(function).lower(*arguments).compile()
"""

INSTRUCTION = re.compile(r" = (?:\([^=]*\)|\S+) ([\w-]+)\(")
SHARDING = re.compile(r"sharding=(\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})")


@pytest.fixture(scope="module")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dumps")
    flags = f"--xla_enable_hlo_sharding_v3=true --xla_dump_to={folder} --xla_dump_hlo_pass_re=shardy-xla"
    environment = {**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
    subprocess.run([sys.executable, "-c", SCRIPT], env=environment, check=True, capture_output=True)
    return folder


def shardings(hlo: str) -> Counter[tuple[str, str]]:
    """The opcode and the sharding of each instruction of the entry that has one, but elements of tuples."""
    entry = hlo.partition("ENTRY")[2].partition("\n}")[0]
    found = [(INSTRUCTION.search(line), SHARDING.search(line)) for line in entry.splitlines()]
    pairs = Counter((opcode[1], sharding[1]) for opcode, sharding in found if opcode and sharding)
    return Counter({pair: count for pair, count in pairs.items() if pair[0] != "get-tuple-element"})


FUNCTIONS = ["layer", "attention", "embedding", "mapped", "partly_mapped"]


def files_of(function: str, dumps: Path) -> tuple[Path, Path]:
    """The dumps before and after XLA's pass."""
    (before,) = dumps.glob(f"*jit_{function}.*before_shardy-xla.txt")
    (after,) = dumps.glob(f"*jit_{function}.*after_shardy-xla*.txt")
    return before, after


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", FUNCTIONS)
def test_propagation_finds_the_shardings_of_xla(function: str, dumps: Path):
    before, after = files_of(function, dumps)
    with imported_program(source_of(before)) as program:
        PropagationPipelinePass().apply(program.context, program.module)
        StablehloExportPipelinePass(enable_hlo_sharding_v3=True).apply(program.context, program.module)
        found = shardings(write_hlo(program.module))
    expected = shardings(after.read_text())
    assert any("'data'" in sharding for _, sharding in expected)
    assert found == expected


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_round_trip_pipelines_do_what_xla_does(function: str, dumps: Path):
    before, after = files_of(function, dumps)
    module, context = parse_hlo(before.read_text()), new_context()
    for step in (
        InlineRegionsPass(),
        RoundTripImportPipelinePass(enable_hlo_sharding_v3=True),
        PropagationPipelinePass(),
        StablehloExportPipelinePass(enable_hlo_sharding_v3=True),
    ):
        step.apply(context, module)
    assert shardings(write_hlo(module)) == shardings(after.read_text())
