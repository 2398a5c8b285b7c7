"""Verify that buffers that share memory are not live together."""

from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.hlo_async.buffer_reuse import conflicts
from xshardy.transforms.hlo_async.liveness import ENTRY, liveness_of, only_block
from xshardy.transforms.hlo_async.report import Reporter
from xshardy.transforms.hlo_async.schedule import blocks_with_starts


class VerifyBuffersPass(ModulePass):
    """Check that no two buffers that share memory are live together, including operations in flight."""

    name = "hlo-async-verify-buffers"
    source: ClassVar[str] = "XLA, buffers of asynchronous operations (HLO-ASYNC-07 to -11)"
    no_patterns: ClassVar[str] = "verifies only"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        bodies = [function.body for function in functions_of(op).values() if not function.is_declaration]
        with_starts = [region for block in blocks_with_starts(op) if (region := block.parent) is not None]
        for region in dict.fromkeys([*bodies, *with_starts]):
            block = only_block(region)
            liveness = liveness_of(block)
            conflict = next(conflicts(liveness), None)
            if conflict is None:
                continue
            reporter = Reporter(op, liveness)
            until, provided = liveness.ranges[conflict.first].last, liveness.ranges[conflict.second].first
            raise OperationFailedException(
                (block.parent_op() or op) if provided == ENTRY else reporter.operations[provided],
                f"{conflict.why}, but {reporter.buffer(conflict.first)} is needed until operation "
                f"{reporter.position(until)} and {reporter.buffer(conflict.second)} is written at "
                f"{reporter.position(provided)}: use another buffer, or copy first",
            )
