"""Where a pattern is written, and what it says of itself."""

import inspect
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from xdsl.pattern_rewriter import RewritePattern

from xshardy.tools.pass_listing import PACKAGE, paragraph


@dataclass(frozen=True, slots=True)
class PatternSource:
    """A pattern as a reader finds it."""

    name: str
    summary: str
    """The first paragraph of its docstring: `before -> after`."""
    place: str
    """`xshardy/.../file.py:LINE`; the module if its text is not there."""


@cache  # for the life of the class: a line takes 15 ms to find before Python 3.13, and a listing names it at each step
def pattern_source(pattern: type[RewritePattern]) -> PatternSource:
    """The source of `pattern`."""
    try:
        path = Path(inspect.getfile(pattern)).with_suffix(".py")  # the playground has bytecode, of a Python with lines
        line = getattr(pattern, "__firstlineno__", None) or inspect.getsourcelines(pattern)[1]
    except (OSError, TypeError):
        place = pattern.__module__
    else:
        place = f"{path.relative_to(PACKAGE.parent) if path.is_relative_to(PACKAGE) else path}:{line}"
    return PatternSource(pattern.__name__, paragraph(pattern.__doc__), place)
