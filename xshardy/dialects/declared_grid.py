"""The replicas and partitions that a module declares: what HLO writes into its first line."""

from xdsl.dialects.builtin import IntegerAttr, ModuleOp

from xshardy.axes.grid import Grid

REPLICAS = ("hlo.replica_count", "mhlo.num_replicas")
PARTITIONS = ("hlo.num_partitions", "mhlo.num_partitions")
"""Attributes of a module: the header of HLO text has the first unless it is 1, and JAX writes the second."""


def declared_grid(module: ModuleOp) -> Grid:
    """The replicas and partitions that `module` declares, partitions also where it is to be divided into them."""
    return Grid(_number(module, REPLICAS), _number(module, PARTITIONS))


def _number(module: ModuleOp, names: tuple[str, str]) -> int:
    number = next((found for name in names if (found := module.attributes.get(name)) is not None), None)
    return number.value.data if isinstance(number, IntegerAttr) else 1
