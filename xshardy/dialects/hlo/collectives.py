"""Collectives in forms that StableHLO lacks: asynchronous, ragged, variadic."""

from xdsl.dialects.builtin import (
    BoolAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FlatSymbolRefAttrConstr,
    StringAttr,
)
from xdsl.dialects.builtin import i64 as i64_type
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def, var_operand_def, var_result_def
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.hlo.instruction import I64_ATTR, InstructionOp
from xshardy.dialects.stablehlo.types import VALUE

__all__ = [
    "AllGatherOp",
    "AllReduceOp",
    "AllToAllOp",
    "CollectiveBroadcastOp",
    "CollectivePermuteOp",
    "RaggedAllToAllOp",
    "ReduceScatterOp",
]


class CollectiveOp(InstructionOp):
    """
    A collective. `replica_groups` are lists, an iota, or mesh axes, as in HLO text.

    `channel_id` distinguishes collectives between partitions; without one, replicas take part.
    """

    inputs = var_operand_def(VALUE)
    replica_groups = opt_prop_def(StringAttr)
    channel_id = opt_prop_def(I64_ATTR)
    use_global_device_ids = opt_prop_def(BoolAttr)
    constrain_layout = opt_prop_def(BoolAttr)
    outputs = var_result_def(VALUE)


@irdl_op_definition
class AllReduceOp(CollectiveOp):
    """Reduce the inputs over the devices of a group with the computation `to_apply`: the general form."""

    name = "hlo.all_reduce"
    to_apply = prop_def(FlatSymbolRefAttrConstr)


class DimensionedCollectiveOp(CollectiveOp):
    """A collective along one dimension."""

    dimensions = opt_prop_def(DenseArrayBase.constr(i64_type))


@irdl_op_definition
class AllGatherOp(DimensionedCollectiveOp):
    """Concatenate the inputs of all devices of a group along a dimension: the general form."""

    name = "hlo.all_gather"


@irdl_op_definition
class AllToAllOp(DimensionedCollectiveOp):
    """Input `i` goes to device `i` of the group; the results are the inputs received from each device."""

    name = "hlo.all_to_all"


@irdl_op_definition
class ReduceScatterOp(DimensionedCollectiveOp):
    """Reduce the inputs over the devices of a group, and give each device its part: the general form."""

    name = "hlo.reduce_scatter"
    to_apply = prop_def(FlatSymbolRefAttrConstr)


@irdl_op_definition
class CollectiveBroadcastOp(CollectiveOp):
    """The inputs of the first device of each group, on all of its devices: the general form."""

    name = "hlo.collective_broadcast"
    has_dynamic_root = opt_prop_def(BoolAttr)


@irdl_op_definition
class RaggedAllToAllOp(CollectiveOp):
    """
    Send slices of variable length to the other devices of the group.

    The operands are the input, the output buffer, and offsets and sizes of the sent and received slices.
    """

    name = "hlo.ragged_all_to_all"

    def verify_(self) -> None:
        if len(self.inputs) != 6:
            raise VerifyException(
                "takes input, output, input offsets, send sizes, output offsets and receive sizes, "
                f"got {len(self.inputs)} operand(s)"
            )


@irdl_op_definition
class CollectivePermuteOp(InstructionOp):
    """Send values from the first device of each pair to the second: slices in place, or several values."""

    name = "hlo.collective_permute"
    inputs = var_operand_def(VALUE)
    source_target_pairs = prop_def(DenseIntOrFPElementsAttr)
    channel_id = opt_prop_def(I64_ATTR)
    slice_sizes = opt_prop_def(StringAttr)
    outputs = var_result_def(VALUE)
