"""
Parser and printer for dense literals in upstream's form: `dense<[1.0, 0x7F80]> : tensor<2xbf16>`.

Hexadecimal digits in a tensor of floats are the bits of a number; in a string, they are the bytes of all elements, or
of the one element of a splat. Integers with fewer bits than their bytes are sign-extended in xDSL's attributes,
and zero-extended in upstream's strings. The time for a literal depends on its text, not on its type.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isfinite, prod
from typing import Any, TypeAlias, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    MemRefType,
    RankedStructure,
    ShapedType,
    Signedness,
    TensorType,
    UnrankedTensorType,
    VectorType,
)
from xdsl.utils.lexer import Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from xshardy.dialects.dense_elements import Dense, dense, repeats
from xshardy.syntax.floats import float_text
from xshardy.syntax.number_literals import NumberParser, packed_float

ElementType: TypeAlias = IntegerType | IndexType | AnyFloat | ComplexType

LiteralType: TypeAlias = RankedStructure[ElementType]

LITERAL_TYPES = (TensorType, VectorType, MemRefType)

LITERAL_ELEMENTS: Any = IntegerType | IndexType | AnyFloat | ComplexType

MOST_LISTED = 100
"""
The most elements of a literal that is printed as a list; a longer one is printed as a string of hexadecimal digits.
"""

BYTE = 8

_NUMBERS = re.compile(r"\[(?:[-0-9.eE,\[\]\s]|true|false)*+(?=>)")
"""Nested lists of decimal numbers and truth values."""

_NOT_A_FLOAT = re.compile(r"(?<![0-9.])[0-9]++[eE]")
"""A number with an exponent but without a point, which JSON accepts and MLIR rejects."""


class Bits(int):
    """An integer in hexadecimal notation: for a float type, its bits."""


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of `<...>`: the shape of the list, and its conversion to bytes of an element type."""

    shape: Sequence[int] | None
    """None for an empty literal, a splat, or a string, which have no shape."""
    to_bytes: Callable[[ElementType], bytes | None]
    """Returns None if an element is invalid; checking them one by one then gives the diagnostic."""


