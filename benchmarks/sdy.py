"""
How long the passes of sdy take, by operation: ours, and C++ Shardy's in jaxlib, on the same modules in the same run.

The modules are a transformer's training step, lowered by JAX, with few layers and with many: a pass in linear time takes
the same per operation in all. Parsing and printing are not counted. Each figure is CPU time, the median of RUNS. Run by
`make bench`.
"""

import gc
import statistics
from collections.abc import Callable, Mapping
from time import process_time
from typing import TypeVar

from parse import train_step
from rich.console import Console
from rich.table import Table

T = TypeVar("T")

RUNS = 3
LAYERS = (2, 8, 32)

PIPELINES: Mapping[str, str] = {
    "import": "sdy-import-pipeline{dedup-functions-fully=true}",
}
"""What is timed, in the spelling that MLIR and xDSL share."""


def median_of_fresh(make: Callable[[], T], run: Callable[[T], object]) -> float:
    """CPU seconds of `run`, without those that `make` takes to make its input, and of collecting garbage."""
    times: list[float] = []
    for _ in range(RUNS):
        value = make()
        gc.collect()
        start = process_time()
        run(value)
        times.append(process_time() - start)
    return statistics.median(times)


def per_operation(text: str, pipeline: str) -> tuple[int, Mapping[str, float]]:
    """How many operations `text` has; microseconds that `pipeline` takes for each of them, by who runs it."""
    from jax._src.interpreters.mlir import make_ir_context
    from jaxlib.mlir import ir, passmanager
    from xdsl.passes import PassPipeline

    from xshardy.syntax.parser import Parser
    from xshardy.universe import XSHARDY_UNIVERSE, new_context

    context = new_context()
    passes = PassPipeline.parse_spec(XSHARDY_UNIVERSE.all_passes, pipeline)
    count = sum(1 for _ in Parser(context, text).parse_module().walk())
    with make_ir_context():
        manager = passmanager.PassManager.parse(f"builtin.module({pipeline})")
        manager.enable_verifier(False)  # ours does not verify between passes either
        seconds = {
            "xshardy": median_of_fresh(
                lambda: Parser(context, text).parse_module(), lambda module: passes.apply(context, module)
            ),
            "C++ Shardy in jaxlib": median_of_fresh(
                lambda: ir.Module.parse(text), lambda module: manager.run(module.operation)
            ),
        }
    return count, {name: each / count * 1e6 for name, each in seconds.items()}


def main() -> None:
    texts = {layers: train_step(layers) for layers in LAYERS}
    for title, pipeline in PIPELINES.items():
        results = {layers: per_operation(text, pipeline) for layers, text in texts.items()}
        table = Table(title=f"{title}: {pipeline}")
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
