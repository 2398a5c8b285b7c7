"""Erase unreachable functions."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import RewritePattern

from xshardy.rewriting import PatternPass
from xshardy.transforms.inline import EraseUnusedFunction
from xshardy.transforms.symbol_dce import dead_symbols


def dead_functions(module: ModuleOp) -> tuple[func.FuncOp, ...]:
    """The private functions of `module` that no public one reaches through calls, in program order."""
    return tuple(symbol for symbol in dead_symbols(module) if isinstance(symbol, func.FuncOp))


class EraseDeadFunctionsPass(PatternPass):
    """Erase the private functions that no public one reaches through calls."""

    name = "xla-gpu-erase-dead-functions"
    source: ClassVar[str] = 'XLA:GPU emitters, "Inliner", xla-erase-dead-functions (XGPU-32)'

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        return (EraseUnusedFunction(frozenset(dead_functions(module))),)
