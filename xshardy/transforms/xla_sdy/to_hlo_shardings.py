"""Shardings of sdy in the notation of HLO, as attributes of operations and functions."""

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from xshardy.axes.device_axis import AxisSharding, DeviceMesh, hlo_sharding
from xshardy.axes.hlo_sharding import HloSharding, OneDevice, Reduction, Uniform
from xshardy.axes.hlo_sharding_text import hlo_shardings_text
from xshardy.axes.mesh import Mesh
from xshardy.axes.spans import Axes
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, AxisRefs
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import mesh_of, span_of
from xshardy.dialects.sdy.value_shardings import lookup_mesh


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


def hlo_text(
    shardings: Sequence[TensorShardingAttr], op: Operation, *, is_tuple: bool, manual_axes: Sequence[str] = ()
) -> StringAttr:
    """The text of `shardings` on `op`: of one value, or of each of several, `is_tuple`."""
    found = [hlo_sharding_of(sharding, _mesh_of(sharding, op), manual_axes) for sharding in shardings]
    return StringAttr(hlo_shardings_text(tuple(found) if is_tuple else found[0]))


def _mesh_of(sharding: TensorShardingAttr, op: Operation) -> MeshAttr:
    mesh = lookup_mesh(sharding, op)
    assert mesh is not None  # verified
    return mesh
