"""The kind of number of an element type, and its type in emitted code, where integers are signless."""

from collections.abc import Mapping
from enum import Enum, auto
from functools import cache
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    AnyTensorType,
    BFloat16Type,
    ComplexType,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    Signedness,
    TensorType,
)
from xdsl.ir import Attribute
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.dialects.stablehlo.types import bit_width, whole_bytes


class Kind(Enum):
    """The interpretation of an element by an operation."""

    PRED = auto()
    SIGNED = auto()
    UNSIGNED = auto()
    FLOAT = auto()
    SMALL_FLOAT = auto()
    """A float of 8 bits or fewer: a storage type, computed with as f32."""
    COMPLEX = auto()


NATIVE_FLOATS: Mapping[type[Attribute], int] = {
    Float64Type: 64,
    Float32Type: 32,
    Float16Type: 16,
    BFloat16Type: 16,
}
"""Floats with native arithmetic, and their width in bits."""


@cache
def kind_of(element_type: Attribute) -> Kind:
    """The kind of a StableHLO element type. Raises `PassFailedException` for a type without arithmetic."""
    match element_type:
        case IntegerType():
            if element_type.width.data == 1:
                return Kind.PRED
            return Kind.UNSIGNED if element_type.signedness.data == Signedness.UNSIGNED else Kind.SIGNED
        case ComplexType():
            return Kind.COMPLEX
        case _ if type(element_type) in NATIVE_FLOATS:
            return Kind.FLOAT
        case _ if isa(element_type, AnyFloat):
            return Kind.SMALL_FLOAT
        case _:
            raise PassFailedException(f"elements of type {element_type} cannot be emitted: use a number type of HLO")


@cache
def emitted_type(type: Attribute) -> Attribute:
    """The emitted type of a StableHLO element or tensor type: unsigned integers become signless."""
    match type:
        case TensorType(shape, element_type, encoding):
            return TensorType(emitted_type(element_type), shape, encoding)
        case IntegerType() if type.signedness.data != Signedness.SIGNLESS:
            return IntegerType(type.width.data)
        case _:
            return type


def element_type_of(type: Attribute) -> Attribute:
    """The element type of a tensor type; any other type unchanged."""
    return cast(AnyTensorType, type).element_type if isinstance(type, TensorType) else type


def bits_in_memory(type: Attribute) -> int:
    """The bits that an element, or each of a tensor, takes there: of 2 or 4 bits, several share a byte."""
    element_type = element_type_of(type)
    return bit_width(element_type) if bit_width(element_type) in (2, 4) else 8 * whole_bytes(element_type)


def integer(type: Attribute) -> IntegerType:
    """`type`, narrowed to an integer type. Precondition: it is one."""
    assert isinstance(type, IntegerType)
    return cast(IntegerType, type)


def real_part(type: Attribute) -> AnyFloat:
    """The type of the parts of a complex type."""
    assert isinstance(type, ComplexType)
    return cast(ComplexType[AnyFloat], type).element_type
