"""Diagnostics for exceptions: `file:line:column: error: what, and how to correct it`, without a traceback."""

import os
import traceback
from pathlib import Path

from xdsl.utils.exceptions import DiagnosticException, ParseError

from xshardy.syntax.bytecode import is_bytecode
from xshardy.syntax.diagnostics import parse_error_text
from xshardy.syntax.placed_error import PlacedError
from xshardy.tools.exported import artifact_in
from xshardy.tools.output import read_standard_input
from xshardy.tools.program_text import BINARY_HLO, ENCODING, bytecode_text, is_mlir
from xshardy.tools.usage import UsageError

STDIN = "<stdin>"


class InputError(ValueError):
    """An error in the input whose message has the place."""


def shown_name(file: str) -> str:
    """The name of `file` in diagnostics."""
    return STDIN if file == "-" else file


def read_text(file: str) -> str:
    """
    The text of `file`, or of standard input for `-`; also that of MLIR bytecode, which `jax.export` serializes too, and
    of HLO in binary form.

    Raises `InputError` if it is not text, `BytecodeError`, `HLOProtoError` if it is not HLO, and `OSError` like `open`.
    """
    data = read_standard_input() if file == "-" else Path(file).read_bytes()
    if is_bytecode(data):
        return bytecode_text(data)
    if file.endswith(BINARY_HLO):
        from xshardy.hlo_text.proto import hlo_text_of

        return hlo_text_of(data)
    try:
        return data.decode(ENCODING)
    except UnicodeDecodeError as error:
        if (artifact := artifact_in(data)) is not None:
            return bytecode_text(artifact)
        byte, before = error.object[error.start], error.object[: error.start].decode(errors="replace")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        place = f"{shown_name(file)}:{line}:{column}"
        raise InputError(f"{place}: error: byte 0x{byte:02x} is not UTF-8: expected a text file") from None


def read_text_of_hlo(file: str) -> str:
    """As `read_text`. Raises `InputError` also for the text of MLIR."""
    text = read_text(file)
    if is_mlir(text):
        raise InputError(
            f"{shown_name(file)}: error: this is MLIR, and HLO text is needed: `xshardy-opt FILE -t hlo` writes it"
        )
    return text


def describe(error: Exception, file: str) -> str:
    """The diagnostic for `error`, which was raised while working on `file`."""
    name = shown_name(file)
    match error:
        case InputError() | UsageError() | PlacedError():
            return str(error)
        case ParseError():
            return parse_error_text(error).rstrip("\n")
        case DiagnosticException():
            return f"{name}: error: {error}"
        case OSError(filename=path, strerror=reason) if path is not None:
            return f"error: {path}: {reason}"
        case OSError(strerror=reason) if reason is not None:
            return f"error: standard output: {reason}"  # files are named
        case MemoryError():
            return f"{name}: error: out of memory ({error}): use smaller shapes, as `xshardy shrink` makes them"
        case RecursionError():
            return f"{name}: error: the input is nested too deeply"
        case _:
            return f"{name}: error: {internal_error(error)}"


def internal_error(error: Exception) -> str:
    """The diagnostic for a bug in xshardy; with the traceback if the environment variable asks for it."""
    if os.environ.get("XSHARDY_TRACEBACK"):
        traceback.print_exception(error)
    return (
        f"internal error: {type(error).__name__}: {error} "
        "(this is a bug; with XSHARDY_TRACEBACK=1 in the environment it shows where)"
    )
