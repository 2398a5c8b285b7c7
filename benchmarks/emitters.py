"""
Time from HLO text to PTX, by pass, cold and warm, compared with XLA:CPU and Triton on the same programs.

Cold is the first compilation of a fresh process, imports included. Warm is the median of RUNS further ones. One peer is
the XLA inside jaxlib, for the CPU, which also parses, optimises and generates code with LLVM; the GPU compiler needs a
GPU plugin. The other is Triton up to PTX, if it can be imported. Run by `make bench`.

    python benchmarks/emitters.py [FOLDER]

With FOLDER, also the fusions in it (`*.hlo`), each compiled once. XLA:CPU aborts on some of those that XLA:GPU made.
"""

import importlib
import os
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter, process_time

from rich.console import Console
from rich.table import Table

from xshardy import compiler
from xshardy.hlo_text import parse_hlo
from xshardy.tools.pass_log import PassLog

RUNS = 20
GELU = Path(__file__).parents[1] / "examples" / "gelu.hlo"
PROGRAMS = {path.stem: path for path in (GELU, *sorted((Path(__file__).parent / "compiled").glob("*.hlo")))}

COLD = """
import time; start = time.perf_counter()
import sys, xshardy
xshardy.compile(open(sys.argv[1]).read(), target="sm_90")
print(time.perf_counter() - start)
"""

COLD_PEER = """
import time; start = time.perf_counter()
import sys; sys.path.insert(0, sys.argv[2])
import emitters
emitters.compile_with_xla(open(sys.argv[1]).read())
print(time.perf_counter() - start)
"""


def compile_with_xla(text: str) -> None:
    """Compile HLO text with XLA for the CPU, which has one kind of fusion."""
    import jax
    from jaxlib import _hlo, _jax, xla_client

    device = jax.devices("cpu")[0]
    module = _hlo.hlo_module_from_text(text.replace("kind=kInput", "kind=kLoop"))
    stablehlo = _jax.mlir.hlo_to_stablehlo(module.as_serialized_hlo_module_proto())
    device.client.compile_and_load(stablehlo, xla_client.DeviceList((device,)), xla_client.CompileOptions())


def cold(program: str) -> float:
    """Seconds of one run in a fresh process, with bytecode as installed packages have it; the median of five."""
    command = [sys.executable, "-c", program, str(GELU), str(Path(__file__).parent)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    runs = [subprocess.run(command, capture_output=True, check=True, text=True, env=environment) for _ in range(5)]
    return statistics.median(float(run.stdout) for run in runs)


def warm(compile: Callable[[], object]) -> float:
    """The median of RUNS runs, in seconds, after a first one."""
    compile()
    times: list[float] = []
    for _ in range(RUNS):
        start = perf_counter()
        compile()
        times.append(perf_counter() - start)
    return statistics.median(times)


def compile_fusions(text: str) -> None:
    """Compile each fusion of HLO text."""
    module = parse_hlo(text)
    for fusion in compiler.select_fusions(module):
        compiler.compile(module, fusion=compiler.fusion_name(fusion))


def compilers() -> Mapping[str, Callable[[str, str], object]]:
    """What compiles a program of `PROGRAMS`, given its name and its text."""
    found: dict[str, Callable[[str, str], object]] = {
        "xshardy": lambda name, text: compile_fusions(text),
        "XLA:CPU": lambda name, text: compile_with_xla(text),
    }
    sys.path.append(str(Path(__file__).parent / "peers"))
    try:
        triton = importlib.import_module("triton_compile")
    except ImportError:
        return found
    return {**found, "Triton": lambda name, text: triton.compile(name)}


def cpu_time(compile: Callable[[], object]) -> float:
    """Seconds of all threads of this process."""
    start = process_time()
    compile()
    return process_time() - start


def programs_table() -> Table:
    """Each program by each compiler: CPU milliseconds, the minimum of RUNS that alternate, after a first one."""
    columns = compilers()
    table = Table("program", *(f"{each}, ms" for each in columns), *(f"/ {peer}" for peer in [*columns][1:]))
    for name, path in PROGRAMS.items():
        text = path.read_text()
        runs = [[cpu_time(lambda: run(name, text)) for run in columns.values()] for _ in range(RUNS + 1)]  # noqa: B023
        ours, *peers = (1e3 * min(times) for times in zip(*runs[1:], strict=True))
        table.add_row(name, *(f"{each:.0f}" for each in (ours, *peers)), *(f"{ours / peer:.2f}" for peer in peers))
    return table


def folder_table(folder: Path) -> Table:
    """CPU milliseconds of the fusions of a folder, each compiled once, with collections of garbage."""
    paths = sorted(folder.glob("*.hlo"))
    times = [cpu_time(lambda: compile_fusions(path.read_text())) for path in paths]  # noqa: B023
    table = Table("fusions", "median, ms", "mean, ms", "slowest, ms", "the slowest")
    slowest = max(times)
    figures = (statistics.median(times), statistics.mean(times), slowest)
    table.add_row(str(len(times)), *(f"{1e3 * each:.0f}" for each in figures), paths[times.index(slowest)].stem)
    return table


def by_step(text: str) -> dict[str, float]:
    """The median seconds of each step of a warm compilation."""
    samples: defaultdict[str, list[float]] = defaultdict(list)
    for _ in range(RUNS):
        log = PassLog()
        compiler.compile(text, observe=log)
        for index, (name, seconds) in enumerate(log.seconds):
            samples[f"{index:02} {name}"].append(seconds)
    return {name: statistics.median(times) for name, times in samples.items()}


def main() -> None:
    text = GELU.read_text()
    console = Console()
    console.print(programs_table())
    for folder in sys.argv[1:]:
        console.print(folder_table(Path(folder)))
    ours, peer = warm(lambda: compiler.compile(text)), warm(lambda: compile_with_xla(text))
    table = Table("gelu.hlo to machine code", "xshardy, PTX", "XLA:CPU, x86", "ratio", title_justify="left")
    for name, a, b in (("cold", cold(COLD), cold(COLD_PEER)), (f"warm, median of {RUNS}", ours, peer)):
        table.add_row(name, f"{a * 1e3:.1f} ms", f"{b * 1e3:.1f} ms", f"{a / b:.2f}")
    console.print(table)

    steps = by_step(text)
    total = sum(steps.values())
    table = Table("step", "ms", "%", title=f"xshardy by step, warm, median of {RUNS}", title_justify="left")
    for name, seconds in steps.items():
        table.add_row(name, f"{seconds * 1e3:.2f}", f"{100 * seconds / total:.1f}")
    table.add_section()
    table.add_row("all steps", f"{total * 1e3:.2f}", "100.0")
    console.print(table)


if __name__ == "__main__":
    main()
