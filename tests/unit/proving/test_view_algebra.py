"""Boxes and views, compared element by element on each device with what they mean."""

from collections.abc import Iterable

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from proving_strategies import (
    SHAPES,
    SOURCES,
    boxes,
    contents,
    element,
    indices,
    is_in,
    partials,
    places,
    value_of,
    values_at,
    views,
)

from xshardy.proving.index import Index, digit_of, identity, number
from xshardy.proving.views import (
    Box,
    Piece,
    View,
    at_devices,
    full_box,
    merged,
    overlaid,
    placed,
    preimage,
    pull,
    refined,
    restricted,
    same_in,
    same_partial,
    settled,
    view_of,
    without,
)

DEVICES = 3
MASKS = st.lists(st.booleans(), min_size=DEVICES, max_size=DEVICES).map(np.array)


def ints(low: int, high: int) -> st.SearchStrategy[np.ndarray]:
    numbers = st.lists(st.integers(low, high), min_size=DEVICES, max_size=DEVICES)
    return numbers.map(lambda values: np.array(values, np.int64))


def assert_contents(box: Box, shape: tuple[int, ...], expected: Iterable[set[tuple[int, ...]]]) -> None:
    assert [contents(box, device, shape) for device in range(DEVICES)] == [*expected]


@given(st.data(), SHAPES)
def test_boxes(data: st.DataObject, shape: tuple[int, ...]):
    a, b = (data.draw(boxes(shape, DEVICES)) for _ in range(2))
    mask, all_devices = data.draw(MASKS), range(DEVICES)
    mine, other = ([contents(box, device, shape) for device in all_devices] for box in (a, b))
    assert a.active.tolist() == [bool(each) for each in mine]
    assert a.volume.tolist() == [len(each) for each in mine]
    assert a.contains(b).tolist() == [x >= y for x, y in zip(mine, other, strict=True)]
    assert_contents(a.meet(b), shape, [x & y for x, y in zip(mine, other, strict=True)])
    assert_contents(a.where(mask), shape, [x if here else set() for x, here in zip(mine, mask, strict=True)])
    assert_contents(full_box(shape, DEVICES), shape, [set(places(shape))] * DEVICES)
    sources = data.draw(ints(-1, DEVICES - 1))
    assert_contents(a.at_devices(sources), shape, [mine[s] if s >= 0 else set() for s in sources])


@given(st.data(), SHAPES.filter(bool))
def test_boxes_along_a_dimension(data: st.DataObject, shape: tuple[int, ...]):
    box, dim = data.draw(boxes(shape, DEVICES)), data.draw(st.integers(0, len(shape) - 1))
    low, high = data.draw(ints(-2, 9)), data.draw(ints(-2, 9))
    expected = [{p for p in contents(box, d, shape) if low[d] <= p[dim] < high[d]} for d in range(DEVICES)]
    assert_contents(box.along(dim, low, high), shape, expected)
    assert_contents(
        box.dims([dim]), (shape[dim],), [{(p[dim],) for p in contents(box, d, shape)} for d in range(DEVICES)]
    )


@given(st.data(), SHAPES)
def test_what_is_left_of_a_box_with_a_hole(data: st.DataObject, shape: tuple[int, ...]):
    box, hole = (data.draw(boxes(shape, DEVICES)) for _ in range(2))
    for device in range(DEVICES):
        rest = [place for part in without(box, hole) for place in contents(part, device, shape)]
        assert len(rest) == len(set(rest)), "parts are disjoint"
        assert set(rest) == contents(box, device, shape) - contents(hole, device, shape)


@given(st.data(), SHAPES)
def test_settled_indices_are_equal_in_their_box(data: st.DataObject, shape: tuple[int, ...]):
    box = data.draw(boxes(shape, DEVICES))
    at = data.draw(st.tuples(indices(shape, DEVICES), indices(shape, DEVICES, any_digits=False)))
    found = settled(at, box, shape)
    for device in range(DEVICES):
        for place in contents(box, device, shape):
            assert values_at(found, device, place) == values_at(at, device, place)


