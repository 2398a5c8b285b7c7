"""
The algebra of axes on sdy's attributes: each function converts to spans, computes, and converts back.

The algebra itself is in `xshardy/axes/spans.py`. A reference to a whole axis does not say its size, which only the mesh
knows; functions that only compare need no mesh.
"""

from collections.abc import Callable, Iterable, Sequence
from math import prod
from sys import maxsize

from xdsl.dialects.builtin import NoneAttr

from xshardy.axes import spans
from xshardy.axes.mesh import Mesh
from xshardy.axes.spans import Span
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, AxisRefs
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr

UNKNOWN_END = maxsize
"""Where a whole axis ends if its mesh is not given: after the ends of all its sub-axes."""


# Conversions


def mesh_of(mesh: MeshAttr) -> Mesh:
    """The names and sizes of the axes of `mesh`."""
    sizes = mesh.sizes
    return Mesh(tuple(sizes), tuple(sizes.values()))


def span_of(axis: AxisRefAttr, mesh: MeshAttr | None = None) -> Span[str]:
    """
    The span of `axis`. Without `mesh`, a whole axis ends at `UNKNOWN_END`, so that only comparisons make sense.

    Raises `KeyError` if `mesh` does not have a whole axis.
    """
    name, part = axis.axis.data, axis.sub_axis
    if isinstance(part, NoneAttr):
        return Span(name, 1, UNKNOWN_END if mesh is None else mesh.sizes[name])
    start = part.pre_size.data
    return Span(name, start, start * part.size.data)


def axis_ref(span: Span[str], mesh: MeshAttr) -> AxisRefAttr:
    """The reference to `span` in `mesh`: to a whole axis, or to a sub-axis."""
    name, start, end = span
    whole = start == 1 and end == mesh.sizes[name]
    return AxisRefAttr(name) if whole else AxisRefAttr.part(name, start, end // start)


def _spans(axes: Iterable[AxisRefAttr], mesh: MeshAttr) -> list[Span[str]]:
    return [span_of(axis, mesh) for axis in axes]


def _axis_refs(axes: Iterable[Span[str]], mesh: MeshAttr) -> tuple[AxisRefAttr, ...]:
    return tuple(axis_ref(axis, mesh) for axis in axes)


# Sizes and order


def pre_size(axis: AxisRefAttr) -> int:
    """The product of the factors before `axis`, in devices; 1 for a whole axis."""
    return 1 if isinstance(axis.sub_axis, NoneAttr) else axis.sub_axis.pre_size.data


def size(axis: AxisRefAttr, mesh: MeshAttr) -> int:
    """The number of devices along `axis`. Raises `KeyError` if `mesh` has no such axis."""
    return mesh.sizes[axis.axis.data] if isinstance(axis.sub_axis, NoneAttr) else axis.sub_axis.size.data


def next_pre_size(axis: AxisRefAttr, mesh: MeshAttr) -> int:
    """The pre-size of the sub-axis after `axis`; the size of the whole axis if there is none."""
    return span_of(axis, mesh).end


def sharded_size(axes: Iterable[AxisRefAttr], mesh: MeshAttr) -> int:
    """Into how many parts `axes` together divide a dimension."""
    return prod(size(axis, mesh) for axis in axes)


def mesh_order(axis: AxisRefAttr, mesh: MeshAttr) -> tuple[int, int, int]:
    """A key that sorts axes as the mesh lists them, and sub-axes of one axis by their pre-size, then by their size."""
    position = next(index for index, known in enumerate(mesh.axes) if known.axis == axis.axis)
    return position, pre_size(axis), size(axis, mesh)


# Two axes


def _comparison(compare: Callable[[Span[str], Span[str]], bool]) -> Callable[[AxisRefAttr, AxisRefAttr], bool]:
    """`compare`, for references to axes of any mesh."""
    return lambda a, b: compare(span_of(a), span_of(b))


overlaps = _comparison(spans.overlaps)
contains = _comparison(spans.contains)
is_prefix = _comparison(spans.is_prefix)
can_merge = _comparison(spans.can_merge)


def is_suffix(a: AxisRefAttr, b: AxisRefAttr, mesh: MeshAttr) -> bool:
    """See `spans.is_suffix`."""
    return spans.is_suffix(span_of(a, mesh), span_of(b, mesh))


def merge(major: AxisRefAttr, minor: AxisRefAttr, mesh: MeshAttr) -> AxisRefAttr:
    """See `spans.merge`."""
    return axis_ref(spans.merge(span_of(major, mesh), span_of(minor, mesh)), mesh)


def prefix_without(axis: AxisRefAttr, other: AxisRefAttr, mesh: MeshAttr) -> AxisRefAttr | None:
    """See `spans.prefix_without`."""
    left = spans.prefix_without(span_of(axis, mesh), (span_of(other, mesh),))
    return None if left is None else axis_ref(left, mesh)


def suffix_without(axis: AxisRefAttr, other: AxisRefAttr, mesh: MeshAttr) -> AxisRefAttr | None:
    """See `spans.suffix_without`."""
    left = spans.suffix_without(span_of(axis, mesh), span_of(other, mesh))
    return None if left is None else axis_ref(left, mesh)


# Lists of axes


def difference(axis: AxisRefAttr, others: Iterable[AxisRefAttr], mesh: MeshAttr) -> tuple[AxisRefAttr, ...]:
    """See `spans.difference`."""
    of_same_axis = _spans((other for other in others if other.axis == axis.axis), mesh)
    return _axis_refs(spans.difference(span_of(axis, mesh), of_same_axis), mesh)


def merged(axes: Iterable[AxisRefAttr], mesh: MeshAttr) -> tuple[AxisRefAttr, ...]:
    """See `spans.merged`."""
    return _axis_refs(spans.merged(_spans(axes, mesh)), mesh)


def appended(axes: AxisRefs, more: AxisRefs, mesh: MeshAttr) -> tuple[AxisRefAttr, ...]:
    """`axes`, then `more`, merged only where an axis of `more` continues the one before it."""
    result = _spans(axes, mesh)
    for axis in _spans(more, mesh):
        spans.append(result, axis)
    return _axis_refs(result, mesh)


# Shardings


def local_shape(shape: Sequence[int], sharding: TensorShardingAttr, mesh: MeshAttr) -> tuple[int, ...]:
    """
    The shape of the shard on each device, in elements; the last shards of a dimension may include padding.

    On the only device of a maximal mesh that is the whole, and its sharding names no dimensions.
    """
    if mesh.is_maximal:
        return tuple(shape)
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
