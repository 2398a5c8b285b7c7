"""Indexing maps from the threads of a block or of a grid to the elements that they process. Source: row XGPU-31."""

from collections.abc import Sequence

from xdsl.ir.affine import AffineExpr

from xshardy.affine.expressions import add, constant, dim, mul
from xshardy.affine.indexing_map import IndexingMap, Variable
from xshardy.affine.interval import Interval
from xshardy.emitters.launch_dimensions import LaunchDimensions
from xshardy.indexing.tensor_maps import delinearized, inside, row_major


def thread_map(threads: int, results: Sequence[AffineExpr], sizes: Sequence[int] = ()) -> IndexingMap:
    """The map from a thread of a block and range variables of these sizes to `results`."""
    ranges = tuple(Variable("", Interval.of_size(size)) for size in sizes)
    return IndexingMap(tuple(results), (Variable("th_x", Interval.of_size(threads)),), ranges)


def grid_map(launch: LaunchDimensions, results: Sequence[AffineExpr], sizes: Sequence[int] = ()) -> IndexingMap:
    """The map from the thread and block ids and range variables of these sizes to `results`."""
    blocks_x, blocks_y = launch.blocks
    map = thread_map(launch.threads, results, sizes)
    ids = (Variable("bl_x", Interval.of_size(blocks_x)), Variable("bl_y", Interval.of_size(blocks_y)))
    return IndexingMap(map.results, (*map.dimensions, *(ids if blocks_y > 1 else ids[:1])), map.ranges)


def block_number(launch: LaunchDimensions) -> AffineExpr:
    """The linear block index in the grid, from the block ids along x and y."""
    blocks_x, blocks_y = launch.blocks
    return dim(1) if blocks_y == 1 else add(dim(1), mul(dim(2), constant(blocks_x)))


def split(number: AffineExpr, sizes: Sequence[int]) -> tuple[AffineExpr, ...]:
    """Delinearize `number` over a row-major shape `sizes`, major index first."""
    return delinearized(sizes, row_major(sizes), number)


def within(map: IndexingMap, shape: Sequence[int]) -> IndexingMap:
    """`map`, constrained to results that are indices of a tensor of this shape."""
    return inside(map, map.results, shape)


def ceil_div(a: int, b: int) -> int:
    """`a / b`, rounded up."""
    return -(-a // b)


def round_up(a: int, b: int) -> int:
    """`a` rounded up to a multiple of `b`."""
    return ceil_div(a, b) * b
