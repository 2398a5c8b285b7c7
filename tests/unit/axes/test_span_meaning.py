"""The algebra of spans against brute force: a span is the function from a device's coordinate to its digit."""

from math import prod

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from xshardy.axes.spans import (
    Span,
    can_coexist,
    contains,
    difference,
    is_prefix,
    is_suffix,
    merged,
    overlaps,
    prefix_without,
    size_of,
    suffix_without,
)

SPLITS = st.lists(st.sampled_from([2, 3, 4]), min_size=1, max_size=4)


def digit(span: Span, whole: int) -> np.ndarray:
    """For each device along an axis of size `whole`, its index along `span`: equal for devices in the same part."""
    return np.arange(whole) // (whole // span.end) % span.size


def count_classes(*digits: np.ndarray) -> int:
    """How many classes of devices these digits distinguish together."""
    return len(set(zip(*(each.tolist() for each in digits), strict=True)))


@st.composite
def runs(draw: st.DrawFn) -> tuple[int, Span, Span]:
    """The size of an axis, and two runs of its digits, which can coexist."""
    split = draw(SPLITS)

    def run() -> Span:
        first = draw(st.integers(0, len(split) - 1))
        last = draw(st.integers(first + 1, len(split)))
        return Span(0, prod(split[:first]), prod(split[:last]))

    return prod(split), run(), run()


def common(a: Span, b: Span) -> Span | None:
    """The digits that both runs have."""
    start, end = max(a.start, b.start), min(a.end, b.end)
    return Span(0, start, end) if start < end else None


@given(runs())
def test_overlap_is_the_common_span(sample: tuple[int, Span, Span]):
    whole, a, b = sample
    shared = common(a, b)
    assert can_coexist(a, b)
    assert (shared is not None) == overlaps(a, b) == overlaps(b, a)
    both = count_classes(digit(a, whole), digit(b, whole))
    assert both * (1 if shared is None else shared.size) == a.size * b.size


@given(runs())
def test_containment_means_that_the_digit_follows(sample: tuple[int, Span, Span]):
    whole, a, b = sample
    assert contains(a, b) == (count_classes(digit(a, whole), digit(b, whole)) == a.size)


@given(runs())
def test_prefix_and_suffix(sample: tuple[int, Span, Span]):
    whole, a, b = sample
    divides = b.size % a.size == 0
    major = divides and np.array_equal(digit(b, whole) // (b.size // a.size), digit(a, whole))
    minor = divides and np.array_equal(digit(b, whole) % a.size, digit(a, whole))
    assert is_prefix(a, b) == major
    assert is_suffix(a, b) == minor


@given(runs())
def test_difference_of_spans(sample: tuple[int, Span, Span]):
    whole, a, b = sample
    shared = common(a, b)
    parts = difference(a, [b])
    assert not any(overlaps(part, b) for part in parts)
    pieces = [digit(part, whole) for part in (*parts, *([] if shared is None else [shared]))]
    assert count_classes(*pieces) == count_classes(digit(a, whole), *pieces) == a.size
    prefix, suffix = prefix_without(a, [b]), suffix_without(a, b)
    if shared is None:
        assert prefix == suffix == a
    else:
        assert set(parts) == {part for part in (prefix, suffix) if part is not None}


@given(SPLITS, st.data())
def test_merging_undoes_splitting(split: list[int], data: st.DataObject):
    digits = [Span(0, prod(split[:index]), prod(split[: index + 1])) for index in range(len(split))]
    assert merged(digits) == (Span(0, 1, prod(split)),)
    shuffled = data.draw(st.permutations(digits))
    assert sorted(shuffled) == digits
    assert size_of(merged(shuffled)) == prod(split)


def test_sub_axes_that_no_splitting_has_in_common():
    two, three = Span(0, 1, 2), Span(0, 1, 3)
    assert not can_coexist(two, three)
    assert prefix_without(two, [three]) is None
    assert suffix_without(two, three) is None
    assert not can_coexist(two, Span(0, 3, 6))
    assert can_coexist(two, Span(0, 4, 8))


def test_the_pieces_between_several_axes():
    whole = Span("a", 1, 24)
    assert difference(whole, [Span("a", 12, 24), Span("a", 2, 4), Span("b", 1, 2)]) == (
        Span("a", 1, 2),
        Span("a", 4, 12),
    )
    assert difference(Span("b", 1, 1), []) == (), "an axis of size 1 has no parts"
