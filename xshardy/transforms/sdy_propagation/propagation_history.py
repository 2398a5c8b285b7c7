"""
The history of a propagation: for each axis that a value got, the step, the operation, and the value that it came from.

Values on one data flow edge have one number here, as in the engine. Recording is a list of the steps; what they did is
computed when it is asked for, once for steps that look alike.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from xshardy.axes.spans import Span
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import overlaps, span_of
from xshardy.rewriting import rewrite
from xshardy.sharding.program import NO_VALUE
from xshardy.sharding.propagation import Observer
from xshardy.sharding.provenance import provenance_of
from xshardy.sharding.steps import MemoKey, Steps, StepsKey
from xshardy.transforms.pipeline_pass import IndexedPipeline
from xshardy.transforms.sdy.function_body import body_of
from xshardy.transforms.sdy.op_kinds import traits_of
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


class Role(NamedTuple):
    """An operand or result of an operation."""

    label: str
    """`operand 0`, `result 1`"""
    dims: Sequence[Sequence[int]]
    """The factors of each dimension; none if the operation has no sharding rule."""


class Neighbourhood(NamedTuple):
    """An operation and its tensors."""

    op: Operation
    rule: OpShardingRuleAttr | None
    """None if shardings do not propagate through it. Operations that propagate alike have the same object."""
    roles: Sequence[Role]
    values: Sequence[int]
    """For each role, the number of the value; `NO_VALUE` for one that cannot be sharded."""


class _Gain(NamedTuple):
    """An axis that a tensor of an operation got in a step, by its place among the operands and results."""

    target: int
    axis: AxisRefAttr
    source: int


class History:
    """Provenance of axes: the steps of the engine by which values got them. Values are identified by their numbers."""

    def __init__(self, module_program: ModuleProgram):
        self._program, self._numbering = module_program.program, module_program.numbering
        self._written = tuple(self._program.shardings)
        self._observed: list[tuple[int, Steps, MemoKey]] = []
        self._roles: dict[OpShardingRuleAttr, Sequence[Role]] = {}
        self._sources: dict[tuple[int, Span[str]], int] = {}
        """By value and axis, what `source` returns."""

    def observe(self, op: int, steps: Steps, key: MemoKey) -> None:
        """Record a step: see `Observer`."""
        self._observed.append((op, steps, key))

    @cached_property
    def _arrivals(self) -> Mapping[int, Sequence[Arrival]]:
        """By value, the axes that it got, in the order of the steps. Steps among several meshes are left out."""
        arrivals: dict[int, list[Arrival]] = {}
        known: dict[tuple[StepsKey, MemoKey], Sequence[_Gain] | None] = {}
        program = self._program
        step = 0
        for op, steps, key in self._observed:
            memo_key = steps.key, key
            if memo_key not in known:
                known[memo_key] = self._gains(steps, key)
            if (gains := known[memo_key]) is None:
                continue
            # The tensors of a return are the returned value and the result of the function.
            tensors = program.tensors[op] if op >= 0 else program.returns[~op][:2]
            operation = self._operation(op)
            for gain in gains:
                target = tensors[gain.target]
                arrival = Arrival(step, operation, gain.axis, tensors[gain.source], target)
                arrivals.setdefault(target, []).append(arrival)
            step += 1
        return arrivals

    def _gains(self, steps: Steps, key: MemoKey) -> Sequence[_Gain] | None:
        """The axes that the tensors of an operation got in a step; None if they are not over one mesh."""
        if (provenance := provenance_of(steps, key)) is None:
            return None
        operands = len(provenance.operands)
        table, mesh = self._program.table, provenance.mesh
        return [
            _Gain(target, table.axis_refs((span,), mesh)[0], source.index + (0 if source.is_operand else operands))
            for target, axes in enumerate((*provenance.operands, *provenance.results))
            for span, source in axes.items()
        ]

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
        return self._result_numbers.get(index)

    @cached_property
    def _result_numbers(self) -> Mapping[int, int]:
        """By the index of a result of the main function, its number."""
        homes = ((self.home(result), result) for _, result, _ in self._program.returns)
        return {home.index: result for home, result in homes if isinstance(home, FunctionResult)}

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

    def arrival(self, number: int, axis: AxisRefAttr, before: int | None = None) -> Arrival | None:
        """The first step, earlier than step `before`, by which a value got a part of `axis`; None if there is none."""
        first = next((arrival for arrival in self._arrivals.get(number, ()) if overlaps(arrival.axis, axis)), None)
        return first if first is None or before is None or first.step < before else None

    def path(self, number: int, axis: AxisRefAttr) -> Sequence[Arrival]:
        """The steps by which `axis` came to a value, last first; empty if the value had it before propagation."""
        path: list[Arrival] = []
        arrival = self.arrival(number, axis)
        while arrival is not None:
            path.append(arrival)
            arrival = self.arrival(arrival.source, axis, arrival.step)
        return path

    def source(self, number: int, axis: AxisRefAttr) -> int:
        """
        The value that `axis` of a value comes from, where `path` ends: one that had it before propagation, if any had.

        Values on one path have one source, so that this takes constant time for each value of a program.
        """
        span, passed, source = span_of(axis), list[int](), number
        arrival = self.arrival(number, axis)
        while arrival is not None:
            if (known := self._sources.get((number, span))) is not None:
                source = known
                break
            passed.append(number)
            number = source = arrival.source
            arrival = self.arrival(number, axis, arrival.step)
        self._sources |= {(each, span): source for each in passed}
        return source

    def neighbourhoods(self, number: int | None = None) -> Iterator[Neighbourhood]:
        """
        The operations that have value `number` among their operands and results, in text order; without it, all.

        Edges are left out, and operations that only move shardings along edges, such as loops.
        """
        for op in range(len(self._program.tensors)) if number is None else self._operations_with.get(number, ()):
            operation, op_class = self._numbering.ops[op], self._program.classes[op]
            if operation.parent is None:  # it was dead
                continue
            if op_class is None:
                traits = traits_of(type(operation))
                if not (traits.has_no_rule or traits.forwards_operands):
                    yield Neighbourhood(operation, None, _roles_without_rule(operation), self._program.tensors[op])
            elif op_class.has_rule:
                rule = op_class.signature.rule.attribute
                if rule not in self._roles:
                    self._roles[rule] = _roles_of(rule)
                yield Neighbourhood(operation, rule, self._roles[rule], self._program.tensors[op])

    @cached_property
    def _operations_with(self) -> Mapping[int, Sequence[int]]:
        """By value, the operations that have it among their tensors, in text order."""
        operations: dict[int, dict[int, None]] = {}
        for op, values in enumerate(self._program.tensors):
            for value in values:
                operations.setdefault(value, {})[op] = None
        return {value: tuple(found) for value, found in operations.items()}


def _roles_of(rule: OpShardingRuleAttr) -> Sequence[Role]:
    """The operands of `rule`, then its results."""
    return [
        Role(f"{what} {index}", [dim.factors for dim in mapping.dim_mappings])
        for what, mappings in (("operand", rule.operand_mappings), ("result", rule.result_mappings))
        for index, mapping in enumerate(mappings)
    ]


def _roles_without_rule(op: Operation) -> Sequence[Role]:
    return [
        Role(f"{what} {index}", ())
        for what, values in (("operand", op.operands), ("result", op.results))
        for index in range(len(values))
    ]


def propagate_with_history(module: ModuleOp, ctx: Context, pipeline: PropagationPipelinePass | None = None) -> History:
    """Run `pipeline` on `module` up to its export, and record the steps; by default, one without options."""
    pipeline = pipeline or PropagationPipelinePass()
    IndexedPipeline(pipeline.passes_before_propagation).apply(ctx, module)
    histories: list[History] = []

    def observe(module_program: ModuleProgram) -> Observer:
        histories.append(History(module_program))
        return histories[0].observe

    for step in pipeline.propagation.observed_steps(module, observe):
        rewrite(module, step.patterns, step.walk)
    return histories[0]
