"""Reshard the results of calls whose shardings differ from those of the function's results."""

from collections.abc import Mapping
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.collectives import is_equivalent
from xshardy.dialects.sdy.value_shardings import SHARDING, get_sharding
from xshardy.rewriting import DecisionPattern, PatternPass
from xshardy.transforms.sdy.function_copies import Functions, calls_in
from xshardy.transforms.sdy.function_shardings import result_shardings
from xshardy.transforms.sdy_export.moves import Reshard, move_results


def replicated_like(sharding: TensorShardingAttr) -> TensorShardingAttr:
    """The sharding of a replicated tensor, over the mesh of `sharding` and of its rank."""
    return TensorShardingAttr.fully_closed(sharding.mesh_or_ref, sharding.rank)


def has_same_parts(a: TensorShardingAttr, b: TensorShardingAttr) -> bool:
    """Whether a reshard between the two moves no data."""
    return is_equivalent(a, b) and a.unreduced_axes == b.unreduced_axes


def shardings_by_callees(module: ModuleOp) -> Mapping[CallOp, TensorShardingPerValueAttr]:
    """
    The result shardings of the callee of each call; replicated ones if only the call has shardings.

    Raises `OperationFailedException` for a call of a function that `module` does not have.
    """
    functions = Functions(module)
    callees = {call: functions.callee(call) for call in calls_in(module)}
    of_results = {function: result_shardings(function) for function in dict.fromkeys(callees.values())}
    given: dict[CallOp, TensorShardingPerValueAttr] = {}
    for call, callee in callees.items():
        if (shardings := of_results[callee]) is not None:
            given[call] = shardings
        elif isinstance(required := call.attributes.get(SHARDING), TensorShardingPerValueAttr):
            given[call] = TensorShardingPerValueAttr(map(replicated_like, required.shardings))
    return given


class ReshardResultsOfCall(DecisionPattern[CallOp, TensorShardingPerValueAttr]):
    """
    `f(call @g(%x) {S})` -> `f(reshard(call @g(%x) {T}) S)`, where the callee gives sharding `T`.

    A result without a sharding counts as replicated. No reshard is inserted if `S` and `T` give devices equal parts.
    """

    def rewrite(self, op: CallOp, decision: TensorShardingPerValueAttr, rewriter: PatternRewriter, /) -> None:
        for result, given in zip(op.results, decision.shardings, strict=True):
            required = get_sharding(result) or replicated_like(given)
            if not has_same_parts(given, required):
                move_results(op, [(result.index, Reshard(required))], rewriter)
        op.attributes[SHARDING] = decision
        rewriter.notify_op_modified(op)


class InsertFuncCallReshardsPass(PatternPass):
    """
    Give calls the result shardings of their callee, and reshard the results to the original shardings of the call.

    The results of a function without shardings are replicated.
    """

    name = "sdy-insert-func-call-reshards"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-insert-func-call-reshards'

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        return (ReshardResultsOfCall(shardings_by_callees(module)),)
