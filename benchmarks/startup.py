"""
The start of commands and imports, each in a process of its own, beside Python without a program and xDSL alone.

CPU milliseconds, the minimum of RUNS, which limits the effect of other processes. Run by `make bench`.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

RUNS = 9

XDSL_OPT = "from xdsl.tools.xdsl_opt import main; main()"
XDSL_OPT_ALONE = (
    "import importlib.metadata as m; found = m.entry_points;"
    "m.entry_points = lambda **k: [e for e in found(**k) if e.name != 'xshardy'];" + XDSL_OPT
)
XSHARDY = "from xshardy.tools.entry import xshardy; raise SystemExit(xshardy())"
XSHARDY_OPT = "from xshardy.tools.entry import xshardy_opt; raise SystemExit(xshardy_opt())"

GELU = Path(__file__).parents[1] / "examples" / "gelu.hlo"
EMPTY = "builtin.module {}"
SMALL = """\
func.func @main(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.add %x, %y : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
"""

PROGRAMS: Sequence[tuple[str, str, Sequence[str], str]] = (
    ("python -c pass", "pass", (), ""),
    ("import xshardy", "import xshardy", (), ""),
    ("import xdsl.parser", "import xdsl.parser", (), ""),
    ("import numpy", "import numpy", (), ""),
    ("import xshardy.universe", "import xshardy.universe", (), ""),
    ("xshardy --help", XSHARDY, ("--help",), ""),
    ("xshardy compile gelu.hlo", XSHARDY, ("compile", str(GELU)), ""),
    ("xdsl-opt --version, xDSL alone", XDSL_OPT_ALONE, ("--version",), ""),
    ("xshardy-opt --version", XSHARDY_OPT, ("--version",), ""),
    ("xdsl-opt, an empty module, xDSL alone", XDSL_OPT_ALONE, (), EMPTY),
    ("xdsl-opt, an empty module, with xshardy installed", XDSL_OPT, (), EMPTY),
    ("xshardy-opt, an empty module", XSHARDY_OPT, (), EMPTY),
    ("xshardy-opt, a module of StableHLO", XSHARDY_OPT, (), SMALL),
)
"""What is measured: its title, the Python program, its arguments and its input."""


def milliseconds(program: str, arguments: Sequence[str], text: str) -> float:
    """The minimal CPU time of `program` in a process of its own."""
    # An installed package has bytecode; the first process writes it where this variable is not set.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    times: list[float] = []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-c", program, *arguments]
        subprocess.run(command, input=text, capture_output=True, check=True, text=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times) * 1e3


def main() -> None:
    table = Table("start", "CPU ms", "ratio to python -c pass", title_justify="left")
    figures = {title: milliseconds(program, arguments, text) for title, program, arguments, text in PROGRAMS}
    bare = figures[PROGRAMS[0][0]]
    for title, each in figures.items():
        table.add_row(title, f"{each:.0f}", f"{each / bare:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
