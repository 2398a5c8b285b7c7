"""
The tiling of a reduction: the elements that each thread reads, the exchange of partial results, and the thread that
writes each result.

Source: XLA:GPU's reduction emitters; row XGPU-07.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xshardy.affine.indexing_map import IndexingMap
from xshardy.emitters.launch_dimensions import LaunchDimensions, grid_of
from xshardy.gpus.devices import Device


@dataclass(frozen=True, slots=True)
class SharedTile:
    """
    A tile of shared memory for the exchange of partial results between the warps of a block.

    `write` and `read` map the thread, and the number of the element in its vector, to an element of the tile. Only
    threads in the domain of `write` write; threads outside of the domain of `read` take the init value. `distance` is
    the first shuffle distance after the exchange. None: no shuffle; a thread combines all elements that it reads.
    `combining` has whole warps in its domain: the others read nothing and hold no result, so they take no part in the
    shuffles. None: all warps do.
    """

    shape: tuple[int, ...]
    write: IndexingMap
    read: IndexingMap
    distance: int | None
    combining: IndexingMap | None = None


@dataclass(frozen=True, slots=True)
class Tiling:
    """
    The plan of a reduction.

    `input` maps the thread and block ids, and the numbers of the elements of a thread, to an element of a tensor of
    `input_shape`. `output` maps the ids, and the number of the element in the vector, to an element of a tensor of
    `output_shape`, for the threads that hold a result at the end. Both shapes are in memory order. `vector_size` is the
    number of results that a thread accumulates. `distance` is the first shuffle distance before `tile`; None: no
    shuffle.
    """

    name: str
    launch: LaunchDimensions
    input_shape: tuple[int, ...]
    input: IndexingMap
    output_shape: tuple[int, ...]
    output: IndexingMap
    vector_size: int
    distance: int | None
    tile: SharedTile | None


@dataclass(frozen=True, slots=True)
class Elements:
    """
    The properties of elements that a tiling depends on: the narrowest widths of inputs and outputs, in bits (None
    without any).

    `is_complex` says whether a hero reads complex numbers. `widest_side_output` is the width of the widest results that
    are as many as the inputs, in bits; 0 without any.
    """

    narrowest_input: int | None
    narrowest_output: int
    is_complex: bool
    widest_side_output: int = 0


def vector_size(minor: int, threads: int, elements: Elements) -> int:
    """
    The number of consecutive elements per access, 1, 2 or 4, for rows of `minor` elements and `threads` threads.

    Limited to eight bytes, and to a size that leaves work for every thread.
    """
    if minor % 2 or threads * 2 > minor or elements.is_complex:
        return 1
    width = elements.narrowest_input
    if width is None or width >= 64:
        return 1
    if width >= 32 or threads * 4 > minor or minor % 4:
        return 2
    return 4


def launch_of(threads: Sequence[int], blocks: Sequence[int], device: Device) -> LaunchDimensions:
    """A launch of so many threads and blocks, along any number of dimensions."""
    return LaunchDimensions(prod(threads), grid_of(prod(blocks), device))


def shared_tile(
    write: IndexingMap,
    read: IndexingMap,
    distance: int | None,
    device: Device,
    padding: int | None = None,
    combining: IndexingMap | None = None,
) -> SharedTile:
    """
    The tile filled by `write`. `padding` elements per row avoid bank conflicts between the elements of a column.

    None: one element of padding if the rows would be a multiple of the banks.
    """
    write, read = without_unit_ranges(write).simplify(), without_unit_ranges(read).simplify()
    shape = [write.range_of(result).upper + 1 for result in write.results]
    if padding is None:
        padding = int(shape[-1] % device.threads_per_warp == 0)
    return SharedTile((*shape[:-1], shape[-1] + padding), write, read, distance, combining and combining.simplify())


def without_unit_ranges(map: IndexingMap) -> IndexingMap:
    """`map` without its range variables of a single value: a vector of one element needs no number."""
    return map.bind({}, {i: range.bounds.lower for i, range in enumerate(map.ranges) if range.bounds.is_point})
