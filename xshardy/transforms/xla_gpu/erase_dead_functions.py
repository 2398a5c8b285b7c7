"""Erase the functions that nothing can reach."""

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xshardy.transforms.symbol_dce import dead_symbols


def dead_functions(module: ModuleOp) -> tuple[func.FuncOp, ...]:
    """The private functions of `module` that no public one reaches through calls, in the order of the text."""
    return tuple(symbol for symbol in dead_symbols(module) if isinstance(symbol, func.FuncOp))


class EraseDeadFunctionsPass(ModulePass):
    """Erase the private functions that no public one reaches through calls."""

    name = "xla-gpu-erase-dead-functions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in dead_functions(op):
            Rewriter.erase_op(function)
