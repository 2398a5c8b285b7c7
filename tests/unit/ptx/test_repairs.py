"""
Faults of kernels that were reported in public and repaired, each as a small kernel of ours in `repairs/`.

A file says what was wrong where, and how the kernel is launched. Lines that end with `// right` are only in the
repaired kernel, those with `// wrong` only in the other one, and `// fault` is at the line of its fault. `%r1` is the
thread, `%r2` the block, `%r3` the address of shared memory and `%r5` that of element `%r1` there; `%rd11`, `%rd12`, ...
are the addresses of element `%r1` of the arguments, which are 0 and have 32 bits.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from ptx_kernels import HEADER, kernel

from xshardy.ptx.faults import Fault
from xshardy.ptx.machine import Machine, Options

FILES = sorted((Path(__file__).parent / "repairs").glob("*.ptx"))
TABLE = Path(__file__).parents[3] / "docs" / "ptx.md"
ABOUT = re.compile(
    r"// (?P<report>\S+/\S+#\d+): (?P<what>.*)\n"
    r"// launch: grid (?P<grid>\d+), block (?P<block>\d+),(?: cluster (?P<cluster>\d+),)? shared (?P<shared>\d+), "
    r"arguments (?P<arguments>[\d ]+)\n"
    r"// wrong: (?P<kind>.*)\n"
)


@dataclass(frozen=True)
class Repair:
    """A kernel with a fault, and repaired."""

    text: str
    about: re.Match[str]

    @property
    def sizes(self) -> list[int]:
        return [int(size) for size in self.about["arguments"].split()]

    def ptx(self, left_out: str) -> str:
        """The kernel without the lines with a mark."""
        lines = [line for line in self.text.splitlines() if not re.search(rf"// {left_out}\b", line)]
        function = "\n".join(line.removeprefix("// function: ") for line in lines if line.startswith("// function: "))
        body = "\n".join(line for line in lines if not line.startswith("//"))
        shared, count = int(self.about["shared"]), len(self.sizes)
        places = "  mov.u32 %r3, s;\n  mad.lo.u32 %r5, %r1, 4, %r3;\n" if shared else ""
        elements = "".join(f"  add.s64 %rd1{n}, %rd{n}, %rd10;\n" for n in range(1, count + 1))
        start = f"{places}  mul.wide.u32 %rd10, %r1, 4;\n{elements}"
        return kernel(start + body, count, shared, f"{HEADER}{function}\n")

    def check(self, ptx: str) -> list[Fault]:
        about = self.about
        arguments = [np.zeros(size, np.uint32) for size in self.sizes]
        options = Options(cluster=(int(about["cluster"] or 1),))
        return Machine(ptx).check([int(about["grid"])], [int(about["block"])], arguments, options)


def repair_in(file: Path) -> Repair:
    about = ABOUT.match(file.read_text())
    assert about is not None, file
    return Repair(file.read_text()[about.end() :], about)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_fault_is_reported_and_the_repaired_kernel_has_none(file: Path):
    repair = repair_in(file)
    wrong = repair.ptx("right")
    line = next(number for number, line in enumerate(wrong.splitlines(), 1) if re.search(r"//.*\bfault", line))
    assert (repair.about["kind"], line) in {(fault.kind.value, fault.line) for fault in repair.check(wrong)}
    assert repair.check(repair.ptx("wrong")) == []


def test_the_documentation_lists_all():
    rows = {
        f"| {about['report']} | {about['kind']} | {about['what'].rstrip('.')} |"
        for about in (repair_in(file).about for file in FILES)
    }
    assert {line for line in TABLE.read_text().splitlines() if line in rows} == rows
