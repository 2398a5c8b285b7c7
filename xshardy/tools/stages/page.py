"""A self-contained HTML page about programs and their stages."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from difflib import SequenceMatcher

from xshardy.tools.explain.tables import Table
from xshardy.tools.stages.stage import Program, Sources, Stage
from xshardy.tools.web_page import web_page

SCRIPTS = ("data.js", "highlight.js", "columns.js", "tree.js", "steps.js", "start.js")
"""The files of the script, in order: they share one scope."""

LONG = 2_000
"""The most lines of a text of which all are compared with all: 32 layers of a transformer take 82 s of 105 s so."""

_NAME = re.compile(r"%[\w$.-]+")


def page(title: str, source: Stage, programs: Sequence[Program], *, side_by_side: bool) -> str:
    """
    The page: HTML 5 without external resources.

    It starts with the stages side by side, or with one at a time and what changed in it.
    """
    data = {"sideBySide": side_by_side, **_data(source, programs)}
    return web_page("xshardy.tools.stages", title, data, SCRIPTS)


def _data(source: Stage, programs: Sequence[Program]) -> Mapping[str, object]:
    """Texts and sets of lines are written once, and referred to by their numbers."""
    texts, sets = Table[str, str](str), Table[Sources, Sources](lambda lines: lines)

    def stage_data(stage: Stage, before: Stage | None) -> Mapping[str, object]:
        return {
            "name": stage.name,
            "lines": [texts.number(line) for line in stage.lines],
            "sources": [sets.number(lines) for lines in stage.sources],
            "changes": [] if before is None else changes(before.lines, stage.lines),
            "steps": None if stage.steps is None else asdict(stage.steps),
        }

    return {
        "source": stage_data(source, None),
        "programs": [
            {
                "name": program.name,
                "failure": program.failure,
                "stages": [
                    stage_data(stage, before)
                    for before, stage in zip((None, *program.stages), program.stages, strict=False)
                ],
            }
            for program in programs
        ],
        "texts": texts.rows,
        "sets": sets.rows,
    }


def changes(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """
    Where two texts differ: lines `[a, b)` of one have become lines `[c, d)` of the other.

    Names of values do not count: one operation more renames all that follow. In long texts, changes are not the least
    possible: lines that are frequent there do not start a part that is equal, since the time grows with their square.
    """
    old, new = ([_NAME.sub("%", line) for line in text] for text in (before, after))
    matcher = SequenceMatcher(None, old, new, autojunk=len(new) > LONG)
    return [(a, b, c, d) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal"]
