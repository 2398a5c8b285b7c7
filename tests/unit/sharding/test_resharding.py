"""The collectives between two shardings: each can be done, and together they lead where they should."""

from collections.abc import Sequence
from math import prod

from hypothesis import given
from hypothesis.strategies import DrawFn, composite, integers, lists, permutations, sampled_from

from xshardy.axes.spans import Axes, Span, append, can_coexist, overlaps, size_of
from xshardy.sharding.resharding import (
    AllGather,
    AllSlice,
    AllToAll,
    AxesPerDim,
    CollectivePermute,
    Resharding,
    Step,
    cut,
    fit,
)

RANK = 3


def merged(axes: Sequence[Span]) -> Axes:
    result: list[Span] = []
    for axis in axes:
        append(result, axis)
    return tuple(result)


def split(axis: Span, factors: Sequence[int]) -> list[Span]:
    """`axis` in parts of these sizes, as far as they divide it, and the rest."""
    parts: list[Span] = []
    for factor in factors:
        if axis.size % factor == 0 and axis.size > factor:
            middle = axis.start * factor
            parts.append(Span(axis.axis, axis.start, middle))
            axis = Span(axis.axis, middle, axis.end)
    return [*parts, axis]


@composite
def shardings(draw: DrawFn, sizes: Sequence[int]) -> AxesPerDim:
    """Some of the axes of a mesh, whole or in parts, on three dimensions."""
    factors = [draw(lists(sampled_from((2, 3)), max_size=2)) for _ in sizes]
    parts = [part for axis, size in enumerate(sizes) for part in split(Span(axis, 1, size), factors[axis])]
    order = draw(permutations(parts))[: draw(integers(0, len(parts)))]
    dims: list[list[Span]] = [[] for _ in range(RANK)]
    for axis in order:
        dims[draw(integers(0, RANK - 1))].append(axis)
    return tuple(map(merged, dims))


@composite
def routes(draw: DrawFn, among: Sequence[int]) -> tuple[AxesPerDim, AxesPerDim, Sequence[int]]:
    sizes = draw(lists(sampled_from(among), min_size=1, max_size=4))
    extents = draw(lists(sampled_from((6, 64, 720)), min_size=RANK, max_size=RANK))
    return draw(shardings(sizes)), draw(shardings(sizes)), extents


def sharded_after(before: AxesPerDim, step: Step) -> AxesPerDim:
    """The axes of each dimension after `step`, from `before`. Checks that the step is valid."""
    match step:
        case AllSlice(axes):
            return tuple(merged([*old, *new]) for old, new in zip(before, axes, strict=True))
        case AllGather(axes, after):
            for old, gathered, left in zip(before, axes, after, strict=True):
                assert merged([*left, *gathered]) == old
            return after
        case AllToAll(axes, source, target, after):
            assert source != target
            assert merged([*after[source], *axes]) == before[source]
            expected = list(before)
            expected[source] = after[source]
            expected[target] = merged([*before[target], *axes])
            return tuple(expected)
        case CollectivePermute(after):
            assert [*map(size_of, before)] == [*map(size_of, after)]
            return after


def check(before: AxesPerDim, after: AxesPerDim, shape: Sequence[int], *, other_devices: bool = False) -> list[Step]:
    """Do all steps, one after the other, and look at every sharding on the way."""
    steps = list(Resharding.between(before, after, shape, other_devices=other_devices).steps())
    now = before
    for step in steps:
        now = sharded_after(now, step)
        assert now == step.after
        named = [axis for axes in now for axis in axes]
        assert not any(overlaps(a, b) or not can_coexist(a, b) for i, a in enumerate(named) for b in named[:i])
    assert now == after
    return steps


@given(routes((2, 4, 8)))
def test_powers_of_two(route: tuple[AxesPerDim, AxesPerDim, Sequence[int]]):
    """A slice, a permutation, all-to-alls and a gather, in this order, lead there; nothing is done twice."""
    steps = check(*route)
    order = (AllSlice, CollectivePermute, AllToAll, AllGather)
    kinds = [order.index(type(step)) for step in steps]
    assert kinds == sorted(kinds)
    assert all(kinds.count(kind) <= 1 for kind in kinds if order[kind] is not AllToAll)


@given(routes((2, 3, 4, 6, 12)))
def test_any_sizes(route: tuple[AxesPerDim, AxesPerDim, Sequence[int]]):
    check(*route)


@given(routes((2, 3, 4, 6)))
def test_other_devices(route: tuple[AxesPerDim, AxesPerDim, Sequence[int]]):
    """If the devices stand in another order, they are permuted, whatever else is done."""
    assert any(isinstance(step, CollectivePermute) for step in check(*route, other_devices=True))


