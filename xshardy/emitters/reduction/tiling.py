"""
How the threads of a grid share a reduction: what each reads, how partial results meet, who writes the result.

Source: XLA:GPU's reduction emitters; row XGPU-07.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xshardy.affine.indexing_map import IndexingMap
from xshardy.emitters.launch_dimensions import Device, LaunchDimensions, grid_of


@dataclass(frozen=True, slots=True)
class SharedTile:
    """
    A tile of shared memory through which the warps of a block exchange partial results.

    `write` and `read` go from the thread, and the number of the element in its vector, to an element of the tile. Only
    threads in the domain of `write` write, and threads outside of the domain of `read` take the init value. `distance`
    is that of the first shuffle behind the tile.
    """

    shape: tuple[int, ...]
    write: IndexingMap
    read: IndexingMap
    distance: int


@dataclass(frozen=True, slots=True)
class Tiling:
    """
    The plan of a reduction.

    `input` goes from the ids of a thread, and the numbers of the elements that it reads, to an element of a tensor of
    `input_shape`; `output` goes from the ids, and the number of the element in the vector, to an element of a tensor
    of `output_shape`, for the threads that hold one in the end. Both are in the order of the memory. `vector_size` is
    the number of results that a thread accumulates at once. `distance` is that of the first shuffle before `tile`;
    None: no shuffle there.
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
    What a tiling depends on besides the dimensions: the widths of the elements that are read and written, in bits.

    None: there are none. `is_complex` says whether a hero reads complex numbers.
    """

    narrowest_input: int | None
    narrowest_output: int
    is_complex: bool


def vector_size(minor: int, threads: int, elements: Elements) -> int:
    """
    How many neighbours, of `minor` elements side by side, each of `threads` threads reads at once: 1, 2 or 4.

    Eight bytes at most, and only if that leaves work for every thread.
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
    """A launch of that many threads and blocks along any number of dimensions."""
    return LaunchDimensions(prod(threads), grid_of(prod(blocks), device))


def shared_tile(
    write: IndexingMap, read: IndexingMap, distance: int, device: Device, padding: int | None = None
) -> SharedTile:
    """
    The tile that `write` fills, its rows `padding` elements longer lest the elements of a column share a bank.

    None: one more, where the rows would be a multiple of the banks.
    """
    write, read = one_by_one(write).simplify(), one_by_one(read).simplify()
    shape = [write.range_of(result).upper + 1 for result in write.results]
    if padding is None:
        padding = int(shape[-1] % device.threads_per_warp == 0)
    return SharedTile((*shape[:-1], shape[-1] + padding), write, read, distance)


def one_by_one(map: IndexingMap) -> IndexingMap:
    """`map` without the range variables that have one value: a vector of one element is not numbered."""
    return map.bind({}, {i: range.bounds.lower for i, range in enumerate(map.ranges) if range.bounds.is_point})
