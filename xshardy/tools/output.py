"""Where commands write text."""

import io
import json
import os
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from typing import IO, TextIO, cast

from xshardy.syntax.files import write_file
from xshardy.tools.interrupts import line_of, status_of

STDOUT = Path("-")
"""What stands for standard output where a file is expected."""


def write_text(path: Path | None, text: str | bytes) -> None:
    """
    Write `text`, or bytes, to `path`, a regular file in one step, so that a failure leaves no partial file.

    None and `STDOUT` are standard output.
    """
    if path is None or path == STDOUT:
        with _named("standard output"):
            if isinstance(text, bytes):
                sys.stdout.buffer.write(text)
            else:
                sys.stdout.write(text)
            sys.stdout.flush()
    else:
        write_file(path, text)
        say_written(path)


def print_json(data: object) -> None:
    """Print `data` as JSON, in which numbers are finite: others are null. Raises what `write_text` does."""
    write_text(None, json.dumps(finite(data), indent=2, allow_nan=False) + "\n")


def finite(data: object) -> object:
    """`data` with None for numbers that JSON cannot say."""
    match data:
        case float():
            return data if isfinite(data) else None
        case Mapping():
            return {key: finite(value) for key, value in cast(Mapping[str, object], data).items()}
        case list() | tuple():
            return [*map(finite, cast(Sequence[object], data))]
        case _:
            return data


def has_colours() -> bool:
    """Whether standard output is a terminal, and `NO_COLOR` is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def coloured(text: str) -> str:
    """`text`, MLIR, in colours if standard output has them, and Pygments is installed."""
    if not has_colours() or find_spec("pygments") is None:
        return text
    from pygments import highlight
    from pygments.formatters import TerminalFormatter

    from xshardy.syntax.pygments_lexer import MLIRLexer

    return highlight(text, MLIRLexer(stripnl=False), TerminalFormatter())


def say_written(path: Path) -> None:
    """Say on standard error that `path` was written, if somebody looks at it: that is a terminal."""
    if sys.stderr.isatty():
        print_diagnostic(f"wrote {path}")


def write_mlir(path: Path | None, text: str) -> None:
    """As `write_text`, with colours if standard output is a terminal."""
    write_text(path, coloured(text) if path is None or path == STDOUT else text)


def printable(text: str, keep: str = "") -> str:
    r"""
    `text` with the characters escaped that a terminal obeys or hides, such as `\x1b`; those of `keep` stay.

    Names in a program can hold any character.
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in keep else character.encode("unicode_escape").decode()
        for character in text
    )


def print_diagnostic(text: str) -> None:
    """Print `text`, which ends without a line break, on standard error."""
    print_if_read(printable(text, keep="\n\t") + "\n", sys.stderr)


def print_if_read(text: str, stream: TextIO | None = None) -> None:
    """Print `text` on a stream, by default standard output, whose reader may have gone: the exit status stays."""
    target: TextIO = sys.stdout if stream is None else stream
    try:
        target.write(text)
        target.flush()
    except BrokenPipeError:
        _discard(target)


@contextmanager
def _named(stream: str) -> Generator[None]:
    """Raise an `OSError` of what is inside with `stream` as its `filename`."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, stream) from None


def read_standard_input() -> bytes:
    """All of standard input. Raises `OSError`."""
    with _named("standard input"):
        return read_all(sys.stdin.buffer)


def read_all(stream: IO[bytes]) -> bytes:
    """All of `stream`, a MiB at a time: Python handles no signal during one read, and that of a device may not end."""
    pieces: list[bytes] = []
    while piece := stream.read(1 << 20):
        pieces.append(piece)
    return b"".join(pieces)


def discard_standard_output() -> None:
    """Drop what is buffered for standard output: Python would write it at exit."""
    _discard(sys.stdout)


def _discard(stream: TextIO) -> None:
    with suppress(io.UnsupportedOperation):  # a test reads it
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def run_command(action: Callable[[], int]) -> int:
    """
    The exit status of `action`, once its output is written: 130 after Ctrl-C, 143 after SIGTERM, 129 if its terminal
    is closed, 1 if standard output cannot be written.

    A reader of standard output that has seen enough, such as `head`, is no error.
    """
    try:
        status = action()
        with _named("standard output"):
            sys.stdout.flush()
        return status
    except KeyboardInterrupt as interrupt:
        print(line_of(interrupt), file=sys.stderr)
        status = status_of(interrupt)
    except BrokenPipeError:
        status = 0
    except OSError as error:
        print_diagnostic(f"error: {error.filename}: {error.strerror}")
        status = 1
    discard_standard_output()
    return status
