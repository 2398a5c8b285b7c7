"""For each operation of StableHLO, what draws programs of it, and which operations never have parts of tensors."""

from collections.abc import Mapping

from xdsl.ir import Operation

from partitioning import combining, control, elementwise, indexing, movement
from partitioning.samples import Sampler
from xshardy.dialects import stablehlo

SAMPLERS: Mapping[type[Operation], Sampler] = {
    **combining.SAMPLERS,
    **control.SAMPLERS,
    **elementwise.SAMPLERS,
    **indexing.SAMPLERS,
    **movement.SAMPLERS,
}

WITHOUT_RULE = "no sharding rule says which parts belong together"
RUN_TIME_SHAPE = "its shape is an operand, which counts elements of whole tensors"
HOST = "the host gives and takes whole tensors"
NO_TENSOR = "a value that is no tensor has no parts"
ASYNCHRONOUS = "its future is no tensor, and its region has no shardings of its own"

REFUSED_IN_PARTS: Mapping[type[Operation], str] = {
    stablehlo.AsyncDoneOp: ASYNCHRONOUS,
    stablehlo.AsyncStartOp: ASYNCHRONOUS,
    stablehlo.BatchNormGradOp: WITHOUT_RULE,
    stablehlo.BatchNormTrainingOp: WITHOUT_RULE,
    stablehlo.BroadcastOp: WITHOUT_RULE,
    stablehlo.CollectiveReduceOp: WITHOUT_RULE,
    stablehlo.CompositeOp: WITHOUT_RULE,
    stablehlo.DynamicBroadcastInDimOp: RUN_TIME_SHAPE,
    stablehlo.DynamicConvOp: RUN_TIME_SHAPE,
    stablehlo.DynamicGatherOp: RUN_TIME_SHAPE,
    stablehlo.DynamicIotaOp: RUN_TIME_SHAPE,
    stablehlo.DynamicPadOp: RUN_TIME_SHAPE,
    stablehlo.DynamicReshapeOp: RUN_TIME_SHAPE,
    stablehlo.EinsumOp: WITHOUT_RULE,
    stablehlo.GetTupleElementOp: NO_TENSOR,
    stablehlo.InfeedOp: HOST,
    stablehlo.OutfeedOp: HOST,
    stablehlo.RealDynamicSliceOp: RUN_TIME_SHAPE,
    stablehlo.RecvOp: HOST,
    stablehlo.SendOp: HOST,
    stablehlo.SetDimensionSizeOp: RUN_TIME_SHAPE,
    stablehlo.TorchIndexSelectOp: WITHOUT_RULE,
    stablehlo.TupleOp: NO_TENSOR,
    stablehlo.UnaryEinsumOp: WITHOUT_RULE,
    stablehlo.UniformDequantizeOp: WITHOUT_RULE,
    stablehlo.UniformQuantizeOp: WITHOUT_RULE,
}
"""
Operations that no device executes on parts, and why. `sdy-convert-global-to-local` refuses them, unless
`sdy-replicate-whole-operations` has given every device whole tensors; it does not for `HOST` and `ASYNCHRONOUS`.
"""

NOTHING_TO_SHARD = (
    stablehlo.AfterAllOp,
    stablehlo.CreateTokenOp,
    stablehlo.PartitionIdOp,
    stablehlo.ReplicaIdOp,
    stablehlo.ReturnOp,
)
"""Operations without tensors, and the end of a region, which belongs to the operation around it."""
