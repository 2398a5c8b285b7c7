"""Shardings of sdy in the notation of HLO, as attributes of operations and functions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from xshardy.axes.mesh import Mesh
from xshardy.axes.spans import Axes
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, AxisRefs
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import mesh_of, span_of
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.hlo_text.shardings.device_axis import AxisSharding, DeviceMesh, hlo_sharding, hlo_sharding_of_named
from xshardy.hlo_text.shardings.hlo_sharding import REPLICATED, HloSharding, OneDevice, Reduction, Uniform
from xshardy.hlo_text.shardings.hlo_sharding_text import hlo_shardings_text
from xshardy.hlo_text.shardings.named_sharding import EMPTY_MESH, NamedDim, NamedMesh, NamedSharding


def device_mesh(mesh: MeshAttr) -> DeviceMesh:
    """The sizes of the axes of `mesh`, and its devices."""
    return DeviceMesh(tuple(mesh.sizes.values()), tuple(device.data for device in mesh.device_ids))


def axes_in(refs: AxisRefs, mesh: MeshAttr, numbers: Mesh) -> Axes:
    """`refs` to axes of `mesh` with the numbers of these axes."""
    return tuple(numbers.numbered(span_of(ref, mesh)) for ref in refs)


def hlo_sharding_of(sharding: TensorShardingAttr, mesh: MeshAttr, manual_axes: Sequence[str] = ()) -> HloSharding:
    """
    `sharding` of `mesh` in the notation of HLO, where `manual_axes` are manual around it.

    Whether dimensions are open, and their priorities, are not part of that notation.
    """
    if (device := mesh.maximal_device_id) is not None:
        return HloSharding(OneDevice(device))
    if mesh.is_empty:
        return HloSharding(Uniform.REPLICATED)
    if set(manual_axes) == mesh.sizes.keys():
        return HloSharding(Uniform.MANUAL)
    numbers = mesh_of(mesh)
    return hlo_sharding(
        AxisSharding(
            tuple(axes_in(dim.axes.data, mesh, numbers) for dim in sharding.dim_shardings),
            axes_in([AxisRefAttr(name) for name in manual_axes], mesh, numbers),
            axes_in(sharding.unreduced_axes.data, mesh, numbers),
            Reduction[sharding.reduction_op.data.name],
        ),
        device_mesh(mesh),
    )


def named_sharding_of(sharding: TensorShardingAttr, mesh: MeshAttr, manual_axes: Sequence[str] = ()) -> HloSharding:
    """
    `sharding` of `mesh` in HLO's notation with meshes, where `manual_axes` are manual around it.

    Priorities are not part of that notation.
    """
    if (device := mesh.maximal_device_id) is not None:
        return on_device(device)
    numbers = mesh_of(mesh)
    of_devices = NamedMesh.of(numbers, tuple(device.data for device in mesh.device_ids))
    manual = tuple(sorted(axes_in([AxisRefAttr(name) for name in manual_axes], mesh, numbers)))
    if of_devices.axes.names and manual == of_devices.spans:
        return hlo_sharding_of_named(NamedSharding(of_devices, manual=manual))
    named = NamedSharding(
        of_devices,
        tuple(NamedDim(axes_in(dim.axes.data, mesh, numbers), not dim.is_closed) for dim in sharding.dim_shardings),
        axes_in(sharding.replicated_axes.data, mesh, numbers),
        axes_in(sharding.unreduced_axes.data, mesh, numbers),
        manual,
    )
    if not of_devices.axes.names or (not named.axes_by_use() and all(dim == NamedDim() for dim in named.dims)):
        named = NamedSharding(of_devices)
    return hlo_sharding_of_named(named, Reduction[sharding.reduction_op.data.name])


def on_device(device: int) -> HloSharding:
    """`{maximal_mesh[device_id=0]}`"""
    return hlo_sharding_of_named(NamedSharding(NamedMesh.of_device(device)))


@dataclass(frozen=True, slots=True)
class Notation:
    """A notation of HLO for shardings: without meshes, or by the names of their axes."""

    sharding_of: Callable[[TensorShardingAttr, MeshAttr, Sequence[str]], HloSharding]
    replicated: HloSharding
    on_device_0: HloSharding

    def text(
        self, shardings: Sequence[TensorShardingAttr], op: Operation, *, is_tuple: bool, manual_axes: Sequence[str] = ()
    ) -> StringAttr:
        """The text of `shardings` on `op`: of one value, or of each of several, `is_tuple`."""
        found = [self.sharding_of(sharding, _mesh_of(sharding, op), manual_axes) for sharding in shardings]
        return StringAttr(hlo_shardings_text(tuple(found) if is_tuple else found[0]))


WITHOUT_MESHES = Notation(hlo_sharding_of, REPLICATED, HloSharding(OneDevice(0)))
WITH_MESHES = Notation(named_sharding_of, hlo_sharding_of_named(NamedSharding(EMPTY_MESH)), on_device(0))


def _mesh_of(sharding: TensorShardingAttr, op: Operation) -> MeshAttr:
    mesh = lookup_mesh(sharding, op)
    assert mesh is not None  # verified
    return mesh
