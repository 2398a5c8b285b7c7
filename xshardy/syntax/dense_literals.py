"""
Dense literals as upstream writes them: hexadecimal digits in a tensor of floats are the bits of a number.

`dense<0x7F80> : tensor<bf16>` is infinity; xDSL reads the number 32640.
"""

from typing import cast

from xdsl.dialects.builtin import AnyFloat, ComplexType, IndexType, IntegerType
from xdsl.parser import AttrParser
from xdsl.parser import Parser as XDSLParser
from xdsl.utils.lexer import Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from xshardy.syntax.tokens import TokenParser


class Bits(int):
    """An integer written in hexadecimal: where a float is wanted, its bits."""

    def to_float(self, parser: AttrParser, type: AnyFloat) -> float:
        """The float of `type` that has these bits."""
        if self >= 1 << type.bitwidth:
            parser.raise_error(f"{int(self):#x} has more bits than a number of type {type}")
        return type.unpack(self.to_bytes(type.size, "little"), 1)[0]


def as_float(parser: AttrParser, value: float, type: AnyFloat) -> float:
    """What `value` stands for in a tensor of `type`."""
    return value.to_float(parser, type) if isinstance(value, Bits) else float(value)


class DenseLiteralParser(TokenParser):
    """xDSL's parser with upstream's dense literals."""

    class _TensorLiteralElement(XDSLParser._TensorLiteralElement):
        def to_type(self, parser: AttrParser, type: AnyFloat | IntegerType | IndexType | ComplexType):
            if isinstance(type, AnyFloat) and isinstance(self.value, Bits):
                return self.value.to_float(parser, type)
            if isinstance(type, ComplexType) and isinstance(type.element_type, AnyFloat):
                if not isinstance(self.value, tuple):
                    parser.raise_error("expected a complex number, as in (1.0, 0.0)", self.span.start, self.span.end)
                real, imaginary = self.value
                return as_float(parser, real, type.element_type), as_float(parser, imaginary, type.element_type)
            return super().to_type(parser, type)

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
