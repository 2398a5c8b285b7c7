"""
Which change of an annotation makes a program faster: candidates for the causes of collectives, each tried out.

A candidate is kept if the estimated time falls, and neither products nor memory of a device grow: an axis that is given
up would make all communication go away, and each device compute everything.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import overlaps, sharded_size
from xshardy.dialects.sdy.sharding_text import dimensions_and_spec
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.dialects.shapes import shape_of
from xshardy.planning.causes import Cause
from xshardy.planning.collectives import Collective
from xshardy.planning.edits import Edit, with_axes
from xshardy.planning.plan import Plan, plan_or_none
from xshardy.planning.topology import H100, Topology, as_topology
from xshardy.transforms.sdy.main_function import main_function
from xshardy.transforms.sdy_propagation.numbering import FunctionResult

MOST_CAUSES = 4
"""How many causes get candidates."""
MOST_OF_CAUSE = 8
"""How many candidates are tried for a cause: each takes the time of a plan."""
LEAST_SAVED = 0.02
"""The part of the estimated time that a candidate saves at least."""
MOST_OF_PATH = 2
"""At how many of the values that an axis went through, from its annotation, a constraint is tried."""
MUCH_BETTER = 1.1
"""How much more than a simpler candidate, which comes first, another one saves at least."""
MOST_GROWTH = 1.1
"""By how much memory may grow."""

Axes = tuple[tuple[AxisRefAttr, ...], ...]
"""The axes of each dimension."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A change, and what it saves."""

    text: str
    """The change: `shard argument 1 (w) as [{}, {"model"}]`."""
    cause: Cause
    """The largest cause that it was found for."""
    plan: Plan
    """The plan of the changed program."""
    saved_seconds: float
    saved_bytes: int
    """The bytes that a device sends less; negative if they are more."""
    more_memory: int
    """The bytes by which the peak grows; negative if it falls."""


def advise(plan: Plan, topology: Topology | str = H100) -> Sequence[Advice]:
    """
    The changes that make `plan` faster on `topology`, the best for each cause, those that save most first.

    Takes the time of up to `MOST_CAUSES * MOST_OF_CAUSE` plans. Raises what `Plan.estimate` raises.
    """
    tried: dict[Edit, Plan | None] = {}
    found: dict[str, Advice] = {}
    topology = as_topology(topology)
    before = plan.estimate(topology)
    for cause in _largest(plan)[:MOST_CAUSES]:
        best: Advice | None = None
        for text, edit in islice(_Candidates(plan).of(cause), MOST_OF_CAUSE):
            if edit not in tried:
                tried[edit] = plan_or_none(edit.applied(plan.program))
            changed = tried.get(edit)
            if changed is None:
                continue
            after = changed.estimate(topology)
            saved = before.total - after.total
            least = LEAST_SAVED * before.total if best is None else MUCH_BETTER * best.saved_seconds
            grows = changed.peak_bytes > plan.peak_bytes * MOST_GROWTH or after.compute.flops > before.compute.flops
            if not grows and saved > least:
                less = plan.bytes - changed.bytes
                best = Advice(text, cause, changed, saved, less, changed.peak_bytes - plan.peak_bytes)
        if best is not None:
            found.setdefault(best.text, best)
    return sorted(found.values(), key=lambda advice: -advice.saved_seconds)


def _largest(plan: Plan) -> Sequence[Cause]:
    """For each set of annotations that disagree, the cause that sends most; those of the sets that send most first."""
    sent = Counter[tuple[str, ...]]()
    largest: dict[tuple[str, ...], Collective] = {}
    for collective in plan.collectives:
        annotations = collective.cause.annotations
        sent[annotations] += collective.total
        if annotations not in largest or collective.total > largest[annotations].total:
            largest[annotations] = collective
    return [largest[annotations].cause for annotations, _ in sent.most_common()]


