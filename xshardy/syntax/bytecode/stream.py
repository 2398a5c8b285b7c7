"""
The numbers and strings of MLIR bytecode, read from bytes and written to them.

Source: MLIR, docs/BytecodeFormat, "Primitives".
"""

from dataclasses import dataclass, field

from xshardy.syntax.bytecode.errors import BytecodeError

MAGIC = b"ML\xefR"
"""What MLIR bytecode starts with."""

PADDING = 0xCB
"""The byte in front of data that is aligned."""

CUT_OFF = "the bytecode ends here: it is cut off, or a length in it is wrong"

MOST_ALIGNMENT = 1 << 16
"""In bytes. MLIR aligns to pages at most."""


@dataclass(slots=True)
class ByteReader:
    """Reads `data` from `position` to `end`, both in bytes from its start. Raises `BytecodeError` behind the end."""

    data: bytes
    position: int
    end: int

    def error(self, message: str) -> BytecodeError:
        """An error at the next byte."""
        return BytecodeError(f"byte {self.position}: {message}")

    @property
    def remaining(self) -> int:
        """The number of bytes that are left."""
        return self.end - self.position

    def byte(self) -> int:
        if self.position >= self.end:
            raise self.error(CUT_OFF)
        self.position += 1
        return self.data[self.position - 1]

    def varint(self) -> int:
        """An unsigned integer of 64 bits: the zeros below the lowest one of the first byte count further bytes."""
        position = self.position
        if position + 1 < self.end and (first := self.data[position]) & 3:  # one byte or two: hot path
            if first & 1:
                self.position = position + 1
                return first >> 1
            self.position = position + 2
            return (self.data[position + 1] << 8 | first) >> 2
        first = self.byte()
        if first & 1:
            return first >> 1
        if first == 0:
            return int.from_bytes(self.bytes(8), "little")
        further = (first & -first).bit_length() - 1
        return (int.from_bytes(self.bytes(further), "little") << 8 | first) >> (further + 1)

    def varints(self, number: int) -> list[int]:
        """The next `number` integers, each as `varint` reads it."""
        data, position = self.data, self.position
        found: list[int] = []
        try:
            for _ in range(number):
                first = data[position]
                if first & 1:
                    found.append(first >> 1)
                    position += 1
                elif first & 2:
                    found.append((data[position + 1] << 8 | first) >> 2)
                    position += 2
                else:
                    self.position = position
                    found.append(self.varint())
                    position = self.position
        except IndexError:
            position = len(data) + 1
        if position > self.end:
            self.position = self.end
            raise self.error(CUT_OFF)
        self.position = position
        return found

    def svarint(self) -> int:
        """A signed integer of 64 bits, with the sign in the lowest bit."""
        number = self.varint()
        return (number >> 1) ^ -(number & 1)

    def count(self) -> int:
        """A number of things that follow, each of one byte at least."""
        number = self.varint()
        if number > self.remaining:
            raise self.error(f"{number} things are said to follow in {self.remaining} bytes")
        return number

    def skip(self, size: int) -> None:
        """Leave out the next `size` bytes."""
        if size > self.remaining:
            raise self.error(f"{size} bytes are said to follow, but only {self.remaining} do")
        self.position += size

    def bytes(self, size: int) -> bytes:
        """The next `size` bytes."""
        self.skip(size)
        return self.data[self.position - size : self.position]

    def text(self) -> str:
        """The text up to the next NUL."""
        stop = self.data.find(b"\0", self.position, self.end)
        if stop < 0:
            raise self.error("a text has no end")
        start, self.position = self.position, stop + 1
        return decoded(self.data[start:stop], start)

    def align(self, alignment: int) -> None:
        """Skip the padding in front of data that starts at a multiple of `alignment` bytes."""
        if alignment < 1 or alignment > MOST_ALIGNMENT or alignment & (alignment - 1):
            raise self.error(f"an alignment of {alignment} is no power of two up to {MOST_ALIGNMENT}")
        while self.position % alignment:
            if self.byte() != PADDING:
                raise self.error("expected padding")

    def part(self, size: int) -> "ByteReader":
        """A reader of the next `size` bytes, which this one skips."""
        start = self.position
        self.skip(size)
        return ByteReader(self.data, start, self.position)


def decoded(data: bytes, position: int) -> str:
    """The text in UTF-8. Raises `BytecodeError`."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise BytecodeError(f"byte {position}: a text is not in UTF-8") from None


@dataclass(slots=True)
class ByteWriter:
    """The inverse of `ByteReader`: appends to `data`."""

    data: bytearray = field(default_factory=bytearray)

    def varint(self, number: int) -> None:
        if number < 0x80:
            self.data.append(number << 1 | 1)
            return
        size = (number.bit_length() + 6) // 7
        if size > 8:
            self.data.append(0)
            self.data += number.to_bytes(8, "little")
        else:
            self.data += ((number << 1 | 1) << (size - 1)).to_bytes(size, "little")

    def svarint(self, number: int) -> None:
        self.varint(number << 1 if number >= 0 else ~number << 1 | 1)

    def text(self, text: str) -> None:
        """`text` and a NUL. Raises `BytecodeError` if a NUL is in it."""
        if "\0" in text:
            raise BytecodeError(f"{text!r} has a character NUL, at which a text in bytecode ends")
        self.data += text.encode() + b"\0"
