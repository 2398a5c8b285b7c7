"""A picture of propagation that moves: the axes of the mesh arrive at one tensor after the other."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xshardy.dialects.sdy.sharding_text import axis_text
from xshardy.display.svg import Drawing, colour, width_of
from xshardy.programs.sharded import Sharded
from xshardy.tools.explain.placement import type_of
from xshardy.tools.explain.story import value_name
from xshardy.transforms.sdy_propagation.propagation_history import Arrival

ROW = 30
SECONDS = 1.2
"""How long a step takes."""
REST = 3
"""For how many steps the last state stays."""
CHIP = 12
MOST_TENSORS = 64
PREFIX = "xshardy-propagation"


class _Chip(NamedTuple):
    """An axis that shards a dimension of a value, and the step by which it came; None if it was there."""

    dim: int
    text: str
    arrival: Arrival | None


def propagation_picture(program: Sharded) -> Drawing:
    """
    A row for each tensor of `program`, in text order. An axis appears when it arrives, with an arc from where it came.

    The animation repeats. Readers who asked for reduced motion see the last state. Raises `ValueError` for more than
    `MOST_TENSORS` tensors.
    """
    history = program.history
    numbers = [*history.numbers()]
    if len(numbers) > MOST_TENSORS:
        raise ValueError(
            f"the program has {len(numbers)} tensors, and a picture shows at most {MOST_TENSORS}: look at it with "
            "`xshardy explain --html`"
        )
    rows = {number: row for row, number in enumerate(numbers)}
    chips = {number: [*_chips(program, number)] for number in numbers}
    steps = sorted({chip.arrival.step for found in chips.values() for chip in found if chip.arrival is not None})
    names = [value_name(program, number) for number in numbers]
    types = [str(type_of(history.home(number))).removeprefix("tensor") for number in numbers]
    left = 72 + max(map(width_of, names), default=0)
    chips_left = left + 16 + max((width_of(type, 11) for type in types), default=0)
    axes = [*dict.fromkeys(chip.text.strip('"').split(":")[0] for found in chips.values() for chip in found)]
    drawing = Drawing(
        chips_left, ROW * len(numbers) + 16, "Shardings propagate from tensor to tensor", _style(len(steps))
    )
    for number, row in rows.items():
        y = row * ROW + 24
        drawing.text(56, y, names[row])
        drawing.text(left, y, types[row], 11, opacity=0.7)
        x = chips_left
        for dim in range(types[row].count("x")):
            drawing.text(x, y, "{", 14)
            x += 10
            for chip in (chip for chip in chips[number] if chip.dim == dim):
                length = width_of(chip.text, 11) + CHIP
                came = "" if chip.arrival is None else f"{PREFIX} {PREFIX}-{steps.index(chip.arrival.step)}"
                hue = colour(axes.index(chip.text.strip('"').split(":")[0]))
                drawing.rect(x, y - 14, length, 20, hue, rx=8, fill_opacity=0.45, class_=came)
                drawing.text(x + CHIP / 2, y, chip.text, 11, class_=came)
                x += length + 2
                if chip.arrival is not None:
                    _draw_arc(drawing, rows[chip.arrival.source], row, came, hue)
            drawing.text(x, y, "}", 14)
            x += 18
        drawing.width = max(drawing.width, x)
    return drawing


def _chips(program: Sharded, number: int) -> Iterator[_Chip]:
    sharding = program.history.sharding(number)
    for dim, of_dim in enumerate(sharding.dim_shardings if sharding is not None else ()):
        for axis in of_dim.axes:
            yield _Chip(dim, axis_text(axis), program.history.arrival(number, axis))


def _draw_arc(drawing: Drawing, source: int, target: int, class_: str, hue: str) -> None:
    """An arc from row to row, left of the names, with a point where it ends."""
    start, end = (row * ROW + 20 for row in (source, target))
    depth = min(8 + abs(target - source) * 9, 44)
    drawing.arc((50, start), (50, end), depth, hue, class_=class_, stroke_width=2)
    drawing.rect(47, end - 3, 6, 6, hue, rx=3, class_=class_)


def _style(steps: int) -> str:
    """The animations: each step shows its elements from its time on, until all start again."""
    total = steps + REST
    rules = [f"@media (prefers-reduced-motion: no-preference){{.{PREFIX}{{animation:{total * SECONDS:.1f}s infinite}}"]
    rules += [f".{PREFIX}-{step}{{animation-name:{PREFIX}-at-{step}}}" for step in range(steps)]
    return "".join((*rules, "}", *_keyframes(steps, total)))


def _keyframes(steps: int, total: int) -> Sequence[str]:
    return [
        f"@keyframes {PREFIX}-at-{step}{{0%,{100 * (step + 0.6) / total:.1f}%{{opacity:0}}"
        f"{100 * (step + 1) / total:.1f}%,100%{{opacity:1}}}}"
        for step in range(steps)
    ]
