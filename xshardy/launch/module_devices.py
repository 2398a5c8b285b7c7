"""The devices that execute a module of HLO together, and whether it is still to be divided between them."""

from xdsl.dialects.builtin import ModuleOp

from xshardy.axes.grid import Grid
from xshardy.dialects import hlo
from xshardy.dialects.declared_grid import declared_grid
from xshardy.rewriting.walk import operations_of

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
    if is_optimised(module):
        return False
    from xshardy.programs.meshes import mesh_of  # these load what partitions programs
    from xshardy.transforms.xla_sdy.import_carried import carries_shardings

    return mesh_of(module)[0] is not None or carries_shardings(module)
