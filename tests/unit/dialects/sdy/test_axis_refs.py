"""References to axes are converted to spans and back; computations on them use the algebra of spans."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xshardy.axes import spans
from xshardy.axes.mesh import Mesh
from xshardy.axes.spans import Span
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import (
    appended,
    axis_ref,
    can_merge,
    contains,
    difference,
    is_prefix,
    local_shape,
    merged,
    mesh_of,
    mesh_order,
    next_pre_size,
    overlaps,
    padding,
    pre_size,
    size,
    span_of,
)

MESH = MeshAttr.of([("b", 2), ("a", 24), ("one", 1)])
NAMED = st.sampled_from(
    [Span("a", start, end) for end in (2, 3, 4, 6, 8, 12, 24) for start in (1, 2, 3, 4, 6, 8, 12)
     if start < end and end % start == 0]
    + [Span("b", 1, 2), Span("one", 1, 1)]
)  # fmt: skip


@given(NAMED)
def test_conversions_are_inverse(span: Span[str]):
    axis = axis_ref(span, MESH)
    assert axis.is_full == (span in (Span("a", 1, 24), Span("b", 1, 2), Span("one", 1, 1)))
    assert span_of(axis, MESH) == span
    assert (pre_size(axis), next_pre_size(axis, MESH), size(axis, MESH)) == (span.start, span.end, span.size)
    mesh = mesh_of(MESH)
    assert mesh.named(mesh.numbered(span)) == span


@given(NAMED, NAMED)
def test_comparisons_need_no_mesh(a: Span[str], b: Span[str]):
    of_a, of_b = axis_ref(a, MESH), axis_ref(b, MESH)
    assert overlaps(of_a, of_b) == spans.overlaps(a, b)
    assert contains(of_a, of_b) == spans.contains(a, b)
    assert is_prefix(of_a, of_b) == spans.is_prefix(a, b)
    assert can_merge(of_a, of_b) == spans.can_merge(a, b)


def test_axes_are_numbered_in_the_order_of_the_mesh():
    mesh = mesh_of(MESH)
    assert mesh == Mesh(("b", "a", "one"), (2, 24, 1))
    assert mesh.numbered(Span("a", 2, 4)) == Span(1, 2, 4)
    assert mesh.is_whole(Span(1, 1, 24)) and not mesh.is_whole(Span(1, 1, 12))
    with pytest.raises(ValueError):
        mesh.numbered(Span("c", 1, 2))
    with pytest.raises(KeyError):
        span_of(AxisRefAttr("c"), MESH)


def test_axes_sort_by_mesh_then_pre_size_then_size():
    axes = [AxisRefAttr("b"), AxisRefAttr.part("a", 1, 2), AxisRefAttr.part("a", 1, 4), AxisRefAttr.part("a", 4, 2)]
    shuffled = [axes[2], axes[0], axes[3], axes[1]]
    assert sorted(shuffled, key=lambda axis: mesh_order(axis, MESH)) == axes


def test_merging_results_are_whole_axes_and_sub_axes():
    first, second, third = (AxisRefAttr.part("a", *part) for part in ((1, 2), (2, 4), (8, 3)))
    assert merged([first, second, third], MESH) == (AxisRefAttr("a"),)
    assert merged([first, AxisRefAttr("b"), second], MESH) == (first, AxisRefAttr("b"), second)
    assert appended([first], [second], MESH) == (AxisRefAttr.part("a", 1, 8),)
    assert difference(AxisRefAttr("a"), [second, AxisRefAttr("b")], MESH) == (first, third)


@given(NAMED.filter(lambda span: span.axis == "a"), st.integers(0, 50), st.integers(0, 50))
def test_local_shapes_cover_the_tensor(span: Span[str], rows: int, columns: int):
    axis = axis_ref(span, MESH)
    dims = (
        DimensionShardingAttr([axis, AxisRefAttr("b")], is_closed=True),
        DimensionShardingAttr(is_closed=False),
    )
    sharding = TensorShardingAttr("mesh", dims)
    parts = span.size * 2
    local = local_shape((rows, columns), sharding, MESH)
    pad = padding((rows, columns), sharding, MESH)
    assert local[0] * parts == rows + pad[0] and 0 <= pad[0] < parts
    assert local[1] == columns and pad[1] == 0
