"""The arithmetic of spans against the algebra of axes, which has its own tests."""

from math import prod

from hypothesis import given
from hypothesis import strategies as st

from xshardy.axes.spans import (
    Span,
    append,
    can_coexist,
    contains,
    is_list_prefix,
    is_prefix,
    is_strict_prefix,
    overlaps,
    prefix_without,
)
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.sharding import axes as algebra

MESH = MeshAttr.of([("a", 24), ("b", 1)])
WHOLE = Span(0, 1, 24)
SPANS = st.sampled_from(
    [Span(0, start, end) for end in (2, 3, 4, 6, 8, 12, 24) for start in (1, 2, 3, 4, 6, 8, 12)
     if start < end and end % start == 0]
    + [Span(1, 1, 1)]
)  # fmt: skip


def axis(span: Span) -> AxisRefAttr:
    return algebra.axis_between("ab"[span.axis], span.start, span.end, MESH)


@given(SPANS, SPANS)
def test_like_axes(a: Span, b: Span):
    assert overlaps(a, b) == algebra.overlaps(axis(a), axis(b))
    assert contains(a, b) == algebra.contains(axis(a), axis(b))
    assert is_prefix(a, b) == algebra.is_prefix(axis(a), axis(b))
    assert can_coexist(a, b) == algebra.can_coexist(axis(a), axis(b))
    left = prefix_without(a, [b])
    assert (None if left is None else axis(left)) == algebra.prefix_without_overlap(axis(a), axis(b))
    assert a.size == algebra.size(axis(a), MESH)


def test_each_of_several_axes_takes_its_part():
    assert prefix_without(WHOLE, []) == WHOLE
    assert prefix_without(WHOLE, [Span(0, 12, 24), Span(0, 4, 12)]) == Span(0, 1, 4)
    assert prefix_without(WHOLE, [Span(0, 12, 24), Span(0, 1, 2)]) is None


@given(st.lists(st.sampled_from([2, 3]), min_size=1, max_size=3))
def test_consecutive_spans_are_put_together(sizes: list[int]):
    axes: list[Span] = []
    for index, size in enumerate(sizes):
        start = prod(sizes[:index])
        append(axes, Span(0, start, start * size))
    assert axes == [Span(0, 1, prod(sizes))]


def test_spans_with_a_gap_stay_apart():
    axes = [Span(0, 1, 2)]
    append(axes, Span(0, 4, 8))
    append(axes, Span(1, 1, 1))
    assert axes == [Span(0, 1, 2), Span(0, 4, 8), Span(1, 1, 1)]


def test_list_prefixes():
    a, part, b = Span(0, 1, 24), Span(0, 1, 4), Span(1, 1, 1)
    assert is_list_prefix((), ()) and not is_strict_prefix((), ())
    assert is_strict_prefix((), (a,))
    assert is_strict_prefix((part,), (a, b)), "of the last axis a part is enough"
    assert not is_list_prefix((part, b), (a, b)), "but of no axis before it"
    assert not is_list_prefix((a, b), (a,))
    assert is_list_prefix((a,), (a,)) and not is_strict_prefix((a,), (a,))
