"""Indices, compared with the numbers that they are at all places of small tensors, on each device."""

from itertools import pairwise
from math import prod

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from proving_strategies import SHAPES, boxes, digits, indices, is_in, places, value_of, values_at

from xshardy.proving.index import (
    Digit,
    Index,
    are_indices,
    canonical,
    combine,
    digit_of,
    digits_of_steps,
    divided,
    identity,
    number,
    reshaped,
    same_index,
    substitute,
)

DEVICES = 3


def sum_of(found: list[Digit] | tuple[Digit, ...], place: tuple[int, ...]) -> int:
    return sum(stride * (place[dim] // div % mod) for stride, dim, div, mod in found)


@given(st.data(), SHAPES)
def test_canonical_digits_are_the_same_sum(data: st.DataObject, shape: tuple[int, ...]):
    given_digits = data.draw(digits(shape))
    found = canonical(given_digits)
    assert all(sum_of(found, place) == sum_of(given_digits, place) for place in places(shape))
    assert canonical(found) == found == canonical(reversed(given_digits))
    assert all(digit.stride and digit.mod > 1 for digit in found)


@given(st.data(), SHAPES)
def test_digits_of_places_in_a_reshape_have_one_form(data: st.DataObject, shape: tuple[int, ...]):
    """What the comparison of indices lives from: whole digits that are cut and put together again are whole."""
    assume(shape)
    dim = data.draw(st.integers(0, len(shape) - 1))
    cut = data.draw(st.sampled_from([n for n in range(1, shape[dim] + 1) if shape[dim] % n == 0]))
    assert canonical([Digit(cut, dim, cut, shape[dim] // cut), Digit(1, dim, 1, cut)]) == identity(shape)[dim].digits


@given(st.data(), SHAPES, st.lists(st.integers(-4, 4), max_size=3))
def test_combinations(data: st.DataObject, shape: tuple[int, ...], factors: list[int]):
    parts = [(factor, data.draw(indices(shape, DEVICES))) for factor in factors]
    found = combine(*parts)
    for device in range(DEVICES):
        for place in places(shape):
            expected = sum(factor * value_of(index, device, place) for factor, index in parts)
            assert value_of(found, device, place) == expected


@given(st.data(), SHAPES)
def test_bounds_hold_in_the_box(data: st.DataObject, shape: tuple[int, ...]):
    index, box = data.draw(indices(shape, DEVICES)), data.draw(boxes(shape, DEVICES))
    low, high = (np.broadcast_to(bound, DEVICES) for bound in index.bounds(box.lo, box.hi))
    for device in range(DEVICES):
        for place in places(shape):
            if is_in(box, device, place):
                assert low[device] <= value_of(index, device, place) <= high[device]


@given(st.data(), SHAPES)
def test_bounds_of_one_whole_digit_are_tight(data: st.DataObject, shape: tuple[int, ...]):
    assume(shape)
    dim, stride = data.draw(st.integers(0, len(shape) - 1)), data.draw(st.integers(-5, 5))
    index, box = combine((stride, identity(shape)[dim])), data.draw(boxes(shape, DEVICES))
    low, high = (np.broadcast_to(bound, DEVICES) for bound in index.bounds(box.lo, box.hi))
    for device in range(DEVICES):
        values = [value_of(index, device, place) for place in places(shape) if is_in(box, device, place)]
        assert not values or (low[device], high[device]) == (min(values), max(values))


@given(st.data(), SHAPES, st.integers(1, 8), st.integers(1, 12), st.booleans())
def test_digits_of_indices(data: st.DataObject, shape: tuple[int, ...], div: int, mod: int, in_a_box: bool):
    index = data.draw(indices(shape, DEVICES))
    box = data.draw(boxes(shape, DEVICES)) if in_a_box else None
    found = digit_of(index, div, mod, *(() if box is None else (box.lo, box.hi)))
    if found is None:
        return
    for device in range(DEVICES):
        for place in places(shape):
            if box is None or is_in(box, device, place):
                assert value_of(found, device, place) == value_of(index, device, place) // div % mod


@given(st.data(), SHAPES, st.booleans())
def test_substitution(data: st.DataObject, shape: tuple[int, ...], in_a_box: bool):
    """`index` is of a tensor that is just large enough for what `at` is in the box."""
    box = data.draw(boxes(shape, DEVICES))
    inside = [(d, p) for d in range(DEVICES) for p in places(shape) if not in_a_box or is_in(box, d, p)]
    at, inner = list[Index](), list[int]()
    for _ in range(data.draw(st.integers(1, 3))):
        index = data.draw(indices(shape, DEVICES, any_digits=False))
        values = [value_of(index, *each) for each in inside] or [0]
        at.append(index.plus(-min(values)))
        inner.append(max(values) - min(values) + 1 + data.draw(st.integers(0, 2)))
    outer = data.draw(indices(inner, DEVICES))
    found = substitute(outer, at, inner, *((box.lo, box.hi) if in_a_box else ()))
    if found is not None:
        assert all(value_of(found, d, p) == value_of(outer, d, values_at(at, d, p)) for d, p in inside)


def test_whole_dimensions_are_always_substituted():
    at = identity((4, 6))
    assert substitute(combine((6, at[0]), (1, at[1])), at, (4, 6)) is not None


@given(st.data(), SHAPES, st.integers(1, 4))
def test_division(data: st.DataObject, shape: tuple[int, ...], divisor: int):
    index = data.draw(indices(shape, DEVICES))
    index = combine((data.draw(st.sampled_from([1, divisor])), index))
    active = np.array(data.draw(st.lists(st.booleans(), min_size=DEVICES, max_size=DEVICES)))
    found = divided(index, divisor, active)
    if found is None:
        return
    for device in np.flatnonzero(active):
        for place in places(shape):
            assert value_of(found, device, place) * divisor == value_of(index, device, place)


@given(st.data(), SHAPES)
def test_equal_indices_are_equal(data: st.DataObject, shape: tuple[int, ...]):
    a = data.draw(indices(shape, DEVICES))
    b = a.plus(np.array(data.draw(st.lists(st.integers(0, 1), min_size=DEVICES, max_size=DEVICES))))
    active = np.array(data.draw(st.lists(st.booleans(), min_size=DEVICES, max_size=DEVICES)))
    if same_index(a, b, active):
        for device in np.flatnonzero(active):
            assert all(value_of(a, device, place) == value_of(b, device, place) for place in places(shape))


FACTORS = st.lists(st.sampled_from([1, 2, 3, 4]), min_size=1, max_size=4)


@given(FACTORS, st.data())
def test_reshapes(factors: list[int], data: st.DataObject):
    def grouped() -> tuple[int, ...]:
        order = factors if data.draw(st.booleans()) else data.draw(st.permutations(factors))
        cuts = sorted(data.draw(st.sets(st.integers(0, len(order)))) | {0, len(order)})
        return tuple(prod(order[a:b]) for a, b in pairwise(cuts))

    old, new = grouped(), grouped()
    found = reshaped(old, new)
    if found is None:
        return
    expected = np.arange(prod(old)).reshape(old).reshape(new)
    for place in places(new):
        assert expected[place] == np.ravel_multi_index(values_at(found, 0, place), old)


def test_reshapes_that_nest_are_known():
    assert reshaped((6, 4), (2, 3, 4)) is not None
    assert reshaped((2, 3, 4), (24,)) is not None
    assert reshaped((4, 6), (8, 3)) is not None
    assert reshaped((4, 3), (6, 2)) is None
    assert reshaped((1,), ()) is not None


@given(
    st.lists(st.integers(-3, 3), min_size=1, max_size=12)
    | st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(1, 4), st.integers(1, 4)).map(
        lambda row: [row[0] * (i % row[2]) + row[1] * (i // row[2]) for i in range(row[2] * row[3])]
    ),
    st.integers(-5, 5),
)
def test_steps(steps: list[int], first: int):
    values = np.array(steps, np.int64) + first
    found = digits_of_steps(values)
    if found is not None:
        assert [int(values[0]) + sum_of(found, (r,)) for r in range(len(values))] == values.tolist()


def test_sequences_are_steps():
    assert digits_of_steps(np.arange(12) * 3) == (Digit(3, 0, 1, 12),)
    assert digits_of_steps(np.array([0, 1, 8, 9, 4, 5, 12, 13])) is not None
    assert digits_of_steps(np.array([0, 1, 3])) is None


@given(st.data(), SHAPES)
def test_small_indices_do_not_overflow(data: st.DataObject, shape: tuple[int, ...]):
    index = data.draw(indices(shape, DEVICES))
    scale = data.draw(st.sampled_from([1, 1 << 30, 1 << 58, 1 << 61, 1 << 62]))
    large = Index(index.offset * scale, tuple(d._replace(stride=d.stride * scale) for d in index.digits))
    if large.is_small:
        for device in range(DEVICES):
            assert all(abs(value_of(large, device, place)) < 1 << 62 for place in places(shape))


def test_what_is_no_index_is_told():
    assert are_indices([*identity((4, 6)), number(3)], (4, 6), 2)
    for digit in (
        Digit(1, 2, 1, 4),
        Digit(1, -1, 1, 4),
        Digit(1, 0, 0, 4),
        Digit(1, 0, -1, 4),
        Digit(1, 0, 1, -4),
        Digit(1, 0, 1, 1),
        Digit(0, 0, 1, 4),
        Digit(1 << 62, 0, 1, 4),
    ):
        assert not are_indices([Index(np.zeros(1, np.int64), (digit,))], (4, 6), 2)
    assert not are_indices([Index(np.zeros(3, np.int64))], (4, 6), 2)
    assert not are_indices([Index(np.full(2, -(1 << 63)))], (4, 6), 2)
