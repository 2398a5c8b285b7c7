"""A module of HLO for several devices: how many, and seeded arguments of each."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from xshardy.axes.grid import Grid
from xshardy.dialects import hlo
from xshardy.dialects.declared_grid import declared_grid
from xshardy.hlo_text.shardings.hlo_sharding import HloSharding, OneDevice, Tiled, Uniform
from xshardy.interpreters.inputs import inputs_of
from xshardy.numerics.element_types import Array
from xshardy.programs.meshes import mesh_of
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.xla_sdy.from_hlo_shardings import shardings_of_values
from xshardy.transforms.xla_sdy.import_carried import carries_shardings
from xshardy.transforms.xla_sdy.signatures import signature_of

IS_SCHEDULED = "hlo.is_scheduled"


def is_optimised(module: ModuleOp) -> bool:
    """Whether `module` is as XLA's optimiser leaves it: with fusions, or scheduled."""
    return IS_SCHEDULED in module.attributes or any(operations_of(module, hlo.FusionOp))


def grid_of(module: ModuleOp) -> Grid:
    """
    The devices that execute `module` together.

    A program that is still to be divided into partitions, as its shardings say, is whole: one device of each replica
    executes it.
    """
    grid = declared_grid(module)
    return Grid(grid.replicas, 1) if is_sharded(module) else grid


def is_sharded(module: ModuleOp) -> bool:
    """Whether `module` has shardings, and XLA has not optimised it: parameters of what it has partitioned keep them."""
    return not is_optimised(module) and (mesh_of(module)[0] is not None or carries_shardings(module))


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
            copies = 1
            for size in tiled.tiles.shape[tiled.rank :]:
                copies *= size
            tile_of = {device: position // copies for position, device in enumerate(tiled.tiles.devices())}
            return [tile_of.get(partition, 0) for partition in range(partitions)]
        case HloSharding(placement=Uniform.MANUAL | OneDevice()):
            return range(partitions)
        case _:
            return [0] * partitions
