"""Indexing maps against brute force: no operation on a map changes its values on its points."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from indexing_strategies import exprs, intervals, maps, points, values

from xshardy.affine.expressions import constant, dim, sym, value_of
from xshardy.affine.indexing_map import Constraint, IndexingMap, Variable
from xshardy.affine.interval import Interval
from xshardy.affine.spelling import Spelling, spelled
from xshardy.affine.text import parse_indexing_map

brute_force = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
two_results = st.lists(exprs(), min_size=2, max_size=2)


# -- Properties -------------------------------------------------------------------------------------------------------


@given(map=maps())
@brute_force
def test_simplify_keeps_points_and_values(map):
    simplified = map.simplify()
    assert values(simplified) == values(map)
    assert simplified.simplify() == simplified


@given(map=maps())
@brute_force
def test_simplify_widens_no_bounds(map):
    simplified = map.simplify()
    if simplified.is_known_empty:
        assert not points(map)
    else:
        before, after = (map.dimension_intervals + map.symbol_intervals for map in (map, simplified))
        assert all(wide.includes(narrow) for wide, narrow in zip(before, after, strict=True))


@given(first=maps(two_results), second=maps())
@brute_force
def test_then_is_evaluation_in_sequence(first, second):
    count, own_count = len(second.ranges), len(first.ranges)
    free = IndexingMap((), (), second.ranges, second.runtimes)
    expected = {}
    for (dims, symbols), between in values(first).items():
        for _, other in points(free):
            if second.holds(between, other):
                both = (*other[:count], *symbols[:own_count], *other[count:], *symbols[own_count:])
                expected[dims, both] = second.evaluate(between, other)
    composed = first.then(second)
    assert values(composed) == expected
    assert values(composed.simplify()) == expected


@given(map=maps(), expr=exprs(), bounds=intervals)
@brute_force
def test_constrained_keeps_the_points_that_fulfil_it(map, expr, bounds):
    expected = {point: value for point, value in values(map).items() if bounds.contains(value_of(expr, *point))}
    assert values(map.constrained(expr, bounds)) == expected


@given(map=maps(), inner=exprs(), bounds=intervals, divisor=st.integers(1, 9))
@brute_force
def test_range_in_domain_holds_every_value_there(map, inner, bounds, divisor):
    expr = inner // divisor + inner
    constrained = replace(map, constraints=(*map.constraints, Constraint(inner, bounds)))
    found = constrained.range_in_domain(expr)
    assert all(found.contains(value_of(expr, *point)) for point in points(constrained))
    assert map.range_of(expr).includes(found)


def test_range_in_domain_follows_the_constraints():
    map = parse_indexing_map(
        "(d0)[s0] -> ((d0 * 4 + s0) floordiv 6), domain: d0 in [0, 29], s0 in [0, 3], d0 * 4 + s0 in [0, 29]"
    )
    assert map.range_of(map.results[0]) == Interval(0, 19)
    assert map.range_in_domain(map.results[0]) == Interval(0, 4)


@given(map=maps())
@brute_force
def test_symbols_to_dimensions_renames_only(map):
    expected = {((*dims, *symbols), ()): value for (dims, symbols), value in values(map).items()}
    assert values(map.symbols_to_dimensions()) == expected


@given(map=maps(), value=st.integers(-9, 15), symbol=st.integers(-9, 15))
@brute_force
def test_bind_picks_the_points_with_these_values(map, value, symbol):
    expected = {
        (dims[:1], symbols[1:]): result
        for (dims, symbols), result in values(map).items()
        if dims[1] == value and symbols[0] == symbol
    }
    assert values(map.bind({1: value}, {0: symbol})) == expected


def projected(map, removed_dims, removed_symbols):
    """The values of `map` by the variables that stay."""
    result = {}
    for (dims, symbols), value in values(map).items():
        kept = (
            tuple(v for v, removed in zip(dims, removed_dims, strict=True) if not removed),
            tuple(v for v, removed in zip(symbols, removed_symbols, strict=True) if not removed),
        )
        assert result.setdefault(kept, value) == value, "a removed variable mattered"
    return result


@given(map=maps())
@brute_force
def test_remove_unused_variables_projects(map):
    smaller, removed_dims, removed_symbols = map.remove_unused_variables()
    assert values(smaller) == projected(map, removed_dims, removed_symbols)


@given(map=maps())
@brute_force
def test_constraints_that_results_do_not_see_are_dropped_where_they_hold_somewhere(map):
    smaller, removed_dims, removed_symbols = map.remove_unused_variables(keep_constraints=False)
    if points(map):
        assert values(smaller) == projected(map, removed_dims, removed_symbols)


@pytest.mark.parametrize("choice", Spelling)
@given(map=maps())
@brute_force
def test_text_round_trip(map, choice):
    with spelled(choice):
        again = parse_indexing_map(str(map))
        assert values(again) == values(map)
        assert parse_indexing_map(str(again)) == again
        simplified = map.simplify()
        assert parse_indexing_map(str(simplified)) == simplified


# -- Cases ------------------------------------------------------------------------------------------------------------


def test_identity_and_sizes():
    assert str(IndexingMap.identity((2, 3))) == "(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 2]"
    map = IndexingMap.from_tensor_sizes([dim(0), sym(0)], [4], [5])
    assert str(map) == "(d0)[s0] -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 4]"


def test_a_tensor_without_elements_has_no_point():
    map = IndexingMap.identity((2, 0))
    assert map.is_known_empty
    assert points(map) == []
    assert parse_indexing_map(str(map)) == map


def test_a_map_of_no_variables():
    map = IndexingMap.identity(())
    assert str(map) == "() -> ()"
    assert map.evaluate(()) == ()
    assert map.holds(())


def test_names_that_are_taken_are_given_up():
    first = parse_indexing_map("(th_x)[i] -> (th_x + i), domain: th_x in [0, 3], i in [0, 1]")
    second = parse_indexing_map("(a)[i, j] -> (a + i + j), domain: a in [0, 9], i in [0, 1], j in [0, 2]")
    assert str(first.then(second)) == (
        "(th_x)[s0, j, i] -> (th_x + i + s0 + j), domain: th_x in [0, 3], s0 in [0, 1], j in [0, 2], i in [0, 1]"
    )


def test_two_variables_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two variables named th_x: rename one"):
        IndexingMap((), (Variable("th_x", Interval(0, 1)),), (Variable("th_x", Interval(0, 1)),))


def test_then_needs_as_many_dimensions_as_results():
    with pytest.raises(ValueError, match="2 results cannot be the 1 dimensions"):
        IndexingMap.identity((2, 3)).then(IndexingMap.identity((2,)))


def test_simplification_of_an_empty_map_is_empty():
    empty = parse_indexing_map("(d0) -> (d0), domain: d0 in [10, 0]")
    identity = IndexingMap.identity((50,))
    for map in (empty, empty.simplify(), empty.then(identity), identity.then(empty), identity.bind({0: 50})):
        assert map.is_known_empty
        assert len(map.results) == 1


def test_constraints_that_cannot_hold_make_a_map_empty():
    for constraint in ("d0 floordiv 20 in [2, 2]", "d0 mod 8 + 5 in [50, 54]", "d0 * 2 in [3, 3]", "7 in [0, 6]"):
        assert parse_indexing_map(f"(d0) -> (d0), domain: d0 in [0, 19], {constraint}").simplify().is_known_empty


def test_dropping_a_constraint_needs_permission():
    map = parse_indexing_map("(d0, d1) -> (d1), domain: d0 in [0, 49], d1 in [0, 59], d0 mod 3 in [0, 0]")
    assert map.remove_unused_variables() == (map, (False, False), ())
    smaller, removed, _ = map.remove_unused_variables(keep_constraints=False)
    assert (str(smaller), removed) == ("(d0) -> (d0), domain: d0 in [0, 59]", (True, False))


def test_a_constraint_linked_to_a_result_is_kept():
    map = parse_indexing_map(
        "(d0)[s0, s1] -> (d0, s1), domain: d0 in [0, 9], s0 in [0, 69], s1 in [0, 19], "
        "s0 + s1 in [1, 50], s0 mod 3 in [0, 0]"
    )
    assert map.remove_unused_variables(keep_constraints=False)[0] is map


def test_equal_maps_hash_equal():
    text = "(d0)[s0] -> (d0 mod 4 + s0), domain: d0 in [0, 9], s0 in [0, 3], d0 + s0 in [1, 5]"
    first, second = parse_indexing_map(text), parse_indexing_map(text)
    assert first == second and hash(first) == hash(second) and first is not second
    assert first != first.constrained(dim(0), Interval(0, 3))
    assert first.constrained(constant(3), Interval(0, 4)) is first
    assert Constraint(dim(0), Interval(0, 1)) != Constraint(dim(0), Interval(0, 2))
