"""
How shardings came about: each axis that a value got, in which step, through which operation, and from which value.

Values along a data flow edge are one value here, as in the engine.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import PassPipeline

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import overlaps
from xshardy.sharding.propagation import NO_VALUE
from xshardy.sharding.provenance import provenance_of
from xshardy.sharding.steps import Steps
from xshardy.transforms.sdy_propagation.numbering import FunctionResult, Home
from xshardy.transforms.sdy_propagation.propagation_pipeline import PropagationPipelinePass
from xshardy.transforms.sdy_propagation.reading import ReadModule
from xshardy.transforms.sdy_propagation.session import Session


class Arrival(NamedTuple):
    """In step `step`, `axis` went from one value to another, at `op`: the return for a result of a function."""

    step: int
    op: Operation
    axis: AxisRefAttr
    source: int
    target: int


class Tensor(NamedTuple):
    """A value as an operand or result of an operation, with the mapping that its rule has for it."""

    value: int
    label: str
    """`operand 0`, `result 1`"""
    dims: Sequence[Sequence[int]]
    """The factors of each dimension."""


@dataclass(slots=True)
class Neighbourhood:
    """An operation that shardings go through, and its tensors."""

    op: Operation
    rule: OpShardingRuleAttr
    tensors: Sequence[Tensor]


class History:
    """What the engine did to a module, whose values are numbers here."""

    def __init__(self, read: ReadModule):
        self._read = read
        self._written = tuple(read.program.shardings)
        self._arrivals: dict[int, list[Arrival]] = {}
        self._steps = 0

    def observe(self, op: int, steps: Steps, key: tuple[int, ...]) -> None:
        """Take note of a step of the engine."""
        provenance = provenance_of(steps, key)
        if provenance is None:
            return
        program = self._read.program
        # What is returned (first) and the result that it becomes (second) have numbers of their own.
        slots = program.slots[op] if op >= 0 else program.returns[~op][:2]
        operands = len(provenance.operands)
        for target, axes in zip(slots, (*provenance.operands, *provenance.results), strict=False):
            for span, source in axes.items():
                axis = program.table.axis_refs((span,), provenance.mesh)[0]
                place = source.index if source.is_operand else operands + source.index
                arrival = Arrival(self._steps, self._operation(op), axis, slots[place], target)
                self._arrivals.setdefault(target, []).append(arrival)
        self._steps += 1

    def _operation(self, number: int) -> Operation:
        if number >= 0:
            return self._read.numbering.ops[number]
        home = self.home(self._read.program.returns[~number][1])
        assert isinstance(home, FunctionResult)
        terminator = home.function.body.block.last_op
        assert terminator is not None, "a function that returns a value has a return"
        return terminator

    def number(self, value: SSAValue) -> int | None:
        """The number of `value`; None if it cannot be sharded."""
        number = self._read.numbering.value(value)
        return None if number == NO_VALUE else number

    def result(self, index: int) -> int | None:
        """The number of result `index` of the main function; None if it has none, or none that can be sharded."""
        results = {home.index: result for _, result, _ in self._read.program.returns if (home := self._result(result))}
        return results.get(index)

    def _result(self, number: int) -> FunctionResult | None:
        home = self.home(number)
        return home if isinstance(home, FunctionResult) else None

    def home(self, number: int) -> Home:
        """Where the sharding of a value is written."""
        home = self._read.numbering.homes[number]
        assert home is not None, "only NO_VALUE has no home"
        return home

    def numbers(self) -> Iterator[int]:
        """All values, in the order of the text; the results of functions last."""
        return iter(range(NO_VALUE + 1, len(self._written)))

    def written(self, number: int) -> TensorShardingAttr | None:
        """The sharding that a value had before propagation."""
        return self._read.program.table.attribute(self._written[number])

    def sharding(self, number: int) -> TensorShardingAttr | None:
        """The sharding that a value has after it."""
        return self._read.program.table.attribute(self._read.program.shardings[number])

    def path(self, number: int, axis: AxisRefAttr) -> Sequence[Arrival]:
        """How `axis` came to a value, the last step first; nothing if it was written there."""
        path: list[Arrival] = []
        before: float = inf
        while arrivals := [a for a in self._arrivals.get(number, ()) if a.step < before and overlaps(a.axis, axis)]:
            path.append(arrivals[0])
            number, before = arrivals[0].source, arrivals[0].step
        return path

    def neighbourhoods(self, number: int) -> Iterator[Neighbourhood]:
        """The operations with a rule that have a value among their operands and results."""
        for op, slots in enumerate(self._read.program.slots):
            op_class = self._read.program.classes[op]
            if op_class is None or not op_class.has_rule or number not in slots:
                continue
            if self._read.numbering.ops[op].parent is None:
                continue
            rule = op_class.signature.rule.attribute
            mappings = (
                *((f"operand {i}", mapping) for i, mapping in enumerate(rule.operand_mappings)),
                *((f"result {i}", mapping) for i, mapping in enumerate(rule.result_mappings)),
            )
            tensors = [
                Tensor(value, label, [dim.factors for dim in mapping.dim_mappings])
                for value, (label, mapping) in zip(slots, mappings, strict=True)
            ]
            yield Neighbourhood(self._read.numbering.ops[op], rule, tensors)


def propagate_with_history(module: ModuleOp, ctx: Context) -> History:
    """Run `sdy-propagation-pipeline` on `module` up to its export, and take note of all that happens."""
    pipeline = PropagationPipelinePass()
    PassPipeline(pipeline.passes_before_propagation).apply(ctx, module)
    histories: list[History] = []

    def observer(read: ReadModule):
        histories.append(History(read))
        return histories[0].observe

    session = Session(module, observer=observer)
    pipeline.propagation.propagate(session)
    session.write(keep_rules=True)
    return histories[0]
