"""Quoted strings of HLO text, with the escapes of C."""

import re
from collections.abc import Mapping

from xshardy.dialects.texts import Text, decoded

ESCAPES: Mapping[bytes, bytes] = {
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"v": b"\v",
}
"""What a letter behind a backslash means, as in C; other characters mean themselves."""
ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]+)|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
"""A byte in octal or hexadecimal, a character of Unicode, or a letter of `ESCAPES`."""


def unquote(text: str) -> Text:
    """The characters of a quoted string, with the escapes of C; bytes if they are not in UTF-8."""
    if "\\" not in text:
        return text[1:-1]
    return decoded(ESCAPE.sub(_unescaped, text[1:-1].encode(errors="surrogatepass")))


def _unescaped(match: re.Match[bytes]) -> bytes:
    octal, hexadecimal, short, long, letter = match.groups()
    if letter is not None:
        return ESCAPES.get(letter, letter)
    if octal or hexadecimal:
        return bytes([(int(octal, 8) if octal else int(hexadecimal, 16)) & 0xFF])
    code = int(short or long, 16)
    return chr(code).encode(errors="surrogatepass") if code < 0x110000 else match[0]


SPECIAL = re.compile(r'[\x00-\x1f"\\\x7f]')
"""Characters with an escape in quotes."""
SPECIAL_OR_HIGH = re.compile(r'[\x00-\x1f"\\\x7f-\xff]')
"""Bytes with an escape in quotes."""
LETTERS: Mapping[str, str] = {"\n": "n", "\r": "r", "\t": "t", '"': '"', "\\": "\\"}


def quote(text: Text) -> str:
    """`text` in quotes: the inverse of `unquote`. Bytes that are not in UTF-8 are in octal."""
    if isinstance(text, bytes):
        text = text.decode("latin-1")
        return f'"{SPECIAL_OR_HIGH.sub(_escaped, text)}"'
    return f'"{SPECIAL.sub(_escaped, text)}"'


def _escaped(match: re.Match[str]) -> str:
    letter = LETTERS.get(match[0])
    return f"\\{letter}" if letter else f"\\{ord(match[0]):03o}"
