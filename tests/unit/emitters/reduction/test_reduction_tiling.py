"""Tilings of reductions: what XLA launches, and that every element is read once and every result written once."""

from collections import Counter
from collections.abc import Iterator
from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis.strategies import integers, sampled_from

from xshardy.affine.expressions import dim
from xshardy.affine.indexing_map import IndexingMap, Variable
from xshardy.affine.interval import Interval
from xshardy.emitters.reduction.column import column_tiling
from xshardy.emitters.reduction.multi_row import multi_row_tiling
from xshardy.emitters.reduction.row import row_tiling
from xshardy.emitters.reduction.small_column import small_column_tiling
from xshardy.emitters.reduction.tiling import Elements, Tiling, shared_tile
from xshardy.gpus.devices import Device
from xshardy.indexing.reduction_dimensions import ReductionDimensions

SMALL = Device(cores=2, threads_per_core=64, threads_per_warp=4)
"""A device with blocks small enough to check each thread."""
ELEMENTS = [
    Elements(input, output, is_complex)
    for input in (None, 8, 16, 32, 64)
    for output in (8, 32)
    for is_complex in (0, 1)
]


def points(map: IndexingMap) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The points of the domain of a map, and its results there."""
    intervals = [range(i.lower, i.upper + 1) for i in (*map.dimension_intervals, *map.symbol_intervals)]
    count = len(map.dimensions)
    for point in product(*intervals):
        if map.holds(point[:count], point[count:]):
            yield point, map.evaluate(point[:count], point[count:])


def check(tiling: Tiling) -> None:
    reads = Counter(index for _, index in points(tiling.input))
    assert set(reads) == set(product(*map(range, tiling.input_shape)))
    assert set(reads.values()) == {1}
    writes = Counter(index for _, index in points(tiling.output))
    assert set(writes) == set(product(*map(range, tiling.output_shape)))
    assert set(writes.values()) == {1}
    if tiling.tile is not None:
        held = Counter(index for _, index in points(tiling.tile.write))
        assert set(held.values()) == {1}
        read = Counter(index for _, index in points(tiling.tile.read))
        assert read == held if tiling.tile.distance is None else set(read) <= set(held)
        assert all(i < size for index in held for i, size in zip(index, tiling.tile.shape, strict=True))


SIZES = integers(1, 19)


@given(integers(1, 3), SIZES, integers(1, 300), sampled_from(ELEMENTS))
def test_rows(major: int, kept: int, minor: int, elements: Elements):
    check(row_tiling(ReductionDimensions(True, (major, kept, minor)), elements, SMALL))


@given(integers(1, 3), integers(1, 70), sampled_from([1, 2, 4, 8, 16]), sampled_from(ELEMENTS))
def test_short_rows(major: int, kept: int, minor: int, elements: Elements):
    tiling = multi_row_tiling(ReductionDimensions(True, (major, kept, minor)), elements, SMALL)
    if tiling is None:
        assert minor > SMALL.threads_per_warp
    else:
        check(tiling)


@given(integers(1, 3), integers(1, 40), SIZES, sampled_from(ELEMENTS))
def test_columns(major: int, reduced: int, minor: int, elements: Elements):
    check(column_tiling(ReductionDimensions(False, (major, reduced, minor)), elements, SMALL))


@given(integers(1, 3), integers(1, 300), sampled_from([1, 2, 4]), sampled_from(ELEMENTS))
def test_few_columns(major: int, reduced: int, minor: int, elements: Elements):
    check(small_column_tiling(ReductionDimensions(False, (major, reduced, minor)), elements, SMALL))


F32, BF16, S8 = Elements(32, 32, False), Elements(16, 32, False), Elements(8, 32, False)
LAUNCHES = {
    "a row for each block": (row_tiling, (True, (1, 4096, 4096)), F32, 256, 4096, 4, 8),
    "rows of odd sizes": (row_tiling, (True, (1, 1000, 777)), BF16, 256, 250, 1, 8),
    "long rows": (row_tiling, (True, (1, 333, 10000)), Elements(16, 16, False), 640, 333, 8, 20),
    "rows that 16 bytes do not divide": (row_tiling, (True, (1, 4096, 4098)), F32, 288, 4096, 2, 9),
    "bytes": (row_tiling, (True, (1, 1024, 1024)), S8, 256, 256, 16, 8),
    "bytes, and words written for them": (
        row_tiling,
        (True, (1, 1024, 1024)),
        Elements(8, 32, False, 32),
        256,
        256,
        4,
        8,
    ),
    "columns": (column_tiling, (False, (1, 2048, 4096)), F32, 1024, 64, 2, 2048),
    "columns of odd sizes": (column_tiling, (False, (1, 1000, 333)), BF16, 1024, 11, 1, 1024),
    "columns in the middle": (column_tiling, (False, (16, 500, 129)), F32, 1024, 80, 1, 1024),
    "few columns": (small_column_tiling, (False, (400, 500, 8)), F32, 128, 400, 2, 288),
}
"""Of an H100: threads, blocks, elements per load, and shared memory, in elements."""
LAUNCH_NAMES = ("make", "dimensions", "elements", "threads", "blocks", "width", "shared")


@pytest.mark.parametrize(LAUNCH_NAMES, LAUNCHES.values(), ids=LAUNCHES)
def test_launches(make, dimensions, elements, threads: int, blocks: int, width: int, shared: int):
    tiling = make(ReductionDimensions(*dimensions), elements, Device())
    assert (tiling.launch.threads, tiling.launch.blocks) == (threads, (blocks, 1))
    assert tiling.input.symbol_intervals[-1].size == width
    assert tiling.tile is not None
    assert prod(tiling.tile.shape) == shared


def test_short_rows_share_a_warp():
    tiling = multi_row_tiling(ReductionDimensions(True, (1, 65536, 64)), F32, Device())
    assert tiling is not None
    assert (tiling.launch.threads, tiling.launch.blocks, tiling.distance) == (256, (8192, 1), 16)


@pytest.mark.parametrize(
    ("written", "padding", "shape"),
    [((4, 32), None, (4, 33)), ((32, 4), None, (32, 4)), ((32, 4), 3, (32, 7)), ((2, 4, 64), None, (2, 4, 65))],
)
def test_rows_of_shared_memory_end_in_different_banks(
    written: tuple[int, ...], padding: int | None, shape: tuple[int, ...]
):
    """A row of as many elements as banks gets one more: the elements of a column are then in different banks."""
    variables = tuple(Variable("", Interval.of_size(size)) for size in written)
    map = IndexingMap(tuple(dim(i) for i in range(len(written))), variables)
    assert shared_tile(map, map, None, Device(), padding).shape == shape
