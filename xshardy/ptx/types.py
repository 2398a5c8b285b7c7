"""
The fundamental types of PTX, and how their values lie in registers.

A register holds bits: an array of unsigned integers of its width, or of `bool` for a predicate. An instruction reads
them as its type. Source: PTX ISA, "Types" and "Packed Data Types".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

import ml_dtypes
import numpy as np

from xshardy.numerics.element_types import Array, DType


class Kind(Enum):
    """What an instruction takes bits for."""

    PREDICATE = auto()
    BITS = auto()
    UNSIGNED = auto()
    SIGNED = auto()
    FLOAT = auto()


@dataclass(frozen=True, slots=True)
class Type:
    """A fundamental or packed type."""

    name: str
    bits: int
    """Of the whole value."""
    kind: Kind
    dtype: DType
    """Of an element."""
    elements: int = 1
    """More than 1 in a packed type."""

    @property
    def is_integer(self) -> bool:
        return self.kind in (Kind.UNSIGNED, Kind.SIGNED, Kind.BITS)


STORAGE: Mapping[int, DType] = {
    1: np.dtype(np.bool_),
    8: np.dtype(np.uint8),
    16: np.dtype(np.uint16),
    32: np.dtype(np.uint32),
    64: np.dtype(np.uint64),
    128: np.dtype(np.complex128),
}
"""The elements of the array behind a register of so many bits; those of 128 are only moved, and hold no numbers."""


def _integers(letter: str, kind: Kind, base: str) -> dict[str, Type]:
    return {
        f"{letter}{bits}": Type(f"{letter}{bits}", bits, kind, np.dtype(f"{base}{bits}")) for bits in (8, 16, 32, 64)
    }


REFERENCES = ("texref", "surfref")
"""Of variables that stand for textures and surfaces."""
_FLOATS = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
}

_PACKED = {
    "f16x2": (np.float16, Kind.FLOAT),
    "bf16x2": (ml_dtypes.bfloat16, Kind.FLOAT),
    "f32x2": (np.float32, Kind.FLOAT),
    "e4m3x2": (ml_dtypes.float8_e4m3fn, Kind.FLOAT),
    "e5m2x2": (ml_dtypes.float8_e5m2, Kind.FLOAT),
    "e2m3x2": (ml_dtypes.float6_e2m3fn, Kind.FLOAT),
    "e3m2x2": (ml_dtypes.float6_e3m2fn, Kind.FLOAT),
    "ue8m0x2": (ml_dtypes.float8_e8m0fnu, Kind.FLOAT),
    "u16x2": (np.uint16, Kind.UNSIGNED),
    "s16x2": (np.int16, Kind.SIGNED),
}

TYPES: Mapping[str, Type] = {
    "pred": Type("pred", 1, Kind.PREDICATE, np.dtype(np.bool_)),
    **_integers("b", Kind.BITS, "uint"),
    **_integers("u", Kind.UNSIGNED, "uint"),
    **_integers("s", Kind.SIGNED, "int"),
    **{name: Type(name, 8 * np.dtype(of).itemsize, Kind.FLOAT, np.dtype(of)) for name, of in _FLOATS.items()},
    **{name: Type(name, 64, Kind.BITS, np.dtype(np.uint64)) for name in REFERENCES},
    "b128": Type("b128", 128, Kind.BITS, STORAGE[128]),
    "tf32": Type("tf32", 32, Kind.FLOAT, np.dtype(np.float32)),
    "e2m1x2": Type("e2m1x2", 8, Kind.FLOAT, np.dtype(ml_dtypes.float4_e2m1fn), elements=2),
    **{
        name: Type(name, 16 * np.dtype(of).itemsize, kind, np.dtype(of), elements=2)
        for name, (of, kind) in _PACKED.items()
    },
}
"""Every type by its name, without the dot."""

PREDICATE = TYPES["pred"]
HALF_BYTES = "e2m1x2"
"""Its two elements are in one byte, the first in the lower half. All others have bytes of their own."""


TF32_BITS = np.uint32(0xFFFFE000)
"""Of the 32 bits of a `tf32`, those that count."""


def as_tf32(words: Array) -> Array:
    """The numbers that words of 32 bits are as `tf32`, in f32."""
    return (words.view(np.uint32) & TF32_BITS).view(np.float32)


def from_bits(value: Array, type: Type) -> Array:
    """
    The bits of a register read as `type`; the lower ones of a register that is wider.

    The elements of a packed type are along a further axis at the end.
    """
    if value.dtype.itemsize * 8 > type.bits > 1:
        value = value.astype(STORAGE[type.bits])
    if type.name == HALF_BYTES:
        return np.stack([value & np.uint8(15), value >> np.uint8(4)], axis=-1).view(type.dtype)
    if type.elements > 1:
        return value[..., None].view(type.dtype)
    return value if value.dtype == type.dtype else value.view(type.dtype)


def to_bits(value: Array, type: Type, bits: int) -> Array:
    """The inverse of `from_bits` for a register of `bits`, which a narrower value fills by its sign or by zeros."""
    storage = STORAGE[bits]
    if type.name == HALF_BYTES:
        codes = np.ascontiguousarray(value).view(np.uint8)
        return (codes[..., 0] & np.uint8(15) | codes[..., 1] << np.uint8(4)).astype(storage)
    if type.elements > 1:
        return np.ascontiguousarray(value).view(STORAGE[type.bits])[..., 0]
    if bits > type.bits:
        if type.kind is Kind.SIGNED:
            return value.astype(f"int{bits}").view(storage)
        return value.view(STORAGE[type.bits]).astype(storage)
    return value if value.dtype == storage else value.view(storage)
