"""Give calls without shardings those of the results of the function they call."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.transforms.sdy.function_copies import Functions, calls_in
from xshardy.transforms.sdy.function_shardings import result_shardings


@dataclass(frozen=True)
class PropagateShardingFromFuncToCallPass(ModulePass):
    """Set the shardings of a call that has none to those of the results of its callee, if that has some."""

    name = "sdy-propagate-sharding-from-func-to-call"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = Functions(op)
        callees = {call: functions.callee(call) for call in calls_in(op)}
        of_results = {function: result_shardings(function) for function in callees.values()}
        for call, callee in callees.items():
            if (shardings := of_results[callee]) is not None:
                call.attributes.setdefault(SHARDING, shardings)
