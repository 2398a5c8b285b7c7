"""
Whole commands on programs of real size, each in a process of its own, as a person waits for them.

CPU seconds of the process and those that it starts, the minimum of RUNS, and its peak of memory, beside the figures of
docs/performance.md. The peer is JAX, where it does the same: it runs the program that the simulated mesh runs. Run by
`make bench`; `python benchmarks/commands.py plan run` measures the rows with such words, and `--corpus FOLDER` also
compiles each module of HLO in a folder.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
RUNS = 3
RECORD = ROOT / "docs" / "performance.md"

LAYERS = (2, 8, 32, 64, 126)
"""Those of the training steps of benchmarks/parse.py that are planned."""
FUSED = (4, 16)
"""Those that are compiled."""
GPT = {"layers": 4, "scale": 1 / 16, "mesh": (4, 2)}
"""The program that is run: 256 features, sequences of 128 tokens, in f32."""


class Measured(NamedTuple):
    """CPU seconds, and bytes at the peak."""

    seconds: float
    peak: int


def measured(command: Sequence[str], runs: int = RUNS) -> Measured:
    """The least of several runs of `command`."""
    return min(_once(command) for _ in range(runs))


def _once(command: Sequence[str]) -> Measured:
    """One run, below a process that counts what it and those below it take."""
    counted = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)"
    )
    # An installed package has bytecode; the first process writes it where this variable is not set.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", counted, *command], capture_output=True, check=True, text=True, env=environment
    )
    seconds, peak = done.stdout.split()
    return Measured(float(seconds), int(peak))


def commands(folder: Path, corpus: Path | None) -> Iterator[tuple[str, Sequence[str]]]:
    """The commands by their titles; their inputs are written to `folder`."""
    from models import step
    from parse import train_step

    xshardy = [str(Path(sys.executable).parent / "xshardy")]
    yield "python -c pass", [sys.executable, "-c", "pass"]
    for name in ("plan", "compile"):
        yield f"xshardy {name} --help", [*xshardy, name, "--help"]
    for layers in LAYERS:
        path = folder / f"step{layers}.mlir"
        path.write_text(train_step(layers))
        yield f"xshardy plan, {layers} layers", [*xshardy, "plan", str(path)]
    (folder / "llama.mlir").write_text(step("llama", layers=126).lower().as_text(debug_info=True))
    yield "xshardy plan, LLaMA with AdamW, 126 layers", [*xshardy, "plan", str(folder / "llama.mlir")]
    fit = f"{ROOT / 'examples' / 'fit.py'}:data_parallel"
    yield "xshardy plan --advice, the step of fit.py", [*xshardy, "plan", "--advice", fit]
    (folder / "gpt.mlir").write_text(step("gpt", **GPT, dtype="float32").lower().as_text(debug_info=True))
    for check in ((), ("--check",)):
        title = " ".join(("xshardy run --on simulated", *check))
        yield f"{title}, GPT, 4 layers", [*xshardy, "run", "--on", "simulated", *check, str(folder / "gpt.mlir")]
    for layers in FUSED:
        path = folder / f"fused{layers}.mlir"
        path.write_text(train_step(layers, (1, 1)))
        title = f"xshardy compile --fuse, {layers} layers"
        yield title, [*xshardy, "compile", "--fuse", str(path), "-o", str(folder / "compiled")]
    for path in sorted(corpus.glob("*.txt")) if corpus is not None else ():
        yield f"xshardy compile {path.stem}", [*xshardy, "compile", str(path), "-o", str(folder / "compiled")]


def executions() -> Mapping[str, float]:
    """The seconds of an execution of the GPT step alone, without compilation: by JAX on one device, and on the mesh."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    from models import step

    import xshardy

    rng = np.random.default_rng(0)

    def drawn(leaf: jax.ShapeDtypeStruct) -> np.ndarray:
        if leaf.dtype == jnp.int32:
            return rng.integers(0, 100, leaf.shape, np.int32)
        return rng.normal(0, 0.02, leaf.shape).astype(leaf.dtype)

    gpt = step("gpt", **GPT, dtype=jnp.float32)
    arguments = jax.tree.map(drawn, tuple(gpt.arguments))
    whole = jax.jit(lambda *arguments: jax.tree.leaves(gpt.function(*arguments)))

    def by_jax() -> float:
        start = perf_counter()
        jax.block_until_ready(whole(*arguments))
        return perf_counter() - start

    lowered, leaves = gpt.lower(), jax.tree.leaves(arguments)
    times = {
        "JAX, one device": by_jax,
        "simulated mesh of 8": lambda: xshardy.run(lowered, leaves, on="simulated").seconds,
    }
    return {title: min(run() for _ in range(RUNS + 1)) for title, run in times.items()}


def recorded() -> Mapping[str, str]:
    """The figures of the table "Whole commands" of docs/performance.md by title."""
    section = RECORD.read_text().partition("\n## Whole commands\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `?([^|`]+)`? \| ([^|]+) \|", section, re.MULTILINE)
    return {title.strip(): figure.strip() for title, figure in rows}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python benchmarks/commands.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("words", nargs="*", help="measure the rows with one of these words (default: all)")
    parser.add_argument("--corpus", type=Path, help="a folder of modules of HLO, as *.txt")
    arguments = parser.parse_args()
    table = Table("command", "CPU s", "peak, MB", "recorded", title_justify="left")
    last = recorded()
    with tempfile.TemporaryDirectory() as folder:
        for title, command in commands(Path(folder), arguments.corpus):
            if not arguments.words or any(word in title for word in arguments.words):
                seconds, peak = measured(command)
                table.add_row(title, f"{seconds:.2f}", f"{peak / 1e6:.0f}", last.get(title, ""))
    Console().print(table)
    if not arguments.words or "run" in arguments.words:
        times = executions()
        table = Table("execution of GPT, 4 layers, alone", "s", title_justify="left")
        for title, seconds in times.items():
            table.add_row(title, f"{seconds:.3f}")
        Console().print(table)


if __name__ == "__main__":
    sys.setrecursionlimit(100_000)  # JAX lowers layers recursively
    main()
