"""
The algebra of axes and sub-axes: which devices two of them tell apart, what they share, and what is left of one.

Splitting an axis of size n into factors k_1, ..., k_m numbers its devices in mixed radix, and a sub-axis is a run of
those digits. It spans from its pre-size (the product of the digits before it) to its next pre-size; a whole axis spans
from 1 to its size. Everything here is arithmetic on these spans.
Source: rows SDY-ATTR-03, SDY-ATTR-04 and SDY-ATTR-16, and Shardy's docs, "Sharding representation".
"""

from collections.abc import Iterable, Sequence
from math import inf, prod

from xdsl.dialects.builtin import NoneAttr

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr


def pre_size(axis: AxisRefAttr) -> int:
    """The product of the digits before `axis`, in devices; 1 for a whole axis."""
    return 1 if isinstance(axis.sub_axis, NoneAttr) else axis.sub_axis.pre_size.data


def _end(axis: AxisRefAttr) -> float:
    """Where `axis` ends, with infinity for a whole axis, whose size only a mesh knows."""
    if isinstance(axis.sub_axis, NoneAttr):
        return inf
    return axis.sub_axis.pre_size.data * axis.sub_axis.size.data


def size(axis: AxisRefAttr, mesh: MeshAttr) -> int:
    """The number of devices along `axis`. Raises `KeyError` if `mesh` has no such axis."""
    return mesh.sizes[axis.axis.data] if isinstance(axis.sub_axis, NoneAttr) else axis.sub_axis.size.data


def next_pre_size(axis: AxisRefAttr, mesh: MeshAttr) -> int:
    """The pre-size of what follows `axis`; the size of the whole axis where nothing follows."""
    return pre_size(axis) * size(axis, mesh)


