"""A picture of the memory of a whole module: which tensor is where, from which step to which."""

from itertools import pairwise

from xdsl.dialects.builtin import ModuleOp

from xshardy.display.svg import Drawing, colour, width_of
from xshardy.gpus.capability import DEFAULT_TARGET
from xshardy.launch.checked_run import planned
from xshardy.planning.byte_counts import in_bytes

STEP = 78
LEFT = 190
LEAST, MOST = 17, 70
"""The heights of the smallest and the largest part of memory: what is between two ends of tensors."""
GAP = 14
TOP = 34
MOST_STEPS = 64


def memory_picture(hlo: ModuleOp) -> Drawing:
    """
    The memory of `hlo` from top to bottom, by allocations; the steps of its launch plan from left to right.

    A box is a tensor from the first step to the last one during which it is live. Boxes above each other in time share
    memory one after the other. Heights grow with bytes, but are not to scale. Raises `ValueError` for more than
    `MOST_STEPS` steps.
    """
    plan = planned(hlo, DEFAULT_TARGET)
    steps = [*plan.all_steps()]
    if len(steps) > MOST_STEPS:
        raise ValueError(f"the module has {len(steps)} steps: a picture shows at most {MOST_STEPS}")
    slices = [*plan.assignment.slices.items()]
    tops: dict[tuple[int, int], float] = {}
    labels: list[tuple[float, str]] = []
    y = float(TOP)
    for allocation in plan.assignment.allocations:
        here = [place for _, place in slices if place.allocation == allocation.number]
        ends = sorted({0, allocation.size, *(end for p in here for end in (p.offset, p.offset + p.size))})
        labels.append((y + 13, f"{allocation.kind}, {in_bytes(allocation.size)}"))
        tops[allocation.number, 0] = y
        for start, end in pairwise(ends):
            y += LEAST + (MOST - LEAST) * (end - start) / max(each.size for each in plan.assignment.allocations)
            tops[allocation.number, end] = y
        y += GAP
    drawing = Drawing(LEFT + STEP * len(steps), y, "The tensors of a module in memory, step by step")
    for step in steps:
        x = LEFT + step.number * STEP
        drawing.text(x + STEP / 2, 20, _fitting(step.name, STEP), 11, "middle")
        drawing.line([(x, TOP - 6), (x, y)], stroke_width=0.3)
    for label_y, text in labels:
        drawing.text(0, label_y, text, 11)
    for number, (buffer, place) in enumerate(slices):
        first, last = plan.lifetime(buffer.lifetime)
        start, end = (tops[place.allocation, at] for at in (place.offset, place.offset + place.size))
        x, width = LEFT + first * STEP + 1, (last - first + 1) * STEP - 2
        drawing.rect(x, start + 0.5, width, end - start - 1, colour(number), fill_opacity=0.55, rx=3)
        drawing.text(x + 5, start + 12, _fitting(buffer.leaves[0].name, width), 11)
    return drawing


def _fitting(text: str, width: float) -> str:
    most = int(width / width_of("m", 11)) - 1
    return text if len(text) <= most else text[: max(most - 1, 0)] + "…"
