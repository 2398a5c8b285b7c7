"""Lists of spans: prefixes, and axes put at the minor end."""

from math import prod

from hypothesis import given
from hypothesis import strategies as st

from xshardy.axes.spans import (
    Span,
    append,
    is_list_prefix,
    is_strict_prefix,
    prefix_without,
)

WHOLE = Span(0, 1, 24)


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


def test_spans_with_a_gap_are_not_merged():
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
