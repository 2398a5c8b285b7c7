"""The xla_gpu dialect: threads, indexing maps, and loops over tensors, as XLA:GPU's emitters write them."""

from xdsl.ir import Dialect

from xshardy.dialects.xla_gpu.attributes import (
    BackendKindAttr,
    DimensionAttr,
    IndexingMapAttr,
    LayoutAttr,
    MemorySpaceAttr,
)
from xshardy.dialects.xla_gpu.ops import (
    AllocateSharedOp,
    ApplyIndexingOp,
    AtomicRMWOp,
    GetDynamicDimSizeOp,
    InsertOp,
    LoopOp,
    PdlWaitOp,
    PredicatedExtractOp,
    PredicatedInsertOp,
    PureCallOp,
    ReduceOp,
    ShuffleReduceOp,
    SyncThreadsOp,
    WorkgroupIdOp,
    YieldOp,
)
from xshardy.dialects.xla_gpu.types import IndexedVectorType

XLA_GPU = Dialect(
    "xla_gpu",
    [
        AllocateSharedOp,
        ApplyIndexingOp,
        AtomicRMWOp,
        GetDynamicDimSizeOp,
        InsertOp,
        LoopOp,
        PdlWaitOp,
        PredicatedExtractOp,
        PredicatedInsertOp,
        PureCallOp,
        ReduceOp,
        ShuffleReduceOp,
        SyncThreadsOp,
        WorkgroupIdOp,
        YieldOp,
    ],
    [BackendKindAttr, DimensionAttr, IndexedVectorType, IndexingMapAttr, LayoutAttr, MemorySpaceAttr],
)
