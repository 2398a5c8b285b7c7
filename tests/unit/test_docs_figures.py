"""Figures of docs/performance.md and its history are the same on every page that repeats them."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def text(page: str) -> str:
    return " ".join((ROOT / page).read_text().split())


def tables(page: str) -> list[list[list[str]]]:
    """The tables of a page, each as its rows of cells; the first row is the header."""
    found: list[list[list[str]]] = [[]]
    for line in (ROOT / page).read_text().splitlines():
        if line.startswith("|"):
            found[-1].append([cell.strip() for cell in line.strip().strip("|").split("|")])
        elif found[-1]:
            found.append([])
    return [[rows[0], *rows[2:]] for rows in found if rows]


def numbers(page: str, row: str, column: str) -> list[str]:
    """The numbers in the cell whose row and column begin so: exactly one table of the page has it."""
    cells = [
        cells[number]
        for rows in tables(page)
        for number, title in enumerate(rows[0])
        if title.startswith(column)
        for cells in rows[1:]
        if cells[0].startswith(row)
    ]
    assert len(cells) == 1, f"{page}: {len(cells)} cells in row {row!r}, column {column!r}"
    return NUMBER.findall(cells[0])


class Repeated(NamedTuple):
    """A figure that `page` repeats where `pattern` matches: number `position` in a cell of a table of `source`."""

    page: str
    pattern: str
    row: str
    column: str
    position: int = 0
    source: str = "docs/performance.md"


REAL_MODELS = "ResNet-50, ViT, MLP-Mixer, Llama 3 8B"
PROPAGATION = "propagation ("
GELU = "`xshardy compile examples/gelu.hlo`"
README, HISTORY = "README.md", "docs/performance_history.md"
REPEATED = (
    Repeated(README, r"transformer of 32 layers \| C\+\+ Shardy \| (\S+)", PROPAGATION, "32 layers"),
    Repeated(README, r"of 617 fusions of real models \| XLA:GPU \| (\S+)", REAL_MODELS, "Issue slots"),
    Repeated(README, r"geometric mean of (\d+) fusions", REAL_MODELS, "Kernels"),
    Repeated(README, r"bytes of collectives, (\d+) partitioned programs", "27 programs", "Programs", 4),
    Repeated(README, r"XLA's partitioner \| at most 1 for (\d+)", "27 programs", "Bytes", 1),
    Repeated("docs/propagation.md", r"([\d.]+) times the time of C\+\+ Shardy for 32", PROPAGATION, "32 layers"),
    Repeated("docs/propagation.md", r"for 32 layers, ([\d.]+) for 96", PROPAGATION, "96 layers"),
    Repeated("docs/propagation.md", r"([\d.]+) for 8 and", PROPAGATION, "8 layers"),
    Repeated("docs/propagation.md", r"([\d.]+) for 2; \[Performance\]", PROPAGATION, "2 layers"),
    Repeated("docs/ptx.md", r"Of the (\d+) fusions for each kind of emitter", "one per kind", "Kernels"),
    Repeated("docs/performance.md", r"the (\d+) fusions of real models takes", REAL_MODELS, "kernels", 1, HISTORY),
    Repeated("docs/performance.md", r"(\d+) ms for `xshardy compile", GELU, "ms", 0, HISTORY),
)


@pytest.mark.parametrize("repeated", REPEATED, ids=lambda repeated: f"{repeated.page} {repeated.row} {repeated.column}")
def test_a_repeated_figure_is_that_of_its_table(repeated: Repeated):
    (given,) = re.findall(repeated.pattern, text(repeated.page))
    measured = numbers(repeated.source, repeated.row, repeated.column)[repeated.position].replace(",", "")
    digits = len(given.partition(".")[2])
    assert f"{float(measured):.{digits}f}" == given


@pytest.mark.parametrize("row", ["one per kind of emitter", REAL_MODELS])
def test_times_on_a_gpu_are_those_of_the_history(row: str):
    assert numbers("docs/performance.md", row, "Time") == numbers(HISTORY, row, "time / XLA's: geo")


def test_modules_on_a_gpu_and_without_one_have_equal_steps():
    by_name = {
        page: {row[0].partition(" (")[0]: row[1:4] for rows in tables(page) if "steps" in rows[0] for row in rows[1:]}
        for page in (HISTORY, "docs/launching.md")
    }
    both = by_name[HISTORY].keys() & by_name["docs/launching.md"].keys()
    assert len(both) >= 5
    for name in both:
        assert by_name[HISTORY][name] == by_name["docs/launching.md"][name], name
