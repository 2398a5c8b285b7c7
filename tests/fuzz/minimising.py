"""Makes the text of a finding smaller as long as it is the same finding."""

from dataclasses import replace
from time import monotonic

from execution import run
from inputs import Input

from xshardy.tools.reducing import reduced

MOST_SECONDS = 60


def minimised(given: Input, place: str) -> Input:
    """`given` with fewer blocks, lines and tokens, that still fails at `place`."""

    def fails(text: str) -> bool:
        finding = run(replace(given, text=text))
        return finding is not None and finding.place == place

    return replace(given, text=reduced(given.text, fails, monotonic() + MOST_SECONDS))