@given(st.data(), SHAPES)
def test_a_dimension_of_one_index_settles_to_a_number(data: st.DataObject, shape: tuple[int, ...]):
    box = full_box(shape, DEVICES)
    starts = np.array([[data.draw(st.integers(0, size - 1)) for size in shape] for _ in range(DEVICES)], np.int64)
    box = Box(starts.reshape(DEVICES, len(shape)), starts.reshape(DEVICES, len(shape)) + 1, box.here)
    found = settled([data.draw(indices(shape, DEVICES))], box, shape)
    assert found[0].is_known


def pulling_indices(data: st.DataObject, inner: tuple[int, ...], outer: tuple[int, ...]) -> tuple[Index, ...]:
    """An index for each dimension of `inner`, of places in `outer`: mostly near it."""
    natural = dict(enumerate(identity(outer)))
    at = list[Index]()
    for dim in range(len(inner)):
        if dim in natural and data.draw(st.booleans()):
            at.append(natural[dim].plus(data.draw(ints(-3, 3))))
        else:
            at.append(data.draw(indices(outer, DEVICES, any_digits=False)))
    return tuple(at)


@given(st.data(), SHAPES, SHAPES)
def test_preimages(data: st.DataObject, inner: tuple[int, ...], outer: tuple[int, ...]):
    box, at = data.draw(boxes(inner, DEVICES)), pulling_indices(data, inner, outer)
    found = preimage(box, at, outer)
    if found is not None:
        expected = [
            {place for place in places(outer) if is_in(box, device, values_at(at, device, place))}
            for device in range(DEVICES)
        ]
        assert_contents(found, outer, expected)


@given(st.data(), SHAPES, SHAPES)
def test_pulled_views(data: st.DataObject, inner: tuple[int, ...], outer: tuple[int, ...]):
    view, at = data.draw(views(inner, DEVICES)), pulling_indices(data, inner, outer)
    found = pull(view, at, outer)
    if found is None:
        return
    assert found.shape == outer
    for device in range(DEVICES):
        for place in places(outer):
            assert element(found, device, place) == element(view, device, values_at(at, device, place))


def test_views_are_pulled_by_transposes_slices_and_reversals():
    view = view_of(SOURCES[0], identity((8, 8)), (8, 8), DEVICES)
    rows, columns = identity((8, 8))
    assert pull(view, (columns, rows), (8, 8)) is not None
    assert pull(view, (number(7).plus(0), columns), (8, 8)) is not None
    assert pull(view, (rows.plus(np.array([0, 1, 2])), columns), (6, 8)) is not None


@given(st.data(), SHAPES)
def test_merged_pieces_are_the_same_elements(data: st.DataObject, shape: tuple[int, ...]):
    view = data.draw(views(shape, DEVICES))
    found = View(shape, merged(data.draw(st.permutations(view.pieces))))
    for device in range(DEVICES):
        for place in places(shape):
            assert element(found, device, place) == element(view, device, place)


@given(st.data(), SHAPES.filter(bool))
def test_what_was_cut_is_merged(data: st.DataObject, shape: tuple[int, ...]):
    box, dim = full_box(shape, DEVICES), data.draw(st.integers(0, len(shape) - 1))
    at = data.draw(st.tuples(indices(shape, DEVICES)))
    cut = np.full(DEVICES, data.draw(st.integers(0, shape[dim])))
    parts = box.along(dim, box.lo[:, dim], cut), box.along(dim, cut, box.hi[:, dim])
    assert len(merged(Piece(SOURCES[1], settled(at, part, shape), part) for part in parts)) <= 2
    assert len(merged(Piece(SOURCES[1], at, part) for part in parts)) == 1


@given(st.data(), SHAPES)
def test_refinements(data: st.DataObject, shape: tuple[int, ...]):
    a, b = (data.draw(views(shape, DEVICES)) for _ in range(2))
    found = [*refined([a.pieces, b.pieces])]
    for device in range(DEVICES):
        for place in places(shape):
            chosen = [pieces for box, pieces in found if is_in(box, device, place)]
            expected = [
                (p, q)
                for p in a.pieces
                for q in b.pieces
                if is_in(p.box, device, place) and is_in(q.box, device, place)
            ]
            assert chosen == expected


