"""Suggestions in diagnostics about a name that is not known."""

from collections.abc import Iterable
from difflib import get_close_matches

MOST = 3
"""The most names that a diagnostic suggests."""


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """`: did you mean a or b?`, the names of `known` that look like `name`, closest first; else `otherwise`."""
    close = get_close_matches(name, dict.fromkeys(known), n=MOST)
    return f": did you mean {' or '.join(close)}?" if close else otherwise