class DenseLiteralParser(NumberParser):
    """xDSL's parser with upstream's dense literals."""

    def parse_dense_int_or_fp_elements_attr(self, type: LiteralType | None) -> DenseIntOrFPElementsAttr:
        start = self.pos
        self.parse_punctuation("<", " in dense attribute")
        inside = self.pos
        for read in (self._read_numbers, self._read_contents):
            if (contents := read()) is None:
                continue
            self.parse_punctuation(">", " in dense attribute")
            expected = type if type is not None else self._parse_type_behind()
            self._verify_shape(contents.shape, expected, start)
            try:
                data = contents.to_bytes(expected.element_type)
                if data is not None:
                    return self._dense(expected, data, start)
            except NotImplementedError:
                self.raise_error(
                    f"elements of type {expected.element_type} cannot be kept: xDSL has no bytes for it", start
                )
            self._resume_from(inside)
        raise AssertionError("elements that are read one by one become bytes, or a complaint")

    def _parse_type_behind(self) -> LiteralType:
        self.parse_punctuation(":", " in dense attribute")
        start = self.pos
        type = self.expect(self.parse_optional_type, "expected the type of the dense literal")
        if isinstance(type, UnrankedTensorType) or (isinstance(type, ShapedType) and not type.has_static_shape()):
            self.raise_error("elements literal type must have static shape", start)
        element: object = getattr(type, "element_type", None)
        if not isinstance(type, LITERAL_TYPES) or not isinstance(element, LITERAL_ELEMENTS):
            self.raise_error("expected a tensor, vector or memref of integers, indices, floats or complex numbers")
        return cast(LiteralType, type)

    def _verify_shape(self, shape: Sequence[int] | None, type: LiteralType, start: int) -> None:
        if shape is not None and tuple(shape) != type.get_shape():
            self.raise_error(
                f"inferred shape of elements literal ({list(shape)}) does not match type ({list(type.get_shape())})",
                start,
            )

    def _dense(self, type: LiteralType, data: bytes, start: int) -> Dense:
        count, size = prod(type.get_shape()), type.element_type.compile_time_size
        if not data and count:
            self.raise_error(f"parsed zero elements, but type ('{type}') expected at least 1", start)
        if len(data) not in (size, size * count):
            self.raise_error(f"elements hex data size is invalid for provided type: '{type}'", start)
        return dense(type, data)

    # What is between `<` and `>`

    def _read_contents(self) -> Contents:
        """Any literal, token by token."""
        start = self._current_token.span
        if self._current_token.kind is MLIRTokenKind.GREATER:
            return Contents(None, lambda type: b"")
        if (digits := self.parse_optional_str_literal()) is not None:
            data = self._hexadecimal(digits, start)
            return Contents(None, lambda type: widened(data, type))
        elements, shape = self._parse_tensor_literal()

        def to_bytes(type: ElementType) -> bytes:
            return b"".join(self._element_bytes(element.value, type, element.span) for element in elements)

        return Contents(shape or None, to_bytes)

    def _read_numbers(self) -> Contents | None:
        """
        Read a list of numbers by the JSON parser, which is fast. JSON's numbers are MLIR's, except `1e5`.

        None for all other text, also for invalid text: reading it token by token gives the diagnostic.
        """
        match = _NUMBERS.match(self.lexer.input.content, self.pos)
        if match is None or _NOT_A_FLOAT.search(match[0]):
            return None
        try:
            values, shape = flattened(json.loads(match[0]))
        except (ValueError, RecursionError):
            return None
        self._resume_from(match.end())
        return Contents(shape, lambda type: packed_numbers(values, type))

    def _hexadecimal(self, text: str, span: Span) -> bytes:
        try:
            if text.startswith("0x"):
                return bytes.fromhex(text[2:])
        except ValueError:
            pass
        self.raise_error("expected string containing hex digits starting with `0x`", span.start, span.end)

    def _element_bytes(self, value: Any, type: ElementType, span: Span) -> bytes:
        if isinstance(type, ComplexType):
            if isinstance(value, tuple):
                parts = cast(tuple[float, float], value)
                return b"".join(self._element_bytes(part, type.element_type, span) for part in parts)
            complaint = "expected a complex number, as in (1.0, 0.0)"
        elif isinstance(value, tuple):
            complaint = f"expected a number of type {type}, but parsed a complex number"
        elif isinstance(type, AnyFloat):
            if isinstance(value, float):
                return packed_float(value, type)
            complaint = "unexpected decimal integer literal for a floating point value"
            if isinstance(value, Bits):
                if value < 1 << type.bitwidth:
                    return value.to_bytes(type.compile_time_size, "little")
                complaint = "hexadecimal float constant out of range for type"
        elif isinstance(value, float):
            complaint = "expected integer elements, but parsed floating-point"
        elif isinstance(value, bool) and type != IntegerType(1):
            complaint = "expected i1 type for 'true' or 'false' values"
        elif value < 0 and isinstance(type, IntegerType) and type.signedness.data == Signedness.UNSIGNED:
            complaint = "expected unsigned integer elements, but parsed negative value"
        else:
            if (data := packed_numbers([value], type)) is not None:
                return data
            complaint = "integer constant out of range for type"
        self.raise_error(complaint, span.start, span.end)

    def _parse_optional_bool_int_or_float(self) -> tuple[bool | int | float, Span] | None:
        token = self._current_token
        parsed = super()._parse_optional_bool_int_or_float()
        if parsed is None or token.kind != MLIRTokenKind.INTEGER_LIT or not token.text.startswith(("0x", "0X")):
            return parsed
        value, span = parsed
        return Bits(value), span

    def _parse_optional_complex(self) -> tuple[tuple[float, float], Span] | None:
        start = self._current_token.span
        if self.parse_optional_punctuation("(") is None:
            return None
        real, _ = self._parse_bool_int_or_float()
        self.parse_punctuation(",")
        imaginary, _ = self._parse_bool_int_or_float()
        end = self._current_token.span
        self.parse_punctuation(")")
        return (cast(float, real), cast(float, imaginary)), Span(start.start, end.end, start.input)


