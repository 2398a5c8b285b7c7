"""Make asynchronous operations synchronous again."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.rewriter import Rewriter

from xshardy.dialects.hlo.async_operation import DoneOp, StartOp, chain_of
from xshardy.dialects.hlo.async_sugar import unwrapped
from xshardy.transforms.call_graph import functions_of, is_private
from xshardy.transforms.hlo_async.annotations import move_annotations
from xshardy.transforms.hlo_async.layouts import place_synchronous
from xshardy.transforms.inline import reference_counts


class UnwrapChain(RewritePattern):
    """
    `%0 = hlo.async_start @op(%x)`, `%r = hlo.async_done %0` -> `%r = op(%x)`, in the place of the start.

    The updates in between go away. The wrapped computation stays, others may start it too.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        if not isinstance(op, StartOp):
            return
        *_, done = chain = tuple(chain_of(op))
        synchronous = unwrapped(op)
        assert isinstance(done, DoneOp)
        place_synchronous(done, synchronous)
        move_annotations(op, synchronous)
        rewriter.insert(synchronous)
        for result, value in zip(done.results, synchronous.results, strict=True):
            rewriter.replace_all_uses_with(result, value)
        for link in reversed(chain):
            rewriter.erase(link)


@dataclass(frozen=True)
class AsyncUnwrapPass(ModulePass):
    """Make asynchronous operations synchronous, where they start, and erase the wrapped computations."""

    name = "hlo-async-unwrap"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        wrapped = {start.callee.string_value() for start in op.walk() if isinstance(start, StartOp)}
        PatternRewriteWalker(UnwrapChain(), apply_recursively=False).rewrite_module(op)
        functions = functions_of(op)
        references = reference_counts(op, functions)
        for name in wrapped:
            if not references[name] and is_private(functions[name]):
                Rewriter.erase_op(functions[name])
