"""
How the elements of a tensor lie in memory, in types of the llvm dialect.

An `i1` takes a byte, elements of 2 or 4 bits share one (the first in its lowest bits), a complex number is a struct,
and a float that LLVM does not have is an integer of its width.
"""

from dataclasses import dataclass
from functools import cache

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
    """The type that LLVM has for values of `type`. Raises `PassFailedException` if there is none."""
    return LLVMTypes().convert(type)


@dataclass(frozen=True, slots=True)
class ElementLayout:
    """The place of one element of type `element` in memory."""

    element: Attribute

    @property
    def bits(self) -> int:
        """The width of an element; a complex number has two parts."""
        if isa(self.element, ComplexType):
            return 2 * ElementLayout(self.element.element_type).bits
        if isinstance(self.element, FixedBitwidthType):
            return self.element.bitwidth
        raise PassFailedException(
            f"elements of type {self.element} have no width in memory: use integers, floats or complex numbers"
        )

    @property
    def per_byte(self) -> int:
        """How many elements share a byte; 1 if an element has a byte or more of its own."""
        return BYTE // self.bits if 1 < self.bits < BYTE else 1

    @property
    def is_packed(self) -> bool:
        """Whether elements share a byte."""
        return self.per_byte > 1

    @property
    def stored(self) -> Attribute:
        """What is loaded and stored for an element, or for the byte of a packed one."""
        return i8 if self.element == i1 or self.is_packed else llvm_type(self.element)

    @property
    def alignment(self) -> int:
        """The alignment in bytes that every element has by its place in the tensor."""
        bits = self.bits // 2 if isinstance(self.element, ComplexType) else self.bits
        return max(bits // BYTE, 1)

    def stored_count(self, elements: int) -> int:
        """How many things of type `stored` hold this many elements."""
        return -(-elements // self.per_byte)

    def size(self, elements: int) -> int:
        """The bytes that this many elements take."""
        return self.stored_count(elements) * max(self.bits // BYTE, 1)


def element_count(tensor: TensorType) -> int:
    """The number of elements of a tensor of static shape."""
    count = 1
    for dimension in tensor.get_shape():
        count *= dimension
    return count


def array_type(tensor: TensorType) -> LLVMArrayType:
    """The array that holds a tensor: `tensor<10xi4>` -> `!llvm.array<5 x i8>`."""
    layout = ElementLayout(tensor.element_type)
    return LLVMArrayType(layout.stored_count(element_count(tensor)), layout.stored)
