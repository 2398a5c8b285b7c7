"""
Tensor maps: which part of a tensor in global memory a tensor copy moves, and how it lies in shared memory.

CUDA's are opaque objects of 128 bytes. Here their fields lie as `LAYOUT` says, so that only maps can be used that
`TensorMap` or the instruction `tensormap.replace` makes. Source: PTX ISA, "Tensor-map", `tensormap.replace`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from xshardy.numerics.element_types import Array, DType
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
            "mode",
        ],
        "formats": ["u8", ("u8", 4), *[("u4", MOST_DIMENSIONS)] * 3, *["u4"] * 7],
        "offsets": [0, 8, 40, 60, 80, 100, 104, 108, 112, 116, 120, 124],
        "itemsize": MAP_BYTES,
    }
)
"""
The fields as `tensormap.replace` calls them. Dimensions and boxes are in elements, the innermost first.

`mode` is one of `MODES`. In a map of columns, `box_dim` has the channels of a pixel, the pixels of a column, and then,
for each dimension between those of channels and images, the lower corner in 16 bits and the upper one above it.
"""
MODES: Mapping[int, str] = {0: "tiles", 1: "columns"}
COLUMNS = 1
"""The mode `im2col`."""

FIELDS: Mapping[str, tuple[DType, int]] = {
    name: (field[0], field[1]) for name, field in (LAYOUT.fields or {}).items() if name != "mode"
}
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


MOST_STRIDE = 8
MOST_PIXELS = 1024
CORNER_BITS: Mapping[int, int] = {3: 16, 4: 8, 5: 5}
"""Of the corners of a map of columns, by its dimensions; they are signed."""


@dataclass(frozen=True, slots=True)
class TensorMap:
    """
    An argument for a parameter of 128 bytes: an array, the sizes of the boxes that are copied, and their swizzle.

    The sizes are in the order of the array. `swizzle` is 0, 32, 64 or 128, the bytes of a row of a box. With `strides`,
    in each dimension every so many elements of a box are copied.

    With `lower` and `upper` it is a map for `im2col`, of images [images, (depth, height,) width, channels]: the box has
    pixels and channels, and these are the corners of the box that the first pixel of a filter moves in, as they are
    distant from those of an image.
    """

    array: Array
    box: tuple[int, ...]
    swizzle: int = 0
    fills_with_nan: bool = False
    """Whether elements out of bounds are NaN; otherwise they are 0."""
    strides: tuple[int, ...] = ()
    lower: tuple[int, ...] = ()
    upper: tuple[int, ...] = ()

    @property
    def of_columns(self) -> bool:
        """Whether it is a map for `im2col`."""
        return bool(self.lower or self.upper)

    def encoded(self, address: int) -> bytes:
        """The map, if the array is at `address`. Raises `LaunchError` for what a map cannot say."""
        array, size = self.array, self.array.itemsize
        expected = 2 if self.of_columns else array.ndim
        if len(self.box) != expected or not 1 <= array.ndim <= MOST_DIMENSIONS:
            raise LaunchError(f"a tensor map has 1 to 5 dimensions, as many as its box: not {array.shape}, {self.box}")
        if self.of_columns and not len(self.lower) == len(self.upper) == array.ndim - 2:
            raise LaunchError(
                f"a tensor map of columns has corners of all dimensions but the first and last, {array.ndim - 2}: not "
                f"{self.lower}, {self.upper}"
            )
        if len(self.strides) not in (0, array.ndim):
            raise LaunchError(f"a tensor map has a stride for each of its {array.ndim} dimensions, not {self.strides}")
        if not all(1 <= stride <= MOST_STRIDE for stride in self.strides):
            raise LaunchError(f"a tensor map has element strides of {self.strides}: each is 1 to {MOST_STRIDE}")
        if not all(1 <= size <= MOST_PIXELS for size in self.box):
            raise LaunchError(f"a tensor map has a box of {self.box} elements: each dimension has 1 to {MOST_PIXELS}")
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
        map["mode"] = self.of_columns
        map["box_dim"][: len(self.box)] = self.box[::-1]
        map["element_stride"] = 1
        map["element_stride"][: len(self.strides)] = self.strides[::-1]
        for number, (low, high) in enumerate(zip(self.lower[::-1], self.upper[::-1], strict=True)):
            bits = CORNER_BITS[array.ndim]
            if not all(-(1 << bits - 1) <= corner < 1 << bits - 1 for corner in (low, high)):
                raise LaunchError(f"corners of columns in {array.ndim} dimensions have {bits} bits: not {low}, {high}")
            map["box_dim"][2 + number] = low & 0xFFFF | (high & 0xFFFF) << 16
        for number in range(array.ndim):
            map["global_dim"][number] = array.shape[-1 - number]
            if number:
                map["global_stride"][number - 1] = size * int(np.prod(array.shape[array.ndim - number :]))
        if (wrong := wrong_in(map)) is not None:
            raise LaunchError(f"a tensor map {wrong}")
        return map.tobytes()


def corners(map: Array) -> tuple[list[int], list[int]]:
    """The lower and upper corners of a map of columns, the innermost first."""
    words = map["box_dim"][2 : int(map["rank"]) + 1].astype(np.uint32).view(np.int16).reshape(-1, 2)
    return words[:, 0].tolist(), words[:, 1].tolist()


def wrong_in(map: Array) -> str | None:
    """Why a map of type `LAYOUT` is no valid one, in words behind its name; None if it is."""
    rank = int(map["rank"]) + 1
    if rank > MOST_DIMENSIONS or int(map["elemtype"]) >= len(ELEMENTS):
        return f"has {rank} dimensions of elements of type {int(map['elemtype'])}: there are no such ones"
    size = ELEMENTS[int(map["elemtype"])].itemsize
    if (mode := int(map["mode"])) not in MODES or (mode == COLUMNS and rank not in CORNER_BITS):
        return f"has {rank} dimensions in mode {mode}: maps of columns have 3 to 5"
    box = [int(size) for size in map["box_dim"][: 2 if mode == COLUMNS else rank]]
    mosts = [MOST_IN_BOX, MOST_PIXELS] if mode == COLUMNS else [MOST_IN_BOX] * rank
    row = box[0] * size
    strides = [int(stride) for stride in map["global_stride"][: rank - 1]]
    span = SWIZZLES.get(int(map["swizzle_mode"]))
    if int(map["global_address"]) % CHUNK or any(stride % CHUNK for stride in strides):
        return f"has an address or strides {strides} that are no multiples of {CHUNK} bytes"
    if any(stride >> STRIDE_BITS for stride in strides):
        return f"has strides {strides} of which one has more than {STRIDE_BITS} bits"
    if any(not 1 <= size <= most for size, most in zip(box, mosts, strict=True)):
        return f"has a box of {box[::-1]} elements: each dimension has 1 to {mosts[-1]}"
    steps = [int(step) for step in map["element_stride"][1:rank]]
    if any(not 1 <= step <= MOST_STRIDE for step in steps):
        return f"has element strides of {steps[::-1]}: each is 1 to {MOST_STRIDE}"
    if row % CHUNK:
        return f"has a box with rows of {row} bytes, no multiple of {CHUNK}"
    if span is None:
        return f"has the unknown swizzle {int(map['swizzle_mode'])}"
    if span and row > span:
        return f"has a box with rows of {row} bytes, more than the {span} of its swizzle"
    return None


def unsupported_in(map: Array) -> str | None:
    """What the machine does not know of a valid map, in words; None if nothing."""
    span = SWIZZLES[int(map["swizzle_mode"])]
    row = int(map["box_dim"][0]) * ELEMENTS[int(map["elemtype"])].itemsize
    if span and row < span:
        return f"rows of {row} bytes in a swizzle of {span}"
    if int(map["interleave_layout"]) or int(map["swizzle_atomicity"]):
        return "interleaved layouts, and swizzles of other than 16 bytes"
    if int(map["elemtype"]) in FLUSHING:
        return "types that flush small numbers to zero"
    return None
