"""The lexer for Pygments reads MLIR whole, and tells names, types and numbers apart."""

from pathlib import Path

import pytest
from pygments.token import Keyword, Name, Number, String, Token

from xshardy.syntax.pygments_lexer import MLIRLexer

DIALECTS = Path(__file__).parents[2] / "filecheck" / "dialects"


def tokens(text: str) -> dict[str, object]:
    return {value: kind for kind, value in MLIRLexer().get_tokens(text)}


@pytest.mark.parametrize("file", sorted(DIALECTS.glob("sdy/*_parse_print.mlir")), ids=lambda file: file.stem)
def test_every_character_is_in_a_token(file: Path):
    text = file.read_text()
    found = [*MLIRLexer(stripnl=False).get_tokens(text)]
    assert "".join(value for _, value in found) == text
    assert not [value for kind, value in found if kind in Token.Error]


def test_kinds_of_tokens():
    found = tokens('%x = sdy.reshard %y <@mesh, [{"a"}, {}]> : tensor<4x?xbf16>  // moves')
    assert found["%x"] is Name.Variable and found["@mesh"] is Name.Function
    assert found["sdy.reshard"] is Name.Builtin
    assert found['"a"'] is String and found["4x?x"] is Number.Integer
    assert found["tensor"] is found["bf16"] is Keyword.Type
