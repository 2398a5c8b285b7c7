"""Convert asynchronous operations to synchronous ones."""

from collections.abc import Iterator
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.hlo.async_operation import DoneOp, StartOp, chain_of
from xshardy.dialects.hlo.async_sugar import unwrapped
from xshardy.rewriting import PatternPass, Step, match_op_type
from xshardy.rewriting.walk import operations_from
from xshardy.transforms.call_graph import functions_of, is_private, reference_reader
from xshardy.transforms.hlo_async.annotations import move_annotations
from xshardy.transforms.hlo_async.layouts import place_synchronous
from xshardy.transforms.inline import EraseUnusedFunction, reference_counts


class UnwrapChain(RewritePattern):
    """
    `%0 = hlo.async_start @op(%x)`, `%r = hlo.async_done %0` -> `%r = op(%x)`, at the start.

    If updates bind operands, at the last of these. Erases the updates in between. The wrapped computation stays: it may
    have other starts.
    """

    @match_op_type
    def match_and_rewrite(self, op: StartOp, rewriter: PatternRewriter, /):
        *_, done = chain = tuple(chain_of(op))
        synchronous = unwrapped(op)
        assert isinstance(done, DoneOp)
        place_synchronous(done, synchronous)
        move_annotations(op, synchronous)
        *_, starts = (link for link in chain if isinstance(link, StartOp) or len(link.operands) > 1)
        rewriter.insert(synchronous, InsertPoint.before(starts))
        for result, value in zip(done.results, synchronous.results, strict=True):
            rewriter.replace_all_uses_with(result, value)
        for link in reversed(chain):
            rewriter.erase(link)


class AsyncUnwrapPass(PatternPass):
    """Convert asynchronous operations to synchronous ones at their start, and erase the wrapped computations."""

    name = "hlo-async-unwrap"
    source: ClassVar[str] = "XLA, asynchronous operations: async-start, async-update and async-done (HLO-ASYNC)"

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        wrapped = {start.callee.string_value() for start in operations_from(module) if isinstance(start, StartOp)}
        yield Step((UnwrapChain(),))
        functions = functions_of(module)
        counts = reference_counts(module, functions, reference_reader())
        unused = (functions[name] for name in wrapped if not counts[name] and is_private(functions[name]))
        yield Step((EraseUnusedFunction(frozenset(unused)),))
