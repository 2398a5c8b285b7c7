"""The tables of a page for meshes, axes and shardings: which device has which part of a dimension."""

from collections.abc import Sequence

from xdsl.ir import Operation

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, AxisRefs
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.sharding_text import axis_text, dimensions
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.sharding.devices import shard_indices
from xshardy.tools.explain.tables import Table

MOST_DEVICES = 4096
"""The largest mesh of which a page has a picture."""

AxisRow = tuple[str, str]
"""The name of the axis, and which part of it, such as `:(1)2`; empty for all of it."""

MeshRow = tuple[Sequence[tuple[str, int]], Sequence[int]]
"""The axes with their sizes, and the devices in the order of the mesh; none if there are too many to show."""

ShardingRow = tuple[str, int, Sequence[Sequence[int]], Sequence[int]]
"""The text, the mesh (-1: unknown), the axes of each dimension, and the row of `parts` of each dimension."""


class ShardingTables:
    """Shardings, and what they refer to, each once. Sharding 0 is none."""

    def __init__(self, anchor: Operation):
        self._anchor = anchor
        """An operation of the module with the meshes."""
        self.axes: Table[AxisRefAttr, AxisRow] = Table(_axis_row)
        self.meshes: Table[MeshAttr, MeshRow] = Table(_mesh_row)
        self.parts: Table[tuple[MeshAttr, AxisRefs], Sequence[int]] = Table(_part_of_devices)
        """By device, the index of its part along some axes; empty for a mesh that is not shown."""
        self._shardings: Table[TensorShardingAttr | None, ShardingRow] = Table(self._sharding_row)
        self.number(None)

    @property
    def shardings(self) -> Sequence[ShardingRow]:
        """The rows of all shardings asked for."""
        return self._shardings.rows

    def number(self, sharding: TensorShardingAttr | None) -> int:
        """The row of `sharding`."""
        return self._shardings.number(sharding)

    def mesh(self, sharding: TensorShardingAttr | None) -> MeshAttr | None:
        """The mesh of `sharding`."""
        return None if sharding is None else lookup_mesh(sharding, self._anchor)

    def _sharding_row(self, sharding: TensorShardingAttr | None) -> ShardingRow:
        if sharding is None:
            return "", -1, (), ()
        dims = [[self.axes.number(axis) for axis in dim.axes] for dim in sharding.dim_shardings]
        if (mesh := self.mesh(sharding)) is None:
            return dimensions(sharding), -1, dims, ()
        parts = [self.parts.number((mesh, dim.axes.data)) for dim in sharding.dim_shardings]
        return dimensions(sharding), self.meshes.number(mesh), dims, parts


def _axis_row(axis: AxisRefAttr) -> AxisRow:
    name = axis.axis.data
    return name, axis_text(axis).removeprefix(f'"{name}"')


def _mesh_row(mesh: MeshAttr) -> MeshRow:
    devices = [device.data for device in mesh.device_ids] or list(range(mesh.device_count))
    return [*mesh.sizes.items()], devices if _is_shown(mesh) else ()


def _part_of_devices(key: tuple[MeshAttr, AxisRefs]) -> Sequence[int]:
    mesh, axes = key
    return shard_indices(axes, mesh) if _is_shown(mesh) else ()


def _is_shown(mesh: MeshAttr) -> bool:
    return len(mesh.axes) > 0 and mesh.device_count <= MOST_DEVICES
