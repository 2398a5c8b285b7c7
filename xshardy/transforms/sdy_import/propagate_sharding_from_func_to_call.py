"""Give calls without shardings those of the results of their callees. Source: Shardy's docs, "Import passes"."""

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy.attributes.sharding import TensorShardingPerValueAttr
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.rewriting import DecisionPattern, PatternPass
from xshardy.transforms.sdy.function_copies import Functions, calls_in
from xshardy.transforms.sdy.function_shardings import result_shardings


def shardings_of_callees(functions: Functions, calls: Iterable[CallOp]) -> Mapping[CallOp, TensorShardingPerValueAttr]:
    """
    For each of `calls` without shardings, those of the results of its callee; calls of callees without any are left
    out.

    Raises `OperationFailedException` if `functions` do not have the callee of a call.
    """
    callees = {call: functions.callee(call) for call in calls}
    of_results = {function: result_shardings(function) for function in callees.values()}
    return {
        call: shardings
        for call, callee in callees.items()
        if SHARDING not in call.attributes and (shardings := of_results[callee]) is not None
    }


class TakeShardingsOfCallee(DecisionPattern[CallOp, TensorShardingPerValueAttr]):
    """`call @f()` -> `call @f() {sdy.sharding = s}`, where `s` are the shardings of the results of `@f`."""

    def rewrite(self, op: CallOp, decision: TensorShardingPerValueAttr, rewriter: PatternRewriter, /) -> None:
        op.attributes[SHARDING] = decision
        rewriter.notify_op_modified(op)


class PropagateShardingFromFuncToCallPass(PatternPass):
    """Set the shardings of a call that has none to those of the results of its callee, if that has some."""

    name = "sdy-propagate-sharding-from-func-to-call"
    source: ClassVar[str] = 'Shardy, "Import passes", sdy-propagate-sharding-from-func-to-call'

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        return (TakeShardingsOfCallee(shardings_of_callees(Functions(module), calls_in(module))),)
