"""
Insert the reshards, and the reductions, that make the shardings of every operation compatible.

Source: Shardy's docs, "Export passes".
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from xshardy.dialects.sdy.attributes.axes import AxisRefListAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.collectives import AllReduceOp
from xshardy.dialects.sdy.ops import ReshardOp
from xshardy.dialects.stablehlo.shape import ConcatenateOp
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.sdy.function_copies import Functions, calls_in
from xshardy.transforms.sdy.op_kinds import traits_of
from xshardy.transforms.sdy.shapes import rank_of
from xshardy.transforms.sdy.shardable_values import set_sharding, sharding_of
from xshardy.transforms.sdy.uses import insert_point_after, replace_other_uses
from xshardy.transforms.sdy_export.factor_conflicts import DOTS, FactorConflicts, Settlement
from xshardy.transforms.sdy_export.insert_func_call_reshards import divides_alike, replicated_like
from xshardy.transforms.sdy_export.reshard_checks import ReshardChecks, peculiarities
from xshardy.transforms.sdy_export.single_device import device_of, run_on_single_device
from xshardy.transforms.sdy_export.unreduced_axes import (
    become_unreduced,
    operand_of,
    reduce_where_used,
    unreduced_axes,
)
from xshardy.transforms.sdy_export.wanted_shardings import wanted_by_call, wanted_by_edges, wanted_by_function


def meet(use: Use, wanted: TensorShardingAttr | None, at: InsertPoint, *, full: bool) -> None:
    """`f(x)` -> `f(reshard(x))`, after the reductions it takes; only these if not `full`."""
    reduce_where_used(use, wanted, at)
    source = become_unreduced(use, wanted, at) or sharding_of(operand_of(use))
    if not full or _same_parts(source, wanted):
        return
    target = wanted if wanted is not None or source is None else replicated_like(source)
    assert target is not None, "two tensors without shardings have the same parts"
    reshard = ReshardOp(operand_of(use), target)
    Rewriter.insert_op(reshard, at)
    use.operation.operands[use.index] = reshard.result


def _same_parts(source: TensorShardingAttr | None, wanted: TensorShardingAttr | None) -> bool:
    """Whether each device has what is wanted of it."""
    if source is None:
        return wanted is None or wanted.is_fully_replicated
    return divides_alike(source, replicated_like(source) if wanted is None else wanted)


# -- Operations by themselves -----------------------------------------------------------------------------------------


def is_settled_in_full(op: Operation) -> bool:
    """Whether all conflicts of `op` are settled in any version: it would cost too much to leave them to later."""
    if isinstance(op, ConcatenateOp):
        result = sharding_of(op.result)
        return any(sharding_of(operand) != result for operand in op.operands)
    return isinstance(op, UnregisteredOp) and op.op_name.data == "mhlo.ragged_dot"


def apply_settlement(op: Operation, settlement: Settlement) -> None:
    """`f(x)` -> `reshard(all_reduce(f(reshard(x))))`"""
    for index, sharding in enumerate(settlement.operands):
        if sharding is not None:
            reshard = ReshardOp(op.operands[index], sharding)
            Rewriter.insert_op(reshard, InsertPoint.before(op))
            op.operands[index] = reshard.result
    after = InsertPoint.after(op)
    for result, sharding in zip(op.results, settlement.results, strict=True):
        if sharding is not None:
            before = sharding_of(result) or TensorShardingAttr.fully_closed(settlement.mesh, rank_of(result))
            reshard = ReshardOp(result, before)
            Rewriter.insert_op(reshard, after)
            replace_other_uses(result, reshard.result, reshard)
            set_sharding(result, sharding)
    after = InsertPoint.after(op)
    for result in op.results if settlement.reduced else ():
        sharding = sharding_of(result) or TensorShardingAttr.fully_closed(settlement.mesh, rank_of(result))
        axes = AxisRefListAttr(settlement.reduced)
        all_reduce = AllReduceOp(result, axes, sharding, sharding.reduction_op.data)
        Rewriter.insert_op(all_reduce, after)
        replace_other_uses(result, all_reduce.result, all_reduce)


class _Inserter:
    """Goes through the operations of a module, each after those in its regions."""

    def __init__(self, module: ModuleOp, *, full: bool):
        self._full = full
        self._module = module
        self._functions = Functions(module)
        self._conflicts = FactorConflicts(module)
        self._has = peculiarities(module)

    def check(self) -> None:
        """Raise `OperationFailedException` if something is wrong with the module."""
        for call in calls_in(self._module):
            self._functions.callee(call)
        if any(self._has):
            ReshardChecks(self._module, self._functions, self._conflicts, full=self._full).check()

    def insert(self, function: FuncOp) -> None:
        """Insert what `function` needs."""
        for op in list(operations_in(function, inner_first=True)):
            self._insert_around(op)
        for use, wanted in wanted_by_function(function):
            meet(use, wanted, InsertPoint.before(use.operation), full=self._full)

    def _insert_around(self, op: Operation) -> None:
        traits = traits_of(type(op))
        if traits.has_flow:
            for use, wanted in list(wanted_by_edges(op)):
                meet(use, wanted, insert_point_after(operand_of(use)), full=self._full)
        elif isinstance(op, CallOp):
            for use, wanted in wanted_by_call(op, self._functions.callee(op)):
                meet(use, wanted, insert_point_after(operand_of(use)), full=True)
        elif not traits.forwards_operands:  # a terminator gives its operands on to an edge, or to the function
            if self._has.unreduced and self._is_reduced(op):
                return
            if self._has.single_device and device_of(op) is not None:
                run_on_single_device(op)
            else:
                self._settle(op)

    def _is_reduced(self, op: Operation) -> bool:
        """Reduce the operands of `op` that its results are not unreduced like. Whether this has replaced it."""
        before = InsertPoint.before(op)
        if isinstance(op, ReshardOp) and become_unreduced(Use(op, 0), op.sharding, before) is not None:
            op.result.replace_all_uses_with(op.input)
            Rewriter.erase_op(op)
            return True
        first = sharding_of(op.results[0]) if op.results else None
        for index in range(len(op.operands)):
            reduce_where_used(Use(op, index), first, before)
        return False

    def _settle(self, op: Operation) -> None:
        """Settle the conflicts of `op`; if not in full, then only those that cannot be left to later."""
        full = self._full or is_settled_in_full(op)
        is_unreduced = self._has.unreduced and bool(op.results) and bool(unreduced_axes(sharding_of(op.results[0])))
        if full or is_unreduced or type(op) in DOTS:
            settlement = self._conflicts.settle(op, full=full)
            if settlement is not None:
                apply_settlement(op, settlement)


@dataclass(frozen=True)
class InsertExplicitReshardsPass(ModulePass):
    """
    Reshard operands and results so that each operation has compatible shardings, and reduce what is to be reduced.

    Unless `enable_full_version`, only operands of calls and of concatenations are resharded, and results of dot
    products where that makes these cheaper; the rest is left to whoever divides the program among devices.
    """

    name = "sdy-insert-explicit-reshards"
    enable_full_version: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        inserter = _Inserter(op, full=self.enable_full_version)
        inserter.check()
        for function in functions_of(op).values():
            inserter.insert(function)
