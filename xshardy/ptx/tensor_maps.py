"""
Tensor maps: which part of a tensor in global memory a tensor copy moves, and how it lies in shared memory.

CUDA's are opaque objects of 128 bytes. Here their fields lie as `LAYOUT` says, so that only maps can be used that
`TensorMap` or the instruction `tensormap.replace` makes. Source: PTX ISA, "Tensor-map", `tensormap.replace`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from xshardy.interpreters.element_types import Array, DType
from xshardy.ptx.errors import LaunchError
from xshardy.ptx.swizzles import CHUNK

MAP_BYTES = 128
MOST_DIMENSIONS = 5
MOST_IN_BOX = 256
STRIDE_BITS = 40

LAYOUT = np.dtype(
    {
        "names": [
            "global_address",
            "global_stride",
            "global_dim",
            "box_dim",
            "element_stride",
            "rank",
            "elemtype",
            "interleave_layout",
            "swizzle_mode",
            "swizzle_atomicity",
            "fill_mode",
        ],
        "formats": ["u8", ("u8", 4), *[("u4", MOST_DIMENSIONS)] * 3, *["u4"] * 6],
        "offsets": [0, 8, 40, 60, 80, 100, 104, 108, 112, 116, 120],
        "itemsize": MAP_BYTES,
    }
)
"""The fields as `tensormap.replace` calls them. Dimensions and boxes are in elements, the innermost first."""

FIELDS: Mapping[str, tuple[DType, int]] = {name: (field[0], field[1]) for name, field in (LAYOUT.fields or {}).items()}
"""The type and the offset of each field."""

ELEMENTS: Sequence[DType] = [
    *map(np.dtype, ("u1", "u2", "u4", "i4", "u8", "i8", "f2", "f4", "f4", "f8")),
    np.dtype(ml_dtypes.bfloat16),
    np.dtype("f4"),
    np.dtype("f4"),
]
"""By `elemtype`."""
FLUSHING = (8, 12)
"""Types that flush small numbers to zero."""

SWIZZLES: Mapping[int, int] = {0: 0, 1: 32, 2: 64, 3: 128}
"""By `swizzle_mode`, the bytes of a row of a tile; 0 for none."""


@dataclass(frozen=True, slots=True)
class TensorMap:
    """
    An argument for a parameter of 128 bytes: an array, the sizes of the boxes that are copied, and their swizzle.

    The sizes are in the order of the array. `swizzle` is 0, 32, 64 or 128, the bytes of a row of a box.
    """

    array: Array
    box: tuple[int, ...]
    swizzle: int = 0
    fills_with_nan: bool = False
    """Whether elements out of bounds are NaN; otherwise they are 0."""

    def encoded(self, address: int) -> bytes:
        """The map, if the array is at `address`. Raises `LaunchError` for what a map cannot say."""
        array, size = self.array, self.array.itemsize
        if len(self.box) != array.ndim or not 1 <= array.ndim <= MOST_DIMENSIONS:
            raise LaunchError(f"a tensor map has 1 to 5 dimensions, as many as its box: not {array.shape}, {self.box}")
        if self.swizzle not in SWIZZLES.values():
            raise LaunchError(f"a tensor map has a swizzle of 0, 32, 64 or 128 bytes, not {self.swizzle}")
        known = [number for number, element in enumerate(ELEMENTS) if element == array.dtype]
        of_size = [number for number, element in enumerate(ELEMENTS) if element.itemsize == size]
        if not of_size:
            raise LaunchError(f"a tensor map has no elements of type {array.dtype}")
        map = np.zeros((), LAYOUT)
        map["global_address"] = address
        map["rank"] = array.ndim - 1
        map["elemtype"] = (known or of_size)[0]
        map["swizzle_mode"] = {span: mode for mode, span in SWIZZLES.items()}[self.swizzle]
        map["fill_mode"] = self.fills_with_nan
        for number in range(array.ndim):
            map["global_dim"][number] = array.shape[-1 - number]
            map["box_dim"][number] = self.box[-1 - number]
            map["element_stride"][number] = 1
            if number:
                map["global_stride"][number - 1] = size * int(np.prod(array.shape[array.ndim - number :]))
        if (wrong := wrong_in(map)) is not None:
            raise LaunchError(f"a tensor map {wrong}")
        return map.tobytes()


def wrong_in(map: Array) -> str | None:
    """Why a map of type `LAYOUT` is no valid one, in words behind its name; None if it is."""
    rank = int(map["rank"]) + 1
    if rank > MOST_DIMENSIONS or int(map["elemtype"]) >= len(ELEMENTS):
        return f"has {rank} dimensions of elements of type {int(map['elemtype'])}: there are no such ones"
    size = ELEMENTS[int(map["elemtype"])].itemsize
    box = [int(size) for size in map["box_dim"][:rank]]
    row = box[0] * size
    strides = [int(stride) for stride in map["global_stride"][: rank - 1]]
    span = SWIZZLES.get(int(map["swizzle_mode"]))
    if int(map["global_address"]) % CHUNK or any(stride % CHUNK for stride in strides):
        return f"has an address or strides {strides} that are no multiples of {CHUNK} bytes"
    if any(stride >> STRIDE_BITS for stride in strides):
        return f"has strides {strides} of which one has more than {STRIDE_BITS} bits"
    if any(not 1 <= size <= MOST_IN_BOX for size in box):
        return f"has a box of {box[::-1]} elements: each dimension has 1 to {MOST_IN_BOX}"
    if row % CHUNK:
        return f"has a box with rows of {row} bytes, no multiple of {CHUNK}"
    if span is None:
        return f"has the unknown swizzle {int(map['swizzle_mode'])}"
    if span and row > span:
        return f"has a box with rows of {row} bytes, more than the {span} of its swizzle"
    return None


def unsupported_in(map: Array) -> str | None:
    """What the machine does not know of a valid map, in words; None if nothing."""
    rank = int(map["rank"]) + 1
    span = SWIZZLES[int(map["swizzle_mode"])]
    row = int(map["box_dim"][0]) * ELEMENTS[int(map["elemtype"])].itemsize
    if span and row < span:
        return f"rows of {row} bytes in a swizzle of {span}"
    if any(int(stride) != 1 for stride in map["element_stride"][:rank]):
        return "element strides other than 1"
    if int(map["interleave_layout"]) or int(map["swizzle_atomicity"]):
        return "interleaved layouts, and swizzles of other than 16 bytes"
    if int(map["elemtype"]) in FLUSHING:
        return "types that flush small numbers to zero"
    return None
