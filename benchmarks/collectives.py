"""
Bytes that a device sends in collectives: programs partitioned by xshardy, beside XLA's partitioner on the same modules.

    python benchmarks/collectives.py [PROGRAMS.py] [NAME ...]

JAX lowers each program, and xshardy propagates its shardings and inlines its calls. Then both partition that module:
xshardy's bytes are those of its program, XLA's those of its HLO right after its partitioner. Counts come from shapes,
so they do not depend on the machine; the body of a loop counts once on both sides. `PROGRAMS.py` has `JaxMesh` and
`PROGRAMS`, as `tests/differential/survey_on_pjrt.py` takes it. Without it, the programs below are partitioned.
"""

import argparse
import importlib.util
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

DEVICES = 16
DUMPS = tempfile.TemporaryDirectory()
PASS = "spmd-partitioning"
os.environ["XLA_FLAGS"] = f"--xla_dump_to={DUMPS.name} --xla_dump_hlo_pass_re={PASS} --xla_dump_hlo_as_text"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402  (after its flags are set)
import jax.numpy as jnp  # noqa: E402
from jax.sharding import AxisType, NamedSharding, PartitionSpec  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402
from xdsl.dialects.builtin import ModuleOp  # noqa: E402
from xdsl.passes import PassPipeline  # noqa: E402
from xdsl.rewriter import Rewriter  # noqa: E402

from xshardy.axes.grid import Grid  # noqa: E402
from xshardy.dialects.sdy.ops import ReshardOp, ShardingConstraintOp  # noqa: E402
from xshardy.dialects.sdy.value_shardings import SHARDING  # noqa: E402
from xshardy.dialects.stablehlo.calls import CustomCallOp  # noqa: E402
from xshardy.dialects.stablehlo.control_flow import WhileOp  # noqa: E402
from xshardy.engines.pjrt.executable import compile_options  # noqa: E402
from xshardy.hlo_text import read_hlo  # noqa: E402
from xshardy.planning.collective_bytes import bytes_sent, kind_of  # noqa: E402
from xshardy.programs.meshes import mesh_of  # noqa: E402
from xshardy.programs.partitioned import PARTITIONING  # noqa: E402
from xshardy.programs.sharded import PROPAGATION  # noqa: E402
from xshardy.syntax import parse_module, print_module  # noqa: E402
from xshardy.transforms.inline import InlinePass  # noqa: E402
from xshardy.universe import new_context  # noqa: E402

MESHES: Mapping[str, Mapping[str, int]] = {
    "1d": {"x": 8},
    "2d": {"data": 4, "model": 2},
    "2d_unit": {"data": 1, "model": 4},
    "2d_odd": {"x": 3, "y": 4},
    "3d": {"data": 2, "fsdp": 4, "model": 2},
}

# -- Programs ---------------------------------------------------------------------------------------------------------

P = PartitionSpec
X, XY, Y = P("data"), P("data", "model"), P(None, "model")

Spec = tuple[tuple[int, ...], PartitionSpec]


def mlp_gradient(w: Any, v: Any, x: Any) -> Any:
    return jax.grad(lambda w, v: jnp.mean(jnp.tanh(x @ w) @ v), argnums=(0, 1))(w, v)


def attention(x: Any, w: Any) -> Any:
    """The axis that shards the features of queries, keys and values divides none of the three."""
    q, k, v = jnp.moveaxis((x @ w).reshape(8, 16, 3, 8, 8), 2, 0)
    return jnp.einsum("bqkh,bkhd->bqhd", jax.nn.softmax(jnp.einsum("bqhd,bkhd->bqkh", q, k), axis=2), v)


def shifts(x: Any) -> Any:
    return jnp.roll(x, 3, 0), jnp.pad(x, ((1, 1), (0, 0)))[2:], jnp.flip(x, 0), jnp.concatenate([x[-1:], x[:-1]])


def convolution(x: Any, kernel: Any) -> Any:
    y = jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jax.lax.reduce_window(y, 0.0, jax.lax.add, (1, 3, 3, 1), (1, 1, 1, 1), "SAME")


def pooling_gradient(x: Any) -> Any:
    def pooled(x: Any) -> Any:
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 2, 1), (1, 2, 2, 1), "VALID").sum()

    return jax.grad(pooled)(x)


def table_lookups(table: Any, ids: Any, rows: Any) -> Any:
    ids = ids.astype(jnp.int32)
    return table[ids], table.at[ids].add(rows), table[ids[0]]


def sorting(x: Any) -> Any:
    return jnp.sort(x, 0), jnp.argsort(x, 1), jnp.argmax(x, 0), jax.lax.top_k(x, 3)


def dynamic_slices(x: Any, i: Any) -> Any:
    i = i.astype(jnp.int32)
    return jax.lax.dynamic_slice_in_dim(x, i, 2, 0), jax.lax.dynamic_update_slice_in_dim(x, x[:1] * 2, i, 0), x[0]


