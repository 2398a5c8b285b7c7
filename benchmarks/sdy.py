"""
Time per operation of the sdy passes, compared with C++ Shardy in jaxlib on the same modules in the same run.

The modules are a transformer's training step, lowered by JAX, with few layers and with many: a linear-time pass takes
the same per operation in all. Parsing and printing are excluded. Each figure is CPU time, the median of RUNS, in which
the two take turns. Run by `make bench`; `python benchmarks/sdy.py 1000` measures only modules of 1,000 layers.
"""

import gc
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from time import process_time
from typing import NamedTuple, TypeVar

from parse import train_step
from rich.console import Console
from rich.table import Table

from xshardy.programs.garbage import collection_suspended

T = TypeVar("T")

RUNS = 5
LAYERS = (2, 8, 32, 96)

BEFORE_PROPAGATION = (
    *("symbol-dce", "sdy-lift-inlined-meshes", "sdy-remove-size-one-axes", "sdy-propagate-sharding-from-func-to-call"),
    *("sdy-constant-or-scalar-splitter", "symbol-dce", "sdy-manual-axes-cleanup", "sdy-add-data-flow-edges"),
    *("sdy-flatten-call-graph", "symbol-dce", "sdy-import-func-calls", "symbol-dce"),
    *("sdy-apply-sharding-constraints", "sdy-sharding-group-import", "sdy-pre-order-funcs"),
)
"""The passes that C++ Shardy runs before the timed propagation."""

BEFORE_EXPORT = (
    *(*BEFORE_PROPAGATION, "sdy-user-priority-propagate{keep-sharding-rules=true}", "sdy-export-named-computations"),
    *("sdy-propagate-to-func-results", "sdy-unflatten-call-graph", "symbol-dce", "sdy-insert-func-call-reshards"),
)
"""Those that it runs before the timed export."""


MOVEMENT = (
    "sdy-insert-explicit-reshards{enable-full-version=true}",
    "sdy-reshard-to-collectives",
    "sdy-pad-for-divisibility",
)
"""The passes that move data between devices, which C++ Shardy runs on each function."""
PARTITIONING_UPSTREAM = ",".join([*(f"func.func({name})" for name in MOVEMENT), "sdy-convert-global-to-local"])


class Timed(NamedTuple):
    """A timed pipeline, and the passes that C++ Shardy runs before it."""

    pipeline: str
    before: Sequence[str] = ()
    upstream: str | None = None
    """What C++ Shardy runs, if it is not `pipeline`."""
    is_legalized: bool = False
    """Whether xshardy replaces CHLO by StableHLO before all else: C++ Shardy makes no CHLO local."""


PIPELINES: Mapping[str, Timed] = {
    "import": Timed("sdy-import-pipeline{dedup-functions-fully=true}"),
    "propagation": Timed("sdy-user-priority-propagate", BEFORE_PROPAGATION),
    "propagation, rules kept": Timed("sdy-user-priority-propagate{keep-sharding-rules=true}", BEFORE_PROPAGATION),
    "export": Timed("sdy-export-pipeline", BEFORE_EXPORT),
    "import, propagation and export": Timed("sdy-propagation-pipeline"),
    "partitioning": Timed(
        ",".join([*MOVEMENT, "sdy-convert-global-to-local"]),
        ("sdy-propagation-pipeline",),
        PARTITIONING_UPSTREAM,
        is_legalized=True,
    ),
    "partitioning, with the passes that upstream lacks": Timed(
        "sdy-partitioner-pipeline",
        ("sdy-propagation-pipeline",),
        PARTITIONING_UPSTREAM,
        is_legalized=True,
    ),
}


def seconds(make: Callable[[], T], run: Callable[[T], object]) -> float:
    """The CPU seconds of `run`, without `make` (which makes its input) and without collections, as in library calls."""
    value = make()
    gc.collect()
    with collection_suspended():
        start = process_time()
        run(value)
        return process_time() - start


def per_operation(text: str, timed: Timed) -> tuple[int, Mapping[str, float]]:
    """The number of operations of `text`, and the microseconds per operation of `timed`, by implementation."""
    from jax._src.interpreters.mlir import make_ir_context
    from jaxlib.mlir import ir, passmanager

    from xshardy.syntax.parser import Parser
    from xshardy.tools.pipelines import passes_of
    from xshardy.transforms.pipeline_pass import IndexedPipeline
    from xshardy.universe import XSHARDY_UNIVERSE, new_context

    context = new_context()
    passes = IndexedPipeline(passes_of(timed.pipeline, XSHARDY_UNIVERSE.all_passes))  # as xshardy-opt runs them
    count = sum(1 for _ in Parser(context, text).parse_module().walk())
    with make_ir_context():
        manager = passmanager.PassManager.parse(f"builtin.module({timed.upstream or timed.pipeline})")
        manager.enable_verifier(False)  # xshardy does not verify between passes either
        times: dict[str, list[float]] = {"xshardy": [], "C++ Shardy in jaxlib": []}
        for _ in range(RUNS):
            times["xshardy"].append(
                seconds(lambda: Parser(context, text).parse_module(), lambda module: passes.apply(context, module))
            )
            times["C++ Shardy in jaxlib"].append(
                seconds(lambda: ir.Module.parse(text), lambda module: manager.run(module.operation))
            )
    return count, {name: statistics.median(each) / count * 1e6 for name, each in times.items()}


def prepared(text: str, timed: Timed) -> str:
    """`text` after the passes of C++ Shardy that run before the timed ones."""
    from jax._src.interpreters.mlir import make_ir_context
    from jaxlib.mlir import ir, passmanager

    import xshardy

    if timed.is_legalized:
        text = xshardy.print_module(xshardy.run_passes(text, "chlo-legalize-to-stablehlo"))
    with make_ir_context():
        module = ir.Module.parse(text)
        passmanager.PassManager.parse(f"builtin.module({','.join(timed.before)})").run(module.operation)
        return str(module)


def main() -> None:
    sys.setrecursionlimit(100_000)  # JAX lowers layers recursively
    texts = {layers: train_step(layers) for layers in map(int, sys.argv[1:] or LAYERS)}
    for title, timed in PIPELINES.items():
        results = {layers: per_operation(prepared(text, timed), timed) for layers, text in texts.items()}
        table = Table(title=f"{title}: {timed.pipeline}")
        table.add_column("us per operation")
        for layers, (count, _) in results.items():
            table.add_column(f"{layers} layers, {count:,} operations", justify="right")
            table.add_column("ratio", justify="right")
        for name in next(iter(results.values()))[1]:
            cells: list[str] = []
            for _, figures in results.values():
                cells += [f"{figures[name]:.1f}", f"{figures[name] / figures['C++ Shardy in jaxlib']:.1f}"]
            table.add_row(name, *cells)
        Console(width=120).print(table)


if __name__ == "__main__":
    main()
