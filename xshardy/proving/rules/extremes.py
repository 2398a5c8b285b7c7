"""Reductions of pairs that keep the pair with the best value, and of these the one with the best index, as argmax."""

from itertools import product

from xdsl.ir import Block, SSAValue

from xshardy.dialects import stablehlo
from xshardy.interpreters.stablehlo.elementwise import COMPARISONS

ORDERS = {
    f"{best} value, {first} index": (sign, tie)
    for best, sign in (("greatest", 1), ("least", -1))
    for first, tie in (("first", -1), ("last", 1))
}
"""For each kind whether values and indices that are greater are better, 1, or worse, -1."""


def pair_kind_of(block: Block) -> str | None:
    """
    The kind of pair that a body of two pairs keeps, one of `ORDERS`; None if it is none.

    The body only compares values with values and indices with indices, and selects: what it keeps depends on which are
    greater. So two values and two indices, all of them different, show it. The better pair is the greater one of a
    total order: a reduction by that is a function of the set of its pairs, in any order and in any groups.
    """
    pairs = [*product((0, 1), (2, 3))]
    kept = {(a, b): _kept(block, (*a, *b)) for a in pairs for b in pairs} if len(block.args) == 4 else {}
    for kind, (value, index) in ORDERS.items() if kept else ():
        if all(found == max(ab, key=lambda pair: (pair[0] * value, pair[1] * index)) for ab, found in kept.items()):
            return kind
    return None


def _kept(block: Block, numbers: tuple[int, ...]) -> tuple[int, ...] | None:
    """What a body returns for these numbers; None for a body that does something else than comparing and selecting."""
    known: dict[SSAValue, int] = dict(zip(block.args, numbers, strict=True))
    component: dict[SSAValue, int] = {argument: number % 2 for number, argument in enumerate(block.args)}
    for op in block.ops:
        operands = [known[operand] for operand in op.operands if operand in known]
        match op, operands:
            case _, [a, b] if op is block.last_op:
                return a, b
            case stablehlo.CompareOp(), [a, b] if component.get(op.lhs, 2) == component.get(op.rhs, 3):
                known[op.result] = COMPARISONS[op.comparison_direction.data](a, b)
            case stablehlo.SelectOp(), [chosen, a, b]:
                known[op.result] = a if chosen else b
            case stablehlo.AndOp(), [bool() as a, bool() as b]:
                known[op.result] = a and b
            case stablehlo.OrOp(), [bool() as a, bool() as b]:
                known[op.result] = a or b
            case stablehlo.NotOp(), [bool() as a]:
                known[op.result] = not a
            case _:
                return None
    return None
