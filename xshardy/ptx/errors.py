"""What is wrong with PTX: its text, or what it does when it is executed."""

from xdsl.utils.exceptions import DiagnosticException


class PtxError(DiagnosticException):
    """PTX that cannot be read, or an instruction that the machine does not know; the message names the line."""

    def __init__(self, line: int, message: str):
        super().__init__(f"line {line}: {message}")
        self.line = line


class LaunchError(DiagnosticException):
    """A kernel cannot be executed with this grid, these blocks or these arguments."""
