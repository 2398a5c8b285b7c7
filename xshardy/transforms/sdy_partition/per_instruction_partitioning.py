"""
Partition single operations, and leave the others to another partitioner: to find the operation at fault.

Source: Shardy's docs, "Export passes", `sdy-per-instruction-partitioning`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.dialects.sdy import ops as sdy
from xshardy.dialects.stablehlo.structs import ChannelHandleAttr
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.rewriting import DecisionPattern, PatternPass
from xshardy.transforms.sdy_partition.instruction_filter import InstructionFilter, instructions
from xshardy.transforms.sdy_partition.local.convert_global_to_local import next_channel
from xshardy.transforms.sdy_partition.local.device_code import Channels
from xshardy.transforms.sdy_partition.pad.padding_code import PaddingCode
from xshardy.transforms.sdy_partition.partitioned_instruction import (
    PartitionedInstruction,
    Partitioner,
    is_movable,
    partitioned,
)


@dataclass(frozen=True)
class WrapInstruction(DecisionPattern[Operation, PartitionedInstruction]):
    """`dot %a, %b` -> `slice (manual_computation(pad %a, pad %b) (%c, %d) { dot %c, %d })`; pads only if needed."""

    channels: Channels

    def rewrite(self, op: Operation, decision: PartitionedInstruction, rewriter: PatternRewriter, /) -> None:
        code = PaddingCode(rewriter)
        inputs = [
            code.padded(value, tensor_type(type).get_shape(), sharding) if value.type != type else value
            for value, type, sharding in zip(op.operands, decision.operand_types, decision.in_shardings, strict=True)
        ]
        body, end = decision.body, decision.body.block.last_op
        assert isinstance(end, ReturnOp)
        for inner in body.walk():
            if isinstance(inner.properties.get("channel_handle"), ChannelHandleAttr):
                inner.properties["channel_handle"] = self.channels.take()
        body.block.add_op(sdy.ReturnOp(*end.operands))
        end.detach()
        end.erase()
        assert body.parent is not None
        body.parent.detach_region(body)
        manual = sdy.ManualComputationOp(
            inputs, decision.in_shardings, decision.out_shardings, decision.manual_axes, body, decision.result_types
        )
        rewriter.insert(manual)
        results = decision.outlined.results
        values = [
            code.trimmed(value, tensor_type(result).get_shape(), sharding) if value.type != result.type else value
            for value, result, sharding in zip(manual.results, results, decision.out_shardings, strict=True)
        ]
        for result, value in zip(results, values, strict=True):
            rewriter.replace_all_uses_with(result, value)
        for reduction in decision.outlined.reductions:
            if reduction is not None:
                rewriter.erase(reduction)
        rewriter.erase(op)


@dataclass(frozen=True)
class PerInstructionPartitioningPass(PatternPass):
    """
    Replace single operations by manual computations, with the program of each device as the body.

    With `filter`, only the operations that it takes: parts of their names, or `selectLow=N` and `selectHigh=N` for a
    range of numbers. Other options are those of `sdy-resolve-permutation-factors`. Calls stay as they are, and so do
    operations whose regions read values from outside. A module with an operation that cannot be partitioned is left as
    it was.
    """

    name = "sdy-per-instruction-partitioning"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-per-instruction-partitioning'
    filter: tuple[str, ...] = ()
    enable_halo_exchange: bool = True
    replica_count: int = 1
    partition_count: int = 1

    def decisions(self, module: ModuleOp) -> Mapping[Operation, PartitionedInstruction]:
        partitioner = Partitioner(self.enable_halo_exchange, self.replica_count, self.partition_count)
        chosen = instructions(module, InstructionFilter.parse(self.filter))
        return {op: partitioned(op, partitioner, Context()) for op in chosen if is_movable(op)}

    def patterns(self, module: ModuleOp) -> tuple[WrapInstruction]:
        return (WrapInstruction(self.decisions(module), Channels(next_channel(module))),)
