"""
Integers and floats of known width, and the elements of dense literals, in bytecode.

A number of at most 8 bits is a byte, one of at most 64 bits a signed varint of its bits; a wider one is its words of 64
bits. The bytes of elements are those of MLIR: i1 packed, 8 to a byte, and one element for all where all are equal.
Source: MLIR's reader of bytecode, as jaxlib's bytes show it.
"""

from math import prod
from typing import Any, TypeGuard

from typing_extensions import TypeIs
from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    Float80Type,
    Float128Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    Signedness,
    i1,
)
from xdsl.ir import Attribute

from xshardy.dialects.dense_elements import Dense, dense, element_count, is_one_for_all, repeats
from xshardy.syntax.bytecode.encoding import Field, Sink, Source, shared
from xshardy.syntax.bytecode.errors import BytecodeError

INDEX_BITS = 64
TRUE_SPLAT = b"\xff"
"""The packed elements of a literal whose elements are all true."""


def _read_bits(source: Source, width: int) -> int:
    """The bits of a number, as an unsigned integer."""
    if width <= 8:
        return source.byte() & (1 << width) - 1
    words = [source.svarint() for _ in range(1 if width <= 64 else source.count())]
    return sum((word & (1 << 64) - 1) << 64 * i for i, word in enumerate(words)) & (1 << width) - 1


def _write_bits(sink: Sink, bits: int, width: int) -> None:
    if width <= 8:
        sink.byte(bits)
        return
    words = [bits >> shift & (1 << 64) - 1 for shift in range(0, max(bits.bit_length(), 1), 64)]
    if width > 64:
        sink.varint(len(words))
    for word in words:
        sink.svarint(word - (1 << 64) if word >> 63 else word)


def is_integer(type: Attribute | None) -> TypeIs[IntegerType]:
    """Whether `type` is a type of integers of some width."""
    return isinstance(type, IntegerType)


def is_complex(type: Attribute | None) -> TypeIs[ComplexType]:
    return isinstance(type, ComplexType)


def is_unsigned(type: Attribute | None) -> bool:
    return is_integer(type) and type.signedness.data is Signedness.UNSIGNED


def _width(type: Attribute) -> int:
    return INDEX_BITS if isinstance(type, IndexType) else type.width.data if is_integer(type) else 0


def _read_integer(source: Source) -> tuple[IntegerType | IndexType, int]:
    type = source.type()
    if not (is_integer(type) or isinstance(type, IndexType)):
        raise source.error(f"'{type}' is no type of integers")
    bits, width = _read_bits(source, _width(type)), _width(type)
    return type, bits if is_unsigned(type) or width == 0 or not bits >> width - 1 else bits - (1 << width)


def _write_integer(sink: Sink, typed: tuple[Attribute, int]) -> None:
    type, value = typed
    sink.type(type)
    width = _width(type)
    _write_bits(sink, value & (1 << width) - 1, width)


INTEGER = Field(_read_integer, _write_integer)
"""A type and an integer of it."""


def has_values(type: Attribute) -> TypeGuard[AnyFloat]:
    """Whether `type` is a type of floats whose values xDSL has as bytes."""
    return isinstance(type, AnyFloat) and not isinstance(type, Float80Type | Float128Type)


def read_float(source: Source, type: AnyFloat) -> float:
    """A float of `type`."""
    size = type.compile_time_size
    (value,) = type.unpack(_read_bits(source, type.bitwidth).to_bytes(size, "little"), 1)
    return value


def write_float(sink: Sink, type: AnyFloat, value: float) -> None:
    """The inverse of `read_float`."""
    _write_bits(sink, int.from_bytes(type.pack([value]), "little"), type.bitwidth)


def _read_typed_float(source: Source) -> tuple[AnyFloat, float]:
    type = source.type()
    if not has_values(type):
        raise source.error(f"'{type}' is no type of floats, or one that xDSL has no values of")
    return type, read_float(source, type)


