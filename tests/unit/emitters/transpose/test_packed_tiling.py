"""Packed tiles: when there are any, and by a model of a block that every element arrives, and no bank is in the way."""

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.strategies import DrawFn, composite, integers, permutations, sampled_from

from xshardy.affine.indexing_map import IndexingMap
from xshardy.emitters.transpose.normal_form import Transposition
from xshardy.emitters.transpose.packed import packed_tiling, why_not_packed
from xshardy.emitters.transpose.squares import square_and_elements
from xshardy.emitters.transpose.tiling import TransposeTiling
from xshardy.gpus.devices import Device
from xshardy.gpus.targets import device_of

BANKS = 32


def points(map: IndexingMap) -> tuple[np.ndarray, ...]:
    """All points of the domain of `map`, a row per variable, and its results there, a row per result."""
    intervals = (*map.dimension_intervals, *map.symbol_intervals)
    grid = np.meshgrid(*(np.arange(i.lower, i.upper + 1) for i in intervals), indexing="ij")
    variables = np.stack([axis.ravel() for axis in grid])
    count = len(map.dimensions)
    inside = np.ones(variables.shape[1], bool)
    for c in map.constraints:
        value = c.expr.eval(list(variables[:count]), list(variables[count:]))
        inside &= (c.bounds.lower <= value) & (value <= c.bounds.upper)
    variables = variables[:, inside]
    return variables, results_at(map, variables)


def results_at(map: IndexingMap, variables: np.ndarray) -> np.ndarray:
    count = len(map.dimensions)
    results = (expr.eval(list(variables[:count]), list(variables[count:])) for expr in map.results)
    return np.stack([np.broadcast_to(result, variables.shape[1:]) for result in results])


def written_tiles(tiling: TransposeTiling) -> np.ndarray:
    """The tiles of all blocks in shared memory, if each input element is its row-major number."""
    moved, (blocks, _) = tiling.moved, tiling.launch.blocks
    tiles = np.full((blocks, *tiling.tile), -1)
    at, indices = points(tiling.input)
    number = np.ravel_multi_index(tuple(indices), moved.shape)
    assert number.size == prod(moved.shape)  # nothing is read twice
    places = (at[1], *results_at(tiling.write, at))
    assert len(np.unique(np.ravel_multi_index(places, tiles.shape))) == number.size  # nothing is written over
    tiles[places] = number
    return tiles


def transposed(tiling: TransposeTiling) -> np.ndarray:
    """The output of all blocks, if each input element is its row-major number; -1 for unwritten elements."""
    moved, tiles = tiling.moved, written_tiles(tiling)
    result = np.full(moved.result_shape, -1)
    outer, inner = square_and_elements(tiling.output.simplify(), tiling.read.results)
    squares, starts = points(outer)
    at, indices = points(inner)
    begun = {tuple(square): tuple(start) for square, start in zip(squares.T, starts.T, strict=True)}
    for point, index in zip(at.T, indices.T, strict=True):
        *square, column, row = point
        if (start := begun.get(tuple(square))) is not None:
            assert result[tuple(index)] == -1
            result[tuple(index)] = tiles[point[1], start[0] + row, start[1], start[2] + column]
    return result


DEVICES = [Device(), device_of("gfx942")]


def check(moved: Transposition, width: int, device: Device) -> None:
    tiling = packed_tiling(moved, width, 1, device)
    assert tiling is not None
    expected = np.arange(prod(moved.shape)).reshape(moved.shape).transpose(moved.permutation)
    assert np.array_equal(transposed(tiling), expected)


@composite
def packed_transpositions(draw: DrawFn) -> tuple[Transposition, int]:
    """A transposition of up to four dimensions that has a packed tile, and the width of its elements in bits."""
    width = draw(sampled_from([8, 16]))
    square = 32 // width
    rank = draw(integers(2, 4))
    permutation = draw(permutations(range(rank)).filter(lambda p: p[-1] != rank - 1))
    shape = [draw(integers(1, 3)) for _ in range(rank)]
    shape[permutation[-1]] = draw(integers(10, 40)) * square
    shape[-1] = draw(sampled_from([square, 1])) * draw(integers(10 * square, 40))
    moved = Transposition(tuple(shape), tuple(permutation))
    return moved, width


