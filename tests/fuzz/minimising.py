"""Makes the text of a finding smaller as long as it is the same finding."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import monotonic

from execution import run
from inputs import Input
from mutations import tokens_of

MOST_SECONDS = 60


def minimised(given: Input, place: str) -> Input:
    """`given` with fewer lines, then fewer tokens, that still fails at `place`."""
    deadline = monotonic() + MOST_SECONDS

    def fails(text: str) -> bool:
        finding = run(replace(given, text=text))
        return finding is not None and finding.place == place

    text = given.text
    for split in (_lines_of, _words_of):
        text = "".join(_smallest(split(text), lambda kept: fails("".join(kept)), deadline))
    return replace(given, text=text)


def _lines_of(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _words_of(text: str) -> list[str]:
    """The tokens, each with the space after it, which keeps the text readable."""
    words: list[str] = []
    for token in tokens_of(text):
        if token.isspace() and words:
            words[-1] += token
        else:
            words.append(token)
    return words


def _smallest(parts: Sequence[str], fails: Callable[[Sequence[str]], bool], deadline: float) -> Sequence[str]:
    """`parts` without the runs that are not needed: runs of half the parts first, single parts last."""
    size = max(len(parts) // 2, 1)
    while size and monotonic() < deadline:
        start = 0
        while start < len(parts) and monotonic() < deadline:
            fewer = [*parts[:start], *parts[start + size :]]
            if fewer and fails(fewer):
                parts = fewer
            else:
                start += size
        size //= 2
    return parts
