"""Replace calls by named computations, with the shardings that the calls or else their callees have."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.dialects.sdy.attributes.sharding import TensorShardingPerValueAttr
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.rewriting import DecisionPattern, PatternPass, Step
from xshardy.transforms.sdy.function_copies import Functions
from xshardy.transforms.sdy.function_shardings import result_shardings
from xshardy.transforms.sdy_import.import_func_calls import ImportFuncCallsPass as ShardyImportFuncCallsPass
from xshardy.transforms.sdy_import.import_func_calls import calls_to_import


def shardings_of_callees(module: ModuleOp) -> Mapping[CallOp, TensorShardingPerValueAttr]:
    """The shardings of the results of the callees of calls without shardings."""
    functions = Functions(module)
    found: dict[CallOp, TensorShardingPerValueAttr] = {}
    for call in calls_to_import(functions):
        if SHARDING not in call.attributes and (shardings := result_shardings(functions.callee(call))) is not None:
            found[call] = shardings
    return found


@dataclass(frozen=True)
class TakeShardingsOfCallee(DecisionPattern[CallOp, TensorShardingPerValueAttr]):
    """`call @f(x)`, `func @f() -> (T {s})` -> `call @f(x) {s}`, ..., if the call has no shardings of its own."""

    def rewrite(self, op: CallOp, decision: TensorShardingPerValueAttr, rewriter: PatternRewriter, /) -> None:
        op.attributes[SHARDING] = decision
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class ImportFuncCallsPass(PatternPass):
    """
    Replace each call by a `sdy.named_computation` with the body of the callee, and erase the callee.

    As `sdy-import-func-calls` without data flow edges, but a call without shardings takes those of the results of its
    callee.
    """

    name = "xla-sdy-import-func-calls"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-import-func-calls"

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        yield Step((TakeShardingsOfCallee(shardings_of_callees(module)),))
        yield from ShardyImportFuncCallsPass(add_data_flow_edges_on_named_computations=False).steps(module)
