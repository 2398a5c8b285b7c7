"""Loops over 0, 1, ..., n - 1 for a known n: what the emitters make of range variables."""

from xdsl.dialects import scf
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.dialects.xla_gpu.discardable import constant_value


def trip_count(loop: scf.ForOp) -> int | None:
    """`n` for a loop over 0, 1, ..., n - 1; None if it is no such loop, or a bound is not constant."""
    if constant_value(loop.lb) != 0 or constant_value(loop.step) != 1:
        return None
    return constant_value(loop.ub)


def carry(loop: scf.ForOp, init: SSAValue, yielded: SSAValue, rewriter: PatternRewriter) -> scf.ForOp:
    """
    `loop`, replaced by one that also carries the value of the last argument of its body, which it has no start for yet.

    The value starts as `init`; `yielded`, from the body, is what the next iteration gets, and the new last result.
    """
    body = loop.body.block
    terminator = body.last_op
    assert isinstance(terminator, scf.YieldOp)
    terminator.operands = (*terminator.operands, yielded)
    moved = rewriter.move_region_contents_to_new_regions(loop.body)
    new = scf.ForOp(loop.lb, loop.ub, loop.step, (*loop.iter_args, init), moved)
    new.attributes.update(loop.attributes)
    rewriter.replace(loop, new, new.results[:-1])
    return new
