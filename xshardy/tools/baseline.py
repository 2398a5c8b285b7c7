"""
`xshardy compile --baseline FILE.ptx|DIR`: kernels beside those of another build, or of XLA's dump of the same module.

Kernels are matched by the names of their entries. What is compared is in the PTX, what ptxas says of it, and what the
PTX machine counts where the launch is known.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from pathlib import Path

from rich.table import Table

from xshardy.lowering.code_generators import Kernel
from xshardy.lowering.cuda_files import MissingCudaExtraError
from xshardy.lowering.ptxas import AssemblerError, PtxasReport, assemble_each
from xshardy.programs.errors import InputError
from xshardy.ptx.errors import LaunchError, PtxError
from xshardy.ptx.faults import FaultError
from xshardy.ptx.machine import Machine
from xshardy.ptx.profiling import Profile, profile
from xshardy.tools.console import console
from xshardy.tools.known_launches import KnownLaunch, launches_beside
from xshardy.tools.source_file import read_file
from xshardy.tools.widths import widths

_TARGET = re.compile(r"^\.target\s+(\w+)", re.MULTILINE)
_ENTRY = re.compile(r"^\s*(?:\.visible\s+|\.weak\s+)?\.entry\s+(?P<name>[\w$.]+)", re.MULTILINE)
_THREADS = re.compile(r"^\s*\.(?:reqntid|maxntid)\s+([\d, ]+)", re.MULTILINE)
_INSTRUCTION = re.compile(r"^\s+(?:@!?%\w+\s+)?[a-z]", re.MULTILINE)


@dataclass(frozen=True)
class PtxKernel:
    """A kernel of a PTX module."""

    name: str
    module: str
    """The PTX of the whole module."""
    text: str
    """Its entry, up to the end of its body."""
    assembled: PtxasReport | None
    """None without ptxas."""
    launch: KnownLaunch | None = None
    """None if nothing says how it is launched."""

    @property
    def threads(self) -> int | None:
        """Threads per block; None if the PTX does not say."""
        found = _THREADS.search(self.text)
        return None if found is None else prod(int(size) for size in found[1].split(","))

    @property
    def instructions(self) -> int:
        """The instructions of the PTX. A loop counts once."""
        return len(_INSTRUCTION.findall(self.text[self.text.index("{") :]))

    @cached_property
    def profile(self) -> Profile | None:
        """
        What the PTX machine counts for the whole grid, on buffers of zeros, from some of its blocks.

        None if the launch is unknown, or the machine cannot execute the kernel so.
        """
        if self.launch is None:
            return None
        try:
            return profile(Machine(self.module, self.name), self.launch.grid, self.launch.block)
        except (PtxError, LaunchError, FaultError):
            return None


def kernels_in(ptx: str) -> Iterator[PtxKernel]:
    """The kernels of a PTX module."""
    target = _TARGET.search(ptx)
    try:
        assembled = assemble_each(ptx, target[1] if target else "sm_90")
    except (MissingCudaExtraError, AssemblerError):
        assembled = {}
    for entry in _ENTRY.finditer(ptx):
        end = ptx.find("\n}", entry.end())
        yield PtxKernel(entry["name"], ptx, ptx[entry.start() : end], assembled.get(entry["name"]))


def read_baseline(path: Path) -> dict[str, PtxKernel]:
    """
    The kernels of a PTX file, or of all in a folder, by the names of their entries; of equal names, the first.

    Their launches are those that files beside the PTX state (`known_launches`). Raises `InputError` if there are none.
    """
    files = sorted(path.rglob("*.ptx")) if path.is_dir() else [path]
    launches = launches_beside(path)
    found: dict[str, PtxKernel] = {}
    for file in files:
        for kernel in kernels_in(read_file(str(file)).text):
            found.setdefault(kernel.name, replace(kernel, launch=launches.get(kernel.name)))
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
    "issue slots": lambda kernel: "-" if kernel.profile is None else f"{kernel.profile.mean_issue_slots:,.0f}",
    "sectors": lambda kernel: "-" if kernel.profile is None else f"{kernel.profile.sectors:,.0f}",
}
"""The columns of the table, and the cell of a kernel."""


def cells_of(kernel: PtxKernel | None) -> list[str]:
    """The cells of a row, `-` for what is unknown or absent."""
    return ["-"] * len(COLUMNS) if kernel is None else [str(cell(kernel)) for cell in COLUMNS.values()]


def print_comparison(kernels: Sequence[Kernel], baseline: Mapping[str, PtxKernel]) -> None:
    """
    A table on standard error with two rows for each kernel: ours, and the one of `baseline` with the same entry.

    If there is one kernel on each side, they are compared whatever their names are. Columns without a figure are left
    out.
    """
    pairs: list[tuple[str, list[str], list[str]]] = []
    for kernel in kernels:
        (parsed,) = kernels_in(kernel.ptx)
        ours = replace(parsed, launch=KnownLaunch(tuple(kernel.grid), tuple(kernel.block)))
        theirs = baseline.get(ours.name)
        if theirs is None and len(kernels) == len(baseline) == 1:
            (theirs,) = baseline.values()
        pairs.append((ours.name, cells_of(ours), cells_of(theirs)))
    rows = [cells for _, *both in pairs for cells in both]
    shown = [i for i in range(len(COLUMNS)) if any(cells[i] != "-" for cells in rows)]
    table = Table("kernel", "", *(name for i, name in enumerate(COLUMNS) if i in shown))
    for name, ours, theirs in pairs:
        table.add_row(name, "ours", *(ours[i] for i in shown))
        table.add_row("", "baseline", *(theirs[i] for i in shown), end_section=True)
    console(stderr=True).print(table)
