"""
Overhead of xshardy at the start of `xdsl-opt`: the import of its universe, and the whole run on an empty module.

Medians of RUNS fresh processes. The peer is xDSL alone. Run by `make bench`.
"""

import statistics
import subprocess
import sys
from time import perf_counter

from rich.console import Console
from rich.table import Table

RUNS = 9

IMPORT = "import xdsl.universe, time; t = time.perf_counter(); import xshardy.universe; print(time.perf_counter() - t)"
XDSL_ALONE = (
    "import importlib.metadata as m; found = m.entry_points;"
    "m.entry_points = lambda **k: [e for e in found(**k) if e.name != 'xshardy'];"
    "from xdsl.tools.xdsl_opt import main; main()"
)
XDSL_WITH_US = "from xdsl.tools.xdsl_opt import main; main()"
XSHARDY_OPT = "from xshardy.tools.entry import xshardy_opt; raise SystemExit(xshardy_opt())"


def import_time() -> float:
    """The seconds that importing our universe takes after xDSL's."""
    command = [sys.executable, "-c", IMPORT]
    runs = [subprocess.run(command, capture_output=True, check=True, text=True).stdout for _ in range(RUNS)]
    return statistics.median(map(float, runs))


def tool_time(program: str) -> float:
    """Seconds of a tool that reads and prints an empty module."""
    times: list[float] = []
    for _ in range(RUNS):
        start = perf_counter()
        subprocess.run(
            [sys.executable, "-c", program], input="builtin.module {}", capture_output=True, check=True, text=True
        )
        times.append(perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    peer = tool_time(XDSL_ALONE)
    table = Table("start", "ms", "ratio to xDSL alone", title_justify="left")
    table.add_row("import xshardy.universe, on top of xDSL", f"{import_time() * 1e3:.1f}", "")
    table.add_row("xdsl-opt, xDSL alone", f"{peer * 1e3:.0f}", "1.00")
    for name, program in (("xdsl-opt, with xshardy installed", XDSL_WITH_US), ("xshardy-opt", XSHARDY_OPT)):
        seconds = tool_time(program)
        table.add_row(name, f"{seconds * 1e3:.0f}", f"{seconds / peer:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
