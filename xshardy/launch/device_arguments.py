"""Seeded arguments of each device that executes a module of HLO."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.func import FuncOp

from xshardy.axes.grid import Grid
from xshardy.hlo_text.shardings.hlo_sharding import HloSharding, OneDevice, Tiled, Uniform
from xshardy.interpreters.inputs import inputs_of
from xshardy.numerics.element_types import Array
from xshardy.transforms.xla_sdy.from_hlo_shardings import shardings_of_values
from xshardy.transforms.xla_sdy.signatures import signature_of


def device_arguments(entry: FuncOp, grid: Grid, seed: int) -> list[list[Array]]:
    """
    Plain arguments of each device, with indices in bounds, which depend on `seed` only.

    Devices have the same argument where its annotation says that they have the same tile of it, and the partitions of a
    replica where it has none; so loops may depend on what all have.
    """
    annotated = zip(signature_of(entry).arguments, entry.args, strict=True)
    shardings = [shardings_of_values(attributes, [argument.type], entry) for attributes, argument in annotated]
    tiles = [_tiles(found[0].sharding if found else None, grid.partitions) for found in shardings]
    drawn: dict[int, Sequence[Array]] = {}

    def draw(number: int) -> Sequence[Array]:
        # A program of JAX makes NaN of what it gathers out of bounds, and then of all that follows.
        if number not in drawn:
            drawn[number] = inputs_of(entry, seed + number, only_plain=True, indices_in_bounds=True)
        return drawn[number]

    return [
        [draw(replica * grid.partitions + tile[partition])[index] for index, tile in enumerate(tiles)]
        for replica in range(grid.replicas)
        for partition in range(grid.partitions)
    ]


def _tiles(sharding: HloSharding | None, partitions: int) -> Sequence[int]:
    """For each partition, the number of its tile of a parameter."""
    match sharding:
        case HloSharding(placement=Tiled() as tiled):
            copies = prod(tiled.tiles.shape[tiled.rank :])
            tile_of = {device: position // copies for position, device in enumerate(tiled.tiles.devices())}
            return [tile_of.get(partition, 0) for partition in range(partitions)]
        case HloSharding(placement=Uniform.MANUAL | OneDevice()):
            return range(partitions)
        case _:
            return [0] * partitions
