"""
Shardings that a search finds, beside those of a person: the estimated times of both plans, and what they hold.

The programs are those of `models.py` and files of StableHLO, without their annotations. The given layout is a start of
the solver, and a candidate: `ratio` is never above 1. `alone` is the ratio of the search's own choice, also where that
exceeds the memory. `predicted` is the model's time over that of the plan of its choice, `gap` how far the choice may be
from the model's optimum, `lines` the source lines whose tensors get a constraint.
`python benchmarks/auto.py [NAME ...] [--seconds 30] [--layers N] [--memory 80GiB]`
"""

import argparse
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models import MODELS, step
from rich.console import Console
from rich.table import Table
from xdsl.utils.exceptions import DiagnosticException

import xshardy
from xshardy.planning.auto.find import FoundShardings
from xshardy.planning.auto.reasons import AnnotationKind, annotations_of
from xshardy.planning.topology import H100

COLUMNS = (
    *("mesh", "given, ms", "found, ms", "ratio", "alone", "predicted", "gap", "lines"),
    *("given, GiB", "found, GiB", "seconds"),
)


@dataclass(frozen=True)
class Figures:
    """What the table says about one program; times in seconds, memory in bytes of a device."""

    found: FoundShardings

    @property
    def given_time(self) -> float | None:
        """The time of the annotated program; None if it cannot be partitioned."""
        return None if self.found.given is None else self.found.given.estimate(self.found.topology).total

    @property
    def ratio(self) -> float | None:
        """The time that was found over the time that was given."""
        return self.found.time / self.given_time if self.given_time else None

    @property
    def alone(self) -> float | None:
        """The ratio of the search's own choice, also where it exceeds the memory."""
        return self.found.time_before / self.given_time if self.given_time else None

    def row(self) -> Iterator[str]:
        """The cells of `COLUMNS`."""
        found = self.found
        yield " x ".join(map(str, found.prepared.axes.attribute.sizes.values()))
        yield "-" if self.given_time is None else f"{self.given_time * 1e3:.4g}"
        yield f"{found.time * 1e3:.4g}"
        yield "-" if self.ratio is None else f"{self.ratio:.3f}"
        yield "-" if self.alone is None else f"{self.alone:.3f}"
        yield f"{found.predicted / found.time_before:.2f}" if found.time_before else "-"
        yield f"{found.solution.gap:.1%}"
        yield "given" if found.annotations is None else f"{constrained_lines(found)}"
        yield "-" if found.given is None else f"{found.given.peak_bytes / 2**30:.3g}"
        yield f"{found.plan.peak_bytes / 2**30:.3g}"
        yield f"{found.seconds:.0f}"


def constrained_lines(found: FoundShardings) -> int:
    """The number of source lines with a constraint; arguments are not counted."""
    return len({row.place for row in annotations_of(found) if row.kind is not AnnotationKind.ARGUMENT})


def programs(names: list[str], layers: int | None) -> Iterator[tuple[str, Any]]:
    """Models by name, and files."""
    for name in names or MODELS:
        yield (name, step(name, layers=layers).lower()) if name in MODELS else (Path(name).stem, Path(name))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"a file, or one of {', '.join(MODELS)}")
    parser.add_argument("--seconds", type=float, default=30, help="the time of each search")
    parser.add_argument("--layers", type=int, help="the number of layers of each model, instead of its own")
    parser.add_argument("--memory", default="80GiB", help="what a device may hold")
    args = parser.parse_args()
    sys.setrecursionlimit(100_000)  # JAX lowers layers recursively
    table = Table("program", title=f"estimates of plans on {H100.name}")
    for column in COLUMNS:
        table.add_column(column, justify="right")
    alone: list[float | None] = []
    for name, program in programs(args.names, args.layers):
        print(name, file=sys.stderr)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = xshardy.auto(program, memory=args.memory, free=True, seconds=args.seconds)
        except DiagnosticException as error:
            table.add_row(name, f"{error}".splitlines()[0])
            alone.append(None)
            continue
        figures = Figures(found)
        alone.append(figures.alone)
        table.add_row(name, *figures.row())
    console = Console(width=120)
    console.print(table)
    as_fast = sum(ratio is not None and ratio <= 1 for ratio in alone)
    console.print(f"as fast as given by the search's own choice: {as_fast} of {len(alone)}")


if __name__ == "__main__":
    main()
