"""
Time per operation to parse and print a module: xshardy, stock xDSL, and MLIR in jaxlib.

The modules are a transformer's training step, lowered by JAX, with few layers and with many. A linear-time parser takes
the same time per operation in both, except for lines that occur for the first time; their number does not depend on the
number of layers. MLIR keeps its context, with types and attributes, from one run to the next; xshardy keeps nothing.
Stock xDSL reads xshardy's dialects in MLIR's generic form; xshardy is measured on both forms. Each figure is CPU time,
the minimum of RUNS, which limits the effect of other processes. The operations are those of the text; in a portable
artifact there are a tenth less, because equal constants are one.

The first module of a process also pays for imports of the dialects and for the specialisation of Python's bytecode.
This is measured in separate processes. Run by `make bench`.
"""

import gc
import os
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO, StringIO
from time import process_time
from typing import Any

from rich.console import Console
from rich.table import Table

from xshardy.programs.garbage import collection_suspended

RUNS, MAX_SECONDS = 7, 10.0
"""The maximal number of runs of each measurement, and the CPU seconds after which no further run starts."""
LAYERS = (2, 8, 32, 96)
WIDTH, HEADS, HEAD_WIDTH, BATCH, LENGTH = 64, 4, 16, 8, 32

FIRST = """
import gc
import sys
from time import process_time
from xshardy.syntax.parser import Parser
from xshardy.universe import new_context

text = sys.stdin.read()
context = new_context()
gc.disable()
start = process_time()
Parser(context, text).parse_module()
print(process_time() - start)
"""
"""Prints the CPU seconds of parsing the first module of a process, from standard input."""

FIRST_AFTER_IMPORTS = FIRST.replace(
    "\ntext =", "\nimport xshardy.dialects.stablehlo, xshardy.dialects.sdy, xshardy.dialects.chlo\ntext ="
)


def train_step(layers: int, sizes: tuple[int, int] = (4, 2)) -> str:
    """The text of a step of gradient descent on a transformer of `layers` layers, over a mesh of these sizes."""
    os.environ |= {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_force_host_platform_device_count=8"}
    import jax
    import jax.numpy as jnp
    from jax.sharding import NamedSharding, PartitionSpec

    mesh = jax.make_mesh(sizes, ("data", "model"), axis_types=(jax.sharding.AxisType.Auto,) * 2)

    def array(*shape: int, axes: tuple[str | None, ...]) -> jax.ShapeDtypeStruct:
        return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(mesh, PartitionSpec(*axes)))

    def layer(x: Any, weights: Any) -> Any:
        h = (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-6)
        q, k, v = (jnp.einsum("bsd,dhk->bshk", h, weights[name]) for name in "qkv")
        attention = jax.nn.softmax(jnp.einsum("bshk,bthk->bhst", q, k))
        x = x + jnp.einsum("bshk,hkd->bsd", jnp.einsum("bhst,bthk->bshk", attention, v), weights["o"])
        return x + jax.nn.gelu(x @ weights["up"]) @ weights["down"]

    def loss(parameters: Any, x: Any, y: Any) -> Any:
        for weights in parameters:
            x = layer(x, weights)
        return jnp.mean((x - y) ** 2)

    def step(parameters: Any, x: Any, y: Any) -> Any:
        value, gradient = jax.value_and_grad(loss)(parameters, x, y)
        return value, jax.tree.map(lambda w, g: w - 0.1 * g, parameters, gradient)

    weights = {name: array(WIDTH, HEADS, HEAD_WIDTH, axes=(None, "model")) for name in "qkv"}
    weights["o"] = array(HEADS, HEAD_WIDTH, WIDTH, axes=("model",))
    weights["up"] = array(WIDTH, 4 * WIDTH, axes=(None, "model"))
    weights["down"] = array(4 * WIDTH, WIDTH, axes=("model",))
    activations = array(BATCH, LENGTH, WIDTH, axes=("data",))
    return jax.jit(step).lower([weights] * layers, activations, activations).as_text()


