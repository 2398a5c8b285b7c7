"""
The tensor of an operation that each new axis of its other tensors comes from, in one propagation step.

Source: Shardy's docs, option `debug-propagation-edge-sharding` of the propagation passes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xshardy.axes.spans import Axes, Span, is_list_prefix
from xshardy.sharding.factor_rule import TensorMapping
from xshardy.sharding.factors import TensorFactors
from xshardy.sharding.steps import Projection, Steps


@dataclass(frozen=True, slots=True)
class Source:
    """An operand or a result of an operation."""

    is_operand: bool
    index: int


class Provenance(NamedTuple):
    """The new axes of each tensor of an operation in one step, and the source of each."""

    mesh: int
    operands: Sequence[Mapping[Span, Source]]
    results: Sequence[Mapping[Span, Source]]


def provenance_of(steps: Steps, key: tuple[int, ...]) -> Provenance | None:
    """The new axes of each tensor in the step with memo key `key`; None if the tensors are not over one mesh."""
    before, after = steps.before(key), steps.after(key)
    if before is None or after is None:
        return None
    rule = steps.signature.rule
    operands = zip(rule.operands, before.operands, after.operands, strict=True)
    results = zip(rule.results, before.results, after.results, strict=True)
    return Provenance(
        after.mesh,
        [_new_axes(mapping, old, new, before) for mapping, old, new in operands],
        [_new_axes(mapping, old, new, before) for mapping, old, new in results],
    )


def _new_axes(
    mapping: TensorMapping, old: TensorFactors, new: TensorFactors, before: Projection
) -> Mapping[Span, Source]:
    """The new axes of a tensor, with their sources. Consecutive sub-axes of neighbouring factors are merged."""
    found: dict[Span, Source] = {}
    for dim in mapping:
        last: Span | None = None
        for factor in dim:
            if factor not in new.factors or new.factors[factor].axes == old.factors[factor].axes:
                continue
            known, axes = old.factors[factor].axes, new.factors[factor].axes
            tail = axes[-1]
            if last is not None and last.axis == tail.axis and last.end == tail.start:
                found.pop(last, None)
                tail = Span(tail.axis, last.start, tail.end)
            last = axes[-1]
            source = _source_of(axes, factor, before)
            if source is not None:
                for axis in _added(known, (*axes[:-1], tail)):
                    found.setdefault(axis, source)
    return found


def _added(known: Axes, axes: Axes) -> Axes:
    """The axes of `axes` that are not in `known`; includes the last known one if it was extended."""
    first = len(known)
    if known and known[-1] != axes[first - 1]:
        first -= 1
    return axes[first:]


def _source_of(axes: Axes, factor: int, before: Projection) -> Source | None:
    """The first tensor that had all of `axes` for `factor`; operands come before results."""
    for is_operand, tensors in ((True, before.operands), (False, before.results)):
        for index, tensor in enumerate(tensors):
            sharding = tensor.factors.get(factor)
            if sharding is not None and is_list_prefix(axes, sharding.axes):
                return Source(is_operand, index)
    return None
