# What is imported is what the dialect has.
# pyright: reportUnusedImport=false
"""The xla_gpu dialect: threads, indexing maps, and loops over tensors, as XLA:GPU's emitters write them."""

from xshardy.dialects.listing import dialect_of
from xshardy.dialects.xla_gpu.attributes import (
    BackendKindAttr,
    DimensionAttr,
    IndexingMapAttr,
    LayoutAttr,
    MemorySpaceAttr,
    SymbolicMapAttr,
)
from xshardy.dialects.xla_gpu.ops import (
    AllocateSharedOp,
    ApplyIndexingOp,
    AtomicRMWOp,
    GetDynamicDimSizeOp,
    InsertOp,
    LoopOp,
    PdlLaunchDependentsOp,
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

XLA_GPU = dialect_of("xla_gpu", globals())
