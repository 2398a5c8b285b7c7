"""
How XLA writes indexing maps and what belongs to them. It changed in June 2026, between jaxlib 0.10 and 0.11.

Both spellings are read everywhere. Printed is the one that was asked for: by `spelled`, by the environment variable
`XSHARDY_MAPS`, or else that of the jaxlib that is installed; without one, the older, as XLA's documentation has it.
"""

import os
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from functools import cache

VARIABLE = "XSHARDY_MAPS"


class Spelling(StrEnum):
    """Which classes of XLA the maps belong to, as its changes call them."""

    AFFINE = "affine"
    """`(d0 * d1) * 2 + d0 floordiv 3`"""
    SYMBOLIC = "symbolic"
    """`d0 * d1 * 2 + d0 / 3`"""


_asked_for: ContextVar[Spelling | None] = ContextVar("spelling", default=None)


def spelling() -> Spelling:
    """The spelling to print. Raises `ValueError` if the environment asks for an unknown one."""
    if (asked := _asked_for.get()) is not None:
        return asked
    if complaint := wrong_variable():
        raise ValueError(complaint)
    return Spelling(named) if (named := os.environ.get(VARIABLE)) else _of_jaxlib()


def wrong_variable() -> str | None:
    """What is wrong with the environment variable, if anything is."""
    named = os.environ.get(VARIABLE, "")
    return f"{VARIABLE}={named}: expected one of {', '.join(Spelling)}" if named not in ("", *Spelling) else None


@contextmanager
def spelled(choice: Spelling | None) -> Generator[None]:
    """Print maps in the spelling `choice` inside of the block; as outside for None."""
    before = _asked_for.set(choice or _asked_for.get())
    try:
        yield
    finally:
        _asked_for.reset(before)


@cache
def _of_jaxlib() -> Spelling:
    from importlib.metadata import PackageNotFoundError, version  # every command imports this module

    try:
        installed = tuple(map(int, version("jaxlib").split(".")[:2]))
    except (PackageNotFoundError, ValueError):
        return Spelling.AFFINE
    return Spelling.SYMBOLIC if installed >= (0, 11) else Spelling.AFFINE
