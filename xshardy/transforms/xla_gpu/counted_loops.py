"""Loops over 0, 1, ..., n - 1 for a known n: what the emitters make of range variables."""

from xdsl.dialects import scf

from xshardy.dialects.xla_gpu.discardable import constant_value


def trip_count(loop: scf.ForOp) -> int | None:
    """`n` for a loop over 0, 1, ..., n - 1; None if it is no such loop, or a bound is not constant."""
    if constant_value(loop.lb) != 0 or constant_value(loop.step) != 1:
        return None
    return constant_value(loop.ub)
