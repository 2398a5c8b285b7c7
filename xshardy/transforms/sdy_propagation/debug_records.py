"""
What propagation writes down for debugging: which axes went through an operation, and from which sharding they came.

A step is one change that an operation made; steps are counted over the whole pass.
Source: Shardy's docs, options `debug-propagation-edge-sharding` and `debug-sharding-origins`, and rows SDY-ATTR-05,
SDY-ATTR-14 and SDY-ATTR-15.
"""

from collections.abc import Mapping, Sequence
from math import inf
from typing import NamedTuple

from xdsl.dialects.builtin import IntAttr, ModuleOp
from xdsl.ir import SSAValue

from xshardy.axes.spans import Span
from xshardy.dialects.function_attributes import add_result_attributes
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, SubAxisInfoAttr
from xshardy.dialects.sdy.attributes.edges import (
    AxisToPropagationDetailsAttr,
    EdgeValueRefAttr,
    PropagationEdgesAttr,
    PropagationOneStepAttr,
)
from xshardy.dialects.sdy.attributes.enums import EdgeNodeType
from xshardy.dialects.sdy.axis_refs import contains, pre_size
from xshardy.dialects.sdy.value_shardings import PROPAGATION_EDGES
from xshardy.sharding.provenance import Source, provenance_of
from xshardy.sharding.steps import Steps
from xshardy.transforms.sdy.propagation_steps import next_step
from xshardy.transforms.sdy.sharding_origins import ShardingOrigins
from xshardy.transforms.sdy_propagation.numbering import FunctionResult
from xshardy.transforms.sdy_propagation.reading import ReadModule


class Passage(NamedTuple):
    """An axis went from one tensor of an operation to another."""

    axis: AxisRefAttr
    source: Source
    target: Source


class DebugRecords:
    """Takes note of every step, and writes on the module what its two options ask for."""

    def __init__(self, module: ModuleOp, read: ReadModule, *, origins: bool, edges: bool):
        self._read = read
        self._origins = ShardingOrigins(module) if origins else None
        self._next_step = next_step(module)
        self._passages: dict[int, dict[Passage, int]] | None = {} if edges else None
        """By operation (`~i` for return `i`) the first step of each passage."""

    def observe(self, op: int, steps: Steps, key: tuple[int, ...]) -> None:
        """Take note of a step: see `Observer`."""
        provenance = provenance_of(steps, key)
        if provenance is None:
            return
        slots = self._slots(op)
        count = len(provenance.operands)
        for slot, axes in enumerate((*provenance.operands, *provenance.results)):
            target = Source(slot < count, slot if slot < count else slot - count)
            for span, source in axes.items():
                self._note(op, self._axis(span, provenance.mesh), source, target, slots, count)
        self._next_step += 1

    def _axis(self, span: Span, mesh: int) -> AxisRefAttr:
        return self._read.program.table.axis_refs((span,), mesh)[0]

    def _slots(self, op: int) -> Sequence[int]:
        """The values of an operation; of return `~op`, what is returned, which is where its result is kept too."""
        if op >= 0:
            return self._read.program.slots[op]
        returned = self._read.program.returns[~op][0]
        return returned, returned

    def _note(
        self, op: int, axis: AxisRefAttr, source: Source, target: Source, slots: Sequence[int], operands: int
    ) -> None:
        if self._passages is not None:
            self._passages.setdefault(op, {}).setdefault(Passage(axis, source, target), self._next_step)
        if self._origins is not None:
            known = self._origins.of(self._value(slots, source, operands))
            # The axis may be a part of one that was split on the way, or have been put together from parts.
            origin = known.get(axis) or next(
                (name for other, name in known.items() if contains(other, axis) or contains(axis, other)), None
            )
            if origin is not None:
                self._origins.add(self._value(slots, target, operands), (axis,), origin)

    def _value(self, slots: Sequence[int], tensor: Source, operands: int) -> SSAValue:
        home = self._read.numbering.homes[slots[tensor.index + (0 if tensor.is_operand else operands)]]
        assert isinstance(home, SSAValue), "only values propagate, and a result is kept where it is returned"
        return home

    def write(self) -> None:
        """Write on operations, arguments and results what has been noted."""
        if self._origins is not None:
            self._origins.write()
        of_main: dict[Passage, int] = {}
        for op, passages in (self._passages or {}).items():
            if op >= 0:
                self._read.numbering.ops[op].attributes[PROPAGATION_EDGES] = _edges(passages)
            else:
                # As upstream has it, what went through any result of the main function is written on its first one.
                for passage, step in passages.items():
                    of_main[passage] = min(step, of_main.get(passage, step))
        result = next((home for home in self._read.numbering.homes if isinstance(home, FunctionResult)), None)
        if of_main and result is not None:
            add_result_attributes(result.function, {0: {PROPAGATION_EDGES: _edges(of_main)}})


def _edges(passages: Mapping[Passage, int]) -> PropagationEdgesAttr:
    """`[{step-2 = [{"y" = operand-1 -> [operand-0, result-0]}]}]`: the passages by step, axis and source."""
    by_step: dict[int, dict[tuple[AxisRefAttr, Source], list[Source]]] = {}
    for passage, step in passages.items():
        by_step.setdefault(step, {}).setdefault((passage.axis, passage.source), []).append(passage.target)
    return PropagationEdgesAttr(
        PropagationOneStepAttr(
            IntAttr(step),
            [
                AxisToPropagationDetailsAttr(axis, _reference(source), [*map(_reference, sorted(targets, key=_order))])
                for (axis, source), targets in sorted(by_step[step].items(), key=_by_axis_and_source)
            ],
        )
        for step in sorted(by_step)
    )


def _reference(tensor: Source) -> EdgeValueRefAttr:
    return EdgeValueRefAttr(EdgeNodeType.OPERAND if tensor.is_operand else EdgeNodeType.RESULT, tensor.index)


def _order(tensor: Source) -> tuple[bool, int]:
    return not tensor.is_operand, tensor.index


def _by_axis_and_source(entry: tuple[tuple[AxisRefAttr, Source], list[Source]]) -> tuple[object, ...]:
    (axis, source), _ = entry
    part = axis.sub_axis
    size = part.size.data if isinstance(part, SubAxisInfoAttr) else inf
    return axis.axis.data, pre_size(axis), size, *_order(source)
