"""The annotations that shardings come from, for a person."""

from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, SSAValue

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import overlaps
from xshardy.dialects.sdy.collectives import is_equivalent
from xshardy.dialects.sdy.ops import DataFlowEdgeOp, ShardingConstraintOp
from xshardy.dialects.sdy.sharding_text import dimensions
from xshardy.programs.names import SourceNames, what
from xshardy.transforms.sdy_propagation.numbering import FunctionResult
from xshardy.transforms.sdy_propagation.propagation_history import History


@dataclass(frozen=True, slots=True)
class Origins:
    """Provenance of shardings, for messages: names of values, and the annotations that their axes come from."""

    history: History
    names: SourceNames
    _described: dict[int, str] = field(default_factory=dict[int, str], init=False)
    """The results of `describe`, which live with this plan: collectives share them, and 64 layers take 0.1 s less."""

    def describe(self, number: int) -> str:
        """`argument 0 (x) [{"data"}, {}]`, `the constraint [{"data"}] (model.py:12)`: an annotated value."""
        if number not in self._described:
            written = dimensions(self.history.written(number))
            constraint = constraint_of(self.history, number)
            subject = self.name(number) if constraint is None else "the constraint"
            place = "" if constraint is None else self._place(constraint)
            self._described[number] = f"{subject} {written}{place}".rstrip()
        return self._described[number]

    def name(self, number: int) -> str:
        """The name of a value: `%3 (line 12)`."""
        home = self.history.home(number)
        if isinstance(home, FunctionResult):
            return self.names.result(home.function, home.index)
        return self.names.describe(home)

    def operation(self, op: Operation) -> str:
        """`stablehlo.dot (model.py:12)`"""
        op = visible(op)
        return what(op) + self._place(op)

    def _place(self, op: Operation) -> str:
        place = self.names.place(op)
        return "" if place is None else f" ({place})"

    def value(self, value: SSAValue) -> str:
        """The name of a value, numbered or not."""
        return self.names.describe(value)

    def line(self, value: SSAValue) -> str:
        """The place of the operation that computes `value`; empty for an argument, or if it is unknown."""
        return (self.names.place(visible(value.owner)) or "") if isinstance(value.owner, Operation) else ""


def constraint_of(history: History, number: int) -> ShardingConstraintOp | None:
    """The constraint that gave value `number` its written sharding; None if none did."""
    home, written = history.home(number), history.written(number)
    if isinstance(home, FunctionResult) or written is None:
        return None
    if isinstance(home.owner, ShardingConstraintOp):  # propagation may have sharded it further since
        return home.owner
    readers = (use.operation for use in home.uses)
    constraints = (reader for reader in readers if isinstance(reader, ShardingConstraintOp))
    return next((op for op in constraints if is_equivalent(op.sharding, written)), None)


def origin(history: History, number: int, axis: AxisRefAttr) -> str:
    """How value `number` came to have `axis` without a step of propagation, as the predicate of a sentence."""
    written, home = history.written(number), history.home(number)
    if written is None or not any(overlaps(axis, known) for known in written.axis_refs()):
        return "got it with a sharding group, or with another result of its operation"
    if isinstance(home, FunctionResult) or isinstance(home.owner, Block):
        where = "written in the text"
    elif constraint_of(history, number) is not None:
        where = "of a sharding constraint"
    else:
        where = "written in the text or on an edge"
    return f"had it from the start: {dimensions(written)}, {where}"


def visible(op: Operation) -> Operation:
    """The operation that a data flow edge belongs to; any other operation itself."""
    if not isinstance(op, DataFlowEdgeOp):
        return op
    around = op.input.owner
    return around if isinstance(around, Operation) else around.parent_op() or op


def has_axis(sharding: TensorShardingAttr | None, dim: int, axis: AxisRefAttr) -> bool:
    """Whether `axis`, or a part of it, shards dimension `dim`."""
    axes = sharding.dim_shardings.data[dim].axes if sharding is not None and sharding.rank else ()  # none if maximal
    return any(overlaps(axis, known) for known in axes)
