"""The annotations that a search found, as rows for people: where, which sharding, and what another one would cost."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from xdsl.ir import Operation, SSAValue

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.planning.auto.annotations import Annotations, Use
from xshardy.planning.auto.find import FoundShardings
from xshardy.planning.auto.placements import Placement
from xshardy.planning.auto.second_best import SecondBest
from xshardy.planning.origins import visible


class AnnotationKind(Enum):
    """Where an annotation stands."""

    ARGUMENT = "argument"
    PRODUCED = "constraint"
    READ = "constraint at a read"


@dataclass(frozen=True, slots=True)
class FoundAnnotation:
    """An annotation; equal ones at one line of the source are one."""

    kind: AnnotationKind
    tensor: str
    """The name of the tensor."""
    place: str
    """The line of the source: where the tensor is computed, or where it is read; empty for an argument."""
    reader: str
    """For a constraint at a read, the operation that reads it, with its place."""
    sharding: TensorShardingAttr
    second_best: float | None
    """
    By how many seconds the model's choice gets slower with the next best sharding there, and all else the same.
    Negative if it gets faster, but takes more memory than allowed. None if there is no other sharding.
    """
    count: int
    """How many tensors it stands for, such as those of the layers."""


def annotations_of(found: FoundShardings) -> Sequence[FoundAnnotation]:
    """The rows of `found`: arguments, and then constraints in the order of the program."""
    annotations, choice = found.annotations, found.solution.choice
    return () if annotations is None or choice is None else [*_Rows(found, annotations, choice).all()]


class _Rows:
    def __init__(self, found: FoundShardings, annotations: Annotations, choice: Sequence[int]):
        self._annotations, self._axes = annotations, found.prepared.axes
        self._space, self._names = found.space, found.prepared.program.names
        self._second_best = SecondBest(found.space, choice)

    def all(self) -> Iterator[FoundAnnotation]:
        """All rows."""
        nodes = self._space.nodes
        for index, placement in sorted(self._annotations.arguments.items()):
            argument = nodes.block.args[index]
            yield self._row(AnnotationKind.ARGUMENT, [argument], (), placement)
        produced: dict[tuple[str, Placement], list[SSAValue]] = {}
        for value, placement in self._annotations.values.items():
            produced.setdefault((self._line(value), placement), []).append(value)
        for (_, placement), values in produced.items():
            yield self._row(AnnotationKind.PRODUCED, values, (), placement)
        read: dict[tuple[str, str, Placement], list[Use]] = {}
        for use, placement in self._annotations.reads.items():
            key = self._line(use[0].operands[use[1]]), self._reader(use[0]), placement
            read.setdefault(key, []).append(use)
        for (*_, placement), uses in read.items():
            yield self._row(AnnotationKind.READ, [op.operands[index] for op, index in uses], uses, placement)

    def _line(self, value: SSAValue) -> str:
        """What a row stands for: tensors of one line, such as those of all layers; the arguments of one shape."""
        owner = value.owner
        if not isinstance(owner, Operation):
            return str(value.type)
        return self._names.place(visible(owner)) or self._names.describe(value)

    def _row(
        self, kind: AnnotationKind, values: Sequence[SSAValue], uses: Sequence[Use], placement: Placement
    ) -> FoundAnnotation:
        first = values[0]
        operation = uses[0][0] if uses else first.owner
        place = self._names.place(visible(operation)) if isinstance(operation, Operation) else None
        best = self._second_best
        second = best.of_read(uses[0], placement) if uses else best.of_value(first, placement)
        return FoundAnnotation(
            kind,
            tensor=self._names.describe(first),
            place=place or "",
            reader=self._reader(uses[0][0]) if uses else "",
            sharding=self._axes.sharding(placement),
            second_best=second,
            count=len({*values}),
        )

    def _reader(self, op: Operation) -> str:
        place = self._names.place(visible(op))
        return f"{op.name.partition('.')[2]} ({place})" if place else op.name.partition(".")[2]
