"""Programs that are written for each device: the devices that a module declares, and why it is not partitioned."""

from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Operation

from xshardy.axes.grid import Grid
from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.programs.errors import OperationRefusedError
from xshardy.programs.meshes import mesh_of
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.sdy_partition.local.communication import COLLECTIVES

REPLICAS = ("hlo.replica_count", "mhlo.num_replicas")
PARTITIONS = ("hlo.num_partitions", "mhlo.num_partitions")
"""Attributes of a module: the header of HLO text has the first unless it is 1, and JAX writes the second."""

OF_DEVICES = (stablehlo.ReplicaIdOp, stablehlo.PartitionIdOp, *COLLECTIVES)
"""Operations whose result depends on the device, or on other devices."""


def declared_grid(module: ModuleOp) -> Grid:
    """The replicas and partitions that `module` declares, partitions also where it is to be divided into them."""
    return Grid(_number(module, REPLICAS), _number(module, PARTITIONS))


def device_count(module: ModuleOp) -> int:
    """The devices of the meshes of `module`, or the partitions that it declares, if these are more."""
    return max(mesh_of(module)[1], declared_grid(module).partitions)


def _number(module: ModuleOp, names: tuple[str, str]) -> int:
    number = next((found for name in names if (found := module.attributes.get(name)) is not None), None)
    return number.value.data if isinstance(number, IntegerAttr) else 1


def operation_of_devices(module: ModuleOp, mesh: MeshAttr | None) -> Operation | None:
    """
    The first operation that shows that each of several devices executes `module` as it is written; None if none does.

    Without a `mesh`, nothing says which part of a tensor a partition has; shardings never say that of a replica.
    """
    grid = declared_grid(module)
    if grid.replicas == 1 and (grid.partitions == 1 or mesh is not None):
        return None
    return next(iter(operations_of(module, *OF_DEVICES)), None)


def refuse_program_of_devices(module: ModuleOp, mesh: MeshAttr | None) -> None:
    """Raises `OperationRefusedError` for a program that each of several devices executes as it is written."""
    if (op := operation_of_devices(module, mesh)) is not None:
        grid = declared_grid(module)
        raise OperationRefusedError(
            op,
            f"{op.name} depends on the device: this is the program of each of {grid.size} devices "
            f"({grid.replicas} replicas, {grid.partitions} partitions), and nothing says which part of a tensor "
            "each has: `xshardy run --fuse FILE`, without --on, executes it with arguments of each device",
        )
