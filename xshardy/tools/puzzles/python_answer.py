"""Answers in Python: what a file defines, and where its code fails."""

import traceback
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from xshardy.programs.errors import InputError
from xshardy.programs.source import Source
from xshardy.tools.puzzles.puzzle import StillWrong


@contextmanager
def running(answer: Source, name: str) -> Generator[Any]:
    """
    Execute an answer, and give what it calls `name`; a failure of its code inside of the context has its line.

    Raises `InputError` for a failure, and if the answer defines nothing of that name.
    """
    defined: dict[str, Any] = {"__name__": "answer"}
    try:
        exec(compile(answer.text, answer.name, "exec"), defined)
        if name not in defined:
            raise InputError(f"{answer.name}: error: it does not define {name}: keep the names that were given")
        yield defined[name]
    except (InputError, StillWrong):
        raise
    except Exception as error:  # the code of a user may raise anything
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == answer.name]
        line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
        place = answer.name if line is None else f"{answer.name}:{line}"
        raise InputError(f"{place}: error: {type(error).__name__}: {error}") from error
