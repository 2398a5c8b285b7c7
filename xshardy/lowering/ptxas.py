"""NVIDIA's assembler, from the `cuda` extra: whether it accepts PTX, and the resources that the machine code uses."""

import re
import subprocess
from dataclasses import dataclass
from tempfile import NamedTemporaryFile

from xdsl.utils.exceptions import DiagnosticException

from xshardy.lowering.cuda_files import find_cuda_file

PROGRAM = "bin/ptxas"


class AssemblerError(DiagnosticException):
    """ptxas rejects the PTX."""


@dataclass(frozen=True, slots=True)
class PtxasReport:
    """The resources that a kernel uses, per thread; shared memory is per block. Sizes are in bytes."""

    registers: int
    spill_stores: int
    spill_loads: int
    stack: int
    shared_memory: int

    @property
    def spills(self) -> bool:
        """Whether registers are spilled to memory."""
        return self.spill_stores > 0 or self.spill_loads > 0


_UNKNOWN_ARCHITECTURE = "is not defined for option 'gpu-name'"

_COMPILING = re.compile(r"Compiling entry function '([^']+)'")

_FIELDS = {
    "registers": re.compile(r"Used (\d+) registers"),
    "spill_stores": re.compile(r"(\d+) bytes spill stores"),
    "spill_loads": re.compile(r"(\d+) bytes spill loads"),
    "stack": re.compile(r"(\d+) bytes stack frame"),
    "shared_memory": re.compile(r"(\d+) bytes smem"),
}


def assemble(ptx: str, arch: str = "sm_90") -> PtxasReport:
    """
    Assemble `ptx` for `arch`, and discard the machine code.

    For several functions, each number of the report is the largest one. Raises `AssemblerError` with the
    messages of ptxas if it rejects the PTX, `MissingCudaExtraError` if it is not installed.
    """
    return _report(_log(ptx, arch))


def assemble_each(ptx: str, arch: str = "sm_90") -> dict[str, PtxasReport]:
    """The report on each kernel of `ptx`, by the name of its entry. Raises as `assemble` does."""
    _, *parts = _COMPILING.split(_log(ptx, arch))
    return {name: _report(log) for name, log in zip(parts[::2], parts[1::2], strict=True)}


def _report(log: str) -> PtxasReport:
    found = {name: [int(number) for number in pattern.findall(log)] for name, pattern in _FIELDS.items()}
    return PtxasReport(**{name: max(numbers, default=0) for name, numbers in found.items()})


def _log(ptx: str, arch: str) -> str:
    """What ptxas prints about `ptx`."""
    program = find_cuda_file(PROGRAM, "NVIDIA's assembler ptxas is not installed")
    with NamedTemporaryFile("w", suffix=".ptx") as source:
        source.write(ptx)
        source.flush()
        command = [str(program), f"-arch={arch}", "-v", "-o", "/dev/null", source.name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if _UNKNOWN_ARCHITECTURE in done.stderr:
        raise AssemblerError(
            f"the installed ptxas makes no machine code for {arch}: assemble for a newer architecture, which runs the "
            "same PTX"
        )
    if done.returncode != 0:
        said = (done.stdout + done.stderr).replace(source.name, "<PTX>")
        raise AssemblerError(f"ptxas rejects the PTX for {arch}:\n{said}".rstrip())
    return done.stdout + done.stderr
