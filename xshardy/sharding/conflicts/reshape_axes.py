"""Reshapes with axes that do not divide their factors: which axes both sides can have."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from math import gcd

from xshardy.axes.spans import Axes, Span, append, is_prefix, size_of
from xshardy.sharding.factor_rule import FactorRule, TensorMapping
from xshardy.sharding.factors import FactorSharding, TensorFactors, project, unproject


def axes_of_both_sides(rule: FactorRule, operand: TensorFactors, result: TensorFactors) -> tuple[Axes, ...]:
    """
    The axes of each factor that a reshape keeps, if some axes have no common divisor with their factor.

    All axes of the side with more parts are distributed anew over the factors of both sides; the common axes are kept.
    """
    preferred = operand if parts_of(operand) >= parts_of(result) else result
    axes = tuple(
        chain.from_iterable(
            (*preferred.factors[factor].axes, *preferred.factors[factor].overflow)
            for factor in range(len(rule.sizes))
            if factor in preferred.factors
        )
    )
    sides = (
        (rule.operands[0], _with_distributed_axes(axes, operand, rule.operands[0], rule.sizes)),
        (rule.results[0], _with_distributed_axes(axes, result, rule.results[0], rule.sizes)),
    )
    legal = [project(mapping, unproject(tensor, mapping, rule.sizes, 0), rule.sizes) for mapping, tensor in sides]
    return tuple(
        common_prefix([tensor.factors[factor].axes for tensor in legal if factor in tensor.factors])
        for factor in range(len(rule.sizes))
    )


def parts_of(tensor: TensorFactors) -> int:
    """The number of parts of a tensor."""
    return size_of(axis for factor in tensor.factors.values() for axis in (*factor.axes, *factor.overflow))


def _with_distributed_axes(
    axes: Axes, tensor: TensorFactors, mapping: TensorMapping, sizes: Sequence[int]
) -> TensorFactors:
    """`tensor` with `axes` instead of its own; its last factor also takes the axes that divide no factor."""
    order = [factor for dim in mapping for factor in dim if factor in tensor.factors]
    shares, rest = distribute_axes(axes, [sizes[factor] for factor in order])
    shardings = {
        factor: FactorSharding(share, tensor.factors[factor].is_closed)
        for factor, share in zip(order, shares, strict=True)
    }
    if order:
        shardings[order[-1]].overflow = rest
    return replace(tensor, factors=complete(shardings, mapping))


def complete(shardings: dict[int, FactorSharding], mapping: TensorMapping) -> dict[int, FactorSharding]:
    """`shardings`, and a closed one without axes for each other factor of `mapping`."""
    return {factor: shardings.get(factor) or FactorSharding(is_closed=True) for dim in mapping for factor in dim}


def distribute_axes(axes: Axes, sizes: Sequence[int]) -> tuple[list[Axes], Axes]:
    """
    Distribute `axes` over factors of these sizes, in elements. Returns the axes of each factor, and the rest: the first
    axis that divides no factor, and all after it.

    Each axis goes to the first factor with a common divisor. If the divisor is smaller than the axis, the axis is
    split, and its rest is distributed in the same way.
    """
    shares: list[list[Span]] = [[] for _ in sizes]
    room = list(sizes)
    rest = list(reversed(axes))
    while rest:
        axis: Span | None = rest.pop()
        before = axis
        for index, share in enumerate(shares):
            part = gcd(room[index], axis.size)
            if room[index] <= 1 or (part == 1 and axis.size > 1):
                continue
            room[index] //= part
            middle = axis.start * part
            append(share, Span(axis.axis, axis.start, middle))
            if middle == axis.end:
                axis = None
                break
            axis = Span(axis.axis, middle, axis.end)
        if axis is not None:
            rest.append(axis)
        if axis == before:
            break
    left: list[Span] = []
    for axis in reversed(rest):
        append(left, axis)
    return [tuple(share) for share in shares], tuple(left)


def common_prefix(lists: Sequence[Axes]) -> Axes:
    """The longest common prefix of `lists`; its last axis may be the common part of axes that differ."""
    common = lists[0] if lists else ()
    for axes in lists[1:]:
        common = tuple(_common_axes(common, axes))
    return common


def _common_axes(a: Axes, b: Axes) -> Iterable[Span]:
    for first, second in zip(a, b, strict=False):
        if first != second:
            if is_prefix(first, second) or is_prefix(second, first):
                yield min(first, second)
            return
        yield first
