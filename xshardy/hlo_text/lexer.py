"""The tokens of HLO text, by one regular expression, and a cursor over them."""

import re
from collections.abc import Callable
from typing import NoReturn, TypeVar

from xshardy.hlo_text.errors import HLOError, Source

END = "end"
"""The kind of the end token."""

COMMENT = r"(?> //[^\n]* | /\*[\s\S]*?\*/ )"
"""A comment, which ends at its first `*/`, also where what follows does not match. The flag `re.VERBOSE` is needed."""

TOKEN = re.compile(
    rf"""
    (?: \s+ | {COMMENT} )*
    (?:
      (?P<shape>
        [a-z][a-z0-9]* (?: (?: \s* {COMMENT} )+ \s* )? \[ [0-9,<=?\s-]* (?: {COMMENT} [0-9,<=?\s-]* )* \]
        (?:
          (?: \s | {COMMENT} )* \{{ (?: \s | {COMMENT} )* [0-9,\s]+ (?: {COMMENT} [0-9,\s]* )* (?: : [^{{}}]* )? \}}
        | \{{ : [^{{}}]* \}}
        )?
      )
    | (?P<labels>   [0-9bf?]{{2,}} _ [0-9io?]{{2,}} -> [0-9bf?]{{2,}} )
    | (?P<name>     %? [A-Za-z_] (?: [\w.] | -(?!>) )* )
    | (?P<number>   -? (?: inf\b | nan\b | 0[xX][0-9a-fA-F]+ | (?: \d+\.?\d* | \.\d+ ) (?: [eE][+-]?\d+ )? ) (?![\w.]) )
    | (?P<sizes>    -?\d+ (?: [_x] -?\d+ )+ )
    | (?P<string>   " (?: [^"\\] | \\. )* " )
    | (?P<mark>     -> | <= | \.\.\. | [=,(){{}}\[\]:*] )
    | (?P<bad>      /\*[\s\S]* | "[\s\S]* | \S )
    )?
    """,
    re.VERBOSE,
)
"""
One token after any white space and comments. A `shape` is one token, layout and all: `f32[2,3]{1,0:T(8,128)}`. `sizes`
are those of windows and paddings, `3x3` and `0_1x2_2`. An unclosed comment or string is `bad` to its end, so
that finding it takes linear time.
"""

T = TypeVar("T")


class Tokens:
    """A cursor over the tokens of a text: `kinds`, `texts` and `starts` (offsets) have an entry for each token."""

    def __init__(self, source: Source):
        self.source = source
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.starts: list[int] = []
        for match in TOKEN.finditer(source.text):
            if (kind := match.lastgroup) is not None:
                self.kinds.append(kind)
                self.texts.append(match[kind])
                self.starts.append(match.start(kind))
        self.kinds.append(END)
        self.texts.append("")
        self.starts.append(len(source.text.rstrip()))
        self.index = 0

    @property
    def kind(self) -> str:
        """The kind of the token at the cursor."""
        return self.kinds[self.index]

    @property
    def text(self) -> str:
        """The text of the token at the cursor; empty at the end."""
        return self.texts[self.index]

    def error(self, message: str, hint: str = "", index: int | None = None) -> HLOError:
        """The error about the token at `index`, by default the one at the cursor."""
        return self.source.error(self.starts[self.index if index is None else index], message, hint)

    def expected(self, what: str, hint: str = "") -> NoReturn:
        """Raise an error: the token at the cursor is not `what`."""
        match self.kind:
            case "end":
                found = "the end of the file"
            case "bad" if self.text.startswith("/*"):
                raise self.error("this comment is not closed", "end it with `*/`")
            case "bad" if self.text.startswith('"'):
                raise self.error("this string is not closed", 'end it with `"`')
            case _:
                text = self.text if len(self.text) <= 40 else f"{self.text[:40]}..."
                found = ascii(text) if self.kind == "bad" else f"'{text}'"
        raise self.error(f"expected {what}, found {found}", hint)

    def accept(self, text: str) -> bool:
        """If the token at the cursor is `text`, step over it and return True."""
        if self.texts[self.index] == text:
            self.index += 1
            return True
        return False

    def expect(self, text: str, where: str = "") -> None:
        """Step over `text`. Raises `HLOError` if the token at the cursor is another one."""
        if self.texts[self.index] != text:
            self.expected(f"'{text}'{where}")
        self.index += 1

    def take(self, kind: str, what: str, hint: str = "") -> str:
        """Step over a token of `kind` and return its text. Raises `HLOError` if something else is there."""
        if self.kinds[self.index] != kind:
            self.expected(what, hint)
        self.index += 1
        return self.texts[self.index - 1]

    def take_name(self, what: str) -> str:
        """Step over a name and return it without its `%`."""
        return self.take("name", what).removeprefix("%")

    def take_integer(self, what: str = "an integer", bits: int = 64) -> int:
        """Step over a decimal integer of so many bits and return it."""
        text = self.texts[self.index]
        if self.kinds[self.index] != "number" or not text.removeprefix("-").isdecimal():
            self.expected(what)
        self.index += 1
        return to_int(self, text, bits)

    def take_list(self, read: Callable[[], T], opening: str = "{", closing: str = "}") -> tuple[T, ...]:
        """Step over `{a, b}` and return the values that `read` gives for each element."""
        self.expect(opening)
        values: list[T] = []
        if self.accept(closing):
            return ()
        while True:
            values.append(read())
            if self.accept(closing):
                return tuple(values)
            if not self.accept(","):
                self.expected(f"',' or '{closing}'")

    def take_raw(self) -> str:
        """Step over one token, or over everything to the matching brace or parenthesis, and return it as written."""
        start = self.index
        depth = 0
        while True:
            text = self.texts[self.index]
            if self.kinds[self.index] == END:
                raise self.error("this brace is not closed", "add the missing '}'", start)
            if self.kinds[self.index] == "bad" and text[0] in '"/':
                self.expected("a value")
            self.index += 1
            depth += (text in ("{", "(", "[")) - (text in ("}", ")", "]"))
            if depth <= 0:
                break
        return self.raw_text(start)

    def raw_text(self, start: int) -> str:
        """The text from the token at index `start` to the one before the cursor."""
        last = self.index - 1
        if start == last:
            return self.texts[start]
        return self.source.text[self.starts[start] : self.starts[last] + len(self.texts[last])]


MAX_DIGITS = 1000
"""The maximal number of digits of a number; Python refuses to convert much longer ones."""


def to_int(tokens: Tokens, text: str, bits: int | None = None) -> int:
    """The integer `text`, part of the token before the cursor. Raises `HLOError` if it does not fit into `bits`."""
    if len(text) > MAX_DIGITS:
        raise tokens.error("this number is too large", index=tokens.index - 1)
    value = int(text)
    if bits is not None and not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
        raise tokens.error(f"{text} does not fit into {bits} bits", index=tokens.index - 1)
    return value
