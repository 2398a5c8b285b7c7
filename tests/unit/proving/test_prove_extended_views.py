"""Views with gaps and views that continue outside of themselves, against the elements that they stand for."""

from itertools import product
from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from xshardy.axes.grid import Grid
from xshardy.proving.index import Digit, Index, combine, number, whole
from xshardy.proving.kernel import Kernel, Undecided, Universe
from xshardy.proving.rules.gaps import with_gaps
from xshardy.proving.rules.windows import extended
from xshardy.proving.search import Search
from xshardy.proving.sources import Constant, Gapped, Source
from xshardy.proving.views import Box, Piece, View

Arrays: TypeAlias = dict[Source, NDArray[np.float64]]
DEVICES, NEUTRAL, OTHER = 3, 0.0, 7.0


def element(source: Source, place: tuple[int, ...], outside: Source | None, arrays: Arrays) -> float:
    """The element of a source at a place; None stands for no promise, which no place may need."""
    if isinstance(source, Constant):
        return float(source.value.real)
    if any(at < 0 or at >= size for at, size in zip(place, source.shape, strict=True)):
        assert isinstance(outside, Constant), "a view reads outside of its source"
        return float(outside.value.real)
    if isinstance(source, Gapped):
        if any(at % factor for at, factor in zip(place, source.factors, strict=True)):
            return float(source.fill.value.real)
        inner = tuple(at // factor for at, factor in zip(place, source.factors, strict=True))
        return element(source.source, inner, None, arrays)
    return float(arrays[source][place])


def elements(view: View, arrays: Arrays) -> NDArray[np.float64]:
    """What a view says on each device; not a number where it says nothing."""
    found = np.full((DEVICES, *view.shape), np.nan)
    for piece, device in product(view.pieces, range(DEVICES)):
        if not piece.box.active[device]:
            continue
        for at in product(*map(range, piece.box.lo[device], piece.box.hi[device])):
            assert np.isnan(found[(device, *at)]), "pieces overlap"
            place = tuple(
                int(np.broadcast_to(index.offset, DEVICES)[device])
                + sum(stride * (at[dim] // div % mod) for stride, dim, div, mod in index.digits)
                for index in piece.at
            )
            found[(device, *at)] = element(piece.source, place, piece.outside, arrays)
    return found


def random_view(rng: np.random.Generator, kernel: Kernel, source: Source) -> View:
    """Rows of a source, numbers and unknown rows one after another, at other places on each device."""
    rows, columns = int(rng.integers(1, 8)), source.shape[1]
    cuts = np.sort(rng.integers(0, rows + 1, (DEVICES, 2)), axis=1)
    ends = np.column_stack([np.zeros(DEVICES, np.int64), cuts, np.full(DEVICES, rows)])
    pieces = list[Piece]()
    for number_ in range(3):
        lo = np.column_stack([ends[:, number_], np.zeros(DEVICES, np.int64)])
        hi = np.column_stack([ends[:, number_ + 1], np.full(DEVICES, columns)])
        box = Box(lo, hi, np.ones(DEVICES, bool))
        kind = rng.choice(["rows", "rows", "neutral", "other", "unknown"])
        if kind == "rows" and number_ != 1 and rng.random() < 0.7:
            kind = "neutral"
        if kind == "rows":
            stride = int(rng.choice([1, 1, 1, 2, -1]))
            first, last = stride * lo[:, 0], stride * (hi[:, 0] - 1)
            least, greatest = -np.minimum(first, last), source.shape[0] - 1 - np.maximum(first, last)
            if (greatest < least).any():
                continue
            offset = rng.integers(least, greatest + 1)
            edge = rng.random(DEVICES)  # at the ends of the source more often than elsewhere
            offset = np.where(edge < 0.4, least, np.where(edge < 0.8, greatest, offset))
            digits = (Digit(stride, 0, 1, rows),) if rows > 1 else ()
            pieces.append(Piece(source, (Index(offset, digits), whole(1, columns)), box))
        elif kind != "unknown":
            value = NEUTRAL if kind == "neutral" else OTHER
            pieces.append(Piece(kernel.universe.constant(value), (), box))
    return View((rows, columns), tuple(pieces))


@pytest.mark.parametrize("start", range(0, 1200, 300))
def test_views_have_the_elements_that_they_stand_for(start: int):
    known = 0
    for seed in range(start, start + 300):
        rng, universe = np.random.default_rng(seed), Universe()
        kernel = Kernel(universe, Search(universe), DEVICES, False, Grid(1, DEVICES))
        source = Source("rows", (int(rng.integers(8, 16)), 2))
        arrays: Arrays = {source: rng.random(source.shape) + 1}
        view = random_view(rng, kernel, source)
        expected, factor = elements(view, arrays), int(rng.integers(1, 4))
        if factor > 1:
            fill = NEUTRAL if rng.random() < 0.8 else OTHER
            spread = with_gaps(kernel, view, (factor, 1), kernel.constant(fill, ()))
            if spread is None or any(piece.source.is_local for piece in spread.pieces):
                continue
            dense = np.full((DEVICES, *spread.shape), fill)
            dense[:, ::factor] = expected
            found = elements(spread, arrays)
            assert ((found == dense) | np.isnan(found)).all(), seed
            view, expected = spread, dense
        size, taps = int(rng.integers(1, 8)), int(rng.integers(1, 5))
        stride, dilation, low = (int(rng.integers(a, b)) for a, b in ((1, 3), (1, 3), (-1, 5)))
        at = [
            combine((stride, whole(0, size)), (dilation, whole(2, taps)), (1, number(-low))),
            whole(1, source.shape[1]),
        ]
        try:
            read = extended(kernel, view, at, (size, source.shape[1], taps), NEUTRAL)
        except Undecided:
            continue
        opaque = {piece.source for piece in read.pieces if piece.source.is_local}
        found = elements(View(read.shape, tuple(p for p in read.pieces if p.source not in opaque)), arrays)
        known += bool((~np.isnan(found)).any())
        for device, (row, column, tap) in product(range(DEVICES), product(*map(range, read.shape))):
            place = row * stride + tap * dilation - low
            inside = 0 <= place < view.shape[0]
            wanted = expected[device, place, column] if inside else NEUTRAL
            got = found[device, row, column, tap]
            assert np.isnan(got) or got == wanted, (seed, device, row, column, tap)
    assert known > 100
