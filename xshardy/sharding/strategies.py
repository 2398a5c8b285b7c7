"""
Propagating along the factors of one operation: the axes of a factor spread between the tensors that have the factor.

The basic strategy stops at conflicts: where two tensors have different axes, or an axis is already used in some tensor,
no tensor gets more axes. The aggressive strategy expands each tensor as far as possible, and resolves conflicts between
factors in favour of the larger source.
Source: Shardy's docs, "Sharding propagation".
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, IntFlag
from math import gcd, prod

from xshardy.axes.spans import (
    Axes,
    Span,
    contains,
    is_list_prefix,
    is_prefix,
    is_strict_prefix,
    prefix_without,
    size_of,
)
from xshardy.sharding.factor_rule import FactorRule
from xshardy.sharding.factors import FactorSharding, TensorFactors


class Direction(IntFlag):
    """The directions in which axes propagate along a factor: forward is from operands to results. `|` is the union."""

    NONE = 0
    FORWARD = 1
    BACKWARD = 2
    BOTH = 3


class Strategy(Enum):
    """How conflicts are handled."""

    BASIC = "basic"
    AGGRESSIVE = "aggressive"


@dataclass(slots=True)
class Step:
    """The input of a strategy: the factor shardings of an operation's tensors. It expands them in place."""

    rule: FactorRule
    operands: list[TensorFactors]
    results: list[TensorFactors]
    directions: Sequence[Direction]
    """The direction of each factor."""
    axis_sizes: Sequence[int]
    """The sizes of the axes of the mesh, in devices."""
    is_elementwise: bool = False
    is_conservative: bool = False
    """Whether axes must not be split."""

    @property
    def tensors(self) -> list[TensorFactors]:
        """The operands, then the results."""
        return self.operands + self.results

    def is_split(self, axis: Span) -> bool:
        """Whether `axis` is a sub-axis."""
        return axis.start != 1 or axis.end != self.axis_sizes[axis.axis]


def _joined(known: Axes, more: Axes, may_expand: bool) -> tuple[Axes, bool]:
    """
    The major axes on which two lists agree, and whether more axes may be appended to them.

    If one continues the other there is no conflict, and the result is the longer one; but without `may_expand` it is
    never longer than `known`.
    """
    if not more or known == more:
        return known, may_expand
    joined: list[Span] = []
    for position, (old, new) in enumerate(zip(known, more, strict=False), start=1):
        if old == new:
            joined.append(new)
        elif is_prefix(new, old):
            # More axes after `new` conflict with the rest of `old`: had they continued it, they would be merged.
            if position < len(more):
                return (*joined, new), False
            joined.append(old)
        elif is_prefix(old, new):
            if not may_expand or position < len(known):
                return (*joined, old), False
            joined.append(new)
        else:
            return tuple(joined), False
    common = len(joined)
    joined += known[common:]
    if may_expand:
        joined += more[common:]
    return tuple(joined), may_expand


def compatible_major_axes(step: Step, factor: int) -> Axes:
    """
    The major axes of `factor` on which all tensors agree, ignoring conflicts with other factors.

    Only tensors on the source side of the factor's direction contribute axes.
    """
    direction = step.directions[factor]
    if direction is Direction.NONE:
        return ()
    backward = direction is Direction.BACKWARD
    sources, targets = (step.results, step.operands) if backward else (step.operands, step.results)
    axes: Axes = ()
    may_expand = True
    for tensor in sources:
        axes, may_expand = _joined(axes, tensor.axes_of(factor), may_expand)
    may_expand &= direction is Direction.BOTH
    for tensor in targets:
        axes, may_expand = _joined(axes, tensor.axes_of(factor), may_expand)
    return axes


def _without_conflicts(step: Step, axes: Axes, compatible: Callable[[Span, int], Span | None]) -> Axes:
    """
    The prefix of `axes` before the first axis that `compatible` shortens, then the part of that axis that it keeps.

    `compatible` is given an axis, and into how many parts the axes before it divide the factor.
    """
    kept: list[Span] = []
    parts = 1
    for axis in axes:
        left = compatible(axis, parts)
        if left is None or (step.is_conservative and step.is_split(left)):
            break
        kept.append(left)
        if left != axis:
            break
        parts *= left.size
    return tuple(kept)


def _prefix_free_in_other_factors(axis: Span, tensor: TensorFactors, factor: int) -> Span | None:
    """The major part of `axis` along which no factor of `tensor` but `factor` is sharded."""
    left: Span | None = axis
    for other, sharding in tensor.factors.items():
        if other == factor:
            continue
        left = prefix_without(left, sharding.overflow)
        left = None if left is None else prefix_without(left, sharding.axes)
        if left is None:
            return None
    return left


