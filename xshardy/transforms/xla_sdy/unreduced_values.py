"""Where values are unreduced: constants become so by an operation, and operations that only move data pass it on."""

from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, OpResult
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from xshardy.dialects.mhlo import CopyOp
from xshardy.dialects.sdy.attributes.axes import AxisRefListAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.axis_refs import overlaps
from xshardy.dialects.sdy.collectives import ReplicatedToUnreducedOp
from xshardy.dialects.sdy.ops import ConstantOp
from xshardy.dialects.sdy.value_shardings import SHARDING, get_sharding
from xshardy.dialects.shapes import rank_of
from xshardy.dialects.stablehlo import ReshapeOp, TransposeOp
from xshardy.rewriting import DecisionPattern
from xshardy.rewriting.walk import operations_in, operations_of
from xshardy.transforms.failures import warn
from xshardy.transforms.sdy.uses import replace_other_uses

MOVES_DATA = (TransposeOp, ReshapeOp, CopyOp)
"""Operations that compute nothing: their operand may be unreduced where their result is."""


def with_unreduced(sharding: TensorShardingAttr, source: TensorShardingAttr | None) -> TensorShardingAttr:
    """`sharding` with the unreduced axes of `source`; with none, if that is None."""
    unreduced = () if source is None else source.unreduced_axes
    args = (sharding.mesh_or_ref, sharding.dim_shardings, sharding.replicated_axes, unreduced)
    return TensorShardingAttr(*args) if source is None else TensorShardingAttr(*args, source.reduction_op.data)


def unreduced_constants(module: ModuleOp) -> Mapping[ConstantOp, TensorShardingAttr]:
    """The constants of `module` that are unreduced, and their shardings."""
    constants = ((op, get_sharding(op.output)) for op in operations_of(module, ConstantOp))
    return {op: sharding for op, sharding in constants if sharding is not None and sharding.unreduced_axes.data}


class UnreduceConstant(DecisionPattern[ConstantOp, TensorShardingAttr]):
    """`sdy.constant {s, unreduced={"a"}}` -> `sdy.constant {s}`, `sdy.replicated_to_unreduced {"a"}`"""

    def rewrite(self, op: ConstantOp, decision: TensorShardingAttr, rewriter: PatternRewriter, /) -> None:
        op.attributes[SHARDING] = TensorShardingPerValueAttr([with_unreduced(decision, None)])
        rewriter.notify_op_modified(op)
        unreduced = ReplicatedToUnreducedOp.create(
            operands=[op.output],
            result_types=op.result_types,
            properties={"axes": AxisRefListAttr(decision.unreduced_axes), "out_sharding": decision},
        )
        rewriter.insert(unreduced, InsertPoint.after(op))
        replace_other_uses(op.output, unreduced.result, unreduced, rewriter)


def shardings_to_pass_on(module: ModuleOp) -> Mapping[Operation, TensorShardingPerValueAttr]:
    """
    The operations whose result is unreduced where a later one that moves it needs that, and all their new shardings.

    An operand that is sharded along such an axis keeps its sharding, with a warning.
    """
    new: dict[Operation, list[TensorShardingAttr]] = {}
    for op in reversed(operations_in(module, inner_first=True)):
        if not isinstance(op, MOVES_DATA) or not isinstance(source := op.operands[0], OpResult):
            continue
        after = new[op][0] if op in new else get_sharding(op.results[0])
        if after is None or not after.unreduced_axes.data:
            continue
        producer = source.op
        shardings = new.get(producer)
        if shardings is None:
            known = producer.attributes.get(SHARDING)
            if isinstance(known, TensorShardingPerValueAttr):
                shardings = list(known.shardings)
            elif any(get_sharding(result) is not None for result in producer.results):
                continue  # an operation of sdy, which says by itself what is unreduced
            else:
                closed = TensorShardingAttr.fully_closed
                shardings = [closed(after.mesh_or_ref, rank_of(result)) for result in producer.results]
        before = shardings[source.index]
        if before.unreduced_axes == after.unreduced_axes:
            continue
        used = [*(axis for dim in before.dim_shardings for axis in dim.axes), *before.replicated_axes]
        if any(overlaps(axis, unreduced) for axis in used for unreduced in after.unreduced_axes):
            warn(op, f"'{op.name}' is unreduced along an axis along which its operand is sharded")
            continue
        shardings[source.index] = with_unreduced(before, after)
        new[producer] = shardings
    return {op: TensorShardingPerValueAttr(shardings) for op, shardings in new.items()}


class PassOnUnreduced(DecisionPattern[Operation, TensorShardingPerValueAttr]):
    """`%y = f(x) {s}`, `transpose %y {t, unreduced={"a"}}` -> `%y = f(x) {s, unreduced={"a"}}`, ..."""

    def rewrite(self, op: Operation, decision: TensorShardingPerValueAttr, rewriter: PatternRewriter, /) -> None:
        op.attributes[SHARDING] = decision
        rewriter.notify_op_modified(op)
