"""Put callers before their callees, the order in which propagation visits functions."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.rewriting import DecisionPattern, PatternPass
from xshardy.transforms.sdy.call_order import callees_first


class OrderFunctions(DecisionPattern[FuncOp, Sequence[FuncOp]]):
    """
    `func @callee`, `func @caller` -> `func @caller`, `func @callee`, at the end of the module.

    The decision is the order of all functions that move; it is made for one of them.
    """

    def rewrite(self, op: FuncOp, decision: Sequence[FuncOp], rewriter: PatternRewriter, /) -> None:
        block = op.parent
        assert block is not None
        for function in decision:
            function.detach()
            rewriter.insert(function, InsertPoint.at_end(block))


class PreOrderFuncsPass(PatternPass):
    """Reorder the functions of a module in pre-order of the call graph."""

    name = "sdy-pre-order-funcs"
    source: ClassVar[str] = 'Shardy, "Import passes", sdy-pre-order-funcs'

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        order = tuple(reversed(tuple(callees_first(module))))
        is_ordered = not order or order == tuple(module.ops)[-len(order) :]
        return (OrderFunctions({} if is_ordered else {order[0]: order}),)