SAMPLES: Mapping[str, tuple[Callable[..., Any], Sequence[Spec]]] = {
    "MLP, gradient": (mlp_gradient, [((32, 64), Y), ((64, 32), P("model")), ((16, 32), X)]),
    "attention": (attention, [((8, 16, 64), X), ((64, 192), Y)]),
    "rotations, pads, reverses": (shifts, [((24, 16), XY)]),
    "convolution, window sum": (convolution, [((4, 16, 16, 4), P(None, "data", "model")), ((3, 3, 4, 8), P())]),
    "max pooling, gradient": (pooling_gradient, [((2, 16, 16, 4), P(None, "data", "model"))]),
    "table lookups": (table_lookups, [((96, 32), P("model")), ((12,), X), ((12, 32), X)]),
    "sort, argsort, argmax, top-k": (sorting, [((24, 32), XY)]),
    "dynamic slices": (dynamic_slices, [((24, 16), XY), ((), P())]),
}


def samples(names: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """The name of each program, of its mesh, and its text."""
    mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2, devices=jax.devices()[:8])
    for name, (function, specs) in SAMPLES.items():
        if not names or name in names:
            types = [
                jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(mesh, spec)) for shape, spec in specs
            ]
            yield name, "4 x 2", jax.jit(function).lower(*types).as_text()


def programs_of(path: Path, names: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """As `samples`, of the programs in a Python file on the meshes above."""
    spec = importlib.util.spec_from_file_location("programs", path)
    if spec is None or spec.loader is None:
        sys.exit(f"{path} is no Python file")
    programs: Any = importlib.util.module_from_spec(spec)
    sys.modules["programs"] = programs
    spec.loader.exec_module(programs)
    for name, make in programs.PROGRAMS.items():
        for mesh_name, sizes in MESHES.items() if not names or name in names else ():
            function, types = make(programs.JaxMesh(mesh_name, **sizes))
            yield name, mesh_name, jax.jit(function).lower(*types).as_text()


# -- Partitioning -----------------------------------------------------------------------------------------------------


class Figures(NamedTuple):
    """The bytes that a device sends."""

    ours: int
    xla: int

    @property
    def ratio(self) -> float:
        return self.ours / self.xla if self.xla else 1.0 if not self.ours else float("inf")


def sent(module: ModuleOp, devices: int) -> int:
    return sum(bytes_sent(op, Grid(1, devices)) for op in module.walk() if kind_of(op) is not None)


def for_xla(module: ModuleOp) -> str:
    """
    The text of a propagated module that XLA reads.

    It takes constraints instead of reshards, and refuses shardings of loops from which it drops values, and of one
    custom call.
    """
    for op in [*module.walk()]:
        if isinstance(op, ReshardOp):
            Rewriter.replace_op(op, ShardingConstraintOp(op.input, op.sharding))
        elif isinstance(op, WhileOp) or (isinstance(op, CustomCallOp) and op.call_target_name.data == "ApproxTopK"):
            op.attributes.pop(SHARDING, None)
    return print_module(module)


def partitioned_by_xla(text: str, devices: int) -> str:
    """HLO after XLA's partitioner. What XLA:CPU refuses later, such as unknown custom calls, is of no interest."""
    chosen = jax.devices()[:devices]
    failure: Exception | None = None
    try:
        chosen[0].client.compile_and_load(text, chosen, compile_options(chosen))
    except RuntimeError as error:
        failure = error
    found = [path for path in Path(DUMPS.name).iterdir() if f"after_{PASS}" in path.name]
    if not found:
        raise RuntimeError(f"XLA did not partition the program: {failure}")
    hlo = max(found, key=lambda path: path.stat().st_size).read_text()
    for path in found:
        path.unlink()
    return hlo


def figures(text: str) -> Figures:
    context, module = new_context(), parse_module(text)
    devices = mesh_of(module)[1]
    PassPipeline((PROPAGATION, InlinePass())).apply(context, module)
    xla = sent(read_hlo(partitioned_by_xla(for_xla(module.clone()), devices)), devices)
    PassPipeline(PARTITIONING).apply(context, module)
    return Figures(sent(module, devices), xla)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="?", type=Path, metavar="PROGRAMS.py")
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    jax.config.update("jax_num_cpu_devices", DEVICES)
    table = Table("program", "mesh", title="bytes that a device sends in collectives")
    for column in ("xshardy", "XLA", "ratio"):
        table.add_column(column, justify="right")
    programs = programs_of(args.programs, args.names) if args.programs else samples(args.names)
    ratios: list[float] = []
    for name, mesh, text in programs:
        print(name, mesh, file=sys.stderr)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = figures(text)
        ratios.append(found.ratio)
        table.add_row(name, mesh, f"{found.ours:,}", f"{found.xla:,}", f"{found.ratio:.2f}")
    console = Console(width=100)
    console.print(table)
    fewer = sum(ratio <= 1 for ratio in ratios)
    console.print(f"at most XLA's bytes: {fewer} of {len(ratios)} ({fewer / len(ratios):.1%})")


if __name__ == "__main__":
    main()
