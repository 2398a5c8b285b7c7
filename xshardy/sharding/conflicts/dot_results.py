"""
Dot products whose result is resharded instead of an operand, so that more devices share the product.

Source: C++ Shardy, which treats `dot` and `dot_general` alike.
"""

from collections.abc import Sequence

from xshardy.axes.spans import Axes, Span, overlaps
from xshardy.sharding.conflicts.common_axes import FactorAxes
from xshardy.sharding.factor_rule import FactorRule


def result_as_operands(rule: FactorRule, tensors: Sequence[FactorAxes], elements: Sequence[int]) -> FactorAxes | None:
    """
    The sharding in which a dot product produces its result, compatible with its operands, before the result is
    resharded.

    `tensors` are the left and the right operand and the result, `elements` their sizes. None unless the operands agree
    with each other, the result differs from them in exactly one factor, it is not larger than the operand with that
    factor, and its axes there are those of the contracted factors. Resharding the operand instead would give each
    device more to multiply, and a larger tensor to reduce.
    """
    lhs, rhs, result = tensors
    contracted: list[Span] = []
    used: list[Span] = []
    conflict: tuple[int, Axes] | None = None
    for factor in range(len(rule.sizes)):
        of_lhs, of_rhs = lhs.get(factor), rhs.get(factor)
        if of_lhs is not None and of_rhs is not None:
            if of_lhs != of_rhs:
                return None
            if factor in rule.reduction:
                contracted += of_lhs
                continue
            axes, largest = of_lhs, max(elements[0], elements[1])
        else:
            axes, largest = (of_lhs, elements[0]) if of_lhs is not None else (of_rhs, elements[1])
            if axes is None or any(overlaps(axis, other) for axis in axes for other in used):
                return None
            used += axes
        if result.get(factor) == axes:
            continue
        if not axes or conflict is not None or elements[2] > largest:
            return None
        conflict = factor, axes
    if conflict is None:
        return None
    factor, axes = conflict
    wanted = result.get(factor)
    return {**result, factor: axes} if wanted and wanted == tuple(contracted) else None
