"""The kernel in the FILE of `xshardy ptx`: PTX, or CUDA C++ that is compiled to it."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import NamedTuple

from xshardy.lowering.nvrtc import CudaSourceError, compile_cuda
from xshardy.syntax.placed_error import PlacedError
from xshardy.tools.source_file import read_file

CUDA = (".cu", ".cuh")
"""How names of files of CUDA C++ end."""

_LOCATION = re.compile(r"^[ \t]*\.loc\s+(\d+)\s+(\d+)", re.MULTILINE)
_FILE = re.compile(r'^[ \t]*\.file\s+(\d+)\s+"([^"]*)"', re.MULTILINE)
_ERROR = re.compile(r"^(.*)\((\d+)\): (?:catastrophic )?error: (.*)", re.MULTILINE)


class Place(NamedTuple):
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class KernelSource:
    """PTX, and the file that people read."""

    ptx: str
    file: str
    is_cuda: bool

    def place(self, line: int) -> Place:
        """The file and line of what is at a line of the PTX; its own if the file is PTX."""
        if not self.is_cuda:
            return Place(self.file, line)
        files = dict(_FILE.findall(self.ptx))
        found = [match for match in _LOCATION.finditer(self.ptx) if int(match[2])]
        lines = [self.ptx.count("\n", 0, match.start()) + 1 for match in found]
        before = bisect_right(lines, line) - 1
        if before < 0:
            return Place(self.file, 1)
        named = files.get(found[before][1], self.file)
        return Place(self.file if named.endswith(self.file) else named, int(found[before][2]))

    def entry(self, name: str | None) -> str | None:
        """The name in the PTX of a kernel of C++: `f`, or `_Z1fPi` for a function `f`."""
        if name is None or not self.is_cuda or re.search(rf"\.entry\s+{re.escape(name)}\b", self.ptx):
            return name
        mangled = re.search(rf"\.entry\s+(_Z{len(name)}{re.escape(name)}\w*)", self.ptx)
        return mangled[1] if mangled else name


def read_kernel(file: str, target: str | None = None, definitions: tuple[str, ...] = ()) -> KernelSource:
    """
    The PTX in a file; that of CUDA C++, for a GPU such as `sm_90`, with macros `NAME` or `NAME=VALUE`.

    Raises what `read_file` and `compile_cuda` raise; a `PlacedError` if the compiler rejects the source.
    """
    text = read_file(file).text
    if not file.endswith(CUDA):
        return KernelSource(text, file, is_cuda=False)
    options = [f"-D{definition}" for definition in definitions]
    if target is not None:
        options.append(f"--gpu-architecture={target.replace('sm_', 'compute_')}")
    try:
        return KernelSource(compile_cuda(text, file, options), file, is_cuda=True)
    except CudaSourceError as error:
        found = _ERROR.search(str(error))
        raise PlacedError(f"{found[1]}:{found[2]}: error: {found[3]}" if found else f"{file}: error: {error}") from None
