"""
The grids and blocks of kernels in PTX, which does not say them, from files beside it.

`xshardy compile -o DIR` writes them to `plan.json` (docs/launching.md), and XLA's dump to the text of its thunks, in
lines `kernel = NAME, ..., launch dimensions = blocks: {X, Y, Z}, threads/block: {X, Y, Z}`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xshardy.launch.plan_files import PLAN_FILE

THUNKS = "*thunk_sequence*"
"""The names of the files in which XLA lists what a module launches."""
_THUNK = re.compile(
    r"\bkernel = (?P<name>[^,\s]+),.*?\bblocks: \{(?P<grid>[\d, ]+)\}, threads/block: \{(?P<block>[\d, ]+)\}"
)


@dataclass(frozen=True, slots=True)
class KnownLaunch:
    """The sizes of a grid in blocks, and of a block in threads, along x, y and z."""

    grid: tuple[int, ...]
    block: tuple[int, ...]


def launches_beside(path: Path) -> dict[str, KnownLaunch]:
    """
    The launches of kernels by their names; of equal names, the first.

    They are from files anywhere in `path`, if it is a folder, and else from files in the folder of `path`.
    """
    found: dict[str, KnownLaunch] = {}
    files = path.rglob if path.is_dir() else path.parent.glob
    for file in sorted([*files(PLAN_FILE), *files(THUNKS)]):
        text = file.read_text(errors="replace")
        for name, launch in _planned(text) if file.suffix == ".json" else _thunks(text):
            found.setdefault(name, launch)
    return found


def _planned(text: str) -> Iterator[tuple[str, KnownLaunch]]:
    """From `plan.json`; nothing from other files of that name."""
    try:
        kernels: Mapping[str, Mapping[str, Any]] = json.loads(text)["kernels"]
        yield from [(name, KnownLaunch(tuple(each["grid"]), tuple(each["block"]))) for name, each in kernels.items()]
    except (ValueError, KeyError, TypeError, AttributeError):
        return


def _thunks(text: str) -> Iterator[tuple[str, KnownLaunch]]:
    for found in _THUNK.finditer(text):
        grid, block = (tuple(int(size) for size in found[name].split(",")) for name in ("grid", "block"))
        yield found["name"], KnownLaunch(grid, block)
