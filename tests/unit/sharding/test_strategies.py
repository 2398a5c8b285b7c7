"""The two strategies: invariants on random steps, and resolution of conflicts."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from xshardy.axes.spans import Axes, Span, is_list_prefix, overlaps, size_of
from xshardy.sharding.factor_rule import FactorRule
from xshardy.sharding.factors import TensorFactors, project
from xshardy.sharding.interning import DimSharding, Sharding
from xshardy.sharding.strategies import STRATEGIES, Direction, Step, Strategy, compatible_major_axes

AXIS_SIZES = (2, 4, 3)
A, B, C = (Span(number, 1, size) for number, size in enumerate(AXIS_SIZES))
MATMUL = FactorRule((8, 4, 6), (((0,), (2,)), ((2,), (1,))), (((0,), (1,)),))
"""`([i, k], [k, j])->([i, j]) {i=8, j=4, k=6}`"""
RESHAPE = FactorRule((2, 4, 6), (((0, 1), (2,)),), (((0,), (1, 2)),))
"""`([ij, k])->([i, jk]) {i=2, j=4, k=6}`"""
POINTWISE = FactorRule.identity((8, 12), 2)


@st.composite
def shardings(draw: st.DrawFn, rank: int) -> Sharding | None:
    """A sharding in which each axis, or its major half, is in one dimension, replicated, unreduced or free."""
    if draw(st.booleans()):
        return None
    places: list[list[Span]] = [[] for _ in range(rank + 3)]
    for number in draw(st.permutations(range(len(AXIS_SIZES)))):
        part = draw(st.sampled_from([AXIS_SIZES[number], 2 if AXIS_SIZES[number] == 4 else AXIS_SIZES[number]]))
        places[draw(st.integers(0, rank + 2))].append(Span(number, 1, part))
    dims = tuple(DimSharding(tuple(axes), draw(st.booleans())) for axes in places[:rank])
    return Sharding(0, dims, tuple(places[rank]), tuple(places[rank + 1]))


@st.composite
def steps(draw: st.DrawFn) -> Step:
    rule = draw(st.sampled_from([MATMUL, RESHAPE, POINTWISE]))

    def tensors(mappings: tuple[tuple[tuple[int, ...], ...], ...]) -> list[TensorFactors]:
        return [project(mapping, draw(shardings(len(mapping))), rule.sizes) for mapping in mappings]

    directions = draw(st.tuples(*[st.sampled_from(list(Direction))] * len(rule.sizes)))
    operands, results = tensors(rule.operands), tensors(rule.results)
    return Step(rule, operands, results, directions, AXIS_SIZES, draw(st.booleans()), draw(st.booleans()))


def axes_by_factor(tensors: list[TensorFactors]) -> list[dict[int, Axes]]:
    return [{factor: sharding.axes for factor, sharding in tensor.factors.items()} for tensor in tensors]


@given(steps(), st.sampled_from(list(Strategy)))
def test_axes_are_only_added_and_only_where_there_is_room(step: Step, strategy: Strategy):
    before = axes_by_factor(step.tensors)
    STRATEGIES[strategy](step)
    for known, tensor, now in zip(before, step.tensors, axes_by_factor(step.tensors), strict=True):
        assert tensor.is_expanded == (known != now)
        for factor, sharding in tensor.factors.items():
            assert is_list_prefix(known[factor], now[factor])
            if known[factor] == now[factor]:
                continue
            assert not sharding.is_closed and not sharding.overflow
            assert not any(
                overlaps(axis, kept) for axis in now[factor] for kept in tensor.replicated + tensor.unreduced
            )
            if not sharding.is_minor_most:
                assert step.rule.sizes[factor] % size_of(now[factor]) == 0
            if step.is_conservative:
                assert not any(step.is_split(axis) for axis in now[factor] if axis not in known[factor])
            others = [axis for other, s in tensor.factors.items() if other != factor for axis in s.axes + s.overflow]
            new = [axis for axis in now[factor] if axis not in known[factor]]
            assert not any(overlaps(axis, other) for axis in new for other in others)


@given(steps(), st.sampled_from(list(Strategy)))
def test_axes_propagate_only_in_the_direction(step: Step, strategy: Strategy):
    before = axes_by_factor(step.tensors)
    STRATEGIES[strategy](step)
    for factor, direction in enumerate(step.directions):
        sides = {Direction.FORWARD: step.operands, Direction.BACKWARD: step.results}
        sources = step.tensors if direction is Direction.BOTH else sides.get(direction, [])
        had = [known[factor] for known, tensor in zip(before, step.tensors, strict=True)
               if factor in known and any(tensor is source for source in sources)]  # fmt: skip
        for known, tensor in zip(before, step.tensors, strict=True):
            if factor in known and tensor.factors[factor].axes != known[factor]:
                assert any(is_list_prefix(tensor.factors[factor].axes, axes) for axes in had)


@given(steps())
def test_basic_expands_a_factor_to_equal_axes(step: Step):
    """The basic strategy gives a factor the same axes in all tensors in which it expands the factor."""
    before = axes_by_factor(step.tensors)
    STRATEGIES[Strategy.BASIC](step)
    for factor in range(len(step.rule.sizes)):
        expanded = [t.factors[factor].axes for known, t in zip(before, step.tensors, strict=True)
                    if factor in known and t.factors[factor].axes != known[factor]]  # fmt: skip
        assert all(a == b for a, b in combinations(expanded, 2))


def pointwise(*dims: tuple[Axes, Axes]) -> Step:
    """Two operands of 8x12 and their result, all open and sharded so."""
    tensors = [
        project(mapping, Sharding(0, (DimSharding(rows, False), DimSharding(columns, False))), POINTWISE.sizes)
        for mapping, (rows, columns) in zip((*POINTWISE.operands, *POINTWISE.results), dims, strict=True)
    ]
    return Step(POINTWISE, tensors[:2], tensors[2:], (Direction.BOTH,) * 2, AXIS_SIZES, is_elementwise=True)


def test_basic_stops_where_an_axis_is_wanted_for_two_factors():
    step = pointwise(((A,), ()), ((), (A,)), ((), ()))
    STRATEGIES[Strategy.BASIC](step)
    assert not any(tensor.is_expanded for tensor in step.tensors)


def test_aggressive_prefers_the_factor_that_is_sharded_most():
    step = pointwise(((A,), ()), ((), (A, B)), ((), ()))
    STRATEGIES[Strategy.AGGRESSIVE](step)
    assert axes_by_factor(step.results) == [{0: (), 1: (A, B)}]


def test_a_source_may_be_longer_by_a_part_of_an_axis():
    step = pointwise(((Span(1, 1, 2),), ()), ((B, C), ()), ((), ()))
    assert compatible_major_axes(step, 0) == (B, C)
    step = pointwise(((Span(1, 1, 2), C), ()), ((B,), ()), ((), ()))
    assert compatible_major_axes(step, 0) == (Span(1, 1, 2),)
