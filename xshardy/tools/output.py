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


def discard_standard_output() -> None:
    """Drop what is still buffered for standard output, which can no longer be written: Python flushes it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
