# Pygments comes without types.
# pyright: reportUnknownVariableType=false
"""The text of MLIR in colours: a lexer for Pygments, which `rich`, IPython, Sphinx and MkDocs use."""

from typing import ClassVar

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text, Whitespace


class MLIRLexer(RegexLexer):
    """MLIR of any dialect. Registered under the name `mlir` by the entry point group `pygments.lexers`."""

    name = "MLIR"
    aliases: ClassVar = ["mlir"]
    filenames: ClassVar = ["*.mlir"]
    url = "https://mlir.llvm.org"

    tokens: ClassVar = {
        "root": [
            (r"//.*", Comment.Single),
            (r"\s+", Whitespace),
            (r'"(?:[^"\\\n]|\\.)*"', String),
            (r"%[\w$.#-]+", Name.Variable),
            (r"\^[\w$.-]+", Name.Label),
            (r'@(?:[\w$.-]+|"(?:[^"\\]|\\.)*")', Name.Function),
            (r"[#!][A-Za-z_][\w$.]*", Keyword.Type),
            (
                r"(tensor|vector|memref|complex|tuple)(<)((?:(?:\d+|\?)x)*)",
                bygroups(Keyword.Type, Punctuation, Number.Integer),
            ),
            (r"(?:index|none|tf32|bf16|(?:f|i|si|ui)\d+\w*)\b", Keyword.Type),
            (r"(?:true|false|unit|dense|array|loc)\b", Keyword.Constant),
            (r"-?\b(?:0x[0-9A-Fa-f]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)", Number),
            (r"[A-Za-z_]\w*(?:\.[\w$]+)+", Name.Builtin),
            (r"[A-Za-z_][\w$]*", Name),
            (r"->|[=:+*-]", Operator),
            (r"[\[\](){}<>,?]", Punctuation),
            (r".", Text),
        ]
    }
