"""
Dot products whose result is to be moved, and not an operand: the product is divided among more devices by that.

Source: C++ Shardy, which treats `dot` and `dot_general` alike.
"""

from collections.abc import Sequence

from xshardy.axes.spans import Axes, Span, overlaps
from xshardy.sharding.factor_rule import FactorRule
from xshardy.transforms.sdy_export.common_axes import FactorAxes


def result_as_operands(rule: FactorRule, tensors: Sequence[FactorAxes], elements: Sequence[int]) -> FactorAxes | None:
    """
    How a dot product is to leave its result, sharded as its operands are, before that is moved to where it belongs.

    `tensors` are the left and the right operand and the result, `elements` their sizes. None unless the operands agree
    with each other, and the result differs from them in one factor alone; it is not larger than an operand with that
    factor, and the axes that it wants there are those that the operands are contracted along. For moving an operand
    would leave each device with more to multiply, and something larger to reduce.
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
