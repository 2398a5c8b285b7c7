"""`xshardy auto`: the shardings that a search found, as text or as JSON."""

import re
from collections.abc import Sequence
from dataclasses import replace
from math import inf

from xshardy.dialects.sdy.sharding_text import dimensions, dimensions_and_spec
from xshardy.planning.auto.find import FoundShardings
from xshardy.planning.auto.reasons import AnnotationKind, FoundAnnotation, annotations_of
from xshardy.planning.byte_counts import in_bytes
from xshardy.tools.columns import print_line, print_table
from xshardy.tools.output import finite
from xshardy.tools.plan import as_json as plan_as_json
from xshardy.tools.plan import in_seconds, print_comparison
from xshardy.tools.source_lines import SourceLines


def print_found(found: FoundShardings) -> None:
    """What was found, beside what was given; how good it is; and why."""
    rows = annotations_of(found)
    if found.given is not None:
        print_comparison(found.given, found.plan, ("as given", "found"), found.topology)
    else:
        print_line(f"estimated time on {found.topology.name}: {in_seconds(found.time)}")
    for line in _summary(found, rows):
        print_line(line)
    for title, kinds in (
        ("argument", {AnnotationKind.ARGUMENT}),
        ("constraint", {AnnotationKind.PRODUCED, AnnotationKind.READ}),
    ):
        if of_kinds := merged([row for row in rows if row.kind in kinds]):
            is_jax = not found.prepared.program.source.is_text
            cells = [
                (_tensor(row), dimensions_and_spec(row.sharding, is_jax=is_jax), _second_best(row)) for row in of_kinds
            ]
            print_table((title, "sharding", "second best, by the model"), cells, left=3)


def print_lines(lines: SourceLines, found: FoundShardings) -> None:
    """What the constraints in files of Python are worth."""
    of_lines = f"the diff has {_counted(lines.constraints, 'constraint')}, for a mesh set by jax.set_mesh"
    if not lines.constraints:
        of_lines = f"no constraint in {lines.file}, or in files that it imports, makes it faster: the diff is empty"
    print_line(
        f"{of_lines}; with them and the shardings of arguments and results, the plan takes {in_seconds(lines.time)}, "
        f"and with all that was found {in_seconds(found.time)}"
    )


def _summary(found: FoundShardings, rows: Sequence[FoundAnnotation]) -> Sequence[str]:
    limit = "" if found.memory == inf else f", of {in_bytes(int(found.memory))} allowed"
    lines = [f"memory: {in_bytes(found.plan.peak_bytes)} at the peak per device{limit}"]
    if found.annotations is None:
        lines.append("the program as given is as fast as all that was found: it stays as it is")
    else:
        constraints = [row for row in rows if row.kind is not AnnotationKind.ARGUMENT]
        places = len({row.place or row.tensor for row in constraints})
        lines.append(
            f"{_counted(len(constraints), 'constraint')} at {_counted(places, 'place')} beside the arguments; before "
            f"some were left out, the fastest plan took {in_seconds(found.time_before)}"
        )
        if (count := len(found.prepared.ties)) > 0:
            lines.append(f"new values of arguments are divided as these ({_counted(count, 'result')})")
    if found.solution.choice is None:
        lines.append("by the model of the search, which counts memory less exactly than a plan, no choice fits")
    else:
        lines.append(
            f"by the model of the search, its choice takes {in_seconds(found.predicted)} and none less than "
            f"{in_seconds(found.bound)} ({100 * found.solution.gap:.1f} % less), if alike layers are divided alike"
        )
    lines.append(f"searched for {in_seconds(found.seconds)}")
    return lines


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


LEAST_LOSS = 1e-9
"""Seconds. A smaller loss is shown as none: by less than this, the search prefers smaller arguments."""

_INDEX = re.compile(r"(?<=[\[ _.])(\d+)(?=[\]'_.])")
"""The number of a layer in the name of an argument: `p[3]['w']`, `p['layer 3']['w']`, `p['Block_3']['w']`."""


def merged(rows: Sequence[FoundAnnotation]) -> Sequence[FoundAnnotation]:
    """
    Arguments that differ in indices only, and are divided alike, as one row: `argument 3 (p[0]['w'])`, `argument 5
    (p[1]['w'])` -> `p[*]['w']`. The second best is the least.
    """
    alike: dict[object, list[FoundAnnotation]] = {}
    for row in rows:
        name = row.tensor.partition(" (")[2]
        is_indexed = row.kind is AnnotationKind.ARGUMENT and _INDEX.search(name) is not None
        alike.setdefault((_INDEX.sub("", name), row.sharding) if is_indexed else row, []).append(row)
    return [same[0] if len(same) == 1 else _one_row(same) for same in alike.values()]


def _one_row(rows: Sequence[FoundAnnotation]) -> FoundAnnotation:
    names = (_INDEX.split(row.tensor.partition(" (")[2].removesuffix(")")) for row in rows)
    parts = (part[0] if len({*part}) == 1 else "*" for part in zip(*names, strict=True))
    losses = [row.second_best for row in rows if row.second_best is not None]
    return replace(rows[0], tensor="".join(parts), second_best=min(losses, default=None), count=len(rows))


def _tensor(row: FoundAnnotation) -> str:
    """`%81 dot_general (fit.py:40) for add (fit.py:40) (6 tensors)`"""
    reader = f" for {row.reader}" if row.reader else ""
    return f"{row.tensor}{reader}{f' ({row.count} tensors)' if row.count > 1 else ''}"


def _second_best(row: FoundAnnotation) -> str:
    if row.second_best is None:
        return "no other is possible"
    if abs(row.second_best) < LEAST_LOSS:
        return "as fast"
    if row.second_best < 0:
        return f"faster by {in_seconds(-row.second_best)}, but more memory"
    return f"slower by {in_seconds(row.second_best)}"


def as_json(found: FoundShardings, lines: SourceLines | None = None) -> dict[str, object]:
    """What was found, and its `lines` of Python, as `--json` prints it: times in seconds, memory in bytes."""
    return {
        "diff": None if lines is None else {"text": lines.diff, "constraints": lines.constraints, "time": lines.time},
        "plan": plan_as_json(found.plan, found.topology),
        "given": None if found.given is None else plan_as_json(found.given, found.topology),
        "annotations": [
            {
                "kind": row.kind.value,
                "tensor": row.tensor,
                "line": row.place,
                "reader": row.reader,
                "sharding": dimensions(row.sharding),
                "second_best": row.second_best,
                "tensors": row.count,
            }
            for row in annotations_of(found)
        ],
        "is_given": found.annotations is None,
        "seconds_before": found.time_before,
        "predicted": finite(found.predicted),
        "bound": finite(found.bound),
        "memory": finite(found.memory),
        "search_seconds": found.seconds,
    }
