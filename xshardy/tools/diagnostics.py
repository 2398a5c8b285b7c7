"""Diagnostics for exceptions: `file:line:column: error: what, and how to correct it`, without a traceback."""

import os
import traceback

from xdsl.utils.exceptions import DiagnosticException, ParseError

from xshardy.programs.errors import InputError
from xshardy.syntax.diagnostics import parse_error_text
from xshardy.syntax.placed_error import PlacedError
from xshardy.tools.usage import UsageError

STDIN = "<stdin>"


def shown_name(file: str) -> str:
    """The name of `file` in diagnostics."""
    return STDIN if file == "-" else file


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
        case ModuleNotFoundError(name=str(module)) if not module.startswith("xshardy"):
            return f"{name}: error: {missing_package(module)}"
        case MemoryError():
            return f"{name}: error: out of memory ({error}): use smaller shapes, as `xshardy shrink` makes them"
        case RecursionError():
            return f"{name}: error: the input is nested too deeply"
        case _:
            return f"{name}: error: {internal_error(error)}"


def missing_package(module: str) -> str:
    """What to do where `module` is not installed: xshardy was installed without what it depends on."""
    package = module.partition(".")[0]
    return f"this needs {package}, which is not installed: `pip install {package}`"


def internal_error(error: Exception) -> str:
    """The diagnostic for a bug in xshardy; with the traceback if the environment variable asks for it."""
    if os.environ.get("XSHARDY_TRACEBACK"):
        traceback.print_exception(error)
    return (
        f"internal error: {type(error).__name__}: {error} "
        "(this is a bug; with XSHARDY_TRACEBACK=1 in the environment it shows where)"
    )
