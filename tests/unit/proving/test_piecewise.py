"""Piecewise linear functions of an integer, against their values at all integers of a small type."""

from collections.abc import Callable, Sequence

from hypothesis import given
from hypothesis.strategies import DrawFn, composite, integers, sampled_from

from xshardy.proving.rules import piecewise
from xshardy.proving.rules.piecewise import Function

LEAST, GREATEST = -16, 15
Values = Sequence[int]


def values(f: Function) -> list[int]:
    """The values at all integers of the type."""
    return [line.at(a) for line in f.lines for a in range(line.first, line.last + 1)]


def wrap(value: int) -> int:
    return (value - LEAST) % (GREATEST - LEAST + 1) + LEAST


OPERATIONS: Sequence[tuple[Callable[[Function, Function], Function | None], Callable[[int, int], int]]] = (
    (lambda f, g: piecewise.wrapped(piecewise.added(f, g), LEAST, GREATEST), lambda x, y: wrap(x + y)),
    (lambda f, g: piecewise.wrapped(piecewise.added(f, g, -1), LEAST, GREATEST), lambda x, y: wrap(x - y)),
    (piecewise.smaller, min),
    (piecewise.larger, max),
    (piecewise.less, lambda x, y: int(x < y)),
    (piecewise.equal, lambda x, y: int(x == y)),
    (
        lambda f, g: piecewise.chosen(piecewise.less(f, g), g, piecewise.added(0, f, -1)),
        lambda x, y: y if x < y else -x,
    ),
)


@composite
def functions(draw: DrawFn) -> tuple[Function, list[int]]:
    """A function that some operations make, and its values."""
    made = [(piecewise.identity(LEAST, GREATEST), [*range(LEAST, GREATEST + 1)])]
    for _ in range(draw(integers(0, 5))):
        number = draw(integers(LEAST, GREATEST))
        other = draw(sampled_from([*made, (piecewise.everywhere(number, made[0][0]), [number] * len(made[0][1]))]))
        rule, expected = draw(sampled_from(OPERATIONS))
        result = rule(made[-1][0], other[0])
        if result is not None:
            made.append((result, [expected(x, y) for x, y in zip(made[-1][1], other[1], strict=True)]))
    return made[-1]


@given(made=functions())
def test_operations_compute_all_values(made: tuple[Function, list[int]]):
    f, expected = made
    assert values(f) == expected
    assert (f.least, f.greatest) == (min(expected), max(expected))
    assert piecewise.is_always(piecewise.equal(f, f))


@given(made=functions(), other=functions())
def test_equal_is_always_true_of_equal_values_only(made: tuple[Function, list[int]], other: tuple[Function, list[int]]):
    assert piecewise.is_always(piecewise.equal(made[0], other[0])) == (made[1] == other[1])


def test_conversion_of_what_does_not_fit_wraps_around():
    doubled = piecewise.added(piecewise.identity(LEAST, GREATEST), piecewise.identity(LEAST, GREATEST))
    assert piecewise.wrapped(doubled, LEAST, GREATEST) is None
    assert piecewise.wrapped(doubled, 2 * LEAST, 2 * GREATEST) == doubled