def _prefix_that_fits(
    axis: Span, tensor: TensorFactors, sharding: FactorSharding, parts: int, size: int
) -> Span | None:
    """
    The major part of `axis` that a factor of `tensor` has already, or has room for.

    The factor has `size` elements, of which axes before this one make `parts` parts. It can take more axes if it is
    open and nothing overflows; if it is not the minor-most of its dimension, they must divide what is left of it.
    """
    left = prefix_without(axis, tensor.replicated)
    left = None if left is None else prefix_without(left, tensor.unreduced)
    if left is None or any(contains(known, left) for known in sharding.axes):
        return left
    if not sharding.is_closed and not sharding.overflow:
        if sharding.is_minor_most:
            return left
        if size % parts == 0 and ((divisor := gcd(size // parts, left.size)) > 1 or left.size == 1):
            return left if divisor == left.size else Span(left.axis, left.start, left.start * divisor)
    if sharding.axes and is_prefix(sharding.axes[-1], left):
        return sharding.axes[-1]
    return None


def propagate_basic(step: Step) -> None:
    """Expand each factor in all tensors, along the axes without a conflict in any tensor."""
    for factor, size in enumerate(step.rule.sizes):
        axes = compatible_major_axes(step, factor)
        if not axes:
            continue

        def compatible(axis: Span, parts: int, factor: int = factor, size: int = size) -> Span | None:
            left: Span | None = axis
            for tensor in step.tensors:
                left = _prefix_free_in_other_factors(left, tensor, factor)
                if left is not None and (sharding := tensor.factors.get(factor)) is not None:
                    left = _prefix_that_fits(left, tensor, sharding, parts, size)
                if left is None:
                    return None
            return left

        axes = _without_conflicts(step, axes, compatible)
        for tensor in step.tensors:
            tensor.expand(factor, axes)


def propagate_aggressive(step: Step) -> None:
    """Expand factors tensor by tensor, results first; an axis that several factors want goes to the larger source."""
    wanted = [compatible_major_axes(step, factor) for factor in range(len(step.rule.sizes))]
    # Most steps change one factor or none: consider only factors for which some tensor lacks axes.
    lacking = {f for tensor in step.tensors for f, s in tensor.factors.items() if wanted[f] and s.axes != wanted[f]}
    if not lacking:
        return
    order = _by_size_of_source(step, wanted, lacking) if len(lacking) > 1 else lacking
    for tensor in step.results:
        for factor in order:
            tensor.expand(factor, _axes_for(step, tensor, factor, wanted[factor]))
    for tensor in step.operands:
        for factor in order:
            axes = _axes_for(step, tensor, factor, wanted[factor])
            if step.is_elementwise:
                # From operand to operand, propagate only axes that the result has too: the result may be replicated.
                for result in step.results:
                    sharding = result.factors.get(factor)
                    if sharding is not None and is_strict_prefix(sharding.axes, axes):
                        axes = sharding.axes
            tensor.expand(factor, axes)


def _axes_for(step: Step, tensor: TensorFactors, factor: int, wanted: Axes) -> Axes:
    """The major part of `wanted` that `factor` can have in `tensor`; empty if that does not extend its axes."""
    sharding = tensor.factors.get(factor)
    if sharding is None or not is_strict_prefix(sharding.axes, wanted):
        return ()
    size = step.rule.sizes[factor]
    axes = _without_conflicts(step, wanted, lambda axis, parts: _prefix_that_fits(axis, tensor, sharding, parts, size))
    if not is_strict_prefix(sharding.axes, axes):
        return ()
    return _without_conflicts(step, axes, lambda axis, _: _prefix_free_in_other_factors(axis, tensor, factor))


def _by_size_of_source(step: Step, wanted: Sequence[Axes], factors: Collection[int]) -> list[int]:
    """
    `factors` in the order in which they are expanded: largest source first.

    The source of a factor is the largest tensor, in elements, that has all of the wanted axes. Ties go, in elementwise
    operations, to the factor that is sharded most; then to the first source, and to the first factor.
    """
    elements = [prod([step.rule.sizes[factor] for factor in tensor.factors]) for tensor in step.tensors]

    def rank(factor: int) -> tuple[int, int, int, int]:
        sources = [
            (-elements[index], index)
            for index, tensor in enumerate(step.tensors)
            if factor in tensor.factors and is_list_prefix(wanted[factor], tensor.factors[factor].axes)
        ]
        size, source = min(sources, default=(1, -1))
        return size, -size_of(wanted[factor]) if step.is_elementwise else 0, source, factor

    return sorted(factors, key=rank)


STRATEGIES: Mapping[Strategy, Callable[[Step], None]] = {
    Strategy.BASIC: propagate_basic,
    Strategy.AGGRESSIVE: propagate_aggressive,
}