def axis_between(name: str, start: int, end: int, mesh: MeshAttr) -> AxisRefAttr:
    """The part of axis `name` that spans from `start` to `end`: a sub-axis, or the whole axis if that is all of it."""
    whole = start == 1 and end == mesh.sizes[name]
    return AxisRefAttr(name) if whole else AxisRefAttr.part(name, start, end // start)


def _same_axis(a: AxisRefAttr, b: AxisRefAttr) -> bool:
    return a.axis == b.axis


def overlaps(a: AxisRefAttr, b: AxisRefAttr) -> bool:
    """Whether the spans have something in common."""
    return _same_axis(a, b) and pre_size(a) < _end(b) and pre_size(b) < _end(a)


def contains(a: AxisRefAttr, b: AxisRefAttr) -> bool:
    """Whether `b` is `a` or one of the sub-axes that `a` can be split into."""
    return _same_axis(a, b) and pre_size(a) <= pre_size(b) and _end(b) <= _end(a)


def is_prefix(a: AxisRefAttr, b: AxisRefAttr) -> bool:
    """Whether `a` is `b` or a major part of it."""
    return _same_axis(a, b) and pre_size(a) == pre_size(b) and _end(a) <= _end(b)


def is_suffix(a: AxisRefAttr, b: AxisRefAttr, mesh: MeshAttr) -> bool:
    """Whether `a` is `b` or a minor part of it."""
    return _same_axis(a, b) and pre_size(b) <= pre_size(a) and next_pre_size(a, mesh) == next_pre_size(b, mesh)


def can_coexist(a: AxisRefAttr, b: AxisRefAttr) -> bool:
    """Whether one splitting of the axis has both: what they share, and the parts in which they differ, are sub-axes."""
    if not _same_axis(a, b) or a.is_full or b.is_full:
        return True
    start, end = sorted((pre_size(a), pre_size(b))), sorted((_end(a), _end(b)))
    if start[1] < end[0]:
        return start[1] % start[0] == 0 and end[0] % start[1] == 0 and end[1] % end[0] == 0
    return start[1] % end[0] == 0


def overlap(a: AxisRefAttr, b: AxisRefAttr) -> AxisRefAttr | None:
    """What `a` and `b` share; None if that is nothing, or if they cannot coexist."""
    if not overlaps(a, b) or not can_coexist(a, b):
        return None
    if contains(a, b):
        return b
    if contains(b, a):
        return a
    start = max(pre_size(a), pre_size(b))
    return AxisRefAttr.part(a.axis.data, start, int(min(_end(a), _end(b))) // start)


def prefix_without_overlap(a: AxisRefAttr, b: AxisRefAttr) -> AxisRefAttr | None:
    """The largest major part of `a` that shares nothing with `b`; None if there is none, or if they cannot coexist."""
    if not can_coexist(a, b):
        return None
    if not overlaps(a, b):
        return a
    if pre_size(b) <= pre_size(a):
        return None
    return AxisRefAttr.part(a.axis.data, pre_size(a), pre_size(b) // pre_size(a))


def suffix_without_overlap(a: AxisRefAttr, b: AxisRefAttr, mesh: MeshAttr) -> AxisRefAttr | None:
    """The largest minor part of `a` that shares nothing with `b`; None if there is none, or if they cannot coexist."""
    if not can_coexist(a, b):
        return None
    if not overlaps(a, b):
        return a
    start, end = next_pre_size(b, mesh), next_pre_size(a, mesh)
    return AxisRefAttr.part(a.axis.data, start, end // start) if start < end else None


def greatest_common_prefix(a: AxisRefAttr, b: AxisRefAttr) -> AxisRefAttr | None:
    """The largest axis that is a prefix of both; None if there is none, or if they cannot coexist."""
    if not can_coexist(a, b):
        return None
    return a if is_prefix(a, b) else b if is_prefix(b, a) else None


def can_merge(major: AxisRefAttr, minor: AxisRefAttr) -> bool:
    """Whether `minor` is the sub-axis right after `major`."""
    return _same_axis(major, minor) and not major.is_full and _end(major) == pre_size(minor)


def merge(major: AxisRefAttr, minor: AxisRefAttr, mesh: MeshAttr) -> AxisRefAttr:
    """The axis that `major` and `minor` make up. They must be consecutive: see `can_merge`."""
    return axis_between(major.axis.data, pre_size(major), next_pre_size(minor, mesh), mesh)


def append_axis(axes: list[AxisRefAttr], axis: AxisRefAttr, mesh: MeshAttr) -> None:
    """Put `axis` at the minor end of `axes`, merged with the last one where they are consecutive."""
    if axes and can_merge(axes[-1], axis):
        axes[-1] = merge(axes[-1], axis, mesh)
    else:
        axes.append(axis)


def merged(axes: Iterable[AxisRefAttr], mesh: MeshAttr) -> tuple[AxisRefAttr, ...]:
    """The same axes with consecutive sub-axes merged."""
    result: list[AxisRefAttr] = []
    for axis in axes:
        append_axis(result, axis, mesh)
    return tuple(result)


def difference(axis: AxisRefAttr, others: Iterable[AxisRefAttr], mesh: MeshAttr) -> tuple[AxisRefAttr, ...]:
    """The parts of `axis` that share nothing with any of `others`, major to minor. All must be able to coexist."""
    start, end = pre_size(axis), next_pre_size(axis, mesh)
    name = axis.axis.data
    parts: list[AxisRefAttr] = []
    for other in sorted((other for other in others if overlaps(axis, other)), key=pre_size):
        if start < pre_size(other):
            parts.append(axis_between(name, start, pre_size(other), mesh))
        start = max(start, next_pre_size(other, mesh))
    if start < end:
        parts.append(axis_between(name, start, end, mesh))
    return tuple(parts)


def mesh_order(axis: AxisRefAttr, mesh: MeshAttr) -> tuple[int, int, int]:
    """A key that sorts axes as the mesh lists them, and sub-axes of one axis by their pre-size, then by their size."""
    position = next(index for index, known in enumerate(mesh.axes) if known.axis == axis.axis)
    return position, pre_size(axis), size(axis, mesh)


def sharded_size(axes: Iterable[AxisRefAttr], mesh: MeshAttr) -> int:
    """Into how many parts `axes` together divide a dimension."""
    return prod(size(axis, mesh) for axis in axes)


def local_shape(shape: Sequence[int], sharding: TensorShardingAttr, mesh: MeshAttr) -> tuple[int, ...]:
    """The shape that each device holds of a tensor, in elements, the last devices with padding if there is a rest."""
    return tuple(
        -(-extent // sharded_size(dimension.axes, mesh))
        for extent, dimension in zip(shape, sharding.dim_shardings, strict=True)
    )


def padding(shape: Sequence[int], sharding: TensorShardingAttr, mesh: MeshAttr) -> tuple[int, ...]:
    """How many elements are added to each dimension so that all devices hold the same shape."""
    return tuple(
        local * sharded_size(dimension.axes, mesh) - extent
        for extent, local, dimension in zip(
            shape, local_shape(shape, sharding, mesh), sharding.dim_shardings, strict=True
        )
    )


def free_axes(sharding: TensorShardingAttr, mesh: MeshAttr) -> tuple[AxisRefAttr, ...]:
    """The axes, whole or in part, that `sharding` does not name, in the order of the mesh."""
    used = tuple(sharding.axis_refs())
    return tuple(part for name in mesh.sizes for part in difference(AxisRefAttr(name), used, mesh))
