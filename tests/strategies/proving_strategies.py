"""Random indices, boxes and views of the proofs, and what they mean: element by element, on each device."""

from collections.abc import Sequence
from itertools import product
from typing import TypeAlias

import numpy as np
from hypothesis import strategies as st

from xshardy.proving.index import Digit, Index, canonical
from xshardy.proving.sources import Constant, Source
from xshardy.proving.views import Box, Partial, Piece, View, full_box

Place: TypeAlias = tuple[int, ...]

SHAPES = st.lists(st.sampled_from([1, 2, 3, 4, 6, 8]), max_size=3).map(tuple).filter(lambda shape: np.prod(shape) <= 96)
"""Shapes of few elements, also without dimensions."""
SOURCES = (Source("x", (8, 8)), Source("y", (8,)), Constant("0.0", (), 0.0))
OUTSIDE = Constant("1.0", (), 1.0)


def places(shape: Sequence[int]) -> list[Place]:
    """All indices of a tensor of this shape."""
    return [*product(*map(range, shape))]


# -- what things mean --------------------------------------------------------------------------------------------------


def value_of(index: Index, device: int, place: Place) -> int:
    """The number that an index is."""
    offset = int(index.offset[device if len(index.offset) > 1 else 0])
    return offset + sum(stride * (place[dim] // div % mod) for stride, dim, div, mod in index.digits)


def values_at(at: Sequence[Index], device: int, place: Place) -> Place:
    """The numbers that several indices are."""
    return tuple(value_of(index, device, place) for index in at)


def is_in(box: Box, device: int, place: Place) -> bool:
    """Whether a box has an index on a device."""
    return bool(box.here[device]) and all(
        low <= i < high for low, i, high in zip(box.lo[device], place, box.hi[device], strict=True)
    )


def contents(box: Box, device: int, shape: Sequence[int]) -> set[Place]:
    """The indices of a tensor of this shape that a box has on a device."""
    return {place for place in places(shape) if is_in(box, device, place)}


def element(view: View, device: int, place: Place) -> object:
    """What an element of a view is, as a value that is equal for equal elements; None if it is unknown."""
    found = [piece for piece in view.pieces if is_in(piece.box, device, place)]
    assert len(found) <= 1, "pieces are disjoint"
    if not found:
        return None
    piece, partial = found[0], None
    if piece.partial is not None:
        boxes = (tuple(sorted(contents(box, device, piece.partial.sizes))) for box in piece.partial.boxes)
        partial = piece.partial.kind, piece.partial.sizes, tuple(boxes)
    return piece.source, values_at(piece.at, device, place), partial, piece.outside


# -- random things -----------------------------------------------------------------------------------------------------


@st.composite
def indices(draw: st.DrawFn, shape: Sequence[int], devices: int, *, any_digits: bool = True) -> Index:
    """An index of a tensor of this shape, with one offset or one of each device; also with negative strides."""
    count = draw(st.sampled_from([1, devices]))
    offset = np.array(draw(st.lists(st.integers(-9, 9), min_size=count, max_size=count)), np.int64)
    return Index(offset, canonical(draw(digits(shape, any_digits=any_digits))))


@st.composite
def digits(draw: st.DrawFn, shape: Sequence[int], *, any_digits: bool = True) -> list[Digit]:
    """Digits of the dimensions of this shape; mostly such as reshapes and slices make."""
    found = list[Digit]()
    for _ in range(draw(st.integers(0, 3)) if shape else 0):
        dim = draw(st.integers(0, len(shape) - 1))
        size, stride = shape[dim], draw(st.integers(-6, 6))
        match draw(st.integers(0, 2 if any_digits else 1)):
            case 0:
                found.append(Digit(stride, dim, 1, size))
            case 1:
                divs = [div for div in range(1, size + 1) if size % div == 0]
                div = draw(st.sampled_from(divs))
                mod = draw(st.sampled_from([mod for mod in divs if (size // div) % mod == 0]))
                found.append(Digit(stride, dim, div, mod))
            case _:
                found.append(Digit(stride, dim, draw(st.integers(1, 5)), draw(st.integers(1, 9))))
    return found


@st.composite
def boxes(draw: st.DrawFn, shape: Sequence[int], devices: int, *, everywhere: bool = False) -> Box:
    """A box inside of a tensor of this shape, of each device; empty on some, not here on others."""
    ends = [
        [sorted(draw(st.tuples(st.integers(0, size), st.integers(0, size)))) for size in shape] for _ in range(devices)
    ]
    array = np.array(ends, np.int64).reshape(devices, len(shape), 2)
    here = np.array([everywhere or draw(st.integers(0, 5)) > 0 for _ in range(devices)], bool)
    return Box(array[:, :, 0], array[:, :, 1], here)


@st.composite
def partials(draw: st.DrawFn, devices: int) -> Partial:
    """A part of a reduction of 4 or 2 x 3 elements."""
    sizes = draw(st.sampled_from([(4,), (2, 3)]))
    count = draw(st.integers(1, 2))
    return Partial("add", tuple(draw(boxes(sizes, devices)) for _ in range(count)), sizes)


@st.composite
def views(draw: st.DrawFn, shape: Sequence[int], devices: int) -> View:
    """A view of disjoint pieces, not all of which are known."""
    parts = [full_box(shape, devices)]
    for _ in range(draw(st.integers(0, 3)) if shape else 0):
        dim, number = draw(st.integers(0, len(shape) - 1)), draw(st.integers(0, len(parts) - 1))
        box = parts.pop(number)
        cut = np.array([draw(st.integers(0, shape[dim])) for _ in range(devices)], np.int64)
        if draw(st.booleans()):
            cut = np.repeat(cut[:1], devices)
        parts += [box.along(dim, box.lo[:, dim], cut), box.along(dim, cut, box.hi[:, dim])]
    if draw(st.booleans()):
        mask = np.array([draw(st.booleans()) for _ in range(devices)], bool)
        parts = [part.where(where) for part in parts for where in (mask, ~mask)]
    made = list[Piece]()
    template = draw(st.tuples(*(indices(shape, devices) for _ in range(2))))
    for part in parts:
        source = draw(st.sampled_from(SOURCES))
        at = template if draw(st.booleans()) else draw(st.tuples(*(indices(shape, devices) for _ in range(2))))
        partial = draw(partials(devices)) if draw(st.integers(0, 5)) == 0 else None
        outside = OUTSIDE if draw(st.integers(0, 5)) == 0 else None
        if draw(st.integers(0, 5)) > 0:
            made.append(Piece(source, at[: len(source.shape)], part, partial, outside))
    return View(tuple(shape), tuple(made))