@given(routes((2, 4, 6, 12)))
def test_nothing_to_do(route: tuple[AxesPerDim, AxesPerDim, Sequence[int]]):
    before, _, shape = route
    assert check(before, before, shape) == []


@given(routes((2, 4, 6, 12)))
def test_to_replicated_and_back(route: tuple[AxesPerDim, AxesPerDim, Sequence[int]]):
    """One collective in each direction, for all dimensions."""
    before, _, shape = route
    replicated: AxesPerDim = ((),) * RANK
    count = 1 if any(before) else 0
    assert [type(step) for step in check(before, replicated, shape)] == [AllGather] * count
    assert [type(step) for step in check(replicated, before, shape)] == [AllSlice] * count


def test_sliced_where_one_all_to_all_takes_it_along():
    """y goes with x to the last dimension, if the first one can be divided by both."""
    x, y = Span(0, 1, 2), Span(1, 1, 2)
    before, after = ((x,), (), ()), ((), (), (x, y))
    sliced, moved = AllSlice(((y,), (), ()), ((x, y), (), ())), AllToAll((x, y), 0, 2, ((), (), (x, y)))
    assert check(before, after, (4, 8, 8)) == [sliced, moved]
    assert [type(step) for step in check(before, after, (2, 8, 8))] == [AllSlice, CollectivePermute, AllToAll]


def test_all_to_all_instead_of_permutation():
    """One axis moves to another dimension."""
    x = Span(0, 1, 4)
    assert check(((x,), (), ()), ((), (x,), ()), (8, 8, 8)) == [AllToAll((x,), 0, 1, ((), (x,), ()))]


def test_permutation_instead_of_all_to_alls():
    """Two axes of one size change places."""
    x, y = Span(0, 1, 4), Span(1, 1, 4)
    assert check(((x,), (y,), ()), ((y,), (x,), ()), (8, 8, 8)) == [CollectivePermute(((y,), (x,), ()))]


def test_all_to_alls_in_the_order_that_spares_a_permutation():
    """x has to come before y, so it goes first, though y is in the first dimension."""
    x, y = Span(0, 1, 2), Span(1, 1, 2)
    steps = check(((y,), (x,), ()), ((), (), (x, y)), (8, 8, 8))
    assert steps == [AllToAll((x,), 1, 2, ((y,), (), (x,))), AllToAll((y,), 0, 2, ((), (), (x, y)))]


def test_no_permutation_where_sizes_do_not_divide():
    """A permutation must not change into how many parts a dimension is divided, which is 6 * 3, or 2 and 5."""
    x, y, z, w = Span(0, 1, 5), Span(1, 1, 2), Span(2, 1, 3), Span(3, 1, 6)
    check(((y,), (w, z), ()), ((w, x), (y,), ()), (5040, 512, 8))


def test_axes_that_no_splitting_has_both_of():
    """The axis of six devices cannot be split into 2 x 3 and into 3 x 2 at once: it is gathered first."""
    half, third = Span(0, 1, 2), Span(0, 1, 3)
    steps = check(((half,), (), ()), ((), (third,), ()), (6, 6, 6))
    assert [type(step) for step in steps] == [AllGather, AllSlice]


def test_permuted_only_to_shardings():
    """Of six devices, the halves may follow every second one, but not shard a tensor together with it."""
    halves, seconds, y = Span(0, 1, 2), Span(0, 3, 6), Span(1, 1, 2)
    after: AxesPerDim = (halves,), (), ()
    steps = check(((y, seconds), (), ()), after, (4, 4, 4))
    assert [type(step) for step in steps] == [AllGather, AllSlice]
    assert check(((seconds,), (), ()), after, (4, 4, 4)) == [CollectivePermute(after)]


def test_cut():
    whole = Span(0, 1, 12)
    assert list(cut(whole, [Span(0, 2, 6), Span(1, 1, 3)])) == [Span(0, 1, 2), Span(0, 2, 6), Span(0, 6, 12)]
    assert list(cut(Span(0, 2, 6), [whole])) == [Span(0, 2, 6)]
    assert list(cut(Span(0, 1, 4), [Span(0, 1, 6)])) == [Span(0, 1, 4)]  # 4 and 6: neither divides the other


@given(integers(2, 24), integers(1, 48))
def test_fit(size: int, capacity: int):
    """The fitting part and the rest make up the axis; the fitting part divides the capacity."""
    fitting = fit(Span(0, 1, size), capacity)
    if fitting is None:
        assert capacity == 1 or (size % capacity and capacity % size)
        return
    part, rest = fitting
    assert part.size <= capacity and capacity % part.size == 0
    assert prod(axis.size for axis in (part, *(() if rest is None else (rest,)))) == size