@settings(max_examples=15)
@given(packed_transpositions(), sampled_from(DEVICES))
def test_every_element_arrives(drawn: tuple[Transposition, int], device: Device):
    moved, width = drawn
    if why_not_packed(moved, width) is None:
        check(moved, width, device)


CASES = {
    "one tile": ((20, 20), (1, 0), 16),
    "parts of tiles": ((70, 130), (1, 0), 16),
    "a row that ends within a square": ((40, 75), (1, 0), 16),
    "rows of several short ones": ((2, 4, 64, 10, 6), (1, 0, 4, 3, 2), 16),
    "rows of some of several short ones": ((20, 24, 5), (2, 1, 0), 16),
    "short ones that end within a square": ((44, 12, 7), (2, 1, 0), 8),
    "in batches": ((3, 44, 40), (0, 2, 1), 8),
    "elements that share a byte": ((80, 88), (1, 0), 4),
}


@pytest.mark.parametrize(("shape", "permutation", "width"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("device", DEVICES, ids=["4 rows", "8 rows"])
def test_every_element_arrives_of(shape: tuple[int, ...], permutation: tuple[int, ...], width: int, device: Device):
    check(Transposition(shape, permutation), width, device)


REFUSED = {
    "elements as wide as a bank": ((64, 64), (1, 0), 32, "an element of 32 bits fills a bank"),
    "a minor dimension that stays": ((64, 64, 2), (1, 0, 2), 16, "the minor dimension stays where it is"),
    "too few rows": ((18, 64), (1, 0), 16, "tiles of 18 by 64 have too few squares of 2 by 2"),
    "too few columns": ((64, 36), (1, 0), 8, "tiles of 64 by 36 have too few squares of 4 by 4"),
    "columns that fill no square": ((64, 63), (1, 0), 16, "63 columns of a tile are no multiple of 2"),
    "rows that fill no square": ((63, 64), (1, 0), 16, "63 rows are no multiple of 2"),
    "rows that fill no square at the end": ((65, 64), (1, 0), 16, "65 rows are no multiple of 2"),
    "half a byte at the end of a row": ((256, 257), (1, 0), 4, "257 columns are no multiple of 8"),
}


@pytest.mark.parametrize(("shape", "permutation", "width", "reason"), REFUSED.values(), ids=REFUSED)
def test_not_packed(shape: tuple[int, ...], permutation: tuple[int, ...], width: int, reason: str):
    moved = Transposition(shape, permutation)
    assert why_not_packed(moved, width) == reason
    assert packed_tiling(moved, width, 1, Device()) is None


@pytest.mark.parametrize(("width", "tensors"), [(16, 5), (8, 2), (4, 1)])
def test_no_more_tensors_than_fit_into_shared_memory(width: int, tensors: int):
    moved = Transposition((512, 512), (1, 0))
    assert packed_tiling(moved, width, tensors, Device()) is not None
    assert packed_tiling(moved, width, tensors + 1, Device()) is None


@pytest.mark.parametrize("width", [4, 8, 16])
def test_the_threads_of_a_warp_use_different_banks(width: int):
    moved = Transposition((512, 512), (1, 0))
    tiling = packed_tiling(moved, width, 1, Device())
    assert tiling is not None
    for warp, step, row in product(range(4), range(3), range(tiling.square)):
        lanes = np.arange(warp * 32, warp * 32 + 32)
        one = np.zeros_like(lanes)
        written = results_at(tiling.write, np.stack([lanes, one, one + step, one]))
        group, of_row, column = results_at(tiling.read, np.stack([lanes, one, one + step]))
        for place in (written, (group + row, of_row, column)):
            bits = np.ravel_multi_index(tuple(place), tiling.tile) * width
            assert np.all(bits % 32 == 0)
            assert len(np.unique(bits // 32 % BANKS)) == len(lanes)
