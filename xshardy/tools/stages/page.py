"""A self-contained HTML page about programs and their stages."""

import html
import json
import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from importlib.resources import files
from typing import Any

from xshardy.tools.explain.tables import Strings, Table
from xshardy.tools.output import printable
from xshardy.tools.stages.stage import Program, Sources, Stage

SCRIPTS = ("data.js", "highlight.js", "columns.js", "start.js")
"""The files of the script, in order: they share one scope."""

_NAME = re.compile(r"%[\w$.-]+")


def page(title: str, source: Stage, programs: Sequence[Program], *, side_by_side: bool) -> str:
    """
    The page: HTML 5 without external resources.

    It starts with the stages side by side, or with one at a time and what changed in it.
    """
    static = files("xshardy.tools.stages") / "static"
    data = {"sideBySide": side_by_side, **_data(source, programs)}
    parts = {
        "@TITLE@": html.escape(printable(title)),
        "@STYLE@": (static / "page.css").read_text(),
        # No text of the program can end the script or begin a comment in it: in JSON, `<` stands in strings only.
        "@DATA@": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        "@SCRIPT@": "".join((static / name).read_text() for name in SCRIPTS),
    }
    return re.sub("|".join(parts), lambda match: parts[match[0]], (static / "page.html").read_text())  # in one pass


def _data(source: Stage, programs: Sequence[Program]) -> Mapping[str, Any]:
    """Texts and sets of lines are written once, and referred to by their numbers."""
    texts, sets = Strings(), Table[Sources, Sources](lambda lines: lines)

    def stage_data(stage: Stage, before: Stage | None) -> Mapping[str, Any]:
        return {
            "name": stage.name,
            "lines": [texts.number(line) for line in stage.lines],
            "sources": [sets.number(lines) for lines in stage.sources],
            "changes": [] if before is None else changes(before.lines, stage.lines),
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

    Names of values do not count: one operation more renames all that follow.
    """
    old, new = ([_NAME.sub("%", line) for line in text] for text in (before, after))
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [(a, b, c, d) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal"]
