"""Suggestions in diagnostics about a name that is not known."""

from collections.abc import Iterable, Sequence

MOST = 3
"""The most names that a diagnostic suggests."""


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """`: did you mean a or b?`, the names of `known` that look like `name`, closest first; else `otherwise`."""
    question = question_of(close_names(name, known))
    return f": {question}" if question else otherwise


def close_names(name: str, known: Iterable[str]) -> list[str]:
    """The names of `known` that look like `name`, at most `MOST`, closest first."""
    from difflib import get_close_matches  # every command imports this module, and few look for names

    return get_close_matches(name, dict.fromkeys(known), n=MOST)


def question_of(close: Sequence[str]) -> str:
    """`did you mean a or b?`; empty if nothing is close."""
    return f"did you mean {' or '.join(close[:MOST])}?" if close else ""
