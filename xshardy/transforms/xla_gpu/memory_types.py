"""
The memory layout of tensor elements, in types of the llvm dialect.

An `i1` takes a byte, elements of 2 or 4 bits share a byte (first in the lowest bits), a complex number is a struct, and
a float type that LLVM lacks is an integer of its width.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from math import prod

from xdsl.dialects.builtin import ComplexType, FixedBitwidthType, TensorType, i1, i8
from xdsl.dialects.llvm import LLVMArrayType
from xdsl.ir import Attribute
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.lowering.types import LLVMTypes

BYTE = 8
"""Bits."""


@cache
def llvm_type(type: Attribute) -> Attribute:
    """The LLVM type for values of `type`. Raises `PassFailedException` if there is none."""
    return LLVMTypes().convert(type)


@dataclass(frozen=True, slots=True)
class ElementLayout:
    """The memory layout of one element of type `element`."""

    element: Attribute

    @property
    def bits(self) -> int:
        """The width of an element; a complex number has two parts."""
        if isinstance(self.element, FixedBitwidthType):
            return self.element.bitwidth
        if isa(self.element, ComplexType):
            return 2 * ElementLayout(self.element.element_type).bits
        raise PassFailedException(
            f"elements of type {self.element} have no width in memory: use integers, floats or complex numbers"
        )

    @property
    def per_byte(self) -> int:
        """The number of elements per byte; 1 if elements take at least a byte."""
        return BYTE // self.bits if 1 < self.bits < BYTE else 1

    @property
    def is_packed(self) -> bool:
        """Whether elements share a byte."""
        return self.per_byte > 1

    @property
    def stored(self) -> Attribute:
        """The type of loads and stores of an element, or of the byte of a packed one."""
        return i8 if self.element == i1 or self.is_packed else llvm_type(self.element)

    @property
    def alignment(self) -> int:
        """The alignment in bytes of every element of an aligned tensor."""
        bits = self.bits // 2 if isinstance(self.element, ComplexType) else self.bits
        return max(bits // BYTE, 1)

    def stored_count(self, elements: int) -> int:
        """The number of values of type `stored` for `elements` elements."""
        return -(-elements // self.per_byte)

    def size(self, elements: int) -> int:
        """The bytes of `elements` elements."""
        return self.stored_count(elements) * max(self.bits // BYTE, 1)


def element_count(tensor: TensorType) -> int:
    """The number of elements of a tensor of static shape."""
    return prod(tensor.get_shape())


@lru_cache(maxsize=4096)
def array_type(tensor: TensorType) -> LLVMArrayType:
    """The array type of a tensor: `tensor<10xi4>` -> `!llvm.array<5 x i8>`."""
    layout = ElementLayout(tensor.element_type)
    return LLVMArrayType(layout.stored_count(element_count(tensor)), layout.stored)
