"""
The elements of the matrices of `tcgen05.mma`, from the bytes in which they lie.

Elements of 4 and 6 bits of `.kind::f8f6f4` and `.kind::mxf8f6f4` are packed in shared memory, sixteen of them at the
start of each 16 bytes; in tensor memory they have a byte each. Those of `.kind::mxf4` fill their bytes. Source: PTX
ISA, "Packing formats of elements", where figures show which bits of a byte they have; here they have those of `mma`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from xshardy.numerics.element_types import Array, DType
from xshardy.ptx.types import as_tf32

GROUP = 16
"""Bytes, in which as many elements of 4 or 6 bits lie."""
PACKED_BITS: Mapping[str, int] = {"b6x16_p32": 6, "b4x16_p64": 4}
"""The bits of an element, by the format of sixteen of them in 16 bytes."""
PIECES: Mapping[int, tuple[tuple[int, int], ...]] = {GROUP: ((0, GROUP),), 8: ((0, 8),), 12: ((0, 8), (8, 4))}
"""The first byte and the size of the words that are read of a group, by the bytes that are used of it."""
FIRST_BITS: Mapping[int, int] = {4: 2, 6: 0}
"""By the bits of an element that has a byte, the first that it uses."""


def _codes(raw: Array, bits: int) -> Array:
    """The codes of so many bits that fill bytes along the last axis."""
    digits = np.unpackbits(raw, axis=-1, bitorder="little").reshape(*raw.shape[:-1], -1, bits)
    return (digits << np.arange(bits, dtype=np.uint8)).sum(axis=-1, dtype=np.uint8)


def unpacked(raw: Array, bits: int) -> Array:
    """The codes at the start of each 16 bytes along the last axis: as many codes as bytes."""
    used = raw.reshape(*raw.shape[:-1], -1, GROUP)[..., : GROUP * bits // 8]
    return _codes(np.ascontiguousarray(used), bits).reshape(raw.shape)


@dataclass(frozen=True, slots=True)
class MemoryElement:
    """The type of the elements of a matrix."""

    name: str
    bits: int
    dtype: DType

    def values(self, raw: Array, container: int) -> Array:
        """The elements in `raw` bytes along the last axis, in f64. Each takes `container` bits there."""
        if self.name == "tf32":
            return as_tf32(raw).astype(np.float64)
        if self.bits >= 8:
            return raw.view(self.dtype).astype(np.float64)
        if container != self.bits:
            return unpacked(raw, self.bits).view(self.dtype).astype(np.float64)
        return _codes(raw, self.bits).view(self.dtype).astype(np.float64)

    def values_of_bytes(self, raw: Array) -> Array:
        """The elements of fewer than 8 bits that have a byte each, in f64."""
        codes = raw >> np.uint8(FIRST_BITS[self.bits]) & np.uint8((1 << self.bits) - 1)
        return codes.view(self.dtype).astype(np.float64)


def _element(name: str, bits: int, dtype: type) -> MemoryElement:
    return MemoryElement(name, bits, np.dtype(dtype))


F16, BF16 = _element("f16", 16, np.float16), _element("bf16", 16, ml_dtypes.bfloat16)
TF32 = _element("tf32", 32, np.float32)
E4M3, E5M2 = _element("e4m3", 8, ml_dtypes.float8_e4m3fn), _element("e5m2", 8, ml_dtypes.float8_e5m2)
E2M3, E3M2 = _element("e2m3", 6, ml_dtypes.float6_e2m3fn), _element("e3m2", 6, ml_dtypes.float6_e3m2fn)
E2M1 = _element("e2m1", 4, ml_dtypes.float4_e2m1fn)
S8, U8 = _element("s8", 8, np.int8), _element("u8", 8, np.uint8)

SCALES: Mapping[str, DType] = {
    "ue8m0": np.dtype(ml_dtypes.float8_e8m0fnu),
    "ue4m3": np.dtype(ml_dtypes.float8_e4m3fn),
}
"""What the bytes of scale factors are. The sign of `ue4m3` does not count."""


def scale_factors(codes: Array, name: str) -> Array:
    """Scale factors in f64."""
    return (codes & np.uint8(0x7F) if name == "ue4m3" else codes).view(SCALES[name]).astype(np.float64)
