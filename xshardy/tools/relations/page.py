"""A self-contained HTML page about a verdict: both programs, and of what the values of a device are parts."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xshardy.proving.index import Index, is_uniform
from xshardy.proving.prove import Kept
from xshardy.proving.sources import Source
from xshardy.proving.verdict import Verdict
from xshardy.proving.views import Piece, View, full_box, restricted, same_in
from xshardy.syntax.locations.values import place_in_file
from xshardy.tools.stages.stage import FILE, module_stage
from xshardy.tools.web_page import web_page


def page(verdict: Verdict, kept: Kept, title: str) -> str:
    """The page: HTML 5 without external resources. `kept` is what `prove_pair` filled for `verdict`."""
    pair = verdict.pair
    whole, local = _numbers(pair.whole), _numbers(pair.local)
    relations = _Relations(kept, whole, pair.devices)
    data = {
        "answer": verdict.answer.value,
        "verdict": str(verdict).splitlines(),
        "whole": _lines(pair.whole, whole),
        "local": _lines(pair.local, local),
        "relations": {local[op]: relations.of(views) for op, views in kept.local.items() if views},
    }
    return web_page("xshardy.tools.relations", title, data, ("page.js",))


def _numbers(module: ModuleOp) -> dict[Operation, int]:
    """Each operation by its number, from 1 on: the numbers of lines that a stage of a page has its places by."""
    return {op: number for number, op in enumerate(module.walk(), 1)}


def _lines(module: ModuleOp, numbers: Mapping[Operation, int]) -> Sequence[tuple[str, Sequence[int]]]:
    """Each line of the text of `module` with the numbers of the operations that it has."""
    copy = module.clone()
    for op, copied in zip(module.walk(), copy.walk(), strict=True):
        copied.location = place_in_file(FILE, numbers[op], 0)
    stage = module_stage("", copy)
    return [*zip(stage.lines, stage.sources, strict=True)]


class _Relations:
    """What views of a program of `devices` devices are of the values of the whole program."""

    def __init__(self, kept: Kept, numbers: Mapping[Operation, int], devices: int):
        self._devices = devices
        self._values = dict[Source, list[tuple[int, View]]]()
        for op, views in sorted(kept.whole.items(), key=lambda item: numbers[item[0]]):
            for view in views:
                for source in dict.fromkeys(piece.source for piece in view.pieces):
                    self._values.setdefault(source, []).append((numbers[op], view))

    def of(self, views: Sequence[View]) -> Mapping[str, object]:
        """The kind of the least related one, the operations of the whole program that they are views of, and a text."""
        kinds = [self._kind(view) for view in views]
        sources = dict.fromkeys(piece.source for view in views for piece in view.pieces)
        lines = {self._values[source][0][0] for source in sources if source in self._values}
        same = {number for view in views for number in self._same(view)}
        return {
            "kind": max(kinds, key=KINDS.index),
            "of": sorted(same or lines),
            "text": "\n".join(text for view in views for text in _described(view)),
        }

    def _kind(self, view: View) -> str:
        own = [piece.source.is_local and piece.source not in self._values for piece in view.pieces]
        if view.pieces and all(own):
            return "unrelated"
        if any(piece.partial is not None for piece in view.pieces):
            return "partial"
        if any(own) or not view.is_known(self._devices):
            return "padded"
        return "whole" if self._same(view) else "part"

    def _same(self, view: View) -> list[int]:
        """The operations of the whole program with a result that each device has all of."""
        if not view.pieces:
            return []
        box = full_box(view.shape, self._devices)
        return [
            number
            for number, other in self._values.get(view.pieces[0].source, ())
            if other.shape == view.shape and same_in(view, restricted(other, self._devices), box)
        ]


KINDS = ("whole", "part", "partial", "padded", "unrelated")
"""From the most to the least that is known of a value: the classes of lines on the page."""


def _described(view: View) -> Iterator[str]:
    """A line for each piece of a view."""
    for piece in view.pieces:
        part = "" if piece.partial is None else f"part of {piece.partial.kind} of "
        outside = "" if piece.outside is None else f", {piece.outside} outside of it"
        at = ", ".join(_index(index, view.shape) for index in piece.at)
        yield f"{_box(piece)}{part}{piece.source}[{at}]{outside}"


def _box(piece: Piece) -> str:
    """`on 2 devices [0, 4] <= i < [4, 8]: `: where a piece is, on the first device that has it."""
    here = np.flatnonzero(piece.box.active)
    lo, hi = piece.box.lo[here[0]].tolist(), piece.box.hi[here[0]].tolist()
    devices = "" if len(here) == len(piece.box.here) else f"on {len(here)} devices "
    return f"{devices}{lo} <= i < {hi}: "


def _index(index: Index, shape: Sequence[int]) -> str:
    """`4*i0 + i1//2 + 8`; an offset that devices do not share is a list."""
    terms = [_digit(*digit, shape) for digit in index.digits]
    if not is_uniform(index.offset):
        terms.append(f"{index.offset.tolist()}[device]")
    elif index.offset[0] or not terms:
        terms.append(str(index.offset[0]))
    return " + ".join(terms)


def _digit(stride: int, dim: int, div: int, mod: int, shape: Sequence[int]) -> str:
    quotient = f"i{dim}" if div == 1 else f"i{dim}//{div}"
    digit = quotient if div * mod >= shape[dim] else f"{quotient}%{mod}"
    if stride == 1:
        return digit
    return f"{stride}*{digit}" if digit == f"i{dim}" else f"{stride}*({digit})"
