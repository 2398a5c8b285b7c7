"""Where commands write text."""

import os
import sys
from pathlib import Path


def write_text(path: Path | None, text: str) -> None:
    """Write `text` to `path` in one step, so that a failure leaves no partial file; None is standard output."""
    if path is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
