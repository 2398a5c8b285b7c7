"""
The elements of matrices in registers: numbers of whole bytes, floats of 6 and 4 bits, integers of 4 bits, single bits.

Those of fewer than 8 bits are no types of PTX's registers: they are there only within a `.b32`, the first in the lowest
bits. Floats of 6 bits have the lower bits of a byte, those of 4 bits its middle ones; `mma` of `.kind::mxf4` and
`.kind::mxf4nvf4` has no bits between those. Source: PTX ISA, "Matrix Data-types", `mma`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from xshardy.numerics.element_types import Array, DType
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.tensor_elements import E2M1, E2M3, E3M2, FIRST_BITS
from xshardy.ptx.types import TYPES, as_tf32


@dataclass(frozen=True, slots=True)
class RegisterElement:
    """What a matrix is made of."""

    name: str
    bits: int
    """What it takes of a register."""
    dtype: DType
    """Of numpy, of the values; of integers of fewer than 8 bits, what holds them."""
    is_integer: bool
    is_signed: bool = False
    """Of integers of fewer than 8 bits."""
    used: tuple[int, int] | None = None
    """Of floats of fewer than 8 bits: the first bit that they use, and how many; the others do not count."""

    @property
    def register_bits(self) -> int:
        """The bits of a register that holds them."""
        return 64 if self.bits == 64 else 32

    @property
    def in_register(self) -> int:
        """How many a register holds."""
        return self.register_bits // self.bits


ELEMENTS: Mapping[str, RegisterElement] = {
    **{
        name: RegisterElement(name, type.bits, type.dtype, type.is_integer)
        for name, type in TYPES.items()
        if name in ("f16", "bf16", "tf32", "f32", "f64", "e4m3", "e5m2", "s8", "u8", "s32")
    },
    "s4": RegisterElement("s4", 4, np.dtype(np.int8), True, is_signed=True),
    "u4": RegisterElement("u4", 4, np.dtype(np.uint8), True),
    "b1": RegisterElement("b1", 1, np.dtype(np.uint8), True),
    **{
        of.name: RegisterElement(of.name, 8, of.dtype, False, used=(FIRST_BITS[of.bits], of.bits))
        for of in (E2M3, E3M2, E2M1)
    },
}
"""By the name of the type in an opcode."""
DENSE_E2M1 = RegisterElement(E2M1.name, 4, E2M1.dtype, False, used=(0, 4))
"""Eight of them fill a register."""


def unpacked(registers: Array, element: RegisterElement) -> Array:
    """The elements of registers, in f64, along a further axis at the end; of `tf32` without the lower 13 bits."""
    if element.used is not None:
        first, count = element.used
        shifts = np.arange(first, 32, element.bits, dtype=np.uint32)
        codes = (registers[..., None] >> shifts & np.uint32((1 << count) - 1)).astype(np.uint8)
        return codes.view(element.dtype).astype(np.float64)
    if element.bits >= 8:
        values = np.ascontiguousarray(registers)[..., None].view(element.dtype)
        return (as_tf32(values) if element.name == "tf32" else values).astype(np.float64)
    shifts = np.arange(0, 32, element.bits, dtype=np.uint32)
    values = (registers[..., None] >> shifts & np.uint32((1 << element.bits) - 1)).astype(np.float64)
    return (
        np.where(values >= 1 << element.bits - 1, values - (1 << element.bits), values) if element.is_signed else values
    )


def take_elements(form: Form, count: int) -> tuple[RegisterElement, ...]:
    """Remove `count` types of elements from the modifiers of a form, in the order of the text."""
    found = [modifier for modifier in form.modifiers if modifier in ELEMENTS][:count]
    if len(found) < count:
        raise form.error(f"expected {count} types")
    for name in found:
        form.modifiers.remove(name)
    return tuple(ELEMENTS[name] for name in found)
