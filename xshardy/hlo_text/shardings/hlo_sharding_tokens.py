"""The words and marks of the text of HLO shardings, one after the other."""

import re
from collections.abc import Iterator
from typing import NoReturn

from xshardy.hlo_text.shardings.tiles import Iota

MAX_DEVICES = 1 << 20
"""The most devices of a sharding that is read: a longer iota is refused, since its numbers are enumerated."""


class HloShardingSyntaxError(ValueError):
    """Text that is not an HLO sharding: `message` describes the error at `text[position]`."""

    def __init__(self, message: str, text: str, position: int):
        super().__init__(f"{message}, at position {position} of the sharding: {text}")
        self.message = message
        self.text = text
        self.position = position


STRING = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
"""The expression of a text in quotes, double or single."""

_TOKEN = re.compile(
    rf"(?:\s|/\*.*?\*/)*(?:(?P<name>[A-Za-z_]\w*)|(?P<number>-?\d+)|(?P<string>{STRING})|(?P<mark><=|.))"
)


class Tokens:
    """The tokens of a text, of which `token` is the next; `""` at the end."""

    def __init__(self, text: str):
        self.text = text
        self.position = 0
        self.start = 0
        self.token = ""
        self.advance()

    def advance(self) -> str:
        """Go to the next token, `""` at the end, and return the one before."""
        read = self.token
        match = _TOKEN.match(self.text, self.position)
        self.token = self.peek()
        self.position = len(self.text) if match is None else match.end()
        self.start = self.position - len(self.token)
        return read

    def peek(self) -> str:
        """The token after the next one."""
        match = _TOKEN.match(self.text, self.position)
        return "" if match is None else match[match.lastgroup or 0]

    def fail(self, message: str, position: int | None = None) -> NoReturn:
        raise HloShardingSyntaxError(message, self.text, self.start if position is None else position)

    def expect(self, token: str) -> None:
        if self.token != token:
            self.fail(f"expected {token!r}, found {self.token!r}" if self.token else f"expected {token!r}")
        self.advance()

    def accept(self, token: str) -> bool:
        if self.token != token:
            return False
        self.advance()
        return True

    def integer(self) -> int:
        if not self.token.isdecimal() or len(self.token) > 18:
            self.fail(f"expected a number of devices or of one device, found {self.token!r}")
        return int(self.advance())

    def integers(self) -> Iterator[int]:
        """One number or more, with commas between them."""
        yield self.integer()
        while self.accept(","):
            yield self.integer()

    def iota(self) -> Iota:
        """`[2,4]T(1,0)`, devices in the order of their numbers but for a transposition."""
        at = self.start
        self.expect("[")
        shape = tuple(self.integers())
        self.expect("]")
        permutation = tuple(range(len(shape)))
        if self.accept("T"):
            self.expect("(")
            permutation = tuple(self.integers())
            self.expect(")")
        if sorted(permutation) != list(range(len(shape))):
            self.fail(f"{list(permutation)} does not reorder the {len(shape)} dimensions of the devices", at)
        return Iota.of(shape, permutation)
