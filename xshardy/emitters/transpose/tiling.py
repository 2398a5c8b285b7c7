"""
The tiling of a transposition: the elements that each thread reads and writes, and their positions in shared memory.

Source: rows XGPU-09, XGPU-40; XLA:GPU's transpose emitter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeVar

from xdsl.ir.affine import AffineExpr

from xshardy.affine.expressions import add, constant, dim, mul, sym, total
from xshardy.affine.indexing_map import IndexingMap
from xshardy.emitters.grids import block_number, ceil_div, grid_map, split, within
from xshardy.emitters.launch_dimensions import LaunchDimensions, grid_of
from xshardy.emitters.transpose.normal_form import Transposition
from xshardy.gpus.devices import Device

T = TypeVar("T")

TILE = 32
"""The elements, or vectors of elements, along both sides of a tile."""
SHARED_MEMORY = 48 * 1024
"""Bytes. The shared memory of a block without opt-in."""


@dataclass(frozen=True, slots=True)
class TransposeTiling:
    """
    The plan of a transposition.

    `input` and `output` map the thread and block ids and the steps of a thread to elements of row-major tensors of the
    shapes of the transposition; `write` and `read` map to elements of a tile of shape `tile`.

    With a `square` of more than one element, the reading thread has three step numbers: the square, the column in it,
    and the row. It reads all rows of the square before it writes columns: `read` maps the square to the first element
    of row 0, and the first index of the tile is the row.
    """

    moved: Transposition
    launch: LaunchDimensions
    input: IndexingMap
    output: IndexingMap
    tile: tuple[int, ...]
    write: IndexingMap
    read: IndexingMap
    square: int = 1


def transpose_tiling(moved: Transposition, width: int, heroes: int, device: Device) -> TransposeTiling | None:
    """
    Tiles of 32 by 32 vectors of elements of `width` bits, of each of `heroes` tensors, or longer ones of fewer rows.

    Elements of a minor dimension that both sides keep move together. Otherwise a vector has as many elements as fit
    `device.transposed_bytes`, if there is enough work and shared memory. None if no tile fits into shared memory.
    """
    vector = moved.shape[-1] if moved.keeps_minor else _vector_size(moved, width, heroes, device)
    threads = TILE * device.transposed_rows
    blocks = _block_sizes(moved, vector, threads)
    counts = tile_counts(moved.shape, blocks)
    launch = LaunchDimensions(threads, grid_of(prod(counts), device))
    steps = (prod(blocks) // (threads * vector), vector)

    place = total([mul(sym(0), constant(threads * vector)), mul(dim(0), constant(vector)), sym(1)])
    offsets = split(place, blocks)
    numbers = split(block_number(launch), counts)
    tile = _tile(moved, blocks)
    if heroes * prod(tile) * width // 8 > SHARED_MEMORY:
        return None
    read = in_block(numbers, blocks, offsets)
    result_blocks = moved.permuted(blocks)
    result_offsets = split(place, result_blocks)
    written = in_block(moved.permuted(numbers), result_blocks, result_offsets)
    return TransposeTiling(
        moved,
        launch,
        within(grid_map(launch, read, steps), moved.shape),
        within(grid_map(launch, written, steps), moved.result_shape),
        tile,
        grid_map(launch, _in_tile(moved, blocks, offsets), steps).simplify(),
        grid_map(launch, _in_tile(moved, blocks, moved.restored(result_offsets)), steps).simplify(),
    )


def tile_counts(shape: Sequence[int], blocks: Sequence[int]) -> list[int]:
    """The number of tiles that cover `shape`, in each dimension."""
    return [ceil_div(size, block) for size, block in zip(shape, blocks, strict=True)]


def in_block(
    numbers: Sequence[AffineExpr], blocks: Sequence[int], offsets: Sequence[AffineExpr]
) -> tuple[AffineExpr, ...]:
    """The indices of `offsets` in the block with these numbers."""
    places = zip(numbers, blocks, offsets, strict=True)
    return tuple(add(mul(number, constant(block)), offset) for number, block, offset in places)


def _block_sizes(moved: Transposition, vector: int, threads: int) -> list[int]:
    """
    The sizes of a tile in the dimensions of the input: a square, if no swapped dimension is shorter than its side.

    With a shorter one, a square would leave `threads` idle: all of it is moved, and more of the other dimension.
    """
    side = TILE if moved.keeps_minor else TILE * vector
    short, long = sorted(moved.swapped, key=lambda d: moved.shape[d])
    sizes = [1] * len(moved.shape)
    sizes[short] = min(side, _power_of_two(moved.shape[short]))
    most, least = side * side // sizes[short], threads * side // TILE // sizes[short]
    sizes[long] = max(min(most, _power_of_two(moved.shape[long])), least) if sizes[short] < side else side
    return [*sizes[:-1], vector] if moved.keeps_minor else sizes


def _power_of_two(size: int) -> int:
    """The smallest one that is at least `size`."""
    return 1 << (size - 1).bit_length()


def _is_swapped(moved: Transposition, blocks: Sequence[int]) -> bool:
    """Whether the swapped dimensions change places in the tile: its rows are along the longer one, or the result's."""
    first, last = moved.swapped
    return blocks[first] >= blocks[last]


def _tile(moved: Transposition, blocks: Sequence[int]) -> tuple[int, ...]:
    """
    The shape of the tile of `blocks` in shared memory.

    Its rows are padded so that the threads of a warp that are on a column of it, or on a few, use different banks.
    """
    tile, (_, last) = _in_tile(moved, blocks, blocks), moved.swapped
    padding = max(1, TILE // min(blocks[d] for d in moved.swapped))
    return tuple(size + padding if d == last else size for d, size in enumerate(tile))


def _in_tile(moved: Transposition, blocks: Sequence[int], values: Sequence[T]) -> Sequence[T]:
    """`values`, one per dimension of the input, in the order of the dimensions of the tile."""
    if not _is_swapped(moved, blocks):
        return values
    (first, last), result = moved.swapped, [*values]
    result[first], result[last] = values[last], values[first]
    return result


def _vector_size(moved: Transposition, width: int, heroes: int, device: Device) -> int:
    threads = TILE * device.transposed_rows
    blocks = prod(tile_counts(moved.shape, _block_sizes(moved, 1, threads)))
    element = max(1, width // 8)
    first, last = (moved.shape[d] for d in moved.swapped)
    vector = device.transposed_bytes // element
    while vector > 1:
        elements = vector * vector
        has_work = blocks * threads >= elements * device.cores * device.threads_per_core
        fits = heroes * TILE * (TILE + 1) * element * elements <= SHARED_MEMORY
        if has_work and fits and first % vector == 0 and last % vector == 0:
            return vector
        vector //= 2
    return 1
