"""Move the results of calls to where they are wanted, if the function leaves them somewhere else."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.collectives import is_equivalent
from xshardy.dialects.sdy.ops import ReshardOp
from xshardy.dialects.sdy.value_shardings import SHARDING, get_sharding
from xshardy.transforms.sdy.function_copies import Functions, calls_in
from xshardy.transforms.sdy.function_shardings import result_shardings
from xshardy.transforms.sdy.uses import replace_other_uses


def replicated_like(sharding: TensorShardingAttr) -> TensorShardingAttr:
    """A tensor that is not sharded, over the mesh of `sharding` and of its rank."""
    return TensorShardingAttr.fully_closed(sharding.mesh_or_ref, sharding.rank)


def divides_alike(a: TensorShardingAttr, b: TensorShardingAttr) -> bool:
    """Whether no data moves between the two."""
    return is_equivalent(a, b) and a.unreduced_axes == b.unreduced_axes


def insert_reshards(call: CallOp, given: TensorShardingPerValueAttr) -> None:
    """
    `f(call @g(%x) {s})` -> `f(reshard(call @g(%x) {given}, s))` for each result of which `given` is not `s`.

    A result without a sharding is wanted replicated.
    """
    for result, given_here in zip(call.results, given.shardings, strict=True):
        wanted = get_sharding(result) or replicated_like(given_here)
        if not divides_alike(given_here, wanted):
            reshard = ReshardOp(result, wanted)
            Rewriter.insert_op(reshard, InsertPoint.after(call))
            replace_other_uses(result, reshard.result, reshard)
    call.attributes[SHARDING] = given


@dataclass(frozen=True)
class InsertFuncCallReshardsPass(ModulePass):
    """
    Give calls the shardings of the results of their callee, and reshard results that were to have others.

    A function without shardings gives replicated results.
    """

    name = "sdy-insert-func-call-reshards"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = Functions(op)
        callees = {call: functions.callee(call) for call in calls_in(op)}
        of_results = {function: result_shardings(function) for function in dict.fromkeys(callees.values())}
        for call, callee in callees.items():
            wanted = call.attributes.get(SHARDING)
            if (given := of_results[callee]) is not None:
                insert_reshards(call, given)
            elif isinstance(wanted, TensorShardingPerValueAttr):
                insert_reshards(call, TensorShardingPerValueAttr(map(replicated_like, wanted.shardings)))
