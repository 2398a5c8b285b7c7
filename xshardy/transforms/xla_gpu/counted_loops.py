"""Loops over 0, 1, ..., n - 1 for a constant n, as emitted for range variables."""

from xdsl.dialects import scf
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.dialects.xla_gpu.discardable import constant_value


def trip_count(loop: scf.ForOp) -> int | None:
    """`n` for a loop over 0, 1, ..., n - 1 with constant bounds; None otherwise."""
    if constant_value(loop.lb) != 0 or constant_value(loop.step) != 1:
        return None
    return constant_value(loop.ub)


def carry(loop: scf.ForOp, init: SSAValue, yielded: SSAValue, rewriter: PatternRewriter) -> scf.ForOp:
    """
    `loop` replaced by one with another carried value. Precondition: its body already has the argument, as the last one.

    The value starts as `init`; `yielded`, from the body, is the value for the next iteration and the last result.
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
