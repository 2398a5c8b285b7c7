"""Operations of sdy with a body, calls, and loops."""

from xdsl.rewriter import InsertPoint, Rewriter

from xshardy.dialects.sdy.ops import ManualComputationOp
from xshardy.transforms.sdy_export.local.before import Before, Rewrite
from xshardy.transforms.sdy_export.local.writer import LocalWriter


def manual_computation(op: ManualComputationOp, before: Before) -> Rewrite | None:
    """Its body takes its place: it says already what each device does."""

    def rewrite(writer: LocalWriter) -> None:
        end = op.terminator
        Rewriter.inline_block(op.body.block, InsertPoint.before(op), op.operands)
        Rewriter.replace_op(op, [], end.operands)
        Rewriter.erase_op(end)

    return rewrite
