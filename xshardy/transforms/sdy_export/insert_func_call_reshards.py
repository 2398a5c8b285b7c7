"""Reshard the results of calls where the function gives them another sharding than the call wants."""

from collections.abc import Mapping
from dataclasses import dataclass
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


def divides_alike(a: TensorShardingAttr, b: TensorShardingAttr) -> bool:
    """Whether no data moves between the two."""
    return is_equivalent(a, b) and a.unreduced_axes == b.unreduced_axes


def shardings_by_callees(module: ModuleOp) -> Mapping[CallOp, TensorShardingPerValueAttr]:
    """
    The shardings that callees give to the results of their calls; replicated ones if a callee has none but a call has.

    Raises `OperationFailedException` for a call of a function that `module` does not have.
    """
    functions = Functions(module)
    callees = {call: functions.callee(call) for call in calls_in(module)}
    of_results = {function: result_shardings(function) for function in dict.fromkeys(callees.values())}
    given: dict[CallOp, TensorShardingPerValueAttr] = {}
    for call, callee in callees.items():
        if (shardings := of_results[callee]) is not None:
            given[call] = shardings
        elif isinstance(wanted := call.attributes.get(SHARDING), TensorShardingPerValueAttr):
            given[call] = TensorShardingPerValueAttr(map(replicated_like, wanted.shardings))
    return given


@dataclass(frozen=True)
class ReshardResultsOfCall(DecisionPattern[CallOp, TensorShardingPerValueAttr]):
    """
    `f(call @g(%x) {S})` -> `f(reshard(call @g(%x) {T}) S)`, where the callee gives sharding `T`.

    A result without a sharding is wanted replicated. No reshard where `S` and `T` divide the tensor alike.
    """

    def rewrite(self, op: CallOp, decision: TensorShardingPerValueAttr, rewriter: PatternRewriter, /) -> None:
        for result, given in zip(op.results, decision.shardings, strict=True):
            wanted = get_sharding(result) or replicated_like(given)
            if not divides_alike(given, wanted):
                move_results(op, [(result.index, Reshard(wanted))], rewriter)
        op.attributes[SHARDING] = decision
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class InsertFuncCallReshardsPass(PatternPass):
    """
    Give calls the shardings of the results of their callee, and reshard results that have others.

    A function without shardings gives replicated results.
    """

    name = "sdy-insert-func-call-reshards"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-insert-func-call-reshards'

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        return (ReshardResultsOfCall(shardings_by_callees(module)),)
