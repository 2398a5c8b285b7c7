"""Reductions of pairs that keep the pair with the best value, and of these the one with the best index, as argmax."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple, TypeAlias

from xdsl.ir import Block, Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.selection import ComparisonDirection as Direction

ORDERS = {
    f"{best} value, {first} index": (sign, tie)
    for best, sign in (("greatest", 1), ("least", -1))
    for first, tie in (("first", -1), ("last", 1))
}
"""For each kind whether values and indices that are greater are better, 1, or worse, -1."""

HOLDS: Mapping[Direction, frozenset[int]] = {
    Direction.EQ: frozenset({0}),
    Direction.NE: frozenset({-1, 1}),
    Direction.LT: frozenset({-1}),
    Direction.LE: frozenset({-1, 0}),
    Direction.GT: frozenset({1}),
    Direction.GE: frozenset({0, 1}),
}
"""The signs of the difference of two numbers for which a comparison holds."""


class Place(NamedTuple):
    """One of the four arguments of a body."""

    side: int
    """Whether it is of the first pair or of the second one."""
    component: int
    """Whether it is the value or the index."""


Known: TypeAlias = "Place | bool | None"


def pair_kind_of(block: Block) -> str | None:
    """
    The kind of pair that a body of two pairs keeps, one of `ORDERS`; None if it is none.

    The body is followed in each of the 9 cases of which value and which index is greater, and has to keep the better
    pair in all of them. That is the greatest one of a total order of pairs, so that a reduction by it is a function of
    the set of its pairs: in any order, in any groups, and however often it has one.
    """
    end = block.last_op
    if len(block.args) != 4 or end is None or len(end.operands) != 2:
        return None
    kinds = set(ORDERS)
    for signs in product((-1, 0, 1), repeat=2):
        kept = _kept(block, end, signs)
        kinds = {kind for kind in kinds if all(map(_is_better, kept, range(2), [_order(kind, signs)] * 2, [signs] * 2))}
    return min(kinds, default=None)


def _order(kind: str, signs: Sequence[int]) -> int:
    """1 if the first pair is better, -1 if it is worse, 0 if both are alike."""
    return next((sign * order for sign, order in zip(signs, ORDERS[kind], strict=True) if sign), 0)


def _is_better(kept: Known, component: int, order: int, signs: Sequence[int]) -> bool:
    """Whether this component of the better pair is kept, or one that is equal to it."""
    if not isinstance(kept, Place) or kept.component != component:
        return False
    return kept.side == (order < 0) or signs[component] == 0


def _kept(block: Block, end: Operation, signs: tuple[int, ...]) -> list[Known]:
    """The arguments that a body returns where the first value, and the first index, is less, equal or greater."""
    known: dict[SSAValue, Known] = {
        argument: Place(number // 2, number % 2) for number, argument in enumerate(block.args)
    }
    for op in block.ops:
        operands = [known.get(operand) for operand in op.operands]
        match op, operands:
            case stablehlo.CompareOp(), [Place() as a, Place() as b] if a.component == b.component:
                sign = signs[a.component] * (b.side - a.side)
                known[op.result] = sign in HOLDS[op.comparison_direction.data]
            case stablehlo.SelectOp(), [bool() as chosen, a, b]:
                known[op.result] = a if chosen else b
            case stablehlo.AndOp() | stablehlo.OrOp(), [bool() as a, bool() as b]:
                known[op.results[0]] = a and b if isinstance(op, stablehlo.AndOp) else a or b
            case stablehlo.NotOp(), [bool() as a]:
                known[op.result] = not a
            case _:
                pass
    return [known.get(operand) for operand in end.operands]
