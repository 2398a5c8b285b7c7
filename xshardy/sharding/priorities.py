"""
Op priorities: which operations propagate in which round, and in which directions.

In round 0 only pass-through operations propagate, if their operands have no other use, so that no conflict can arise.
Each later round allows more, and keeps what earlier rounds allowed.
Source: Shardy's docs, "Sharding propagation", section "Operation priorities".
"""

from enum import Enum, auto
from functools import cache

from xshardy.sharding.factor_rule import FactorRule
from xshardy.sharding.strategies import Direction

ROUNDS = 5
"""The number of rounds; in the last one everything propagates both ways."""

ANY_ROUND = ROUNDS - 1
"""The round that allows everything; the only round if op priorities are off."""


class OpKind(Enum):
    """The kinds of operations that op priorities distinguish."""

    PASS_THROUGH = auto()
    """Elementwise operations, reshapes, transposes, edges: dimensions of the result are dimensions of the operand."""
    DYNAMIC_SLICE = auto()
    """Dynamic slices and their updates: pass-through forward only."""
    BROADCAST = auto()
    """Broadcasts: forward, they would use an axis on a dimension that the operand lacks."""
    OTHER = auto()


_PASSED_THROUGH = {OpKind.PASS_THROUGH: Direction.BOTH, OpKind.DYNAMIC_SLICE: Direction.FORWARD}
"""The directions of pass-through operations."""


@cache
def by_factor_type(kind: OpKind, round_: int, is_single_use: bool) -> tuple[Direction, Direction]:
    """The directions of pass-through factors and of special factors in a round: see `directions`."""
    whole = _PASSED_THROUGH.get(kind, Direction.NONE) if round_ > 0 or is_single_use else Direction.NONE
    cautious = Direction.BACKWARD if kind is OpKind.BROADCAST else Direction.BOTH
    special = pass_through = whole
    if round_ >= 2:
        pass_through |= cautious
    if round_ >= 3:
        special |= cautious
    if round_ >= 4:
        pass_through = special = Direction.BOTH
    return pass_through, special


def directions(kind: OpKind, rule: FactorRule, round_: int, *, is_single_use: bool) -> tuple[Direction, ...]:
    """
    The direction of each factor of `rule` in a round (0 to 4) for an operation of this kind.

    `is_single_use`: whether no operand, scalars aside, has another use.
    """
    pass_through, special = by_factor_type(kind, round_, is_single_use)
    if not rule.special:
        return (pass_through,) * len(rule.sizes)
    return tuple(special if factor in rule.special else pass_through for factor in range(len(rule.sizes)))
