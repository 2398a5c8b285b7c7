"""
Exchanges of elements along one dimension: which parts send what to which parts, and how much that is.

Plain integers, without IR. Elements of the dimension are numbered; each part stores a run of them, and reads another
one. Parts send only what others read, in rounds. In a round, each part sends one message at most, receives one at most,
and all messages have the same size; so some have more elements than their receiver reads.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from xshardy.transforms.sdy_partition.exchange.runs import Runs

MAX_ROUNDS = 16
"""The most rounds of an exchange. With more, the time that each takes to start counts more than its elements."""


@dataclass(frozen=True, slots=True)
class Round:
    """Messages of `size` elements; parts are numbered along the dimension."""

    pairs: tuple[tuple[int, int], ...]
    """The source and the target of each message."""
    size: int
    starts: tuple[int, ...]
    """For each part, where its message begins in what it stores; any place if it sends none."""
    positions: tuple[int, ...]
    """For each part, where the message for it goes in what it reads; behind that if it receives none."""

    @property
    def is_local(self) -> bool:
        """Whether each part only sends to itself."""
        return all(source == target for source, target in self.pairs)


@dataclass(frozen=True, slots=True)
class Exchange:
    """
    The rounds that fill what each part reads, in order.

    A message can have elements behind those that its source stores; they go to places that later rounds fill, or that
    are behind all elements.
    """

    rounds: tuple[Round, ...]
    length: int
    """The number of elements that a part reads."""

    @property
    def sent(self) -> int:
        """The number of elements that a part sends at most, and receives."""
        return sum(each.size for each in self.rounds if not each.is_local)

    @property
    def rounds_sent(self) -> int:
        return sum(not each.is_local for each in self.rounds)

    @property
    def margins(self) -> tuple[int, int]:
        """How many elements messages reach at most before and behind what a part reads."""
        before = max((-position for each in self.rounds for position in each.positions), default=0)
        return max(before, 0), max((each.size for each in self.rounds), default=0)


class _Message(NamedTuple):
    source: int
    target: int
    start: int
    """Its first element in what the source stores."""
    position: int
    """Where that goes in what the target reads."""
    size: int


def _messages(stored: Runs, read: Runs, period: int | None) -> Iterator[_Message]:
    """With a `period`, elements have numbers modulo it."""
    for target, (start, needed) in enumerate(zip(read.starts, read.counts, strict=True)):
        for source, (run, count) in enumerate(zip(stored.starts, stored.counts, strict=True)):
            for first in (run,) if period is None else (run, run + period):
                low, high = max(start, first), min(start + needed, first + count)
                if low < high:
                    yield _Message(source, target, low - first, low - start, high - low)


def _in_rounds(
    stored: Runs, read: Runs, messages: Iterable[_Message], key: Callable[[_Message], tuple[int, ...]]
) -> Exchange:
    """
    The exchange in which one round has all messages of one `key`, the largest key first.

    Where messages of a round differ in size, those to a target must come in the order of its elements.
    """
    by_key: dict[tuple[int, ...], list[_Message]] = {}
    for message in messages:
        by_key.setdefault(key(message), []).append(message)
    rounds: list[Round] = []
    for _, together in sorted(by_key.items(), reverse=True):
        size = max(message.size for message in together)
        starts, positions = [0] * len(stored.starts), [read.length] * len(read.starts)
        for message in together:
            starts[message.source] = min(message.start, stored.length - size)
            positions[message.target] = message.position + starts[message.source] - message.start
        pairs = tuple((message.source, message.target) for message in together)
        rounds.append(Round(pairs, size, tuple(starts), tuple(positions)))
    return Exchange(tuple(rounds), read.length)


def exchange(stored: Runs, read: Runs) -> Exchange:
    """The exchange that sends the fewest elements: between neighbours, or between opposite parts."""
    last, messages = len(read.starts) - 1, [*_messages(stored, read, None)]
    candidates = (
        _in_rounds(stored, read, messages, lambda message: (message.target - message.source,)),
        _in_rounds(stored, read, messages, lambda message: (last - message.target - message.source,)),
    )
    return min(candidates, key=lambda each: (each.sent, each.rounds_sent))


def rotation(stored: Runs, read: Runs, period: int) -> Exchange | None:
    """
    The exchange if what parts read goes on with the first of `period` elements after the last one.

    None if a part would need two messages from another one in a round.
    """
    parts, messages = len(read.starts), [*_messages(stored, read, period)]
    if len({(message.source, message.target) for message in messages}) < len(messages):
        return None
    return _in_rounds(stored, read, messages, lambda message: ((message.target - message.source) % parts, message.size))


@dataclass(frozen=True, slots=True)
class ExchangeStep:
    """One dimension of an exchange: the number of its parts, and what is exchanged along it."""

    dim: int
    parts: int
    exchanges: tuple[Exchange, ...]
    """One; of a concatenation, one for each operand."""


def elements_sent(shape: Sequence[int], steps: Sequence[ExchangeStep]) -> int:
    """
    How many elements a device receives, if it exchanges along one dimension after another.

    `shape` is that of its part. After a step, the dimension is as large as what it reads.
    """
    shape, total = [*shape], 0
    for step in steps:
        rows = prod(extent for dim, extent in enumerate(shape) if dim != step.dim)
        total += rows * sum(each.sent for each in step.exchanges)
        shape[step.dim] = step.exchanges[0].length
    return total


def elements_gathered(shape: Sequence[int], steps: Sequence[ExchangeStep]) -> int:
    """How many elements a device receives, if it gets the dimensions of `steps` whole."""
    parts = prod(step.parts for step in steps)
    return prod(shape) * (parts - 1)


def elements_turned(shape: Sequence[int], parts: int) -> int:
    """
    How many elements a device receives if all-to-alls divide another dimension in `parts`, and then the same again.

    `shape` is that of its part, before and after.
    """
    return 2 * prod(shape) * (parts - 1) // parts


def why_gather(shape: Sequence[int], steps: Sequence[ExchangeStep]) -> str | None:
    """
    Why a gather of parts of `shape` is better than an exchange.

    None if the exchange moves fewer elements, in a few rounds, or as many in one.
    """
    rounds = sum(each.rounds_sent for step in steps for each in step.exchanges)
    if rounds > MAX_ROUNDS:
        return f"an exchange takes {rounds} rounds, more than {MAX_ROUNDS}"
    sent, gathered = elements_sent(shape, steps), elements_gathered(shape, steps)
    if sent < gathered or (sent == gathered and rounds <= 1):
        return None
    return f"an exchange sends {sent} elements to each device in {rounds} rounds, a gather {gathered}"
