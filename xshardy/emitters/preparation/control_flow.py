"""Control flow in a fused computation: conditionals become selections, counted loops are unrolled."""

from collections.abc import Sequence

from xdsl.dialects.builtin import i32
from xdsl.ir import Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.building import Tensors
from xshardy.dialects.stablehlo.trip_counts import trip_count
from xshardy.ir.insertion import inline_block
from xshardy.rewriting import match_op_type

MAX_UNROLLED = 2048
"""The maximal number of operations of all iterations of a loop. Chosen by us."""


def inlined(region: Region, arguments: Sequence[SSAValue], op: Operation, rewriter: PatternRewriter) -> list[SSAValue]:
    """Insert a copy of the operations of `region` before `op`, for these arguments. Returns what it returns."""
    for inserted in inline_block(region.clone().block, InsertPoint.before(op), arguments):
        rewriter.handle_operation_insertion(inserted)
    returned = op.prev_op
    assert isinstance(returned, stablehlo.ReturnOp)
    values = list(returned.operands)
    rewriter.erase(returned)
    return values


class SelectBranch(RewritePattern):
    """
    `case(i) {return x} {return y}` -> `select(i == 0, x, y)`; `if` likewise. All branches are computed.

    Nothing is written by a branch, so the results are the same. An index without a branch chooses the last one.
    """

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.IfOp | stablehlo.CaseOp, rewriter: PatternRewriter, /):
        *branches, results = (inlined(region, (), op, rewriter) for region in op.regions)
        t = Tensors(rewriter)
        for number, branch in reversed(list(enumerate(branches))):
            chosen = op.selector
            if isinstance(op, stablehlo.CaseOp):
                chosen = t.compare(op.selector, stablehlo.ComparisonDirection.EQ, t.constant(number, i32))
            results = [t.select(chosen, x, y) for x, y in zip(branch, results, strict=True)]
        rewriter.replace(op, [], results)


class UnrollLoop(RewritePattern):
    """
    `while(i = 0, x) cond {i < 3} do {return i + 1, f(x)}` -> `f(f(f(x)))`.

    Raises `PassFailedException` for a loop whose number of iterations is not known, or that becomes too large: each
    element of a kernel is a function of elements of the operands, and a loop over tensors is none.
    """

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.WhileOp, rewriter: PatternRewriter, /):
        trips = trip_count(op)
        if trips is None:
            raise PassFailedException(
                f"{op.name} cannot be emitted in a fusion: the number of its iterations is not known; leave the loop "
                "outside of the fusion"
            )
        size = sum(1 for _ in op.body.walk())
        if trips * size > MAX_UNROLLED:
            raise PassFailedException(
                f"{op.name} cannot be emitted in a fusion: {trips} iterations of {size} operations are more than "
                f"{MAX_UNROLLED}; leave the loop outside of the fusion"
            )
        values = list(op.operand)
        for _ in range(trips):
            values = inlined(op.body, values, op, rewriter)
        rewriter.replace(op, [], values)