def least(run: Callable[[], object]) -> float:
    """The minimal CPU seconds of `run`, without collections, as in library calls; garbage is collected beforehand."""
    times: list[float] = []
    while len(times) < RUNS and sum(times) < MAX_SECONDS:
        gc.collect()
        with collection_suspended():
            start = process_time()
            result = run()
            times.append(process_time() - start)
        del result
    return min(times)


def least_in_process(program: str, text: str) -> float:
    """The minimal number printed by `program`, given `text`, in processes of its own."""
    runs = [
        subprocess.run([sys.executable, "-c", program], input=text, capture_output=True, check=True, text=True)
        for _ in range(RUNS)
    ]
    return min(float(run.stdout) for run in runs)


def per_operation(text: str) -> tuple[int, dict[str, dict[str, float]]]:
    """The number of operations of `text`, and the microseconds per operation for each parser and printer."""
    from jax._src.interpreters.mlir import make_ir_context
    from jax._src.lib import _jax
    from jaxlib.mlir import ir
    from xdsl.parser import Parser as XDSLParser
    from xdsl.printer import Printer as XDSLPrinter

    from xshardy.syntax import print_module
    from xshardy.syntax.bytecode import ARTIFACT_VERSION, read_bytecode, write_bytecode
    from xshardy.syntax.parser import Parser
    from xshardy.universe import new_context

    def peer_bytecode() -> bytes:
        stream = BytesIO()
        peer.operation.write_bytecode(stream)
        return stream.getvalue()

    def write_with_xdsl() -> str:
        stream = StringIO()
        XDSLPrinter(stream).print_op(module)
        return stream.getvalue()

    with make_ir_context():
        peer = ir.Module.parse(text)
        data = peer_bytecode()
        artifact = _jax.mlir.serialize_portable_artifact(text, ARTIFACT_VERSION)
        generic = peer.operation.get_asm(print_generic_op_form=True)
        module = Parser(new_context(), text).parse_module()
        count = sum(1 for _ in module.walk())
        context = new_context()
        reading: dict[str, Callable[[], object]] = {
            "xshardy": lambda: Parser(context, text).parse_module(),
            "xshardy, without templates": lambda: Parser(context, text, templates=False).parse_module(),
            "xshardy, generic form": lambda: Parser(context, generic).parse_module(),
            "stock xDSL, generic form": lambda: XDSLParser(new_context(), generic).parse_module(),
            "xshardy, bytecode": lambda: read_bytecode(data, context),
            "xshardy, portable artifact": lambda: read_bytecode(artifact, context),
            "MLIR in jaxlib": lambda: ir.Module.parse(text),
            "MLIR in jaxlib, bytecode": lambda: ir.Module.parse(data),
        }
        writing: dict[str, Callable[[], object]] = {
            "xshardy": lambda: print_module(module),
            "xshardy, bytecode": lambda: write_bytecode(module),
            "stock xDSL": write_with_xdsl,
            "MLIR in jaxlib": lambda: str(peer),
            "MLIR in jaxlib, bytecode": peer_bytecode,
        }
        figures = {
            title: {name: least(run) / count * 1e6 for name, run in runs.items()}
            for title, runs in (("read", reading), ("write", writing))
        }
    figures["read"] |= {
        name: least_in_process(program, text) / count * 1e6
        for name, program in (
            ("xshardy, first in its process", FIRST),
            ("xshardy, first but for imports", FIRST_AFTER_IMPORTS),
        )
    }
    return count, figures


def main() -> None:
    results = [per_operation(train_step(layers)) for layers in LAYERS]
    heads = [f"{layers} layers, {count:,} operations" for layers, (count, _) in zip(LAYERS, results, strict=True)]
    for title in ("read", "write"):
        table = Table(
            f"{title}: us per operation", *(column for head in heads for column in (head, "ratio to C++'s text"))
        )
        for name in results[0][1][title]:
            cells: list[str] = []
            for _, figures in results:
                microseconds = figures[title][name]
                cells += [f"{microseconds:.1f}", f"{microseconds / figures[title]['MLIR in jaxlib']:.2f}"]
            table.add_row(name, *cells)
        Console(width=160).print(table)


if __name__ == "__main__":
    main()
