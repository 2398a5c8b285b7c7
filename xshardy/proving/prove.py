"""The decision: both programs are read into one universe, and results compared with the parts that they should be."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from xdsl.ir import Operation as IROperation

from xshardy.axes.grid import Grid
from xshardy.dialects.declared_grid import declared_grid
from xshardy.programs.distributed_tensor import DistributedTensor
from xshardy.proving.boundary import part_numbers, part_of
from xshardy.proving.kernel import Answer, Kernel, Oracle, OutOfSteps, Undecided, Universe
from xshardy.proving.pair import Pair
from xshardy.proving.program import Reading, Relations
from xshardy.proving.relations import BySharding
from xshardy.proving.rules.collectives import Reducer, by_device
from xshardy.proving.search import Search
from xshardy.proving.summands import KINDS, count_of, ranks_of, summand, summed
from xshardy.proving.views import View


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a pair is proved; if not, where the relation between the programs ends."""

    unrelated: Sequence[int]
    """The numbers of the results that are not shown to be the parts that they should be."""
    frontier: Sequence[tuple[IROperation, str]]
    """Operations of a device with related operands and another result, and why."""
    related: int
    """How many operations of a device are related to the whole program."""
    journal: Sequence[Answer]
    """The answers that the kernel accepted."""
    assumptions: Sequence[str]
    """What is taken to hold beside the programs."""
    given_up: IROperation | None = None
    """The operation of one of the programs at which the budget was spent."""

    @property
    def is_proved(self) -> bool:
        return not self.unrelated


class Answers(Protocol):
    """Where the answers come from, if not from a search."""

    def oracle(self, universe: Universe) -> "Oracle":
        """The oracle about the terms of this universe."""
        ...

    def relations(self) -> Relations:
        """The oracle about loops and branches."""
        ...


@dataclass(frozen=True, slots=True)
class Kept:
    """By operation of each program, the views that its results are; of the main function, its arguments."""

    whole: dict[IROperation, Sequence[View]] = field(default_factory=dict[IROperation, Sequence[View]])
    local: dict[IROperation, Sequence[View]] = field(default_factory=dict[IROperation, Sequence[View]])


def decide(pair: Pair, answers: Answers | None = None, kept: Kept | None = None, budget: int | None = None) -> Decision:
    """
    Decide `pair` by the answers of a search, or by given ones; `kept` is filled with what is read.

    Whatever they are, a pair that does not hold is not proved. After `budget` steps the decision is given up.
    """
    universe = Universe(budget)
    oracle = Search(universe) if answers is None else answers.oracle(universe)
    relations = BySharding(pair.devices) if answers is None else answers.relations()
    grid = declared_grid(pair.local)
    grid = grid if grid.size == pair.devices else Grid(1, pair.devices)
    kernel = Kernel(universe, oracle, pair.devices, False, grid)
    reader = kernel if pair.are_of_devices else Kernel(universe, oracle, 1, True, Grid(1, 1))
    whole_main, local_main = pair.functions
    given, parts = list[View](), list[View]()
    for index, tensor in enumerate(pair.arguments):
        if pair.are_of_devices:
            one = other = kernel.opaque(f"argument{index}", tensor.shape)
            universe.written.update(piece.source for piece in one.pieces)
        else:
            one, other = _argument(reader, kernel, tensor, index)
        given.append(one)
        parts.append(other)
    views = (None, None) if kept is None else (kept.whole, kept.local)
    reading = Reading(reader, pair.whole, relations, views=views[0])
    local = Reading(kernel, pair.local, relations, reading, views=views[1])
    try:
        results = reading.block(whole_main.body.block, given, {})
        expected = [_part(reader, view, tensor) for view, tensor in zip(results, pair.results, strict=True)]
        universe.written.update(term for term in universe.terms if term.is_local)
        found = local.block(local_main.body.block, parts, {})
        unrelated = _unrelated(kernel, pair, expected, found)
    except OutOfSteps:
        return Decision(range(len(pair.results)), local.frontier, local.related, (), (), local.at or reading.at)
    if kept is not None:
        kept.whole[whole_main], kept.local[local_main] = given, parts
    return Decision(unrelated, local.frontier, local.related, universe.journal, sorted(universe.assumptions))


def _part(reader: Kernel, view: View, tensor: DistributedTensor) -> View | None:
    """The part that each device should have of a result; None if it is no view of it."""
    for is_named in (False, True):
        try:
            return part_of(reader.single(view, is_named) if is_named else view, tensor)
        except Undecided:
            continue
    return None


def _unrelated(kernel: Kernel, pair: Pair, expected: Sequence[View | None], found: Sequence[View]) -> Sequence[int]:
    """The numbers of the results that are not shown to be the parts that they should be."""
    return [
        index
        for index, (view, part, tensor) in enumerate(zip(found, expected, pair.results, strict=True))
        if part is None or not kernel.has(_completed(kernel, view, tensor), part) or not _is_whole(part, tensor)
    ]


def _is_whole(part: View, tensor: DistributedTensor) -> bool:
    """Whether the whole program says what each element of a part is, but for padding."""
    sizes = np.array(tensor.local_shape, np.int64)
    extents = np.clip(np.array(tensor.shape) - part_numbers(tensor) * sizes, 0, sizes)
    return bool((sum((piece.box.volume for piece in part.pieces), np.int64(0)) == np.prod(extents, axis=1)).all())


def _argument(reader: Kernel, kernel: Kernel, tensor: DistributedTensor, index: int) -> tuple[View, View]:
    """The view of an argument in the whole program, and on each device: a part of it, or a summand of a part."""
    view = summed(reader, f"argument{index}", tensor)
    part, count = part_of(view, tensor), count_of(tensor)
    return view, part if count == 1 else summand(part, ranks_of(tensor), count, KINDS[tensor.reduction])


def _completed(kernel: Kernel, view: View, tensor: DistributedTensor) -> View:
    """The result of a device, summed over the devices that have summands of it."""
    if count_of(tensor) == 1:
        return view
    members, _ = by_device(kernel, tensor.summed_devices)
    kind = KINDS[tensor.reduction]
    return Reducer(kernel, kind, tensor.type.element_type, members).reduced(view)
