"""What is wrong with bytecode that is read, or with a module that cannot be written as bytecode."""

from xdsl.utils.exceptions import DiagnosticException


class BytecodeError(DiagnosticException):
    """Bytes that are no MLIR bytecode, or have what is not known here; or a module that bytecode has no form for."""
