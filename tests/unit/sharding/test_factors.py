"""Projection to factors and back, against brute force: which device has which elements of a dimension."""

from itertools import product
from math import prod

from hypothesis import given
from hypothesis import strategies as st

from xshardy.axes.spans import Axes, Span, size_of
from xshardy.sharding.factor_rule import FactorRule
from xshardy.sharding.factors import TensorFactors, project, unproject
from xshardy.sharding.interning import DimSharding, Sharding

SIZES = (4, 2, 3, 6)
"""The sizes of the axes of the mesh."""


@st.composite
def lists_of_axes(draw: st.DrawFn) -> Axes:
    """Axes of the mesh in any order, some of them split; neighbouring parts of one axis are one part."""
    axes: list[Span] = []
    for number in draw(st.permutations(range(len(SIZES))))[: draw(st.integers(0, len(SIZES)))]:
        divisors = [size for size in range(1, SIZES[number] + 1) if SIZES[number] % size == 0]
        start = draw(st.sampled_from(divisors[:-1]))
        end = draw(st.sampled_from([size for size in divisors if size > start and size % start == 0]))
        axes.append(Span(number, start, end))
    return tuple(axes)


FACTOR_SIZES = st.lists(st.sampled_from([1, 2, 3, 4, 5, 6, 8, 12]), min_size=1, max_size=4)


def digit(device: tuple[int, ...], axes: Axes) -> int:
    """The part of a dimension sharded along `axes` that a device has, given its coordinates in the mesh."""
    number = 0
    for axis in axes:
        number = number * axis.size + device[axis.axis] // (SIZES[axis.axis] // axis.end) % axis.size
    return number


@given(lists_of_axes(), FACTOR_SIZES, st.booleans())
def test_there_and_back(axes: Axes, sizes: list[int], is_closed: bool):
    mapping = (tuple(range(len(sizes))),)
    sharding = Sharding(0, (DimSharding(axes, is_closed, priority=3),), replicated=(Span(0, 1, 2),))
    back = unproject(project(mapping, sharding, sizes), mapping, sizes, 0)
    closed = is_closed or any(f.overflow for f in project(mapping, sharding, sizes).factors.values())
    assert back.dims[0].axes == axes
    assert back.dims[0].priority is None
    assert back.dims[0].is_closed in (is_closed, closed)
    assert back.replicated == sharding.replicated


@given(lists_of_axes(), FACTOR_SIZES)
def test_factors_give_each_device_the_same_elements(axes: Axes, sizes: list[int]):
    """Where all is divisible and nothing overflows, a device has an element if it has its digit in each factor."""
    mapping = (tuple(range(len(sizes))),)
    factors = project(mapping, Sharding(0, (DimSharding(axes, False),)), sizes).factors
    extent, parts = prod(sizes), size_of(axes)
    if extent % parts or any(sizes[f] % size_of(s.axes) or s.overflow for f, s in factors.items()):
        return
    for device in product(*map(range, SIZES)):
        for element, digits in enumerate(product(*map(range, sizes))):
            by_factor = all(
                digits[f] // (sizes[f] // size_of(s.axes)) == digit(device, s.axes) for f, s in factors.items()
            )
            assert by_factor == (element // (extent // parts) == digit(device, axes))


@given(lists_of_axes(), FACTOR_SIZES)
def test_all_but_the_minor_most_factor_are_divisible(axes: Axes, sizes: list[int]):
    mapping = (tuple(range(len(sizes))),)
    factors = project(mapping, Sharding(0, (DimSharding(axes, False),)), sizes).factors
    behind = False
    for factor, sharding in factors.items():
        assert sharding.is_minor_most == (factor == len(sizes) - 1)
        if behind:
            assert sharding.is_closed and not sharding.axes, "nothing comes behind what overflows"
        elif not sharding.is_minor_most:
            assert sizes[factor] % size_of(sharding.axes) == 0
        behind |= bool(sharding.overflow)


def test_an_axis_is_split_where_a_factor_is_full():
    mapping = ((0, 1),)
    factors = project(mapping, Sharding(0, (DimSharding((Span(0, 1, 4), Span(1, 1, 2)), False),)), (2, 8)).factors
    assert factors[0].axes == (Span(0, 1, 2),)
    assert factors[1].axes == (Span(0, 2, 4), Span(1, 1, 2))


def test_axes_overflow_a_factor_without_a_common_divisor():
    mapping = ((0, 1),)
    factors = project(mapping, Sharding(0, (DimSharding((Span(1, 1, 2), Span(2, 1, 3)), False),)), (4, 6)).factors
    assert (factors[0].axes, factors[0].overflow) == ((Span(1, 1, 2),), (Span(2, 1, 3),))
    assert factors[1].is_closed and not factors[1].axes


def test_a_tensor_without_a_sharding_is_open():
    factors = project(((0,), (1, 2)), None, (2, 3, 4)).factors
    assert all(not sharding.axes and not sharding.is_closed for sharding in factors.values())
    assert [factors[factor].is_minor_most for factor in (0, 1, 2)] == [True, False, True]


def test_axes_minor_to_a_partial_factor_are_left_out():
    tensor = project(((0, 1),), None, (4, 6))
    tensor.expand(1, (Span(1, 1, 2),))
    assert tensor.is_expanded
    assert unproject(tensor, ((0, 1),), (4, 6), 0) == Sharding(0, (DimSharding((), False),))


def test_only_axes_that_extend_a_factor_expand_it():
    tensor = TensorFactors(project(((0,),), Sharding(0, (DimSharding((Span(0, 1, 2),), False),)), (8,)).factors)
    tensor.expand(0, (Span(1, 1, 2),))
    tensor.expand(7, (Span(0, 1, 4),))
    assert not tensor.is_expanded
    tensor.expand(0, (Span(0, 1, 4), Span(1, 1, 2)))
    assert tensor.is_expanded and tensor.factors[0].axes == (Span(0, 1, 4), Span(1, 1, 2))


def test_identity_rule():
    assert FactorRule.identity((2, 3), 2) == FactorRule((2, 3), (((0,), (1,)),) * 2, (((0,), (1,)),))