def _write_typed_float(sink: Sink, typed: tuple[AnyFloat, float]) -> None:
    sink.type(typed[0])
    write_float(sink, *typed)


FLOAT = Field(_read_typed_float, _write_typed_float)
"""A type and a float of it."""


@shared
def integer_of(typed: tuple[IntegerType | IndexType, int]) -> IntegerAttr:
    """An integer, from a value of `INTEGER`."""
    return IntegerAttr(typed[1], typed[0])


def float_of(typed: tuple[AnyFloat, float]) -> FloatAttr:
    """A float, from a value of `FLOAT`."""
    return FloatAttr(typed[1], typed[0])


def integer_parts(attribute: IntegerAttr) -> tuple[tuple[Attribute, int]]:
    return ((attribute.type, attribute.value.data),)


def float_parts(attribute: FloatAttr) -> tuple[tuple[Attribute, float]]:
    return ((attribute.type, attribute.value.data),)


def dense_of(type: Any, data: bytes) -> Dense:
    """The literal of `type` whose elements have the bytes `data` in bytecode. Raises `BytecodeError`."""
    element: Attribute | None = getattr(type, "element_type", None)
    size = _element_size(element)
    if size is None or not hasattr(type, "get_shape") or min(type.get_shape(), default=0) < 0:
        raise BytecodeError(f"a literal of type '{type}' is not supported")
    count = prod(type.get_shape())
    if element == i1:
        data = _unpacked(data, count)
    elif is_integer(element) and element.width.data < 8 and not is_unsigned(element):
        shift = 8 - element.width.data
        data = bytes((((byte << shift & 0xFF) ^ 0x80) - 0x80 >> shift) & 0xFF for byte in data)
    if len(data) not in (size, count * size):
        raise BytecodeError(f"a literal of type '{type}' has {len(data)} bytes instead of {count * size}")
    return dense(type, data)


@shared
def _element_size(element: Attribute | None) -> int | None:
    """The bytes of an element in MLIR, where they are those of xDSL too; else None."""
    if is_complex(element):
        part = _element_size(element.element_type)
        return None if part is None else 2 * part
    if is_integer(element):
        width = element.width.data
        return (width + 7) // 8 if width in (1, 2, 4, 8, 16, 32, 64) else None
    if isinstance(element, IndexType) or (isinstance(element, AnyFloat) and has_values(element)):
        return element.compile_time_size
    return None


def _unpacked(data: bytes, count: int) -> bytes:
    """The elements of i1 as bytes of xDSL: all bits set for true."""
    if len(data) == 1 and (data == TRUE_SPLAT or (data == b"\0" and count > 8)):
        return b"\xff" if data == TRUE_SPLAT else b"\0"
    if len(data) == (count + 7) // 8 != count or count <= 1:
        return bytes(0xFF if data[i // 8] >> i % 8 & 1 else 0 for i in range(count)) if data else b""
    return bytes(0xFF if byte else 0 for byte in data)  # older versions do not pack


def dense_bytes(attribute: Dense) -> bytes:
    """The inverse of `dense_of`. Raises `BytecodeError` for elements that bytecode has no bytes for."""
    element = attribute.get_element_type()
    data = attribute.data.data
    size = _element_size(element)
    if size is None:
        raise BytecodeError(f"a literal of type '{attribute.type}' has no form in bytecode")
    count = element_count(attribute)
    is_splat = is_one_for_all(attribute) or repeats(data, size)
    if count == 0:
        return data[:size]
    if element == i1:
        if is_splat and count > 1:
            return TRUE_SPLAT if data[0] else b"\0"
        return bytes(
            sum(1 << bit for bit, byte in enumerate(data[start : start + 8]) if byte) for start in range(0, count, 8)
        )
    if is_integer(element) and element.width.data < 8:
        mask = (1 << element.width.data) - 1
        data = bytes(byte & mask for byte in data)
    return data[:size] if is_splat else data
