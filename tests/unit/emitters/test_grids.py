"""Maps from the threads of a grid to elements: each element once, also where blocks continue along y."""

from itertools import product

import pytest

from xshardy.affine.expressions import add, constant, dim, mul
from xshardy.emitters.grids import block_number, grid_map
from xshardy.emitters.launch_dimensions import LaunchDimensions, grid_of
from xshardy.gpus.devices import Device


@pytest.mark.parametrize("blocks", [(1, 1), (6, 1), (3, 2), (1, 4)])
def test_the_threads_of_a_grid_are_numbered_without_gaps(blocks: tuple[int, int]):
    launch = LaunchDimensions(8, blocks)
    number = add(dim(0), mul(block_number(launch), constant(8)))
    map = grid_map(launch, [number])
    ids = product(*(range(variable.bounds.lower, variable.bounds.upper + 1) for variable in map.dimensions))
    numbers = sorted(map.results[0].eval(list(thread), []) for thread in ids)
    assert numbers == list(range(8 * blocks[0] * blocks[1]))


def test_a_grid_along_x_has_no_block_id_along_y():
    assert [variable.name for variable in grid_map(LaunchDimensions(8, (6, 1)), []).dimensions] == ["th_x", "bl_x"]


@pytest.mark.parametrize(
    ("blocks", "grid"), [(0, (0, 1)), (1, (1, 1)), (2**31 - 1, (2**31 - 1, 1)), (2**31, (2**30, 2))]
)
def test_blocks_beyond_the_largest_grid_along_x_continue_along_y(blocks: int, grid: tuple[int, int]):
    assert grid_of(blocks, Device()) == grid
