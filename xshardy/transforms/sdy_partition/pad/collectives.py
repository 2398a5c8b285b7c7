"""
Collectives of sdy on padded tensors.

A collective that divides a dimension further pads its operand first, and one that gathers a dimension cuts the padding
off. Where a dimension is divided before and after, into parts that need different padding, elements move between
devices.
"""

from xshardy.dialects.sdy.collectives import (
    AllGatherOp,
    AllSliceOp,
    AllToAllOp,
    ReduceScatterOp,
    ShardedToUnreducedOp,
)
from xshardy.transforms.sdy_partition.pad.padded_tensors import PaddedTensors
from xshardy.transforms.sdy_partition.pad.padding_code import PaddingCode, shape_of
from xshardy.transforms.sdy_partition.pad.padding_pattern import PaddingPattern


class PadBeforeSlice(PaddingPattern[AllSliceOp | ReduceScatterOp, PaddedTensors]):
    """`all_slice [{"x"}] %a` -> `all_slice [{"x"}] (pad %a)`, so that all parts have the same size."""

    def rewrite(self, op: AllSliceOp | ReduceScatterOp, decision: PaddedTensors, code: PaddingCode) -> None:
        (source,), (target,) = decision.operands, decision.results
        op.operands[0] = code.resized(op.tensor, source.shape, target.padded, source.sharding)
        code.rewriter.notify_op_modified(op)


class TrimAfterGather(PaddingPattern[AllGatherOp | ShardedToUnreducedOp, PaddedTensors]):
    """
    `all_gather [{"x"}] %a` -> `slice (all_gather [{"x"}] %a)`, without the padding that only parts need.

    So for `sharded_to_unreduced`.
    """

    def rewrite(self, op: AllGatherOp | ShardedToUnreducedOp, decision: PaddedTensors, code: PaddingCode) -> None:
        (target,) = decision.results
        whole = code.insert(
            type(op).create(operands=[op.tensor], properties=op.properties, result_types=[op.tensor.type])
        )
        code.replace(op, code.resized(whole, target.shape, target.padded, op.out_sharding))


class PadAndTrimExchanged(PaddingPattern[AllToAllOp, PaddedTensors]):
    """`all_to_all [{"x"}: 0->1] %a` -> `slice (all_to_all [{"x"}: 0->1] (pad %a))`."""

    def rewrite(self, op: AllToAllOp, decision: PaddedTensors, code: PaddingCode) -> None:
        (source,), (target,) = decision.operands, decision.results
        between = list(shape_of(op.tensor))
        for param in op.params.params:
            dim = param.tgt_dim.data
            between[dim] = target.padded[dim]
        operand = code.resized(op.tensor, source.shape, between, source.sharding)
        exchanged = code.insert(AllToAllOp(operand, op.params, op.out_sharding))
        code.replace(op, code.resized(exchanged, target.shape, target.padded, op.out_sharding))
