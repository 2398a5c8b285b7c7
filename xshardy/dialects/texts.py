"""Strings of MLIR and of HLO text: text in UTF-8, or bytes, such as a kernel in a binary format."""

from typing import TypeAlias

from xdsl.dialects.builtin import BytesAttr, StringAttr

Text: TypeAlias = str | bytes
"""Text; bytes if they are not in UTF-8."""


def decoded(data: bytes) -> Text:
    """The text that `data` is in UTF-8, or `data` itself."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def text_attribute(text: Text) -> StringAttr | BytesAttr:
    """A string as an attribute, of the class that xDSL's parser makes of it."""
    return BytesAttr(text) if isinstance(text, bytes) else StringAttr(text)
