"""
Numbers as upstream reads them: `7 : i32`, `7.0 : f32`, `0x7FC00000 : f32`, `array<f32: 1.0, 0x7FC00000>`.

A float is written with a point, or as the hexadecimal digits of its bits. It is rounded to its type, to infinity if it
is too large. Source: MLIR language reference, "Builtin Attributes" (FloatAttr), and mlir-opt.
"""

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import AnyFloat, DenseArrayBase, FloatAttr, IndexType, IntegerAttr, IntegerType, f64, i64
from xdsl.utils.mlir_lexer import MLIRToken, MLIRTokenKind

from xshardy.syntax.tokens import TokenParser

_NUMBER_KINDS = (MLIRTokenKind.INTEGER_LIT, MLIRTokenKind.FLOAT_LIT)


class NumberParser(TokenParser):
    """xDSL's parser with upstream's numbers."""

    def parse_optional_builtin_int_or_float_attr(self) -> IntegerAttr | FloatAttr | None:
        if (boolean := self.try_parse_builtin_boolean_attr()) is not None:
            return boolean
        is_negative = self._parse_optional_token(MLIRTokenKind.MINUS) is not None
        token = self._current_token
        if token.kind not in _NUMBER_KINDS:
            if is_negative:
                self.raise_error("Expected integer or float literal after '-'")
            return None
        self._consume_token()
        is_integer = token.kind is MLIRTokenKind.INTEGER_LIT
        if self._current_token.kind is MLIRTokenKind.COLON:
            type = self._parse_attribute_type()
        else:
            type = i64 if is_integer else f64
        if isinstance(type, AnyFloat):
            return FloatAttr(self._float_of(token, type, is_negative), type)
        if not isinstance(type, IntegerType | IndexType):
            self.raise_error("Invalid type given for integer or float attribute.")
        if not is_integer:
            self.raise_error("Floating point value is not valid for integer type.")
        value = token.kind.get_int_value(token.span)
        return IntegerAttr(-value if is_negative else value, cast(Any, type))

    def _parse_builtin_densearray_attr(self) -> DenseArrayBase:
        self.parse_characters("<", " in dense array")
        start = self.pos
        element = self.parse_attribute()
        if not isinstance(element, IntegerType | AnyFloat):
            self.raise_error("dense array element type must be an integer or floating point type", start, self.pos)
        type = cast(Any, element)
        if self.parse_optional_punctuation(">") is not None:
            return DenseArrayBase.from_list(type, ())
        self.parse_characters(":", " in dense array")
        values: Sequence[Any] = self.parse_comma_separated_list(self.Delimiter.NONE, lambda: self._parse_element(type))
        self.parse_characters(">", " in dense array")
        return DenseArrayBase.from_list(type, values)

    def _parse_element(self, type: IntegerType | AnyFloat) -> int | float:
        if isinstance(type, IntegerType):
            return self._parse_typed_integer(type, allow_boolean=True)
        return self._parse_float_of(type)

    def _parse_float_of(self, type: AnyFloat) -> float:
        is_negative = self._parse_optional_token(MLIRTokenKind.MINUS) is not None
        token = self._current_token
        if token.kind not in _NUMBER_KINDS:
            self.raise_error("Expected float literal")
        self._consume_token()
        return self._float_of(token, type, is_negative)

    def _float_of(self, token: MLIRToken, type: AnyFloat, is_negative: bool) -> float:
        """The value of a number token as a float of `type`."""
        complaint = "unexpected decimal integer literal for a floating point value"
        try:
            if token.kind is MLIRTokenKind.FLOAT_LIT:
                value = token.kind.get_float_value(token.span)
                return type.unpack(packed_float(-value if is_negative else value, type), 1)[0]
            if token.text.startswith("0x"):
                bits = token.kind.get_int_value(token.span)
                if not is_negative and bits < 1 << type.bitwidth:
                    return type.unpack(bits.to_bytes(type.compile_time_size, "little"), 1)[0]
                complaint = (
                    "hexadecimal float literal should not have a leading minus"
                    if is_negative
                    else "hexadecimal float constant out of range for type"
                )
        except NotImplementedError:
            complaint = f"numbers of type {type} are not supported"
        self.raise_error(complaint, token.span)


def packed_float(value: float, type: AnyFloat) -> bytes:
    """The bytes of `value` rounded to `type`; infinity if it is too large."""
    try:
        return type.pack((value,))
    except OverflowError:
        return type.pack((float("inf") if value > 0 else float("-inf"),))