@given(st.data(), SHAPES)
def test_overlays(data: st.DataObject, shape: tuple[int, ...]):
    inner, outer = (data.draw(views(shape, DEVICES)) for _ in range(2))
    covered = data.draw(boxes(shape, DEVICES))
    found = overlaid(inner, covered, outer)
    for device in range(DEVICES):
        for place in places(shape):
            right = inner if is_in(covered, device, place) else outer
            assert element(found, device, place) == element(right, device, place)


@given(st.data(), SHAPES)
def test_placed_views(data: st.DataObject, shape: tuple[int, ...]):
    view = data.draw(views(shape, DEVICES))
    starts = [data.draw(ints(-2, 4)) for _ in shape]
    larger = tuple(size + data.draw(st.integers(0, 4)) for size in shape)
    found = placed(view, starts, larger)
    if found is None:
        return
    for device in range(DEVICES):
        for place in places(larger):
            origin = tuple(i - start[device] for i, start in zip(place, starts, strict=True))
            assert element(found, device, place) == element(view, device, origin)


@given(st.data(), SHAPES)
def test_views_of_other_devices(data: st.DataObject, shape: tuple[int, ...]):
    view, sources = data.draw(views(shape, DEVICES)), data.draw(ints(-1, DEVICES - 1))
    found = at_devices(view, sources)
    for device, source in enumerate(sources):
        for place in places(shape):
            assert element(found, device, place) == (element(view, source, place) if source >= 0 else None)


@given(st.data(), SHAPES)
def test_the_view_of_the_whole_program_on_all_devices(data: st.DataObject, shape: tuple[int, ...]):
    view = data.draw(views(shape, 1))
    found = restricted(view, DEVICES)
    for device in range(DEVICES):
        assert all(element(found, device, place) == element(view, 0, place) for place in places(shape))


@given(st.data(), SHAPES)
def test_known_elements(data: st.DataObject, shape: tuple[int, ...]):
    view, box = data.draw(views(shape, DEVICES)), data.draw(boxes(shape, DEVICES))
    unknown = [place for d in range(DEVICES) for place in contents(box, d, shape) if element(view, d, place) is None]
    assert view.covers(box) == (not unknown)


@given(st.data(), SHAPES)
def test_equal_views(data: st.DataObject, shape: tuple[int, ...]):
    a = data.draw(views(shape, DEVICES))
    b = a if data.draw(st.booleans()) else data.draw(views(shape, DEVICES))
    if data.draw(st.booleans()):
        b = overlaid(b, data.draw(boxes(shape, DEVICES)), b)
    box = data.draw(boxes(shape, DEVICES))
    if not same_in(a, b, box):
        return
    for device in range(DEVICES):
        for place in contents(box, device, shape):
            assert element(a, device, place) == element(b, device, place) is not None


@given(st.data(), SHAPES)
def test_a_view_is_itself_where_it_is_known(data: st.DataObject, shape: tuple[int, ...]):
    view = data.draw(views(shape, DEVICES))
    assert same_in(view, view, full_box(shape, DEVICES)) == view.is_known(DEVICES)


@given(st.data(), MASKS)
def test_equal_parts_of_reductions(data: st.DataObject, active: np.ndarray):
    a, b = (data.draw(partials(DEVICES)) for _ in range(2))
    assert same_partial(a, a, active) and not same_partial(a, None, active)
    if same_partial(a, b, active):
        assume(a.sizes == b.sizes)
        for device in np.flatnonzero(active):
            assert all(
                contents(p, device, a.sizes) == contents(q, device, a.sizes)
                for p, q in zip(a.boxes, b.boxes, strict=True)
            )


def test_a_range_of_a_negative_stride_ends_where_it_ends():
    """The end of `7 - 2 * i >= 0` is 4, and that of `7 - 2 * i >= 4` is 2."""
    at = Index(np.array([7]), (identity((4,))[0].digits[0]._replace(stride=-2),))
    box = full_box((8,), 1).along(0, np.array([4]), np.array([8]))
    found = preimage(box, [at], (4,))
    assert found is not None and contents(found, 0, (4,)) == {(0,), (1,)}
    assert value_of(at, 0, (1,)) == 5 and digit_of(at, 1, 8) is None
