"""Why a program communicates: which shardings disagree at an operation, and which annotations they come from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.interfaces import ShardableDataFlowOpInterface
from xshardy.dialects.sdy.ops import DataFlowEdgeOp, ShardingConstraintOp
from xshardy.dialects.sdy.sharding_text import axes_text, dimensions
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.planning.collective_bytes import kind_of
from xshardy.planning.origins import Origins, constraint_of, has_axis
from xshardy.planning.traces import Movement
from xshardy.programs.cut_shardings import why_cut
from xshardy.sharding.factor_rule import FactorRule, TensorMapping
from xshardy.sharding.rules.registry import ShardingRules
from xshardy.transforms.sdy_export.single_device import device_of, is_on_single_device


@dataclass(frozen=True, slots=True)
class Cause:
    """Why collectives are needed."""

    text: str
    """One sentence: which tensors disagree, and the annotations in brackets."""
    annotations: tuple[str, ...] = ()
    """The annotations that the shardings come from, each once."""
    sources: tuple[int, ...] = ()
    """The values that are annotated so, by their numbers in the history."""
    movement: Movement | None = None
    """What is moved; None for collectives that are not of a movement."""


@dataclass(frozen=True, slots=True)
class Side:
    """A tensor of an operation: its number, its sharding, and the factors of each of its dimensions."""

    number: int
    sharding: TensorShardingAttr
    dims: TensorMapping


@dataclass
class Causes:
    """Provenance of collectives: for a movement, the shardings that disagree, and the annotations these come from."""

    origins: Origins
    _rules: ShardingRules = field(default_factory=lambda: ShardingRules(beyond_upstream=True), init=False)
    _known: dict[Movement, Cause] = field(default_factory=dict[Movement, Cause], init=False)
    _indices_in: dict[Operation, dict[SSAValue, list[int]]] = field(
        default_factory=dict[Operation, dict[SSAValue, list[int]]], init=False
    )
    """Where operations read a tensor: without it, a plan of a loop of 2,000 values takes 15 s more."""

    def of(self, movement: Movement | None, op: Operation | None) -> Cause:
        """The cause of a collective of `movement`, or else of `op`, an operation of the propagated program."""
        if movement is None:
            return self._of_operation(op)
        if movement not in self._known:
            self._known[movement] = self._reduction(movement) if movement.is_reduction else self._reshard(movement)
        return self._known[movement]

    def _of_operation(self, op: Operation | None) -> Cause:
        if op is None:
            return Cause("a pass inserted it")
        if kind_of(op) is not None:
            return Cause("the program contains it")
        found = _Annotations(self.origins)
        sharded = [found.sharded(side) for side in self._sides(op) if _axes(side.sharding)]
        reasons = f": {'; '.join(sharded[:2])}" if sharded else ""
        return Cause(
            f"{self.origins.operation(op)} needs elements that other devices hold{reasons}", found.listed, found.sources
        )

    def _reduction(self, movement: Movement) -> Cause:
        op, found = movement.operation, _Annotations(self.origins)
        if (device := _only_device(op)) is not None:
            text = f"{self.origins.operation(op)} computes on device {device} alone, and others read that"
            return Cause(text, movement=movement)
        rule = self._rules.factor_rule(op)
        reasons = list[str]()
        for side in self._sides(op) if rule is not None else ():
            for dim, factors in enumerate(side.dims):
                axes = [axis for axis in movement.reduced if has_axis(side.sharding, dim, axis)]
                if axes and rule is not None and {*factors} & {*rule.reduction}:
                    reasons.append(found.has(side, dim, axes))
        because = f" over a sharded dimension: {' and '.join(reasons)}" if reasons else ""
        text = f"{self.origins.operation(op)} reduces{because or f' along {axes_text(movement.reduced)}'}"
        return Cause(text, found.listed, found.sources, movement)

    def _reshard(self, movement: Movement) -> Cause:
        found = _Annotations(self.origins)
        is_result = movement.tensor is not None and movement.tensor.owner is movement.operation
        sides = self._computed(movement, found) if is_result else self._read(movement, found)
        text = ", but ".join(sides)
        return Cause(text, found.listed, found.sources, movement)

    def _computed(self, movement: Movement, found: "_Annotations") -> tuple[str, str]:
        """How an operation computes a result, and what its sharding is instead."""
        op, number = movement.operation, self._number(movement.tensor)
        lost = [axis for _, axis in _lost(movement.before, movement.after)]
        sides = [side for side in self._sides(op) if side.number != number]
        reasons = [found.sharded(side, axes) for side in sides if (axes := _common(lost, side.sharding))]
        because = f" ({'; '.join(reasons)})" if reasons else ""
        name = "a result" if movement.tensor is None else self.origins.value(movement.tensor)
        needed = dimensions(movement.after) or "whole"
        source = "" if number is None else found.of(number, _axes(movement.after))
        computed = dimensions(movement.before) or "whole"
        return f"{self.origins.operation(op)} computes {name} as {computed}{because}", f"it is {needed}{source}"

    def _read(self, movement: Movement, found: "_Annotations") -> tuple[str, str]:
        """How a tensor is sharded, and how an operation reads it."""
        return self._moved(movement, found), self._other_side(movement, found)

    def _moved(self, movement: Movement, found: "_Annotations") -> str:
        """What is moved, and where it got the axes that it loses."""
        number = self._number(movement.tensor)
        name = "a tensor" if movement.tensor is None else self.origins.value(movement.tensor)
        if number is None or movement.before is None:
            return f"{name} is {dimensions(movement.before) or 'whole on each device'}"
        lost = [axis for _, axis in _lost(movement.before, movement.after)]
        return f"{name} is {dimensions(movement.before)}{found.of(number, lost or _axes(movement.before))}"

    def _other_side(self, movement: Movement, found: "_Annotations") -> str:
        op, after = movement.operation, dimensions(movement.after)
        if isinstance(op, ShardingConstraintOp):
            return f"{self.origins.operation(op)} asks for {after}"
        if isinstance(op, ReturnOp):
            return f"it is returned as {self._returned(op, movement.tensor)}{after}{self._why_cut(movement)}"
        if (device := _only_device(op)) is not None:
            return f"{self.origins.operation(op)} computes on device {device} alone, with whole tensors"
        computes = f"{self.origins.operation(op)} computes with {after}"
        reason = next(self._conflicts(movement, found), "")
        return computes + (f": {reason}" if reason else "")

    def _returned(self, op: ReturnOp, tensor: SSAValue | None) -> str:
        """`result 1 (['loss']), `: the result of the main function that `tensor` is; empty for that of a call."""
        function = op.parent_op()
        indices = self._indices(op, tensor)
        if not indices or not isinstance(function, FuncOp):
            return ""
        return f"{self.origins.names.result(function, indices[0])}, "

    def _indices(self, op: Operation, tensor: SSAValue | None) -> Sequence[int]:
        """Which operands of `op` are `tensor`, perhaps constrained. Linear in the operands for all of them together."""
        if op not in self._indices_in:
            indices = self._indices_in[op] = dict[SSAValue, list[int]]()
            for index, operand in enumerate(op.operands):
                indices.setdefault(_unconstrained(operand), []).append(index)
        return () if tensor is None else self._indices_in[op].get(_unconstrained(tensor), ())

    def _why_cut(self, movement: Movement) -> str:
        """Why the result that `movement` makes is not divided as the tensor is, if propagation had it so."""
        history, tensor = self.origins.history, movement.tensor
        for index in self._indices(movement.operation, tensor):
            if (number := history.result(index)) is None:
                continue
            if not _lost(movement.before, history.sharding(number)):
                lost = dict.fromkeys(dim for dim, _ in _lost(movement.before, movement.after))
                if reasons := [reason for dim in lost if (reason := why_cut(history, number, dim))]:
                    return f", because {' and '.join(reasons)}"
        return ""

    def _conflicts(self, movement: Movement, found: "_Annotations") -> Iterator[str]:
        """The reasons why the operation does not compute with the sharding that the tensor has, best first."""
        op, number, before = movement.operation, self._number(movement.tensor), movement.before
        rule = self._rules.factor_rule(op)
        if rule is None:
            if not isinstance(op, ShardableDataFlowOpInterface):
                yield "it has no sharding rule"
            return
        sides = self._sides(op)
        mine = next((side for side in sides if side.number == number), None)
        if mine is None or before is None:
            return
        others = [side for side in sides if side is not mine]
        lost = _lost(before, movement.after)
        no_exchange = f" (no exchange: {movement.reason})" if movement.reason else ""
        for dim, _ in lost:
            if {*mine.dims[dim]} & {*rule.need_replication, *rule.permutation}:
                yield f"it needs dimension {dim} whole{no_exchange}"
        for dim, axis in lost:
            yield from _elsewhere(others, mine.dims[dim], axis, found)
        for dim, _ in lost:
            yield from _along_the_same(others, mine.dims[dim], movement.after, dim, found)
        for side in others:
            if gained := _common([axis for _, axis in _lost(movement.after, before)], side.sharding):
                yield found.sharded(side, gained)
        if no_exchange:
            yield f"it needs elements of other parts{no_exchange}"

    def _sides(self, op: Operation) -> Sequence[Side]:
        """The tensors of `op` that are sharded over axes, operands first; none if it has no sharding rule."""
        rule: FactorRule | None = self._rules.factor_rule(op)
        if rule is None:
            return ()
        values = zip((*op.operands, *op.results), (*rule.operands, *rule.results), strict=True)
        history = self.origins.history
        return [
            Side(number, sharding, dims)
            for value, dims in values
            if (number := history.number(value)) is not None and (sharding := history.sharding(number)) is not None
            if not is_on_single_device(sharding, op)
        ]

    def _number(self, value: SSAValue | None) -> int | None:
        return None if value is None else self.origins.history.number(value)


class _Annotations:
    """Phrases about tensors, and the annotations that they mention."""

    def __init__(self, origins: Origins):
        self._origins = origins
        self._seen: dict[int, None] = {}

    @property
    def listed(self) -> tuple[str, ...]:
        """The annotations mentioned so far."""
        return tuple(dict.fromkeys(map(self._origins.describe, self._seen)))

    @property
    def sources(self) -> tuple[int, ...]:
        """Their values."""
        return tuple(self._seen)

    def of(self, number: int, axes: Sequence[AxisRefAttr]) -> str:
        """` [from argument 0 (x) [{"data"}]]`: where value `number` got `axes`; empty if it is annotated itself."""
        sources = dict.fromkeys(self._origins.history.source(number, axis) for axis in axes)
        self._seen |= sources
        others = [
            self._origins.describe(source)
            for source in sources
            if source != number or constraint_of(self._origins.history, source) is not None
        ]
        return f" [from {', '.join(others)}]" if others else ""

    def has(self, side: Side, dim: int, axes: Sequence[AxisRefAttr]) -> str:
        """`%3 (line 4) has "model" in dimension 1 [from argument 1 (w)]`"""
        name = self._origins.name(side.number)
        return f"{name} has {axes_text(axes)} in dimension {dim}{self.of(side.number, axes)}"

    def sharded(self, side: Side, axes: Sequence[AxisRefAttr] = ()) -> str:
        """`%3 (line 4) is [{"model"}, {}] [from argument 1 (w)]`"""
        where = self.of(side.number, axes or _axes(side.sharding))
        return f"{self._origins.name(side.number)} is {dimensions(side.sharding)}{where}"


def _elsewhere(sides: Sequence[Side], factors: Sequence[int], axis: AxisRefAttr, found: _Annotations) -> Iterator[str]:
    """Tensors that `axis` shards along other dimensions of the operation than `factors`."""
    for side in sides:
        for dim, others in enumerate(side.dims):
            if has_axis(side.sharding, dim, axis) and not {*others} & {*factors}:
                yield found.has(side, dim, [axis])


def _along_the_same(
    sides: Sequence[Side],
    factors: Sequence[int],
    after: TensorShardingAttr | None,
    dim: int,
    found: _Annotations,
) -> Iterator[str]:
    """Tensors that are sharded along `factors` as the operation needs it, or not sharded along them."""
    wanted = after.dim_shardings.data[dim].axes.data if after is not None else ()
    for side in sides:
        for other, others in enumerate(side.dims):
            if not {*others} & {*factors}:
                continue
            axes = side.sharding.dim_shardings.data[other].axes.data
            if wanted and any(axis in axes for axis in wanted):
                yield found.has(side, other, axes)
            elif not axes:
                yield f"{found.sharded(side)}, whole along dimension {other}"


def _only_device(op: Operation) -> int | None:
    """The device that computes `op`; None for an operation of several."""
    device = device_of(op)
    mesh = None if device is None else lookup_mesh(device, op)
    return None if mesh is None else mesh.maximal_device_id


def _axes(sharding: TensorShardingAttr | None) -> tuple[AxisRefAttr, ...]:
    """The axes that shard dimensions."""
    return () if sharding is None else tuple(axis for dim in sharding.dim_shardings for axis in dim.axes)


def _common(axes: Sequence[AxisRefAttr], sharding: TensorShardingAttr) -> Sequence[AxisRefAttr]:
    """Those of `axes` that shard a dimension."""
    return [axis for axis in axes if axis in _axes(sharding)]


def _lost(before: TensorShardingAttr | None, after: TensorShardingAttr | None) -> Sequence[tuple[int, AxisRefAttr]]:
    """The axes that shard a dimension before, with the dimension, and not after."""
    dims = before.dim_shardings if before is not None else ()
    return [(dim, axis) for dim, of in enumerate(dims) for axis in of.axes if not has_axis(after, dim, axis)]


def _unconstrained(value: SSAValue) -> SSAValue:
    """The input of the constraints and data flow edges that `value` is a result of, if any; else `value`."""
    edge = ShardingConstraintOp, DataFlowEdgeOp
    return _unconstrained(value.owner.input) if isinstance(value.owner, edge) else value
