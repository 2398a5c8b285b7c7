"""
The solver behind `xshardy auto` on problems of the IOPDDL contest (github.com/google/iopddl): `GRAPH...` are files.

Each gets the contest's time, reading included: costs are of the file, in integers; the bound is proved, and `certified`
is the part of it that adding up confirms. `--seconds N` gives another time.
"""

import argparse
import resource
from pathlib import Path
from time import perf_counter, process_time

from rich.console import Console
from rich.table import Table

from xshardy.search.contest import read_problem
from xshardy.search.solve import solve

TIMES = {
    **dict.fromkeys("ABCDE", 60),
    **dict.fromkeys("FGHIJ", 120),
    **dict.fromkeys("KLMNO", 180),
    **dict.fromkeys("PQRST", 240),
    **dict.fromkeys("UVWXY", 300),
}
"""By letter of a graph, seconds: the table of github.com/google/iopddl."""

COLUMNS = ("graph", "nodes", "edges", "cost", "bound", "certified", "gap", "seconds", "of CPU", "GiB")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("graphs", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float)
    options = parser.parse_args()
    table = Table(title="problems of the IOPDDL contest")
    for column in COLUMNS:
        table.add_column(column, justify="right")
    for path in options.graphs:
        table.add_row(*figures(path, options.seconds))
    Console(width=140).print(table)


def figures(path: Path, seconds: float | None) -> tuple[str, ...]:
    """A row of the table. GiB are the peak of the process so far."""
    name = path.name.partition(".")[0].rpartition("-")[2]
    start, cpu = perf_counter(), process_time()
    problem = read_problem(path)
    allowed = TIMES.get(name, 60) if seconds is None else seconds
    solution = solve(problem, seconds=allowed - (perf_counter() - start))
    elapsed, used = perf_counter() - start, process_time() - cpu
    assert solution.choice is None or problem.fits(solution.choice)
    return (
        name,
        f"{len(problem.costs):,}",
        f"{len(problem.edges):,}",
        f"{solution.cost:,.0f}",
        f"{solution.bound:,.0f}",
        f"{solution.certificate.check(problem):,.0f}",
        "optimal" if solution.is_optimal else f"{solution.gap:.2%}",
        f"{elapsed:.0f}",
        f"{used:.0f}",
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f}",
    )


if __name__ == "__main__":
    main()
