"""
Translates messages of xDSL's parser to MLIR's wording.

MLIR's messages about the custom syntax of an operation begin with `custom op 'x'`; messages about tokens, types and
values do not.
"""

import re
from collections.abc import Mapping

_WORDS: Mapping[re.Pattern[str], str] = {
    re.compile(pattern): words
    for pattern, words in (
        (r"^Expected ((?:either )?integer literal (?:or '\?' )?in shape dimension)", r"expected \1"),
        (r"^Expected '(\W.*?)'", r"expected '\1'"),
        (r"^'(.*?)' expected", r"expected '\1'"),
        (r"^type expected", "expected non-function type"),
        (r"^operand expected", "expected SSA operand"),
        (r"^Expected region!", "expected '{' to begin a region"),
        (r"^SSA value %(.*) is already defined", r"redefinition of SSA value '%\1'"),
        (
            r"^operand is used with type (.*), but has been previously used or defined with type (.*)",
            r"use of value '{text}' expects different type than prior uses: '\1' vs '\2'",
        ),
        (r"^Result (.*) is defined with type (.*), but used with type (.*)",
         r"definition of SSA value '\1' has type '\2', but it was used before with type '\3'"),
        (r"^undefined symbol alias '[#!](.*)'", r"undefined symbol alias id '\1'"),
        (r"^Duplicate key '(.*)' in", r"duplicate key '\1' in"),
        (r"^Expected bare-id or string-literal here as part of attribute entry!", "expected attribute name"),
        # These do not change.
        (r"^(elements literal|.*dense |Hex string|Shape mismatch|Unexpected |.* is not registered)", r"\1"),
        (r"^(.* in FileLineColRange|expected location|.* of NameLoc|.* in (?:callsite |fused )?location)", r"\1"),
        (r"^(unexpected decimal integer literal|hexadecimal float|numbers of type)", r"\1"),
        (r"^(integer constant out of range|integer bitwidth|invalid dimension)", r"\1"),
    )
}  # fmt: skip
"""Messages of MLIR's parser. `{text}` is the text at the error."""

_WORDS_OF_OPERATIONS: Mapping[re.Pattern[str], str] = {
    re.compile(pattern): words
    for pattern, words in (
        (r"^Expected '(\w.*?)'", r"expected '\1'"),
        (r"^Expected integer literal", "expected integer value"),
        (r"^expect symbol name", "expected valid '@'-identifier for symbol name"),
        (r"^identifier expected", "expected valid keyword"),
        (
            r"^expected (\d+) operand types but had (\d+)",
            r"number of operands and types do not match: got \2 operands and \1 types",
        ),
    )
}
"""Messages of an operation's custom syntax that expects a keyword, a number, a name or operands."""


def in_upstream_words(message: str, text: str, operation: str | None) -> str:
    """
    MLIR's wording of `message`, which xDSL's parser raised at `text`.

    `operation` is the operation whose custom syntax is being parsed; None inside a type, an attribute or the generic
    form.
    """
    for pattern, words in _WORDS.items():
        if pattern.match(message):
            return pattern.sub(words, message, count=1).replace("{text}", text)
    for pattern, words in _WORDS_OF_OPERATIONS.items():
        message = pattern.sub(words, message, count=1)
    return message if operation is None else f"custom op '{operation}' {message}"