def flattened(nested: Any) -> tuple[list[Any], list[int]]:
    """`[[1, 2], [3, 4]]` -> `([1, 2, 3, 4], [2, 2])`. Raises `ValueError` if lists of one depth differ in length."""
    values: list[Any] = [nested]
    shape: list[int] = []
    while values and list in (kinds := set(map(type, values))):
        if len(kinds) > 1 or len(lengths := set(map(len, values))) > 1:
            raise ValueError("lists of one depth differ in length")
        shape += lengths
        values = list(chain.from_iterable(values))
    return values, shape


def packed_numbers(values: Sequence[Any], type: ElementType) -> bytes | None:
    """The bytes of numbers; None if one is not of `type`. A signless integer may be given unsigned: 255 is an i8."""
    if isinstance(type, AnyFloat):
        if not all(isinstance(value, float) for value in values):
            return None
        try:
            return type.pack(values)
        except OverflowError:
            return b"".join(packed_float(value, type) for value in values)
    kinds = {value.__class__ for value in values}
    if isinstance(type, ComplexType) or float in kinds:
        return None
    if bool in kinds and type != IntegerType(1):
        return None
    width = type.bitwidth if isinstance(type, IntegerType) else 64
    is_signed = isinstance(type, IndexType) or type.signedness.data != Signedness.UNSIGNED
    lower, upper = (-(1 << width >> 1), 1 << width >> 1) if is_signed else (0, 1 << width)
    if values and not (lower <= min(values) and max(values) < upper):
        normalized = [type.normalized_value(value) if isinstance(type, IntegerType) else None for value in values]
        return None if None in normalized else type.pack(cast(Sequence[int], normalized))
    return type.pack(values)


def has_spare_bits(type: ElementType) -> bool:
    """Whether an element has fewer bits than its bytes, for example i4."""
    return isinstance(type, IntegerType) and type.bitwidth % BYTE != 0


def widened(data: bytes, type: ElementType) -> bytes:
    """The bytes of a string, with spare bits of integers sign-extended. The inverse of `narrowed`."""
    if not has_spare_bits(type) or len(data) % type.compile_time_size:
        return data
    assert isinstance(type, IntegerType)
    is_signed = type.signedness.data != Signedness.UNSIGNED
    values = (value % (1 << type.bitwidth) for value in type.iter_unpack(data))
    half = 1 << type.bitwidth >> 1
    return type.pack([value - 2 * half if is_signed and value >= half else value for value in values])


def narrowed(data: bytes, type: ElementType) -> bytes:
    """The bytes in upstream's strings: spare bits are 0."""
    if not has_spare_bits(type):
        return data
    assert isinstance(type, IntegerType)
    size, mask = type.compile_time_size, (1 << type.bitwidth) - 1
    return b"".join((value & mask).to_bytes(size, "little") for value in type.iter_unpack(data))


# Text


def dense_text(attribute: Dense) -> str:
    """`dense<[1, 2]>`: `attribute` without its type."""
    type, data = attribute.get_element_type(), attribute.data.data
    size = type.compile_time_size
    if not data:
        return "dense<>"
    if repeats(data, size):
        return f"dense<{element_texts(data[:size], type)[0]}>"
    if len(attribute) > MOST_LISTED:
        return f'dense<"0x{narrowed(data, type).hex().upper()}">'
    texts = element_texts(data, type)
    for length in reversed(attribute.get_shape()):
        rows = (texts[start : start + length] for start in range(0, len(texts), length))
        texts = [f"[{', '.join(row)}]" for row in rows]
    return f"dense<{texts[0]}>"


def element_texts(data: bytes, type: ElementType) -> Sequence[str]:
    """The text of each element."""
    if isinstance(type, ComplexType):
        parts = element_texts(data, type.element_type)
        return [f"({real},{imaginary})" for real, imaginary in zip(parts[::2], parts[1::2], strict=True)]
    size = type.compile_time_size
    values = cast(Sequence[Any], type.unpack(data, len(data) // size))
    if isinstance(type, AnyFloat):
        return [
            float_text(value, type)
            if isfinite(value)
            else f"0x{data[index * size : (index + 1) * size][::-1].hex().upper()}"
            for index, value in enumerate(values)
        ]
    if type == IntegerType(1):
        return ["true" if value else "false" for value in values]
    return [str(value) for value in values]
