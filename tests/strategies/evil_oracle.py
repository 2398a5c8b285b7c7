"""
Answers that are wrong: an oracle of a kernel that answers with other terms, other indices and other orders.

Among them are those of the search, so that a proof goes on where they are accepted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np
from xdsl.ir import Operation as IROperation

from xshardy.proving.index import Digit, Index, canonical, number, whole
from xshardy.proving.kernel import Match, Universe
from xshardy.proving.program import Branched, Maps, Repeated
from xshardy.proving.relations import BySharding
from xshardy.proving.search import Search
from xshardy.proving.sources import Operation, Source, Term
from xshardy.proving.views import Box, Piece, View


def spoiled(index: Index, sizes: Sequence[int], devices: int, random: Random) -> Index:
    """Another index, mostly a little so."""
    digits = [*index.digits]
    match random.randrange(8):
        case 0:
            return index.plus(random.choice([-1, 1, 2]))
        case 1:
            return index.plus(np.array([random.choice([0, 0, 1, -1]) for _ in range(devices)], np.int64))
        case 2 if digits:
            digits.pop(random.randrange(len(digits)))
        case 3 if digits:
            place = random.randrange(len(digits))
            stride, dim, div, mod = digits[place]
            choices = [
                Digit(-stride, dim, div, mod),
                Digit(stride * 2, dim, div, mod),
                Digit(stride, dim, div, max(mod // 2, 2)),
                Digit(stride, dim, div * 2, mod),
                Digit(stride, random.randrange(len(sizes)), div, mod),
                Digit(stride, dim, div, -mod),
                Digit(stride, dim, 0, mod),
            ]
            digits[place] = random.choice(choices)
        case 4 if sizes:
            dim = random.randrange(len(sizes))
            return whole(dim, sizes[dim])
        case 5:
            return number(random.randrange(4))
        case 6:
            return number(np.array([random.randrange(4) for _ in range(devices)], np.int64))
        case _ if sizes:
            dim = random.randrange(len(sizes))
            digits.append(Digit(random.choice([-2, -1, 1, 2]), dim, 1, max(sizes[dim], 2)))
        case _:
            pass
    return Index(index.offset, canonical(digits) if random.random() < 0.8 else tuple(digits))


@dataclass
class Evil:
    """`Answers` that are wrong at random; `trust` is the probability of those of the search."""

    random: Random
    devices: int
    trust: float
    universe: Universe = field(default_factory=Universe)

    def oracle(self, universe: Universe) -> "Evil":
        """Itself, about `universe`."""
        self.universe, self._search = universe, Search(universe)
        return self

    def relations(self) -> "Evil":
        """Itself."""
        return self

    def matches(self, operation: Operation, reads: Sequence[Piece], box: Box) -> Iterator[Match]:
        """Wrong ones, then those of the search."""
        right = [*self._search.matches(operation, reads, box)]
        terms = [term for term in self.universe.terms if term.operation.name == operation.name]
        for _ in range(self.random.randrange(4)):
            if right and self.random.random() < 0.7:
                known = self.random.choice(right)
                term, at = known.term, [*known.at]
            elif terms:
                term = self.random.choice(terms[-6:])
                at = [whole(min(dim, len(operation.sizes) - 1), size) for dim, size in enumerate(term.operation.sizes)]
                if not operation.sizes:
                    at = [number(0) for _ in at]
            else:
                continue
            for _ in range(self.random.randrange(3) if at else 0):
                place = self.random.randrange(len(at))
                at[place] = spoiled(at[place], operation.sizes, len(box.here), self.random)
            if self.random.random() < 0.2:
                self.random.shuffle(at)
            yield Match(term, tuple(at), self.random.random() < 0.3)
        if self.random.random() < self.trust:
            yield from right

    def added(self, term: Term) -> None:
        """Known to the search."""
        self._search.added(term)

    def assembled(self, view: View, devices: int) -> tuple[Source, tuple[Index, ...]] | None:
        """A wrong one, or that of the search."""
        right = self._search.assembled(view, devices)
        if self.random.random() < self.trust or not self.universe.assembled:
            return right
        source, defined = self.random.choice(self.universe.assembled)
        at = [*right[1]] if right is not None and right[0] is source else [number(0) for _ in defined.shape]
        at = [spoiled(index, view.shape, devices, self.random) for index in at]
        return source, tuple(at)

    def of_loop(self, loop: Repeated, op: IROperation, shapes: Sequence[tuple[int, ...]], attempt: int) -> Maps | None:
        """Wrong ones in the first attempts."""
        return self._maps(BySharding(self.devices).of_loop(loop, op, shapes, 0), shapes, attempt == 2)

    def of_branch(self, branched: Branched, op: IROperation, shapes: Sequence[tuple[int, ...]]) -> Maps | None:
        """A wrong one, or that of the shardings."""
        return self._maps(BySharding(self.devices).of_branch(branched, op, shapes), shapes, False)

    def _maps(self, right: Maps | None, shapes: Sequence[tuple[int, ...]], is_last: bool) -> Maps | None:
        if right is None or self.random.random() < (1 if is_last else self.trust / 2):
            return right
        return [
            tuple(
                spoiled(index, shape, self.devices, self.random) if self.random.random() < 0.3 else index
                for index in at
            )
            for at, shape in zip(right, shapes, strict=True)
        ]
