"""
Whether a sharding is valid for a type on a mesh. Messages are upstream's.

Source: rows SDY-ATTR-03, SDY-ATTR-04, SDY-ATTR-07, SDY-ATTR-16, SDY-ATTR-18 and SDY-ATTR-19.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from xdsl.dialects.builtin import NoneAttr, ShapedType, TupleType, UnrankedTensorType
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import ManualAxesAttr, MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.axis_refs import can_merge, mesh_order, pre_size
from xshardy.dialects.sdy.value_shardings import lookup_mesh


def verify_axis_refs(axes: Iterable[AxisRefAttr], mesh: MeshAttr, seen: set[AxisRefAttr]) -> None:
    """
    Check that the axes exist, occur once, and that no two neighbours can be merged. Adds them to `seen`, which holds
    the axes of other lists of the same sharding. `verify_sub_axes` checks the sizes of sub-axes.
    """
    known = mesh.sizes
    previous: AxisRefAttr | None = None
    for axis in axes:
        if axis.axis.data not in known:
            raise VerifyException(f'unknown axis name: "{axis.axis.data}"')
        if axis in seen:
            raise VerifyException(f"duplicate axis ref: {axis.text}")
        seen.add(axis)
        if previous is not None and not axis.is_full and can_merge(previous, axis):
            raise VerifyException(f"two consecutive sub-axes can be merged: {previous.text}, {axis.text}")
        previous = axis


def verify_sorted_axis_refs(axes: Sequence[AxisRefAttr], mesh: MeshAttr, seen: set[AxisRefAttr], what: str) -> None:
    """As `verify_axis_refs`, and that the axes are in the order of the mesh."""
    known = all(axis.axis.data in mesh.sizes for axis in axes)
    if known and any(mesh_order(a, mesh) > mesh_order(b, mesh) for a, b in pairwise(axes)):
        raise VerifyException(f"{what} axes are not ordered w.r.t. mesh")
    verify_axis_refs(axes, mesh, seen)


def verify_sub_axes(axes: Iterable[AxisRefAttr], mesh: MeshAttr) -> None:
    """Check that every sub-axis among `axes` fits its axis, and that none overlaps another one or its whole axis."""
    by_name: dict[str, list[AxisRefAttr]] = {}
    whole: set[str] = set()
    for axis in axes:
        if axis.is_full:
            whole.add(axis.axis.data)
        else:
            by_name.setdefault(axis.axis.data, []).append(axis)
    for name, sub_axes in by_name.items():
        if name in whole:
            raise VerifyException(f'both sub-axis and full-axis are used for axis name: "{name}"')
        previous: AxisRefAttr | None = None
        for axis in sorted(sub_axes, key=lambda axis: mesh_order(axis, mesh)):
            _verify_sub_axis(axis, mesh.sizes[name])
            if previous is not None and _end(previous) > pre_size(axis):
                raise VerifyException(f"overlapping sub-axes: {previous.text}, {axis.text}")
            previous = axis


def _end(axis: AxisRefAttr) -> int:
    """The next pre-size of a sub-axis."""
    assert not isinstance(axis.sub_axis, NoneAttr)
    return axis.sub_axis.pre_size.data * axis.sub_axis.size.data


def _verify_sub_axis(axis: AxisRefAttr, axis_size: int) -> None:
    assert not isinstance(axis.sub_axis, NoneAttr)
    if axis.sub_axis.pre_size.data < 1:
        raise VerifyException(f"sub-axis pre-size must be at least 1: {axis.text}")
    if axis.sub_axis.size.data <= 1:
        raise VerifyException(f"sub-axis sizes must be greater than 1: {axis.text}")
    if axis_size % _end(axis):
        raise VerifyException(
            f"sub-axis next pre-size {_end(axis)} doesn't divide the size of the full axis {axis_size}: {axis.text}"
        )
    if axis.sub_axis.size.data == axis_size:
        raise VerifyException(f"sub-axis size is equal to the full axis size: {axis.text}")


def _is_bare(sharding: TensorShardingAttr) -> bool:
    return not (sharding.rank or sharding.replicated_axes.data or sharding.unreduced_axes.data)


def _verify_for_type(sharding: TensorShardingAttr, type: Attribute | None, mesh: MeshAttr) -> None:
    if mesh.is_maximal or (type is None and sharding.is_fully_replicated):
        if not _is_bare(sharding):
            raise VerifyException(
                "a maximal sharding can only have a sharding with rank 0 and no replicated or unreduced axes."
            )
        return
    shaped = type
    if isinstance(type, TupleType):
        if len(type.types) != 1:
            raise VerifyException(f"ops can only have a sharding for a tuple of size 1: {type}")
        shaped = type.types.data[0]
    if isinstance(shaped, UnrankedTensorType):
        raise VerifyException(f"only ranked tensors can have a sharding. type: {type}")
    if not isinstance(shaped, ShapedType):
        if not _is_bare(sharding):
            raise VerifyException(
                "non-shaped tensors can only have a sharding with rank 0 and no replicated or unreduced axes. "
                f"type: {type}, sharding: {sharding}"
            )
        return
    if sharding.rank != shaped.get_num_dims():
        raise VerifyException(f"sharding doesn't match tensor rank: {sharding.rank} != {shaped.get_num_dims()}")
    _verify_on_mesh(sharding, mesh)


@lru_cache(maxsize=4096)  # models repeat few shardings on many values: 0.2 us for each
def _verify_on_mesh(sharding: TensorShardingAttr, mesh: MeshAttr) -> None:
    """Check the conditions that do not depend on the type of the value."""
    seen: set[AxisRefAttr] = set()
    for index, dimension in enumerate(sharding.dim_shardings.data):
        if not isinstance(dimension.priority, NoneAttr):
            if dimension.priority.data < 0:
                raise VerifyException(f"dim {index} has a negative priority")
            if dimension.is_closed and not dimension.axes.data:
                raise VerifyException(f"dim {index} is empty and closed but has a priority")
        if dimension.axes.data:
            verify_axis_refs(dimension.axes, mesh, seen)
    for axes, what in ((sharding.replicated_axes, "replicated"), (sharding.unreduced_axes, "unreduced")):
        if axes.data:
            verify_sorted_axis_refs(axes.data, mesh, seen, what)
    verify_sub_axes(sharding.axis_refs(), mesh)


def verify_sharding(sharding: TensorShardingAttr, type: Attribute | None, op: Operation, prefix: str = "") -> None:
    """
    Check `sharding` on `op`, of a value of `type` (None: of no value).

    Also checks that no axis is one that a manual computation around `op` is manual on. Messages begin with `prefix`.
    """
    mesh = lookup_mesh(sharding, op)
    if mesh is None:
        raise VerifyException(f"{prefix}unknown mesh: @{sharding.mesh_name}")
    try:
        _verify_for_type(sharding, type, mesh)
    except VerifyException as error:
        raise VerifyException(prefix + str(error)) from None
    bound = axes_bound_around(op)
    for axis in sharding.axis_refs() if bound else ():
        if axis.axis.data in bound:
            raise VerifyException(prefix + bound_axis_message(axis.axis.data))


def axes_bound_around(op: Operation) -> frozenset[str]:
    """The axes that the manual computations around `op` are manual on."""
    names: list[str] = []
    around = op.parent_op()
    while around is not None:
        if isinstance(axes := around.properties.get("manual_axes"), ManualAxesAttr):
            names += axes.names
        around = around.parent_op()
    return frozenset(names)


def bound_axis_message(axis: str) -> str:
    return f'operates on axis "{axis}" which is already bound by a parent sdy.manual_computation op'


def verify_sharding_per_value(
    shardings: TensorShardingPerValueAttr, types: Sequence[Attribute], op: Operation, what: str
) -> None:
    """Check one sharding for each value of `types`. Messages begin with `what` the values are (`result`, ...)."""
    listed = shardings.shardings.data
    if not types and len(listed) == 1:
        mesh = lookup_mesh(listed[0], op)
        if (mesh is not None and mesh.is_maximal) or listed[0].is_fully_replicated:
            verify_sharding(listed[0], None, op, f"{what} - ")
            return
    if len(listed) != len(types):
        raise VerifyException(
            f"{what} shardings don't match number of values: {len(listed)} shardings vs {len(types)} values"
        )
    for prefix, sharding, type in zip(value_prefixes(what, len(types)), listed, types, strict=True):
        verify_sharding(sharding, type, op, prefix)


def value_prefixes(what: str, count: int) -> list[str]:
    """The beginning of a message about each of `count` values: with its index if there are several."""
    return [f"{what} - "] if count == 1 else [f"{what} {index} - " for index in range(count)]
