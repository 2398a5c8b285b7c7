"""
Few annotations that propagation turns into a layout.

Arguments and the reads of values that are moved are annotated first. Where propagation does otherwise, the first values
that differ get a constraint, all of one class at once, until none differs. Then constraints are left out, those of a
class at once, as long as the plan stays good.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TypeVar

from xdsl.ir import BlockArgument, SSAValue

from xshardy.planning.auto.annotations import Annotations, Use, annotated, operation_with
from xshardy.planning.auto.nodes import Node
from xshardy.planning.auto.placements import Placement
from xshardy.planning.auto.prepared import Prepared
from xshardy.planning.auto.propagated import propagated
from xshardy.planning.auto.second_best import SecondBest
from xshardy.planning.auto.space import Layout, Space

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class _Group:
    """Annotations that stay or go together: those of one class."""

    values: Mapping[SSAValue, Placement]
    reads: Mapping[Use, Placement]


class LayoutAnnotations:
    """The annotations from which propagation makes a layout."""

    def __init__(self, prepared: Prepared, space: Space, layout: Layout):
        self._prepared, self._space, self._layout = prepared, space, layout
        self._carried = {  # what propagation decides by itself
            value: placement
            for value, placement in layout.values.items()
            if not (isinstance(value, BlockArgument) and value.block is space.nodes.block)
            and (prepared.kept is None or operation_with(value) in prepared.kept)
        }
        arguments = {value.index: layout.values[value] for value in space.nodes.block.args if value in layout.values}
        end, tied = space.nodes.block.last_op, {result for result, _ in prepared.ties}
        reads = {
            (op, index): needed for (op, index), needed in layout.reads.items() if op is not end or index not in tied
        }
        self._start = Annotations(arguments, {}, reads)

    def sufficient(self, until: float) -> Annotations:
        """
        Annotations that are enough for the layout, or come near to it.

        After the time `until` of `perf_counter`, all values that are divided otherwise are annotated at once, although
        propagation from some would have divided others.
        """
        annotations = self._start
        while True:
            differing = self._differing(annotations)
            missing = {
                value: placement
                for value, placement in self._carried.items()
                if value in differing and value not in annotations.values
            }
            if not missing:
                return annotations
            annotations = annotations.with_values(self._first(missing, differing, hurries=perf_counter() > until))

    def _differing(self, annotations: Annotations) -> set[SSAValue]:
        """The values that propagation divides in another way."""
        program, copies = annotated(self._prepared, annotations)
        found = propagated(program, copies, self._carried, self._prepared.axes)
        return {value for value, placement in self._carried.items() if found.get(value, placement) != placement}

    def _first(
        self, missing: Mapping[SSAValue, Placement], differing: set[SSAValue], *, hurries: bool
    ) -> Mapping[SSAValue, Placement]:
        """
        A missing value of each node of the classes whose operands are as they should be, or of the first class; with
        `hurries`, of each node. One value is enough for operations that are elementwise together.
        """
        nodes, classes = self._space.nodes, self._space.classes
        first: dict[Node, SSAValue] = {}
        for value in missing:
            first.setdefault(nodes.of[value], value)
        if hurries:
            return {value: missing[value] for value in first.values()}
        ready = {classes[node] for node in first if all(read.value not in differing for read in node.reads)}
        chosen = ready or {min(classes[node] for node in first)}
        return {value: missing[value] for node, value in first.items() if classes[node] in chosen}


def _groups(space: Space, second_best: SecondBest, annotations: Annotations) -> Sequence[_Group]:
    """The constraints that stay or go together, those first whose second best is not much slower."""
    values: dict[int, dict[SSAValue, Placement]] = {}
    for value, placement in annotations.values.items():
        values.setdefault(space.class_of(value), {})[value] = placement
    reads: dict[tuple[int, Placement], dict[Use, Placement]] = {}
    for use, placement in annotations.reads.items():
        reads.setdefault((space.class_of(use[0].operands[use[1]]), placement), {})[use] = placement
    groups = [*(_Group(of_class, {}) for of_class in values.values()), *(_Group({}, alike) for alike in reads.values())]

    def loss(group: _Group) -> float:
        losses = [second_best.of_value(value, placement) for value, placement in group.values.items()]
        losses += [second_best.of_read(use, placement) for use, placement in group.reads.items()]
        return max((loss for loss in losses if loss is not None), default=0.0)

    return sorted(groups, key=loss)


def without_needless(
    space: Space, choice: Sequence[int], annotations: Annotations, is_as_good: Callable[[Annotations], bool]
) -> Annotations:
    """Leave out the constraints, written for `choice`, without which `is_as_good` still holds."""

    def with_groups(kept: Sequence[_Group]) -> Annotations:
        values = {value for group in kept for value in group.values}
        reads = {use for group in kept for use in group.reads}
        return replace(
            annotations,
            values={value: placement for value, placement in annotations.values.items() if value in values},
            reads={use: placement for use, placement in annotations.reads.items() if use in reads},
        )

    groups = _groups(space, SecondBest(space, choice), annotations)
    return with_groups(fewest(groups, lambda kept: is_as_good(with_groups(kept))))


def fewest(items: Sequence[Item], is_as_good: Callable[[Sequence[Item]], bool]) -> Sequence[Item]:
    """
    Those of `items` that remain if some are left out as long as `is_as_good` holds for the others: all at once, else
    each half by itself.

    Source: Zeller, Hildebrandt, "Simplifying and isolating failure-inducing input" (2002).
    """

    def left(start: int, end: int, others: Sequence[Item]) -> Sequence[Item]:
        """Of the items from `start` to `end`, those that are needed beside `others`."""
        if start == end or is_as_good(others):
            return ()
        if end - start == 1:
            return items[start:end]
        middle = (start + end) // 2
        first = left(start, middle, (*others, *items[middle:end]))
        return (*first, *left(middle, end, (*others, *first)))

    return left(0, len(items), ())
