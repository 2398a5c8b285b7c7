"""Piecewise linear functions of one integer that is known at run time only: exact, at all values of its type."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, TypeVar

A = TypeVar("A", bound=Hashable)
T = TypeVar("T")


class Line(NamedTuple):
    """`slope * a + constant` for `a` in `[first, last]`."""

    first: int
    last: int
    slope: int
    constant: int

    def at(self, a: int) -> int:
        return self.slope * a + self.constant

    @property
    def ends(self) -> tuple[int, int]:
        """The values at both ends: its least and greatest one, in some order."""
        return self.at(self.first), self.at(self.last)


@dataclass(frozen=True, slots=True)
class Function:
    """Lines one after another. Truths are 1 and 0. Build one with `function`, so that equal ones are mostly alike."""

    lines: tuple[Line, ...]

    @property
    def least(self) -> int:
        return min(min(line.ends) for line in self.lines)

    @property
    def greatest(self) -> int:
        return max(max(line.ends) for line in self.lines)


Operand: TypeAlias = Function | int
"""A function, or a number: that at all integers of the other operands."""


def function(lines: Iterable[Line]) -> Function:
    """The function of lines that continue each other; those that are on one line are joined."""
    done = list[Line]()
    for line in lines:
        if line.first > line.last:
            continue
        if line.first == line.last:
            line = Line(line.first, line.last, 0, line.at(line.first))
        before = done[-1] if done else None
        if before is None:
            done.append(line)
        elif before[2:] == line[2:] or (line.first == line.last and before.at(line.first) == line.constant):
            done[-1] = before._replace(last=line.last)
        elif before.first == before.last and line.at(before.first) == before.constant:
            done[-1] = line._replace(first=before.first)
        else:
            done.append(line)
    return Function(tuple(done))


def on_devices(rule: Callable[[A], T], values: Iterable[A]) -> tuple[T, ...]:
    """`rule` of the value of each device, once for equal ones: most devices have that of another one."""
    done, results = dict[A, T](), list[T]()
    for value in values:
        if value not in done:
            done[value] = rule(value)
        results.append(done[value])
    return tuple(results)


def identity(least: int, greatest: int) -> Function:
    """`a`, of the integers of a type."""
    return Function((Line(least, greatest, 1, 0),))


def everything(like: Function) -> Function:
    """`a`, of the same integers as `like`."""
    return identity(like.lines[0].first, like.lines[-1].last)


def everywhere(value: int, like: Function) -> Function:
    """One value, at the same integers as `like`."""
    return Function((Line(like.lines[0].first, like.lines[-1].last, 0, value),))


def together(*operands: Operand) -> Iterator[tuple[Line, ...]]:
    """The lines of several functions of the same integers, at least one no number, cut at the ends of each other."""
    like = next(f for f in operands if isinstance(f, Function))
    functions = [f if isinstance(f, Function) else everywhere(f, like) for f in operands]
    places = [0] * len(functions)
    first, end = like.lines[0].first, like.lines[-1].last
    while first <= end:
        here = [f.lines[place] for f, place in zip(functions, places, strict=True)]
        last = min(line.last for line in here)
        yield tuple(line._replace(first=first, last=last) for line in here)
        places = [place + (line.last == last) for line, place in zip(here, places, strict=True)]
        first = last + 1


def added(f: Operand, g: Operand, factor: int = 1) -> Function:
    """`f + factor * g`, that does not wrap around."""
    return function(
        Line(x.first, x.last, x.slope + factor * y.slope, x.constant + factor * y.constant) for x, y in together(f, g)
    )


def less(f: Operand, g: Operand) -> Function:
    """1 where `f < g`."""
    return function(line for x, y in together(f, g) for line in _negative(x, y.slope, y.constant))


def _negative(line: Line, slope: int, constant: int) -> Iterator[Line]:
    """1 where a line is below another one, 0 elsewhere: cut where they meet."""
    first, last = line.first, line.last
    slope, constant = line.slope - slope, line.constant - constant
    if slope == 0:
        yield Line(first, last, 0, int(constant < 0))
    elif slope > 0:  # negative before the first `a` with `slope * a + constant >= 0`
        cut = min(max(-(constant // slope), first), last + 1)
        yield Line(first, cut - 1, 0, 1)
        yield Line(cut, last, 0, 0)
    else:
        cut = min(max(constant // -slope + 1, first), last + 1)
        yield Line(first, cut - 1, 0, 0)
        yield Line(cut, last, 0, 1)


def chosen(truth: Function, f: Operand, g: Operand) -> Function:
    """`f` where `truth`, `g` elsewhere."""
    return function(x if t.constant else y for t, x, y in together(truth, f, g))


def smaller(f: Operand, g: Operand) -> Function:
    return chosen(less(f, g), f, g)


def larger(f: Operand, g: Operand) -> Function:
    return chosen(less(f, g), g, f)


def inverted(truth: Function) -> Function:
    return added(1, truth, -1)


def equal(f: Operand, g: Operand) -> Function:
    """1 where `f == g`."""
    return inverted(larger(less(f, g), less(g, f)))


def is_always(truth: Function) -> bool:
    return all(line.constant == 1 for line in truth.lines)


def wrapped(f: Function, least: int, greatest: int) -> Function | None:
    """`f` in the integers of a type, which wrap around; None if that is many lines."""
    lines, count = list[Line](), greatest - least + 1
    for line in f.lines:
        low, high = sorted(line.ends)
        first_turn, last_turn = (low - least) // count, (high - least) // count
        if (abs(line.slope) > 1 and first_turn != last_turn) or last_turn - first_turn > 2:
            return None
        for turn in range(first_turn, last_turn + 1) if line.slope >= 0 else range(last_turn, first_turn - 1, -1):
            shift = turn * count
            first, last = line.first, line.last
            if first_turn != last_turn:
                ends = sorted(
                    ((least + shift - line.constant) * line.slope, (greatest + shift - line.constant) * line.slope)
                )
                first, last = max(first, ends[0]), min(last, ends[1])
            lines.append(Line(first, last, line.slope, line.constant - shift))
    return function(lines)
