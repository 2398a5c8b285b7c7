"""A divided tensor as a picture in HTML, for notebooks: a cell for each part, with the devices that have it."""

from collections.abc import Sequence
from functools import reduce
from html import escape
from itertools import product
from math import prod
from operator import add
from typing import NamedTuple

from xshardy.display.ranges import ranges

MOST_PARTS = 256
"""The most parts that are drawn."""
CELL = "border: 1px solid; padding: 4px 10px; text-align: center;"
HEAD = "padding: 2px 8px; font-weight: normal; opacity: .7; text-align: center;"


class DividedDim(NamedTuple):
    """A dimension of `extent` elements, divided into `parts` of `size` elements, the last ones with padding."""

    extent: int
    size: int
    parts: int

    def elements(self, index: int) -> str:
        """`0:4`, the elements of a part; `padding` if it has none."""
        start, end = min(index * self.size, self.extent), min((index + 1) * self.size, self.extent)
        return f"{start}:{end}" if start < end else "padding"


Index = tuple[int, ...]
"""The place of a part along each dimension."""


def picture(title: str, dims: Sequence[DividedDim], parts_of_devices: Sequence[Index]) -> str:
    """
    A table in HTML of the parts of a tensor, from the part of each device.

    Parts along the last divided dimension go from left to right, all others from top to bottom. The headings are the
    elements of the parts. More than `MOST_PARTS` parts are only counted.
    """
    total = prod(dim.parts for dim in dims)
    caption = f"{escape(title)}, {_counted(total, 'part')} on {_counted(len(parts_of_devices), 'device')}"
    if total > MOST_PARTS:
        return f"<div>{caption}</div>"
    divided = [number for number, dim in enumerate(dims) if dim.parts > 1]
    down, across = divided[:-1], divided[-1:]
    devices: dict[Index, list[int]] = {}
    for device, index in enumerate(parts_of_devices):
        devices.setdefault(index, []).append(device)
    columns = _indices(dims, across)
    cells = "".join(_head(dims, across, column) for column in columns)
    rows = [f"<tr><th></th>{cells}</tr>"]
    for row in _indices(dims, down):
        parts = [tuple(map(add, row, column)) for column in columns]
        cells = "".join(_cell(devices.get(part, ()), _number(part, dims) / total) for part in parts)
        rows.append(f"<tr>{_head(dims, down, row)}{cells}</tr>")
    caption = f'<caption style="text-align: left; white-space: nowrap">{caption}</caption>'
    return f'<table style="border-collapse: collapse">{caption}{"".join(rows)}</table>'


def _indices(dims: Sequence[DividedDim], some: Sequence[int]) -> list[Index]:
    """All parts along the dimensions `some`, the first ones along the others."""
    return [*product(*(range(dim.parts if number in some else 1) for number, dim in enumerate(dims)))]


def _number(part: Index, dims: Sequence[DividedDim]) -> int:
    """The number of a part, counted along the last dimension first."""
    return reduce(lambda number, along: number * along[1].parts + along[0], zip(part, dims, strict=True), 0)


def _head(dims: Sequence[DividedDim], some: Sequence[int], part: Index) -> str:
    """A heading: the elements of a part along the dimensions `some`."""
    return f'<th style="{HEAD}">{", ".join(dims[dim].elements(part[dim]) for dim in some)}</th>'


def _cell(devices: Sequence[int], hue: float) -> str:
    """A cell in a colour that is readable on light and on dark; `hue` is from 0 to 1."""
    return f'<td style="{CELL} background: hsl({360 * hue:.0f} 60% 50% / .25)">{ranges(devices)}</td>'


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
