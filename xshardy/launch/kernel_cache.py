"""Compiled kernels on disk, for the next compilation of the same fusions by the same versions of everything."""

import json
import os
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from xshardy.lowering.code_generators import Kernel, KernelArgument
from xshardy.syntax.files import write_file

PACKAGES = ("llvmlite", "nvidia-nvvm", "xdsl", "xshardy")
"""The packages that take part in the compilation."""

DIGEST = "sha256"
"""The entry of a file with the digest of the others, by which a damaged file is known."""


class KernelCache:
    """The kernels in the files of `directory`, which is made when the first one is added."""

    def __init__(self, directory: Path):
        self.directory = directory

    def get(self, text: str, target: str, math: str) -> Kernel | None:
        """The kernel of a fusion with this `fusion_text`; None if it is not there, or not as it was written."""
        try:
            entries = json.loads(self._file(text, target, math).read_text())
            if entries.pop(DIGEST) != _digest(entries):
                return None
            entries["arguments"] = tuple(KernelArgument(**argument) for argument in entries["arguments"])
            entries |= {name: tuple(entries[name]) for name in ("block", "grid")}
            return Kernel(**entries)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):  # any text may be there
            return None

    def put(self, text: str, target: str, math: str, kernel: Kernel) -> None:
        """Add `kernel`. Raises `OSError`."""
        self.directory.mkdir(parents=True, exist_ok=True)
        entries = json.loads(json.dumps(asdict(kernel)))  # as they are read: a tuple is a list
        write_file(self._file(text, target, math), json.dumps({**entries, DIGEST: _digest(entries)}))

    def _file(self, text: str, target: str, math: str) -> Path:
        key = "\0".join((text, target, math, *versions()))
        return self.directory / f"{sha256(key.encode()).hexdigest()}.json"


def _digest(entries: object) -> str:
    return sha256(json.dumps(entries).encode()).hexdigest()


@cache
def versions() -> tuple[str, ...]:
    """The versions of the packages, and the state of the files of this one, which change under development."""
    package = Path(__file__).parents[1]
    files = sorted(package.rglob("*.py"))
    states: list[object] = [(file.relative_to(package).as_posix(), *_state(file)) for file in files]
    return (*map(_version, PACKAGES), repr(states))


def _state(file: Path) -> tuple[int, int]:
    status = os.stat(file)
    return status.st_size, status.st_mtime_ns


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
