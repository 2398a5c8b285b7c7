"""
Kernels of fusions compared with XLA:GPU's: time from HLO text to PTX, the output of ptxas, and what is executed.

The input is a folder of fusions in HLO text with XLA's kernel for each (NAME.hlo, NAME.ptx), and their launch
dimensions in `index.json`. ptxas assembles both kernels for the same GPU; instructions are those of the machine code,
without the padding at its end. `xshardy.ptx` executes at most 32 blocks of both on buffers of zeros, and counts the
instructions that their warps issue (`slots`, the middle of an interval) and the 32-byte sectors that their requests
move, without caches. Both counts are scaled to the whole grid.

XLA's buffer assignment may give a result the buffer of an operand, which the fusion alone does not say. Such a kernel
(`in place`) has an address less than ours.

    python benchmarks/codegen.py [FOLDER] [PART OF A NAME...]
"""

import json
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from struct import unpack_from
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from xshardy import compiler
from xshardy.lowering.cuda_files import find_cuda_file
from xshardy.lowering.ptxas import PROGRAM, assemble
from xshardy.ptx.profiling import profile
from xshardy.tools.widths import widths

CORPUS = Path(__file__).parents[2] / "shared" / "corpus" / "xla_gpu"
TARGET = "sm_90"
INSTRUCTION_BYTES = 16
NO_OPERATION = 0x918
BRANCH = 0x947


@dataclass(frozen=True, slots=True)
class MachineCode:
    """The output of ptxas for a kernel."""

    instructions: int
    registers: int
    spills: int
    loads: str
    stores: str


def machine_code(ptx: str) -> MachineCode:
    """Assemble `ptx` and measure the result."""
    ptx = re.sub(r"\.target\s+sm_90a", ".target sm_90", ptx)
    report = assemble(ptx, TARGET)
    with tempfile.TemporaryDirectory() as folder:
        source, binary = Path(folder, "k.ptx"), Path(folder, "k.cubin")
        source.write_text(ptx)
        program = find_cuda_file(PROGRAM, "NVIDIA's assembler ptxas is not installed")
        subprocess.run([program, f"-arch={TARGET}", "-o", binary, source], check=True)
        instructions = count_instructions(binary.read_bytes())
    return MachineCode(
        instructions,
        report.registers,
        report.spill_stores + report.spill_loads,
        widths(ptx, "ld", "global"),
        widths(ptx, "st", "global"),
    )


def count_instructions(elf: bytes) -> int:
    """The instructions in the code sections of an ELF file, without the loop and the padding at the end of each."""
    (table,) = unpack_from("<Q", elf, 0x28)
    entry_size, entries, names = unpack_from("<HHH", elf, 0x3A)
    sections = [unpack_from("<IIQQQQ", elf, table + i * entry_size) for i in range(entries)]
    names_at = sections[names][4]
    count = 0
    for name, _, _, _, offset, size in sections:
        if elf[names_at + name :].startswith(b".text."):
            codes = [unpack_from("<H", elf, at)[0] & 0xFFF for at in range(offset, offset + size, INSTRUCTION_BYTES)]
            while codes and codes[-1] in (NO_OPERATION, BRANCH):
                codes.pop()
            count += len(codes)
    return count


@dataclass(frozen=True, slots=True)
class Executed:
    """What the warps of a kernel execute, for the whole grid."""

    slots: float
    sectors: float


def executed(ptx: str, grid: Sequence[int], block: Sequence[int]) -> Executed:
    """Execute some blocks of a kernel and count."""
    profiled = profile(ptx, grid, block)
    return Executed(profiled.mean_issue_slots, profiled.sectors)


def is_in_place(ptx: str) -> bool:
    """Whether a kernel never reads one of its parameters: a result whose buffer is that of another parameter."""
    parameters = re.findall(r"^\s*\.param .*?(\w+),?$", ptx, re.MULTILINE)
    return any(f"[{parameter}]" not in ptx for parameter in parameters)


def launches_of_xla(folder: Path) -> dict[str, tuple[Sequence[int], Sequence[int]]]:
    """Grid and block of each of XLA's kernels in a folder, as far as its index has them."""
    index = folder / "index.json"
    entries: list[dict[str, Any]] = json.loads(index.read_text())["fusions"] if index.exists() else []
    return {entry["name"]: (entry["grid"], entry["block"]) for entry in entries if "grid" in entry}


def ratio(ours: float, theirs: float) -> float:
    """`ours / theirs`; 1 if both are 0."""
    return ours / theirs if theirs else 1.0


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else CORPUS
    if not folder.is_dir():
        print(f"{folder}: no such folder: give one with NAME.hlo and XLA's NAME.ptx", file=sys.stderr)
        return 1 if arguments else 0  # the kernels are not part of the project
    table = Table(
        "kernel",
        "ms",
        "instructions",
        "XLA",
        "ratio",
        "slots / XLA's",
        "sectors / XLA's",
        "in place",
        "registers",
        "XLA",
        "spills",
        "loads",
        "XLA's loads",
    )
    launches = launches_of_xla(folder)
    ratios: dict[str, list[float]] = {"instructions": [], "issue slots": [], "sectors": []}
    above_in_place = 0
    for path in sorted(path for path in folder.glob("*.hlo") if path.with_suffix(".ptx").exists()):
        if arguments[1:] and not any(part in path.name for part in arguments[1:]):
            continue
        text = path.read_text()
        start = perf_counter()
        try:
            kernel = compiler.compile(text, target=TARGET, name=path.name)
        except Exception as error:  # report kernels that do not compile in the table
            table.add_row(path.stem, str(error)[:60])
            continue
        seconds = perf_counter() - start
        xla = path.with_suffix(".ptx").read_text()
        ours, theirs, in_place = machine_code(kernel.ptx), machine_code(xla), is_in_place(xla)
        compared = [ratio(ours.instructions, theirs.instructions)]
        if path.stem in launches:
            a = executed(kernel.ptx, kernel.grid, kernel.block)
            b = executed(xla, *launches[path.stem])
            compared += ratio(a.slots, b.slots), ratio(a.sectors, b.sectors)
            above_in_place += in_place and compared[1] > 1.05
        for values, value in zip(ratios.values(), compared, strict=False):
            values.append(value)
        compared = [f"{value:.2f}" for value in compared] + ["-"] * (3 - len(compared))
        numbers = (
            *(ours.instructions, theirs.instructions, *compared),
            *("yes" if in_place else "", ours.registers, theirs.registers),
        )
        table.add_row(
            path.stem, f"{seconds * 1000:.0f}", *map(str, numbers), str(ours.spills), ours.loads, theirs.loads
        )
    Console(width=180).print(table)
    for what, values in ratios.items():
        if values:
            mean, worst, above = statistics.geometric_mean(values), max(values), sum(value > 1.05 for value in values)
            ratios_text = f"{mean:.3f} x XLA's (geometric mean), {worst:.2f} at most, {above} > 1.05"
            print(f"{len(values)} kernels: {what} {ratios_text}")
    print(f"above 1.05 in issue slots, and in place in XLA: {above_in_place}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
