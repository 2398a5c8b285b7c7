"""
What an operation may choose: a mesh axis for one of its factors or for none, each with its time and the placements of
operands and results.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod

import numpy as np
from xdsl.ir import Attribute

from xshardy.dialects.shapes import shape_of
from xshardy.planning.auto.move_times import MoveTimes
from xshardy.planning.auto.placements import Placement, SearchAxes
from xshardy.planning.collective_bytes import ALL_REDUCE, REDUCE_SCATTER
from xshardy.planning.topology import Topology
from xshardy.search.problem import Floats, Ints
from xshardy.sharding.factor_rule import FactorRule, TensorMapping


@dataclass(frozen=True, slots=True, eq=False)
class Placements:
    """The placement of a tensor for each strategy of a node."""

    distinct: tuple[Placement, ...]
    index: Ints
    """By strategy, which of them."""

    @staticmethod
    def of(placements: Sequence[Placement]) -> "Placements":
        """Those of a list."""
        numbers: dict[Placement, int] = {}
        index = [numbers.setdefault(placement, len(numbers)) for placement in placements]
        return Placements(tuple(numbers), np.array(index))

    def __getitem__(self, strategy: int) -> Placement:
        return self.distinct[int(self.index[strategy])]

    def selected(self, strategies: Ints) -> "Placements":
        """Those of some of the strategies."""
        return Placements.of([self[strategy] for strategy in strategies])


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """The strategies of a node. Nodes that are alike share one object."""

    seconds: Floats
    """By strategy, the time of one execution: work and the reduction of what is summed over several devices."""
    operands: tuple[Placements, ...]
    results: tuple[Placements, ...]

    def selected(self, strategies: Ints) -> "Choices":
        """Some of the strategies."""
        return Choices(
            self.seconds[strategies],
            tuple(placements.selected(strategies) for placements in self.operands),
            tuple(placements.selected(strategies) for placements in self.results),
        )


@dataclass(frozen=True, slots=True)
class Traffic:
    """What an operation computes and moves, before it is divided."""

    element: str = ""
    """The element type of its products; empty without."""
    products: int = 0
    """Floating-point operations of products."""
    tensors: tuple[tuple[TensorMapping, Attribute, int], ...] = ()
    """The tensors that it reads and writes: their factors, their type, and how often."""
    bytes: int = 0
    """The bytes of tensors that are not divided."""


class ChoiceTable:
    """The choices of operations on one mesh and topology. Operations that look alike have the same."""

    def __init__(self, axes: SearchAxes, topology: Topology, moves: MoveTimes):
        self._axes, self._topology, self._moves = axes, topology, moves
        self._known: dict[Hashable, Choices] = {}
        """By what `of` is given: layers repeat their operations; as long as one search."""

    def of(
        self,
        rule: FactorRule,
        results: Sequence[Attribute],
        traffic: Sequence[Traffic] = (),
        *,
        may_pad: bool = True,
        may_scatter: bool = False,
    ) -> Choices:
        """
        The choices of operations that have one rule together, whose results have these types.

        With `may_scatter`, what is summed over several devices may be divided by these.
        """
        key = rule, tuple(results), tuple(traffic), may_pad, may_scatter
        if key not in self._known:
            strategies = _Strategies(self._axes, rule, results, may_pad, may_scatter)
            self._known[key] = self._computed(strategies, rule, results, traffic)
        return self._known[key]

    def _computed(
        self, strategies: "_Strategies", rule: FactorRule, results: Sequence[Attribute], traffic: Sequence[Traffic]
    ) -> Choices:
        seconds = np.zeros(len(strategies.axes))
        for each in traffic:
            seconds += self._work(strategies.axes, each)
        for number, (axes, scattered) in enumerate(zip(strategies.axes, strategies.scattered, strict=True)):
            if summed := _summed_along(rule, axes):
                for type, mapping in zip(results, rule.results, strict=True):
                    part = self._moves.part_bytes(type, [placed(axes, mapping)])[0]
                    seconds[number] += self._sum_seconds(summed, scattered, part)
        operands = tuple(
            Placements.of([placed(axes, mapping) for axes in strategies.axes]) for mapping in rule.operands
        )
        return Choices(seconds, operands, strategies.result_placements)

    def _sum_seconds(self, summed: Sequence[int], scattered: "Scattered | None", part: float) -> float:
        """The time of adding up parts of `part` bytes: scattered first, and then reduced along the other axes."""
        seconds, left = 0.0, part
        if scattered is not None:
            seconds = self._moves.collective(REDUCE_SCATTER, scattered.axes, part)
            left = part / self._axes.parts(scattered.axes)
        rest = [axis for axis in summed if scattered is None or axis not in scattered.axes]
        return seconds + (self._moves.collective(ALL_REDUCE, rest, left) if rest else 0)

    def _work(self, strategies: Sequence[Placement], traffic: Traffic) -> Floats:
        """The roofline of one operation on a part, in seconds, for each strategy."""
        moved = np.full(len(strategies), float(traffic.bytes))
        for mapping, type, count in traffic.tensors:
            placements = Placements.of([placed(axes, mapping) for axes in strategies])
            moved += count * self._moves.part_bytes(type, placements.distinct)[placements.index]
        parts = np.array([prod(map(self._axes.parts, axes)) for axes in strategies])
        topology = self._topology
        peak = topology.peak(traffic.element) if traffic.products else 0
        products = traffic.products / parts / peak if peak else np.zeros(len(strategies))
        return np.maximum(products, moved / topology.memory_bandwidth if topology.memory_bandwidth else 0)


def placed(axes: Placement, mapping: TensorMapping) -> Placement:
    """The placement of a tensor, from the axes of each factor."""
    return tuple(tuple(axis for factor in factors for axis in axes[factor]) for factors in mapping)


def _summed_along(rule: FactorRule, axes: Placement) -> Sequence[int]:
    """The axes whose devices have summands of one result."""
    return sorted(axis for factor in rule.reduction for axis in axes[factor])


@dataclass(frozen=True, slots=True)
class Scattered:
    """How a sum over axes is divided: a dimension of the result, along some of these axes."""

    dim: int
    axes: tuple[int, ...]


class _Strategies:
    """The axes of each factor for each strategy, and where its sum is scattered, if it is."""

    def __init__(
        self, axes: SearchAxes, rule: FactorRule, results: Sequence[Attribute], may_pad: bool, may_scatter: bool
    ):
        self._mesh, self._rule, self._pads = axes, rule, may_pad
        kept_whole = {*rule.need_replication, *rule.permutation, *rule.blocked}
        free = [factor for factor in range(len(rule.sizes)) if factor not in kept_whole]
        self.axes: list[Placement] = []
        self.scattered: list[Scattered | None] = []
        shapes = [shape_of(type) for type in results]
        for assigned in axes.assignments(rule.sizes, free, self._may_pad):
            if not all(self._is_contiguous(assigned, mapping) for mapping in (*rule.operands, *rule.results)):
                continue
            self.axes.append(assigned)
            self.scattered.append(None)
            if len(shapes) == 1 and may_scatter:
                for scattered in self._scatterable(assigned, shapes[0]):
                    self.axes.append(assigned)
                    self.scattered.append(scattered)

    @cached_property
    def _may_pad(self) -> list[bool]:
        """By factor, whether its parts may be padded: if it is the only one in each of its dimensions."""
        together = {
            factor
            for mapping in (*self._rule.operands, *self._rule.results)
            for factors in mapping
            if len(factors) > 1
            for factor in factors
        }
        return [self._pads and factor not in together for factor in range(len(self._rule.sizes))]

    @property
    def result_placements(self) -> tuple[Placements, ...]:
        """By result, the placement after each strategy."""
        return tuple(
            Placements.of([self._after(*each, mapping) for each in zip(self.axes, self.scattered, strict=True)])
            for mapping in self._rule.results
        )

    def _after(self, axes: Placement, scattered: Scattered | None, mapping: TensorMapping) -> Placement:
        before = placed(axes, mapping)
        if scattered is None:
            return before
        return tuple(
            (*of_dim, *scattered.axes) if dim == scattered.dim else of_dim for dim, of_dim in enumerate(before)
        )

    def _scatterable(self, axes: Placement, shape: Sequence[int]) -> Iterator[Scattered]:
        """Each dimension of the result that some axes of the sum can divide, after those that are there."""
        summed = _summed_along(self._rule, axes)
        before = placed(axes, self._rule.results[0])
        for count in range(len(summed), 0, -1):
            for some in combinations(summed, count):
                for dim, of_dim in enumerate(before):
                    if shape[dim] % self._mesh.parts((*of_dim, *some)) == 0 and (not of_dim or of_dim[-1] < some[0]):
                        yield Scattered(dim, some)

    def _is_contiguous(self, axes: Placement, mapping: TensorMapping) -> bool:
        """Whether a factor is divided only if those before it in its dimension are divided into single elements."""
        for factors in mapping:
            is_open = True
            for factor in factors:
                if axes[factor] and not is_open:
                    return False
                is_open = is_open and self._mesh.parts(axes[factor]) == self._rule.sizes[factor]
        return True
