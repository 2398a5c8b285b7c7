"""
The history of a propagation: for each axis that a value got, the step, the operation, and the value that it came from.

Values on one data flow edge have one number here, as in the engine.
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
from xshardy.rewriting import rewrite
from xshardy.sharding.program import NO_VALUE
from xshardy.sharding.propagation import Observer
from xshardy.sharding.provenance import provenance_of
from xshardy.sharding.steps import MemoKey, Steps
from xshardy.transforms.sdy.function_body import body_of
from xshardy.transforms.sdy_propagation.module_program import ModuleProgram
from xshardy.transforms.sdy_propagation.numbering import FunctionResult, Home
from xshardy.transforms.sdy_propagation.propagation_pipeline import PropagationPipelinePass


class Arrival(NamedTuple):
    """In step `step`, `axis` propagated from value `source` to `target` through `op`; a return for function results."""

    step: int
    op: Operation
    axis: AxisRefAttr
    source: int
    target: int


class Tensor(NamedTuple):
    """A value as an operand or result of an operation, and its mapping in the sharding rule."""

    value: int
    label: str
    """`operand 0`, `result 1`"""
    dims: Sequence[Sequence[int]]
    """The factors of each dimension."""


@dataclass(slots=True)
class Neighbourhood:
    """An operation that shardings propagate through, and its tensors."""

    op: Operation
    rule: OpShardingRuleAttr
    tensors: Sequence[Tensor]


class History:
    """What the engine did to a module. Values are identified by their numbers."""

    def __init__(self, module_program: ModuleProgram):
        self._program, self._numbering = module_program.program, module_program.numbering
        self._written = tuple(self._program.shardings)
        self._arrivals: dict[int, list[Arrival]] = {}
        self._steps = 0

    def observe(self, op: int, steps: Steps, key: MemoKey) -> None:
        """Record a step: see `Observer`."""
        provenance = provenance_of(steps, key)
        if provenance is None:
            return
        program = self._program
        # The tensors of a return are the returned value and the result of the function.
        tensors = program.tensors[op] if op >= 0 else program.returns[~op][:2]
        operands = len(provenance.operands)
        for target, axes in zip(tensors, (*provenance.operands, *provenance.results), strict=False):
            for span, source in axes.items():
                axis = program.table.axis_refs((span,), provenance.mesh)[0]
                place = source.index if source.is_operand else operands + source.index
                arrival = Arrival(self._steps, self._operation(op), axis, tensors[place], target)
                self._arrivals.setdefault(target, []).append(arrival)
        self._steps += 1

    def _operation(self, number: int) -> Operation:
        if number >= 0:
            return self._numbering.ops[number]
        home = self.home(self._program.returns[~number].result)
        assert isinstance(home, FunctionResult)
        terminator = body_of(home.function).last_op
        assert terminator is not None, "a function that returns a value has a return"
        return terminator

    def number(self, value: SSAValue) -> int | None:
        """The number of `value`; None if it cannot be sharded."""
        number = self._numbering.value(value)
        return None if number == NO_VALUE else number

    def result(self, index: int) -> int | None:
        """The number of result `index` of the main function; None if it has none, or none that can be sharded."""
        results = {home.index: result for _, result, _ in self._program.returns if (home := self._result(result))}
        return results.get(index)

    def _result(self, number: int) -> FunctionResult | None:
        home = self.home(number)
        return home if isinstance(home, FunctionResult) else None

    def home(self, number: int) -> Home:
        """Where the sharding of a value is written."""
        home = self._numbering.homes[number]
        assert home is not None, "only NO_VALUE has no home"
        return home

    def numbers(self) -> Iterator[int]:
        """All values, in text order; the results of functions last."""
        return iter(range(NO_VALUE + 1, len(self._written)))

    def written(self, number: int) -> TensorShardingAttr | None:
        """The sharding that a value had before propagation."""
        return self._program.table.attribute(self._written[number])

    def sharding(self, number: int) -> TensorShardingAttr | None:
        """The sharding that a value has after it."""
        return self._program.table.attribute(self._program.shardings[number])

    def path(self, number: int, axis: AxisRefAttr) -> Sequence[Arrival]:
        """The steps by which `axis` came to a value, last first; empty if the value had it before propagation."""
        path: list[Arrival] = []
        before: float = inf
        while arrivals := [a for a in self._arrivals.get(number, ()) if a.step < before and overlaps(a.axis, axis)]:
            path.append(arrivals[0])
            number, before = arrivals[0].source, arrivals[0].step
        return path

    def neighbourhoods(self, number: int) -> Iterator[Neighbourhood]:
        """The operations with a rule that have value `number` among their operands and results."""
        for op, values in enumerate(self._program.tensors):
            op_class = self._program.classes[op]
            if op_class is None or not op_class.has_rule or number not in values:
                continue
            if self._numbering.ops[op].parent is None:
                continue
            rule = op_class.signature.rule.attribute
            mappings = (
                *((f"operand {i}", mapping) for i, mapping in enumerate(rule.operand_mappings)),
                *((f"result {i}", mapping) for i, mapping in enumerate(rule.result_mappings)),
            )
            tensors = [
                Tensor(value, label, [dim.factors for dim in mapping.dim_mappings])
                for value, (label, mapping) in zip(values, mappings, strict=True)
            ]
            yield Neighbourhood(self._numbering.ops[op], rule, tensors)


def propagate_with_history(module: ModuleOp, ctx: Context, pipeline: PropagationPipelinePass | None = None) -> History:
    """Run `pipeline` on `module` up to its export, and record the steps; by default, one without options."""
    pipeline = pipeline or PropagationPipelinePass()
    PassPipeline(pipeline.passes_before_propagation).apply(ctx, module)
    histories: list[History] = []

    def observe(module_program: ModuleProgram) -> Observer:
        histories.append(History(module_program))
        return histories[0].observe

    for step in pipeline.propagation.observed_steps(module, observe):
        rewrite(module, step.patterns, step.walk)
    return histories[0]