class _Candidates:
    """The edits that may remove a cause, with their descriptions."""

    def __init__(self, plan: Plan):
        self._plan, self._history = plan, plan.traced.sharded.history
        self._main = main_function(plan.traced.sharded.module)
        self._originals = {copy: op for op, copy in plan.copies.items() if copy in plan.names.spans}

    def of(self, cause: Cause) -> Iterator[tuple[str, Edit]]:
        axes = self._axes(cause)
        movement = cause.movement
        if movement is not None and movement.tensor is not None and not movement.is_reduction and movement.after:
            yield from self._constraints(movement.tensor, movement.after, axes)
        for source in cause.sources:
            for axis in axes:
                yield from self._moved(source, axis)
        if movement is not None and movement.is_reduction:
            for axis in axes:
                yield from self._reduced(movement.operation, axis)
        for axis in axes:
            yield from self._beside_others(axis)

    def _axes(self, cause: Cause) -> Sequence[AxisRefAttr]:
        """The axes that are communicated along: those that are reduced, or that the tensor loses."""
        movement = cause.movement
        if movement is None:
            return ()
        if movement.is_reduction or movement.before is None:
            return movement.reduced
        kept = [] if movement.after is None else [dim.axes.data for dim in movement.after.dim_shardings]
        return [
            axis
            for dim, of_dim in enumerate(movement.before.dim_shardings)
            for axis in of_dim.axes
            if not kept or axis not in kept[dim]
        ]

    def _constraints(
        self, tensor: SSAValue, after: TensorShardingAttr, axes: Sequence[AxisRefAttr]
    ) -> Iterator[tuple[str, Edit]]:
        """The sharding of the other side for the tensor, and for the first values that got its axes."""
        yield from self._sharded(tensor, with_axes(after, (dim.axes for dim in after.dim_shardings)))
        number = self._history.number(tensor)
        paths = [(axis, self._history.path(number, axis)) for axis in axes] if number is not None else []
        for axis, path in paths:
            for arrival in [*reversed(path)][:MOST_OF_PATH]:
                home, sharding = self._history.home(arrival.target), self._history.sharding(arrival.target)
                if not isinstance(home, FunctionResult) and sharding is not None:
                    yield from self._sharded(home, with_axes(sharding, _without(sharding, axis)))

    def _moved(self, source: int, axis: AxisRefAttr) -> Iterator[tuple[str, Edit]]:
        """The annotation with `axis` along another dimension that it divides, or without it."""
        home, written = self._history.home(source), self._history.written(source)
        if not isinstance(home, FunctionResult) and written is not None and _shards(written, axis):
            yield from self._elsewhere(home, written, axis)
            yield from self._sharded(home, with_axes(written, _without(written, axis)))

    def _elsewhere(
        self, value: SSAValue, sharding: TensorShardingAttr, axis: AxisRefAttr
    ) -> Iterator[tuple[str, Edit]]:
        """`value` with `axis` along each other dimension that it divides."""
        without = _without(sharding, axis)
        for dim, of_dim in enumerate(sharding.dim_shardings):
            axes = _appended(without, dim, axis)
            if not any(overlaps(axis, known) for known in of_dim.axes) and self._divides(value, axes, sharding):
                yield from self._sharded(value, with_axes(sharding, axes))

    def _reduced(self, op: Operation, axis: AxisRefAttr) -> Iterator[tuple[str, Edit]]:
        """The first values through which `axis` came to the operands of a reduction, with it along other dimensions."""
        for operand in op.operands:
            number = self._history.number(operand)
            path = self._history.path(number, axis) if number is not None else ()
            for target in [arrival.target for arrival in reversed(path)][:MOST_OF_PATH]:
                home, sharding = self._history.home(target), self._history.sharding(target)
                if not isinstance(home, FunctionResult) and sharding is not None and _shards(sharding, axis):
                    yield from self._elsewhere(home, sharding, axis)

    def _beside_others(self, axis: AxisRefAttr) -> Iterator[tuple[str, Edit]]:
        """What is annotated with other axes gets `axis` beside these, where it divides; all else loses it."""
        edits: dict[SSAValue, TensorShardingAttr] = {}
        texts: list[str] = []
        for number in self._history.numbers():
            home, written = self._history.home(number), self._history.written(number)
            if isinstance(home, FunctionResult) or written is None or (place := self._place(home)) is None:
                continue
            without = _without(written, axis)
            dim = next((dim for dim, of_dim in enumerate(without) if of_dim), None)
            if dim is not None and self._divides(home, appended := _appended(without, dim, axis), written):
                sharding = with_axes(written, appended)
            else:
                sharding = with_axes(written, without)
            if _shards(written, axis) or sharding != with_axes(written, without):
                edits[place] = sharding
                texts.append(self._text(home, sharding))
        if edits:
            yield " and ".join(texts), Edit(tuple(edits.items()))

    def _sharded(self, value: SSAValue, sharding: TensorShardingAttr) -> Iterator[tuple[str, Edit]]:
        place = self._place(value)
        if place is not None:
            yield self._text(value, sharding), Edit(((place, sharding),))

    def _text(self, value: SSAValue, sharding: TensorShardingAttr) -> str:
        place = self._place(value)
        verb = "shard" if isinstance(place, BlockArgument) else "constrain"
        axes = dimensions_and_spec(sharding, is_jax=not self._plan.program.source.is_text)
        return f"{verb} {self._plan.names.describe(value)} {'as' if verb == 'shard' else 'to'} {axes}"

    def _place(self, value: SSAValue) -> SSAValue | None:
        """The value before propagation; None for one that a pass created, or of an inner function."""
        if isinstance(value, BlockArgument):
            is_argument = value.block.parent_op() is self._main
            return main_function(self._plan.program.module).args[value.index] if is_argument else None
        assert isinstance(value, OpResult)
        original = self._originals.get(value.op)
        return None if original is None else original.results[value.index]

    def _divides(self, value: SSAValue, axes: Axes, sharding: TensorShardingAttr) -> bool:
        mesh = lookup_mesh(sharding, self._main)
        sizes = zip(shape_of(value), axes, strict=True)
        return mesh is not None and all(size % sharded_size(of_dim, mesh) == 0 for size, of_dim in sizes)


def _shards(sharding: TensorShardingAttr, axis: AxisRefAttr) -> bool:
    return any(overlaps(axis, known) for dim in sharding.dim_shardings for known in dim.axes)


def _without(sharding: TensorShardingAttr, axis: AxisRefAttr) -> Axes:
    return tuple(tuple(known for known in dim.axes if not overlaps(axis, known)) for dim in sharding.dim_shardings)


def _appended(axes: Axes, dim: int, axis: AxisRefAttr) -> Axes:
    return tuple((*of_dim, axis) if index == dim else of_dim for index, of_dim in enumerate(axes))
