"""
The boxes that tensor copies move: where their rows are in a tensor. Source: PTX ISA, "Tensor Access Modes".

A row is along the innermost dimension. In shared memory the rows of a box follow each other, swizzled.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.swizzles import CHUNK, swizzled
from xshardy.ptx.tensor_maps import ELEMENTS, SWIZZLES, corners

ROWS_AT_ONCE = 4
"""Of `tile::gather4` and `tile::scatter4`."""


@dataclass(frozen=True, slots=True)
class Boxes:
    """Boxes of one map that threads copy: by tiles, unless a subclass says otherwise."""

    map: Array
    """Of type `LAYOUT`."""
    coordinates: Array
    """The first element of each box, [boxes, dimensions], the innermost first; it may be negative."""
    offsets: Array
    """What `im2col` adds to it, [boxes, dimensions between the first and last]; of other modes there are none."""

    @property
    def rank(self) -> int:
        return int(self.map["rank"]) + 1

    @property
    def element_bytes(self) -> int:
        return ELEMENTS[int(self.map["elemtype"])].itemsize

    @property
    def row_elements(self) -> int:
        return int(self.map["box_dim"][0])

    @property
    def steps(self) -> Array:
        """How many elements further the next one is, of each dimension but the innermost."""
        return self.map["element_stride"][1 : self.rank].astype(np.int64)

    @property
    def rows(self) -> Array:
        """Where the rows are, without the innermost dimension: [boxes, rows, dimensions - 1]."""
        extents: list[int] = self.map["box_dim"][1 : self.rank].tolist()
        axes = [range(0, extent, step) for extent, step in zip(extents, self.steps.tolist(), strict=True)]
        places = [at[::-1] for at in product(*axes[::-1])]
        within = np.array(places, np.int64).reshape(len(places), self.rank - 1)
        return self.coordinates[:, None, 1:] + within

    @property
    def bytes(self) -> int:
        """The bytes of a box."""
        return self.rows.shape[1] * self.row_elements * self.element_bytes

    def wrong(self) -> str | None:
        """Why the boxes are none of the map, in words behind its name; None if they are."""
        return None

    def piece(self) -> int:
        """In how large pieces, in bytes, rows are read and written: an element, if the tensor ends within a chunk."""
        ends = [*self.coordinates[:, 0].tolist(), int(self.map["global_dim"][0])]
        return self.element_bytes if any(end * self.element_bytes % CHUNK for end in ends) else CHUNK

    def places(self, piece: int) -> tuple[Array, Array]:
        """The address of each piece of the boxes, and whether it is in the tensor: [boxes, rows, pieces of a row]."""
        sizes = self.map["global_dim"][: self.rank].astype(np.int64)
        first = self.coordinates[:, :1] + np.arange(0, self.row_elements, piece // self.element_bytes)
        rows = self.rows
        of_rows: Array = np.all((rows >= 0) & (rows < sizes[1:]), axis=-1)
        inside = ((first >= 0) & (first < sizes[0]))[:, None, :] & of_rows[:, :, None]
        strides = self.map["global_stride"][: self.rank - 1].astype(np.int64)
        offset = (first * self.element_bytes)[:, None, :] + (rows @ strides)[:, :, None]
        return offset.astype(np.uint64) + self.map["global_address"], inside

    def in_shared(self, starts: Array) -> Array:
        """Where each chunk of the boxes lies, if they begin at `starts`: [boxes, chunks]."""
        linear = starts[:, None] + np.arange(0, self.bytes, CHUNK, dtype=np.uint64)
        return swizzled(linear, SWIZZLES[int(self.map["swizzle_mode"])])


class Rows(Boxes):
    """Four rows anywhere in a matrix: the coordinates are the first column, and the rows."""

    @property
    def rows(self) -> Array:
        return self.coordinates[:, 1:, None]

    def wrong(self) -> str | None:
        height = int(self.map["box_dim"][1])
        return None if height == 1 else f"has boxes of {height} rows, where each of four rows is a box of its own"


class Columns(Boxes):
    """Pixels as `im2col` moves over images: along the width, then height, depth and images, within a box."""

    @property
    def limits(self) -> tuple[Array, Array]:
        """The first and the last place of the first pixel of a filter, in each dimension of an image."""
        low, high = (np.array(corner, np.int64) for corner in corners(self.map))
        return low, self.map["global_dim"][1 : self.rank - 1].astype(np.int64) - 1 + high

    @property
    def rows(self) -> Array:
        (low, high), at = self.limits, self.coordinates[:, 1:].copy()
        found = list[Array]()
        for _ in range(int(self.map["box_dim"][1])):
            found.append(at.copy())
            moves = np.ones(len(at), np.bool_)
            for axis in range(self.rank - 2):
                at[moves, axis] += self.steps[axis]
                moves &= at[:, axis] > high[axis]
                at[moves, axis] = low[axis]
            at[moves, -1] += 1
        result = np.stack(found, axis=1)
        result[:, :, :-1] += self.offsets[:, None, :]
        return result

    def wrong(self) -> str | None:
        (low, high), first = self.limits, self.coordinates[:, 1:-1]
        if ((first >= low) & (first <= high)).all():
            return None
        ends = ", ".join(f"{one} to {other}" for one, other in zip(low.tolist(), high.tolist(), strict=True))
        return f"has its first pixels at {ends}, the innermost first, and the copy begins elsewhere"


BOXES: Mapping[str, type[Boxes]] = {
    "tile": Boxes,
    "tile::gather4": Rows,
    "tile::scatter4": Rows,
    "im2col": Columns,
    "im2col_no_offs": Columns,
}
"""By the mode of a copy."""
