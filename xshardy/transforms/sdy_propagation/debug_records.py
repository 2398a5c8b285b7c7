"""
Debug records of propagation: which axes propagated through each operation, and from which sharding they come.

Steps with updates are numbered over the whole pass.
Source: Shardy's docs, options `debug-propagation-edge-sharding` and `debug-sharding-origins`, and rows SDY-ATTR-05,
SDY-ATTR-14 and SDY-ATTR-15.
"""

from collections.abc import Mapping, Sequence
from math import inf
from typing import NamedTuple

from xdsl.dialects.builtin import IntAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import RewritePattern

from xshardy.axes.spans import Span
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
from xshardy.sharding.steps import MemoKey, Steps
from xshardy.transforms.sdy.propagation_steps import next_step
from xshardy.transforms.sdy.sharding_origins import ShardingOrigins
from xshardy.transforms.sdy_propagation.module_program import ModuleProgram
from xshardy.transforms.sdy_propagation.numbering import FunctionResult
from xshardy.transforms.sdy_propagation.write_back import Attributes, FunctionAttributes


class AxisTransfer(NamedTuple):
    """An axis propagated from one tensor of an operation to another."""

    axis: AxisRefAttr
    source: Source
    target: Source


class DebugRecords:
    """Records steps. `origins` and `edges` are the two debug options."""

    def __init__(self, module: ModuleOp, module_program: ModuleProgram, *, origins: bool, edges: bool):
        self._program, self._numbering = module_program.program, module_program.numbering
        self._origins = ShardingOrigins(module) if origins else None
        self._next_step = next_step(module)
        self._transfers: dict[int, dict[AxisTransfer, int]] | None = {} if edges else None
        """By operation (`~i` for return `i`) the first step of each transfer."""

    def observe(self, op: int, steps: Steps, key: MemoKey) -> None:
        """Record a step: see `Observer`."""
        provenance = provenance_of(steps, key)
        if provenance is None:
            return
        tensors = self._tensors(op)
        count = len(provenance.operands)
        for position, axes in enumerate((*provenance.operands, *provenance.results)):
            target = Source(position < count, position if position < count else position - count)
            for span, source in axes.items():
                self._record(op, self._axis(span, provenance.mesh), source, target, tensors, count)
        self._next_step += 1

    def _axis(self, span: Span, mesh: int) -> AxisRefAttr:
        return self._program.table.axis_refs((span,), mesh)[0]

    def _tensors(self, op: int) -> Sequence[int]:
        """The values of an operation; for return `~op`, the returned value, which stands for the result too."""
        if op >= 0:
            return self._program.tensors[op]
        returned = self._program.returns[~op].returned
        return returned, returned

    def _record(
        self, op: int, axis: AxisRefAttr, source: Source, target: Source, tensors: Sequence[int], operands: int
    ) -> None:
        if self._transfers is not None:
            self._transfers.setdefault(op, {}).setdefault(AxisTransfer(axis, source, target), self._next_step)
        if self._origins is not None:
            known = self._origins.of(self._value(tensors, source, operands))
            # The axis may have been split, or merged from parts, since it left its origin.
            origin = known.get(axis) or next(
                (name for other, name in known.items() if contains(other, axis) or contains(axis, other)), None
            )
            if origin is not None:
                self._origins.add(self._value(tensors, target, operands), (axis,), origin)

    def _value(self, tensors: Sequence[int], tensor: Source, operands: int) -> SSAValue:
        home = self._numbering.homes[tensors[tensor.index + (0 if tensor.is_operand else operands)]]
        assert isinstance(home, SSAValue), "a tensor of an operation is a value; for a return it is the returned value"
        return home

    def origin_patterns(self) -> Sequence[RewritePattern]:
        """The patterns that write `sdy.sharding_origins`; none if they are not recorded."""
        return () if self._origins is None else self._origins.patterns()

    def edges_of_operations(self) -> Mapping[Operation, Attributes]:
        """For each operation `{sdy.propagation_edges = ...}`; empty if they are not recorded."""
        return {
            self._numbering.ops[op]: {PROPAGATION_EDGES: _edges(transfers)}
            for op, transfers in (self._transfers or {}).items()
            if op >= 0
        }

    def edges_of_functions(self) -> Mapping[FuncOp, FunctionAttributes]:
        """
        For the main function `{sdy.propagation_edges = ...}` on its first result; empty if they are not recorded.

        As in upstream, the first result has the transfers through all results.
        """
        of_main: dict[AxisTransfer, int] = {}
        for op, transfers in (self._transfers or {}).items():
            if op < 0:
                for transfer, step in transfers.items():
                    of_main[transfer] = min(step, of_main.get(transfer, step))
        result = next((home for home in self._numbering.homes if isinstance(home, FunctionResult)), None)
        if not of_main or result is None:
            return {}
        return {result.function: FunctionAttributes(results={0: {PROPAGATION_EDGES: _edges(of_main)}})}


def _edges(transfers: Mapping[AxisTransfer, int]) -> PropagationEdgesAttr:
    """`[{step-2 = [{"y" = operand-1 -> [operand-0, result-0]}]}]`: the transfers by step, axis and source."""
    by_step: dict[int, dict[tuple[AxisRefAttr, Source], list[Source]]] = {}
    for transfer, step in transfers.items():
        by_step.setdefault(step, {}).setdefault((transfer.axis, transfer.source), []).append(transfer.target)
    return PropagationEdgesAttr(
        PropagationOneStepAttr(
            IntAttr(step),
            [
                AxisToPropagationDetailsAttr(axis, _reference(source), [*map(_reference, targets)])
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
