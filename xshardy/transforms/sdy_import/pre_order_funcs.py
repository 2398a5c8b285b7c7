"""Put callers before their callees, as propagation goes down blocks as if calls were inlined."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xshardy.transforms.sdy.call_order import callees_first


@dataclass(frozen=True)
class PreOrderFuncsPass(ModulePass):
    """Reorder the functions of a module in pre-order of the call graph."""

    name = "sdy-pre-order-funcs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in reversed(tuple(callees_first(op))):
            function.detach()
            op.body.block.add_op(function)
