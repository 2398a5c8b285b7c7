"""Programs that are written for each device: the devices that a module declares, and why it is not partitioned."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.declared_grid import declared_grid
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.programs.errors import OperationRefusedError
from xshardy.programs.meshes import mesh_of
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.sdy_partition.local.communication import COLLECTIVES

OF_DEVICES = (stablehlo.ReplicaIdOp, stablehlo.PartitionIdOp, *COLLECTIVES)
"""Operations whose result depends on the device, or on other devices."""


def device_count(module: ModuleOp) -> int:
    """The devices of the meshes of `module`, or the partitions that it declares, if these are more."""
    return max(mesh_of(module)[1], declared_grid(module).partitions)


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
