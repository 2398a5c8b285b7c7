"""
`xshardy compile --baseline FILE.ptx|DIR`: kernels beside those of another build, or of XLA's dump of the same module.

Kernels are matched by the names of their entries. What is compared is in the PTX, and what ptxas says of it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

from rich.table import Table

from xshardy.lowering.libdevice import MissingCudaExtraError
from xshardy.lowering.nvptx import Kernel
from xshardy.lowering.ptxas import AssemblerError, PtxasReport, assemble_each
from xshardy.tools.console import console
from xshardy.tools.diagnostics import InputError, read_text
from xshardy.tools.widths import widths

_TARGET = re.compile(r"^\.target\s+(\w+)", re.MULTILINE)
_ENTRY = re.compile(r"^\s*(?:\.visible\s+|\.weak\s+)?\.entry\s+(?P<name>[\w$.]+)", re.MULTILINE)
_THREADS = re.compile(r"^\s*\.(?:reqntid|maxntid)\s+([\d, ]+)", re.MULTILINE)
_INSTRUCTION = re.compile(r"^\s+(?:@!?%\w+\s+)?[a-z]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PtxKernel:
    """A kernel of a PTX module."""

    name: str
    text: str
    """Its entry, up to the end of its body."""
    assembled: PtxasReport | None
    """None without ptxas."""

    @property
    def threads(self) -> int | None:
        """Threads per block; None if the PTX does not say."""
        found = _THREADS.search(self.text)
        return None if found is None else prod(int(size) for size in found[1].split(","))

    @property
    def instructions(self) -> int:
        """The instructions of the PTX. A loop counts once."""
        return len(_INSTRUCTION.findall(self.text[self.text.index("{") :]))


def kernels_in(ptx: str) -> Iterator[PtxKernel]:
    """The kernels of a PTX module."""
    target = _TARGET.search(ptx)
    try:
        assembled = assemble_each(ptx, target[1] if target else "sm_90")
    except (MissingCudaExtraError, AssemblerError):
        assembled = {}
    for entry in _ENTRY.finditer(ptx):
        end = ptx.find("\n}", entry.end())
        yield PtxKernel(entry["name"], ptx[entry.start() : end], assembled.get(entry["name"]))


def read_baseline(path: Path) -> dict[str, PtxKernel]:
    """
    The kernels of a PTX file, or of all in a folder, by the names of their entries; of equal names, the first.

    Raises `InputError` if there are none.
    """
    files = sorted(path.rglob("*.ptx")) if path.is_dir() else [path]
    found: dict[str, PtxKernel] = {}
    for file in files:
        for kernel in kernels_in(read_text(str(file))):
            found.setdefault(kernel.name, kernel)
    if not found:
        raise InputError(f"{path}: error: no kernel in PTX: expected a file, or a folder of files, with `.entry`")
    return found


Cell = Callable[[PtxKernel], object]

COLUMNS: Mapping[str, Cell] = {
    "threads": lambda kernel: kernel.threads or "-",
    "registers": lambda kernel: "-" if kernel.assembled is None else kernel.assembled.registers,
    "spilled": lambda kernel: (
        "-" if kernel.assembled is None else kernel.assembled.spill_stores + kernel.assembled.spill_loads
    ),
    "instructions": lambda kernel: kernel.instructions,
    "global loads": lambda kernel: widths(kernel.text, "ld", "global"),
    "global stores": lambda kernel: widths(kernel.text, "st", "global"),
    "shared loads": lambda kernel: widths(kernel.text, "ld", "shared"),
    "shared stores": lambda kernel: widths(kernel.text, "st", "shared"),
}
"""The columns of the table, and the cell of a kernel."""


def print_comparison(kernels: Sequence[Kernel], baseline: Mapping[str, PtxKernel]) -> None:
    """
    A table on standard error with two rows for each kernel: ours, and the one of `baseline` with the same entry.

    If there is one kernel on each side, they are compared whatever their names are.
    """
    table = Table("kernel", "", *COLUMNS)
    for kernel in kernels:
        (ours,) = kernels_in(kernel.ptx)
        theirs = baseline.get(ours.name)
        if theirs is None and len(kernels) == len(baseline) == 1:
            (theirs,) = baseline.values()
        table.add_row(ours.name, "ours", *(str(cell(ours)) for cell in COLUMNS.values()))
        cells = ["-"] * len(COLUMNS) if theirs is None else [str(cell(theirs)) for cell in COLUMNS.values()]
        table.add_row("", "baseline", *cells, end_section=True)
    console(stderr=True).print(table)
