"""Operations of sdy with a body."""

from dataclasses import dataclass

from xdsl.rewriter import InsertPoint

from xshardy.dialects.sdy.ops import ManualComputationOp
from xshardy.transforms.sdy_export.local.device_code import DeviceCode
from xshardy.transforms.sdy_export.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_export.local.whole_tensors import WholeTensors


@dataclass(frozen=True)
class InlineManualComputation(LocalPattern[ManualComputationOp, WholeTensors]):
    """`manual_computation(%x) (%a) { f(%a) }` -> `f(%x)`: the body is already the program of each device."""

    op_types = (ManualComputationOp,)

    @staticmethod
    def decide(op: ManualComputationOp, before: WholeTensors) -> WholeTensors:
        return before

    def rewrite(self, op: ManualComputationOp, decision: WholeTensors, code: DeviceCode) -> None:
        end = op.terminator
        code.rewriter.inline_block(op.body.block, InsertPoint.before(op), op.operands)
        code.replace(op, *end.operands)
        code.rewriter.erase(end)
