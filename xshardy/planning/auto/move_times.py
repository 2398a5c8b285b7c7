"""
The times of moving tensors between placements: those of the collectives that resharding takes, step by step.

A time is linear in the bytes of the tensor, and the steps do not depend on them: tensors of one shape share them.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import TypeAlias

import numpy as np
from xdsl.ir import Attribute

from xshardy.axes.spans import Span
from xshardy.dialects.shapes import shape_of
from xshardy.planning.auto.placements import Placement, SearchAxes
from xshardy.planning.collective_bytes import ALL_GATHER, ALL_TO_ALL, PERMUTE
from xshardy.planning.collective_time import link_of, seconds
from xshardy.planning.topology import Topology
from xshardy.search.problem import Floats
from xshardy.sharding.resharding import AllGather, AllSlice, AllToAll, CollectivePermute, Resharding
from xshardy.transforms.hlo_async.report import size_in_bytes

LARGE = 1 << 40
"""Bytes of a collective from whose time the time of a byte is read."""


_MovedDim: TypeAlias = tuple[int, tuple[int, ...], tuple[int, ...]]
"""The size of a dimension, and the axes that divide it before and after."""


class MoveTimes:
    """Times on one topology, in seconds."""

    def __init__(self, axes: SearchAxes, topology: Topology):
        self._axes, self._topology = axes, topology
        self._lines: dict[tuple[str, tuple[int, ...], int], tuple[float, float]] = {}
        self._moves: dict[tuple[_MovedDim, ...], tuple[float, float]] = {}
        """
        The time without data, and of each byte that a device has before; as long as one search.

        The dimensions that stay as they are have no part in it. The order of the others is left out: on two axes, no
        time depends on it; on three, the times of a tenth of the moves do, which change three dimensions or more. For
        LLaMA as a loop over 2 x 4 x 8 devices, all tables take 0.6 of the time that they take with the order of
        dimensions, and that is 0.3 of the time with all dimensions.
        """
        self._tables: dict[tuple[tuple[int, ...], Sequence[Placement], Sequence[Placement]], tuple[Floats, Floats]] = {}
        """By shape and placements: layers repeat them; as long as one search."""

    def _line(self, kind: str, axes: Sequence[int], group: int) -> tuple[float, float]:
        """The time of a collective along `axes` without data, and of each byte of its operand."""
        key = kind, tuple(axes), group
        if key not in self._lines:
            link = link_of([self._axes.spans[axis].axis for axis in axes], self._topology)
            start = seconds(kind, 0, group, link)
            self._lines[key] = start, (seconds(kind, LARGE, group, link) - start) / LARGE
        return self._lines[key]

    def collective(self, kind: str, axes: Sequence[int], operand: float) -> float:
        """The time of a collective along `axes`, for an operand of `operand` bytes."""
        start, of_byte = self._line(kind, axes, self._axes.parts(axes))
        return start + of_byte * operand

    def table(self, type: Attribute, before: Sequence[Placement], after: Sequence[Placement]) -> Floats:
        """The time of moving a tensor of `type` from each placement of `before` to each of `after`."""
        starts, of_bytes = self._lines_of(self._alike(shape_of(type)), before, after)
        parts = np.array([prod(map(self._axes.parts, old)) for old in before]).reshape(-1, 1)
        return starts + of_bytes * ((size_in_bytes(type) or 0) / parts)

    def _lines_of(
        self, shape: tuple[int, ...], before: Sequence[Placement], after: Sequence[Placement]
    ) -> tuple[Floats, Floats]:
        """For each move, the time without data, and that of each byte that a device has before."""
        key = shape, before, after
        if key not in self._tables:
            moves = [[self._move(shape, old, new) for new in after] for old in before]
            starts, of_bytes = np.moveaxis(np.array(moves, float).reshape(len(before), len(after), 2), 2, 0)
            self._tables[key] = starts, of_bytes
        return self._tables[key]

    def _alike(self, shape: Sequence[int]) -> tuple[int, ...]:
        """A shape whose tensors are moved by the same steps: one for all whose dimensions all axes divide together."""
        devices = prod(self._axes.sizes)
        return tuple(devices if size and size % devices == 0 else size for size in shape)

    def _move(self, shape: tuple[int, ...], before: Placement, after: Placement) -> tuple[float, float]:
        """The time of a move without data, and of each byte that a device has before."""
        key = tuple(sorted([dim for dim in zip(shape, before, after, strict=True) if dim[1] != dim[2]]))
        if key not in self._moves:
            lines = [*self._steps(*zip(*key, strict=True))] if key else []
            self._moves[key] = sum(start for start, _ in lines), sum(of_byte for _, of_byte in lines)
        return self._moves[key]

    def _steps(self, shape: Sequence[int], before: Placement, after: Placement) -> Iterator[tuple[float, float]]:
        """The same for each collective. A slice takes no time."""
        part = 1.0
        for step in Resharding.between(self._spans(before), self._spans(after), shape).steps():
            match step:
                case AllSlice():
                    part /= _group(step.axes)
                    continue
                case AllGather():
                    start, of_byte = self._line(ALL_GATHER, _numbers(step.axes), _group(step.axes))
                case AllToAll():
                    start, of_byte = self._line(ALL_TO_ALL, _numbers([step.axes]), _group([step.axes]))
                case CollectivePermute():
                    start, of_byte = self._line(PERMUTE, range(len(self._axes.spans)), 2)
            yield start, of_byte * part
            part *= _group(step.axes) if isinstance(step, AllGather) else 1

    def _spans(self, placement: Placement) -> list[tuple[Span, ...]]:
        return [tuple(Span(axis, 1, self._axes.spans[axis].size) for axis in axes) for axes in placement]

    def part_bytes(self, type: Attribute, placements: Sequence[Placement]) -> Floats:
        """The bytes of the largest part of a tensor of `type`, for each placement."""
        shape, size = shape_of(type), size_in_bytes(type) or 0
        element = size // max(1, prod(shape))
        return np.array(
            [element * prod(self._axes.part_shape(shape, placement)) for placement in placements], dtype=float
        )


def _numbers(dims: Iterable[Iterable[Span]]) -> list[int]:
    """The axes of all dimensions."""
    return [span.axis for axes in dims for span in axes]


def _group(dims: Iterable[Iterable[Span]]) -> int:
    """The devices along them."""
    return prod(span.size for axes in dims for span in axes)
