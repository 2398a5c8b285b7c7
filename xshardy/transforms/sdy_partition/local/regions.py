"""Operations of sdy with a body, and barriers of propagation."""

from xdsl.rewriter import InsertPoint

from xshardy.dialects.sdy.ops import ManualComputationOp, PropagationBarrierOp
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensors, refuse


class InlineManualComputation(LocalPattern[ManualComputationOp, WholeTensors]):
    """`manual_computation(%x) (%a) { f(%a) }` -> `f(%x)`: the body is already the program of each device."""

    @staticmethod
    def decide(op: ManualComputationOp, before: WholeTensors) -> WholeTensors:
        return before

    def rewrite(self, op: ManualComputationOp, decision: WholeTensors, code: DeviceCode) -> None:
        end = op.terminator
        code.rewriter.inline_block(op.body.block, InsertPoint.before(op), op.operands)
        code.replace(op, *end.operands)
        code.rewriter.erase(end)


class EraseBarrier(LocalPattern[PropagationBarrierOp, WholeTensors]):
    """
    `propagation_barrier %x` -> `%x`: shardings do not propagate any more.

    Refuses: a result that is sharded otherwise than the operand.
    """

    checks_shardings = True

    @staticmethod
    def decide(op: PropagationBarrierOp, before: WholeTensors) -> WholeTensors:
        (source,), (target,) = before.operands, before.results
        if any(tuple(source.axes(dim)) != tuple(target.axes(dim)) for dim in range(len(source.shape))):
            raise refuse(op, "has a result that is sharded otherwise than its operand: shard both alike")
        return before

    def rewrite(self, op: PropagationBarrierOp, decision: WholeTensors, code: DeviceCode) -> None:
        code.replace(op, op.input)
