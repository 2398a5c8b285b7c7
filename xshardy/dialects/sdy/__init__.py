# What is imported is what the dialect has.
# pyright: reportUnusedImport=false
"""The sdy dialect: how tensors are sharded over meshes of devices."""

from xshardy.dialects.listing import dialect_of
from xshardy.dialects.sdy.attributes.axes import (
    AllToAllParamAttr,
    AllToAllParamListAttr,
    AxisRefAttr,
    AxisRefListAttr,
    ListOfAxisRefListsAttr,
    SubAxisInfoAttr,
)
from xshardy.dialects.sdy.attributes.edges import (
    AxisToPropagationDetailsAttr,
    EdgeValueRefAttr,
    PropagationEdgesAttr,
    PropagationOneStepAttr,
)
from xshardy.dialects.sdy.attributes.enums import EdgeNodeTypeAttr, ReductionOpAttr
from xshardy.dialects.sdy.attributes.mesh import ManualAxesAttr, MeshAttr, MeshAxisAttr
from xshardy.dialects.sdy.attributes.rule import DimMappingAttr, OpShardingRuleAttr, TensorMappingAttr
from xshardy.dialects.sdy.attributes.sharding import (
    DimensionShardingAttr,
    TensorShardingAttr,
    TensorShardingPerValueAttr,
)
from xshardy.dialects.sdy.collectives import (
    AllGatherOp,
    AllReduceOp,
    AllSliceOp,
    AllToAllOp,
    CollectivePermuteOp,
    ReduceScatterOp,
    ReplicatedToUnreducedOp,
    ShardedToUnreducedOp,
)
from xshardy.dialects.sdy.ops import (
    ConstantOp,
    DataFlowEdgeOp,
    FuncDataFlowEdgeOp,
    ManualComputationOp,
    MeshOp,
    NamedComputationOp,
    PropagationBarrierOp,
    ReshardOp,
    ReturnOp,
    ShardingConstraintOp,
    ShardingGroupOp,
)

SDY = dialect_of("sdy", globals())
