"""
Faster versions of xDSL's token methods, in which a parser spends most of its time.

Each method does what xDSL's method of the same name does; a test compares them on all inputs.
"""

from xdsl.parser import Parser as XDSLParser
from xdsl.utils.lexer import Position
from xdsl.utils.mlir_lexer import KIND_BY_PUNCTUATION_SPELLING, MLIRToken, MLIRTokenKind, PunctuationSpelling

from xshardy.syntax.lexer import TextToken


class TokenParser(XDSLParser):
    """xDSL's parser with faster token methods."""

    @property
    def pos(self) -> Position:
        token = self._parser_state.current_token
        return token.start if isinstance(token, TextToken) else token.span.start

    def _parse_optional_token(self, expected_kind: MLIRTokenKind) -> MLIRToken | None:
        state = self._parser_state
        token = state.current_token
        if token.kind is not expected_kind:
            return None
        state.current_token = state.lexer.lex()
        return token

    def parse_optional_punctuation(self, punctuation: PunctuationSpelling) -> PunctuationSpelling | None:
        state = self._parser_state
        if state.current_token.kind is not KIND_BY_PUNCTUATION_SPELLING[punctuation]:
            return None
        state.current_token = state.lexer.lex()
        return punctuation

    def parse_punctuation(self, punctuation: PunctuationSpelling, context_msg: str = "") -> PunctuationSpelling:
        if self.parse_optional_punctuation(punctuation) is None:
            self.raise_error(f"Expected '{punctuation}'{context_msg}")
        return punctuation

    def parse_optional_characters(self, text: str) -> str | None:
        state = self._parser_state
        if state.current_token.text != text:
            return None
        state.current_token = state.lexer.lex()
        return text
