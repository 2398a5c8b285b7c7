"""Diagnostics of HLO text: the error, its position, and a hint."""

from dataclasses import dataclass

from xdsl.utils.exceptions import DiagnosticException, VerifyException

from xshardy.syntax.placed_error import PlacedError


@dataclass(frozen=True, slots=True)
class Source:
    """An HLO text and its name in diagnostics."""

    text: str
    name: str

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of the character at `offset`."""
        return self.text.count("\n", 0, offset) + 1, offset - self.text.rfind("\n", 0, offset)

    def line(self, number: int) -> str:
        """The text of line `number`, from 1."""
        lines = self.text.split("\n", number)
        return lines[number - 1].rstrip("\r") if number <= len(lines) else ""

    def error(self, offset: int, message: str, hint: str = "") -> "HLOError":
        """The error about the character at `offset`."""
        line, column = self.line_and_column(offset)
        return HLOError(self.name, line, column, message, hint, self.line(line))


MAX_SHOWN_COLUMNS = 160
"""The most characters of the offending line that a diagnostic shows."""


class HLOError(PlacedError):
    """An HLO text that cannot be read: `file:line:column: error: message`, the line itself, and a hint."""

    def __init__(self, file: str, line: int, column: int, message: str, hint: str = "", source_line: str = ""):
        super().__init__(message)
        self.file = file
        self.line = line
        self.column = column
        self.message = message
        self.hint = hint
        self.source_line = source_line

    def moved_down(self, lines: int) -> "HLOError":
        """The same error, for a text that starts `lines` lines into its file."""
        return HLOError(self.file, self.line + lines, self.column, self.message, self.hint, self.source_line)

    def __str__(self) -> str:
        start = max(0, self.column - 1 - MAX_SHOWN_COLUMNS // 2)
        shown = "".join(c if c.isprintable() else " " for c in self.source_line[start : start + MAX_SHOWN_COLUMNS])
        lines = [f"{self.file}:{self.line}:{self.column}: error: {self.message}"]
        if shown.strip():
            lines += [f"  {shown}", f"  {' ' * (self.column - 1 - start)}^"]
        if self.hint:
            lines.append(f"  help: {self.hint}")
        return "\n".join(lines)


class HLOPrintError(DiagnosticException):
    """A module that HLO text cannot represent."""


def reason(error: VerifyException) -> str:
    """The last line of a verifier's message, without the operand position that xDSL prepends."""
    return str(error).strip().splitlines()[-1].strip()
