"""The kernel in the FILE of `xshardy ptx`: PTX, or CUDA C++ that is compiled to it."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xshardy.lowering.nvrtc import CudaSourceError, compile_cuda
from xshardy.syntax.placed_error import PlacedError
from xshardy.tools.source_file import read_file

CUDA = (".cu", ".cuh")
"""How names of files of CUDA C++ end."""

_LOCATION = re.compile(r"[ \t]*\.loc\s+(\d+)\s+(\d+)")
_FILE = re.compile(r'^[ \t]*\.file\s+(\d+)\s+"([^"]*)"', re.MULTILINE)
_ERROR = re.compile(r"^(.*)\((\d+)\): (?:catastrophic )?error: (.*)", re.MULTILINE)


class Place(NamedTuple):
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class PtxSource:
    """PTX, and the file that people read."""

    ptx: str
    file: str
    is_compiled: bool
    """Whether the file is what PTX is compiled from, such as CUDA C++; else it is the PTX."""
    places: Sequence[tuple[int, Place]] = ()
    """From which line of the PTX on is which place of the source behind `.loc`, in the order of the lines."""

    def place(self, line: int) -> Place:
        """The file and line of what is at a line of the PTX; its own if the file is PTX."""
        if not self.is_compiled:
            return Place(self.file, line)
        return self.source_place(line) or Place(self.file, 1)

    def source_place(self, line: int) -> Place | None:
        """The place behind `.loc` of what is at a line of the PTX; None if there is none."""
        count = bisect_right(self.places, line, key=lambda start: start[0])
        return self.places[count - 1][1] if count else None

    def entry(self, name: str | None) -> str | None:
        """The name in the PTX of a kernel of C++: `f`, or `_Z1fPi` for a function `f`."""
        if name is None or not self.is_compiled or re.search(rf"\.entry\s+{re.escape(name)}\b", self.ptx):
            return name
        mangled = re.search(rf"\.entry\s+(_Z{len(name)}{re.escape(name)}\w*)", self.ptx)
        return mangled[1] if mangled else name


def _places(ptx: str, file: str) -> Iterator[tuple[int, Place]]:
    files = dict(_FILE.findall(ptx))
    for number, text in enumerate(ptx.split("\n"), 1):
        if (found := _LOCATION.match(text)) and (line := int(found[2])):
            named = files.get(found[1], file)
            yield number, Place(file if named.endswith(file) else named, line)


def located_ptx(ptx: str, file: str) -> PtxSource:
    """PTX that a compiler has made of the source `file`, whose places it has by `.loc`."""
    return PtxSource(ptx, file, is_compiled=True, places=[*_places(ptx, file)])


def read_kernel(file: str, target: str | None = None, definitions: tuple[str, ...] = ()) -> PtxSource:
    """
    The PTX in a file; that of CUDA C++, for a GPU such as `sm_90`, with macros `NAME` or `NAME=VALUE`.

    Raises what `read_file` and `compile_cuda` raise; a `PlacedError` if the compiler rejects the source.
    """
    text = read_file(file).text
    if not file.endswith(CUDA):
        return PtxSource(text, file, is_compiled=False, places=[*_places(text, file)])
    options = [f"-D{definition}" for definition in definitions]
    if target is not None:
        options.append(f"--gpu-architecture={target.replace('sm_', 'compute_')}")
    try:
        ptx = compile_cuda(text, file, options)
    except CudaSourceError as error:
        found = _ERROR.search(str(error))
        raise PlacedError(f"{found[1]}:{found[2]}: error: {found[3]}" if found else f"{file}: error: {error}") from None
    return located_ptx(ptx, file)
