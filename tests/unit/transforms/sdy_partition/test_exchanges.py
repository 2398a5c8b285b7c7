"""Plans of exchanges, against brute force: every part gets what it reads."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from xshardy.transforms.sdy_partition.exchange.exchanges import (
    MAX_ROUNDS,
    Exchange,
    ExchangeStep,
    elements_gathered,
    elements_sent,
    exchange,
    why_gather,
)
from xshardy.transforms.sdy_partition.exchange.neighbours import Neighbours, Reads, neighbours
from xshardy.transforms.sdy_partition.exchange.readings import dilated_windows
from xshardy.transforms.sdy_partition.exchange.runs import Runs, runs, windows

PADDING = -1
"""Stands for what a part stores behind its elements."""


def executed(plan: Exchange, stored: Runs) -> list[list[int | None]]:
    """What each part reads; None where no message goes."""
    own = [
        [start + i if i < count else PADDING for i in range(stored.length)]
        for start, count in zip(stored.starts, stored.counts, strict=True)
    ]
    before, behind = plan.margins
    read: list[list[int | None]] = [[None] * (before + plan.length + behind) for _ in own]
    for each in plan.rounds:
        for column in zip(*each.pairs, strict=True):
            assert len({*column}) == len(column), "a part sends and receives one message in a round"
        received = {target: own[source][each.starts[source] :][: each.size] for source, target in each.pairs}
        for part, place in enumerate(each.positions):
            message = received.get(part, [0] * each.size)
            assert len(message) == each.size and 0 <= before + place <= len(read[part]) - each.size
            read[part][before + place : before + place + each.size] = message
    return [of_part[before : before + plan.length] for of_part in read]


def check(plan: Exchange, stored: Runs, read: Runs) -> None:
    elements = {start + i for start, count in zip(stored.starts, stored.counts, strict=True) for i in range(count)}
    for start, needed, found in zip(read.starts, read.counts, executed(plan, stored), strict=True):
        for i, element in enumerate(found[:needed]):
            if start + i in elements:
                assert element == start + i
            elif start + i < 0:
                assert element is None, "what is before all elements stays as it was"
            else:
                assert element in (None, PADDING)


@settings(deadline=None, max_examples=60)
@given(
    extent=st.integers(1, 24),
    parts=st.integers(1, 7),
    step=st.integers(-9, 12),
    first=st.integers(-12, 24),
    length=st.integers(0, 14),
)
def test_windows_of_a_dimension(extent: int, parts: int, step: int, first: int, length: int):
    stored = runs([extent], [parts])
    assert stored is not None
    read = windows(parts, step, first, length)
    check(exchange(stored, read), stored, read)


@given(rows=st.integers(1, 4), columns=st.integers(1, 9), parts=st.integers(1, 4))
def test_runs_of_rows(rows: int, columns: int, parts: int):
    """Rows are parts of their own, and so are equal pieces of each: a reshape from or to one dimension."""
    of_rows, of_all = runs([rows, columns], [rows, parts]), runs([rows * columns], [rows * parts])
    assert of_rows is not None and of_all is not None
    check(exchange(of_rows, of_all), of_rows, of_all)
    check(exchange(of_all, of_rows), of_all, of_rows)


def test_parts_that_are_not_consecutive():
    assert runs([4, 4], [2, 2]) is None
    assert runs([4, 4], [4, 2]) is not None


def sent(extent: int, parts: int, read: Runs) -> int:
    stored = runs([extent], [parts])
    assert stored is not None
    return exchange(stored, read).sent


def test_only_needed_elements_are_sent():
    assert sent(64, 4, windows(4, 16, 1, 16)) == 1  # a slice from the second element on
    assert sent(64, 4, windows(4, 16, -1, 18)) == 2  # one element on either side
    assert sent(64, 4, windows(4, 16, 0, 16)) == 0
    assert sent(64, 4, windows(4, -16, 48, 16)) == 16  # opposite parts


def test_elements_that_are_not_needed_are_not_sent():
    """A slice of the first element of four parts: only the first part of the result has an element."""
    assert sent(64, 4, dilated_windows(4, 1, 0, 1).read) == 3
    assert sent(64, 4, dilated_windows(4, 1, 0, 1, limit=1).read) == 0


def test_a_reverse_is_one_round():
    stored = runs([64], [4])
    assert stored is not None
    assert exchange(stored, windows(4, -16, 48, 16)).rounds_sent == 1


def costs(shape: Sequence[int], steps: Sequence[ExchangeStep]) -> tuple[int, int]:
    return elements_sent(shape, steps), elements_gathered(shape, steps)


def test_costs():
    """A halo of one element on either side of 16 x 16 elements, along one dimension, then the other."""
    stored = runs([64], [4])
    assert stored is not None
    halo = exchange(stored, windows(4, 16, -1, 18))
    one, both = [ExchangeStep(0, 4, (halo,))], [ExchangeStep(0, 4, (halo,)), ExchangeStep(1, 4, (halo,))]
    assert costs([16, 16], one) == (2 * 16, 3 * 256)
    assert costs([16, 16], both) == (2 * 16 + 2 * 18, 15 * 256)
    assert why_gather([16, 16], both) is None


def test_a_gather_is_taken_where_an_exchange_saves_nothing():
    stored = runs([4], [4])
    assert stored is not None
    everything = exchange(stored, windows(4, 0, 0, 4))
    why = "an exchange sends 5 elements to each device in 5 rounds, a gather 3"
    assert why_gather([1], [ExchangeStep(0, 4, (everything,))]) == why


def test_many_rounds_are_not_worth_it():
    stored = runs([64], [64])
    assert stored is not None
    rounds = ExchangeStep(0, 64, (exchange(stored, windows(64, 0, 0, 32)),))
    assert why_gather([1], [rounds]) == f"an exchange takes 94 rounds, more than {MAX_ROUNDS}"


def test_neighbours():
    assert neighbours(8, 2, Reads(4)) == Neighbours(0, 0, are_needed=False)
    assert neighbours(8, 2, Reads(2, low=-1)) == Neighbours(1, 0, are_needed=True)
    assert neighbours(4, 4, Reads(2, low=-3)).are_near(4) is False
    assert neighbours(3, 2, Reads(4, dilation=3)) == Neighbours(1, 1, are_needed=True)
