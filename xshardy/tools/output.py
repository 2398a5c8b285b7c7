"""Where commands write text."""

import os
import sys
from pathlib import Path

from xshardy.files import write_file


def write_text(path: Path | None, text: str) -> None:
    """Write `text` to `path`, a regular file in one step, so that a failure leaves no half of it; None is stdout."""
    if path is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_file(path, text)


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
    print(printable(text, keep="\n\t"), file=sys.stderr)


def discard_standard_output() -> None:
    """Drop what is still buffered for standard output, which can no longer be written: Python flushes it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
