"""Steps as text: what each pattern removed and added."""

from collections.abc import Iterator, Sequence
from itertools import chain

from xshardy.tools.steps.document import Document, Drop, Edit, Place, Write
from xshardy.tools.steps.pattern_source import pattern_source
from xshardy.tools.steps.recorder import UNREPORTED, Kept, PassSteps, Recorder, RewriteStep


def listing(recorder: Recorder, name: str) -> Iterator[str]:
    """The lines about the steps of the pattern, or the pass, `name`; of all if it is empty."""
    document = Document()
    for edit in recorder.start:
        document.apply(edit)
    for each in recorder.passes:
        for number, step in enumerate(each.steps, 1):
            changes = [*changed_lines(document, step.edits)]
            if name in ("", each.name, _name(step)):
                yield from _heading(each, number, step)
                yield from (f"  {line}" for line in changes)
        for kept in each.kept:
            if name in ("", each.name, _name(kept)):
                yield f"{each.name}: {_name(kept)} did not apply: {kept.reason}"
                yield f"    {document.texts[kept.op].parts()[0]}"


def _name(step: RewriteStep | Kept) -> str:
    return UNREPORTED if step.pattern is None else step.pattern.__name__


def _heading(around: PassSteps, number: int, step: RewriteStep) -> Iterator[str]:
    counted = f"{around.name}, step {number} of {len(around.steps)}"
    if step.pattern is None:
        yield f"{counted}: {UNREPORTED}"
        return
    source = pattern_source(step.pattern)
    yield f"{counted}: {source.name} ({source.place})"
    yield f"  {source.summary}"


def changed_lines(document: Document, edits: Sequence[Edit]) -> Iterator[str]:
    """Make `edits`. Yields `- ...` for what is gone, `+ ...` for what is new, both for new texts, `> ...` for moves."""
    written = [edit.op for edit in edits if isinstance(edit, Write)]
    placed = [edit.op for edit in edits if isinstance(edit, Place)]
    new = {*written} - document.texts.keys()
    moved = {*placed} - new
    shown = {block for edit in edits if isinstance(edit, Write) for block in chain(*edit.text.regions)}
    kept = document.labels.keys() & shown
    for edit in edits:
        if isinstance(edit, Drop):
            yield from (f"- {line}" for line in document.lines(edit.op, other_ops=moved, other_blocks=kept))
    old = {op: _line(document, op) for op in written if op not in new}
    for edit in edits:
        document.apply(edit)
    for op, line in old.items():
        if (text := _line(document, op)) != line:
            yield from (f"- {line}", f"+ {text}")
    for op in placed:
        if op in moved:
            yield f"> {_line(document, op)}"
        elif document.owner_of[document.block_of[op]] not in new:
            yield from (f"+ {line}" for line in document.lines(op, other_ops=moved, other_blocks=kept))


def _line(document: Document, op: int) -> str:
    """The text of `op` without what is in it."""
    return "{ ... }".join(document.texts[op].parts())
