"""The steps of the passes of a page, each pass by itself: a page reads those that are looked at."""

import json
import zlib
from base64 import b64encode
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import RewritePattern

from xshardy.rewriting.observer import observed
from xshardy.tools.explain.tables import Table
from xshardy.tools.steps.document import Drop, Edit, Label, Place, Text, Write
from xshardy.tools.steps.pattern_source import pattern_source
from xshardy.tools.steps.recorder import UNREPORTED, PassSteps, Recorder


@dataclass(frozen=True, slots=True)
class StageSteps:
    """The steps of one stage."""

    first: int
    """The number of the first operation that they made: those before are older."""
    patterns: Sequence[Mapping[str, str]]
    """Those that applied, or say why they did not."""
    count: int
    text: str
    """The rest as JSON, compressed, in base 64: `start`, `steps`, `kept` and `templates`, see `_packed`."""


class StepCollector:
    """Gives the steps of each pass on `module`, as soon as it is done."""

    def __init__(self, module: ModuleOp):
        self._recorder = Recorder(module)
        self._start: Sequence[Edit] = self._recorder.start
        self._first = self._recorder.count

    @classmethod
    @contextmanager
    def of(cls, module: ModuleOp) -> "Generator[StepCollector]":
        """Collect the steps of the passes on `module` within the context."""
        collector = cls(module)
        with observed(module, collector._recorder):
            yield collector

    def end_pass(self, name: str) -> StageSteps | None:
        """What happened since this was last called; None if nothing did."""
        recorder = self._recorder
        recorder.end_pass(name)
        if not recorder.passes:
            return None
        packed = _packed(self._first, self._start, recorder.passes)
        recorder.passes.clear()
        self._start, self._first = [*recorder.document.edits()], recorder.count
        return packed


def _packed(first: int, start: Sequence[Edit], passes: Sequence[PassSteps]) -> StageSteps:
    templates = Table[str, str](str)
    patterns = Table[type[RewritePattern] | None, Mapping[str, str]](_pattern)

    def text_row(text: Text) -> list[object]:
        return [templates.number(text.template), text.names, text.regions]

    def edit_row(edit: Edit) -> list[object]:
        match edit:
            case Write(op, text):
                return [op, *text_row(text)]
            case Label(block, text):
                return ["label", block, *text_row(text)]
            case Place(op, block, after):
                return [op, block, after]
            case Drop(op):
                return [op]

    data = {
        "start": [edit_row(edit) for edit in start],
        "steps": [
            [patterns.number(step.pattern), [edit_row(edit) for edit in step.edits]]
            for each in passes
            for step in each.steps
        ],
        "kept": [[patterns.number(kept.pattern), kept.op, kept.reason] for each in passes for kept in each.kept],
        "templates": templates.rows,
    }
    text = json.dumps(data, separators=(",", ":")).encode()
    return StageSteps(first, patterns.rows, len(data["steps"]), b64encode(zlib.compress(text, 9)).decode())


def _pattern(pattern: type[RewritePattern] | None) -> Mapping[str, str]:
    if pattern is None:
        return {"name": UNREPORTED, "summary": "what the pass changed beside its patterns", "place": ""}
    source = pattern_source(pattern)
    return {"name": source.name, "summary": source.summary, "place": source.place}
