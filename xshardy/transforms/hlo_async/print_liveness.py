"""Print aliasing and liveness as comments."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.hlo_async.liveness import liveness_of, only_block
from xshardy.transforms.hlo_async.report import report


@dataclass(frozen=True)
class PrintLivenessPass(ModulePass):
    """Print the aliasing and liveness of buffers for each function; the module is unchanged."""

    name = "hlo-async-print-liveness"
    source: ClassVar[str] = "XLA, buffers of asynchronous operations (HLO-ASYNC-07 to -11)"
    no_patterns: ClassVar[str] = "prints a report; the module is unchanged"
    all_functions: bool = False
    """Include functions without asynchronous operations."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions_of(op).values():
            if function.is_declaration:
                continue
            liveness = liveness_of(only_block(function.body))
            if liveness.in_flight or self.all_functions:
                print(report(op, function, liveness), end="")
