"""
Megabytes of HLO text parsed and printed per second, compared with XLA's parser in jaxlib.

The texts are those of a transformer's training step, lowered by JAX and compiled for the CPU, with few layers and with
many: in linear time, both have one speed. Paths of dumps as arguments are measured too. Each figure is CPU time, the
minimum of RUNS, which limits the effect of other processes. Run by `make bench`.
"""

import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

from rich.console import Console
from rich.table import Table

from xshardy.hlo_text import print_hlo, read_hlo

RUNS = 3
LAYERS = (2, 12)
WIDTH, LENGTH, BATCH = 64, 32, 8


def train_step(layers: int) -> dict[str, str]:
    """The text of a step of gradient descent on `layers` layers of a transformer, before and after optimization."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    import jax.numpy as jnp

    def layer(x: jax.Array, weights: tuple[jax.Array, ...]) -> jax.Array:
        queries, keys, values, up, down = weights
        scores = jax.nn.softmax((x @ queries) @ jnp.swapaxes(x @ keys, -1, -2) / WIDTH**0.5)
        x = x + scores @ (x @ values)
        return x + jax.nn.gelu(x @ up) @ down

    def loss(weights: list[tuple[jax.Array, ...]], x: jax.Array) -> jax.Array:
        for each in weights:
            x = layer(x, each)
        return jnp.mean(x**2)

    shapes = [(WIDTH, WIDTH)] * 3 + [(WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)]
    weights = [tuple(jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes)] * layers
    lowered = jax.jit(jax.grad(loss)).lower(weights, jax.ShapeDtypeStruct((BATCH, LENGTH, WIDTH), jnp.float32))
    return {
        f"{layers} layers, lowered": lowered.compiler_ir("hlo").as_hlo_text(),
        f"{layers} layers, compiled": lowered.compile().as_text(),
    }


def seconds(run: Callable[[], object]) -> float:
    """The minimal CPU seconds of `run`."""
    best = float("inf")
    for _ in range(RUNS):
        gc.collect()
        start = process_time()
        run()
        best = min(best, process_time() - start)
    return best


def main() -> None:
    from jaxlib import _hlo  # pyright: ignore

    texts = {name: text for layers in LAYERS for name, text in train_step(layers).items()}
    texts |= {Path(path).name: Path(path).read_text() for path in sys.argv[1:]}
    table = Table("text", "MB", "read, MB/s", "print, MB/s", "XLA reads, MB/s", title="HLO text")
    read_hlo(next(iter(texts.values())))  # warm up
    for name, text in texts.items():
        size = len(text) / 1e6
        module = read_hlo(text)
        table.add_row(
            name,
            f"{size:.2f}",
            *(
                f"{size / seconds(run):.2f}"
                for run in (
                    lambda: read_hlo(text),  # noqa: B023
                    lambda: print_hlo(module),  # noqa: B023
                    lambda: _hlo.hlo_module_from_text(text),  # noqa: B023
                )
            ),
        )
    Console().print(table)


if __name__ == "__main__":
    main()
