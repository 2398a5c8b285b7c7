"""
Operations of HLO that StableHLO lacks, one module per kind of operation.

Attributes of HLO text without a counterpart in the operation (layout, metadata, sharding, backend_config) become
discardable attributes; `layout.py` has the names of those about memory layout.

To add an op, write it in the module of its kind, or in one of its own, and list it here.
"""

from xdsl.ir import Dialect

from xshardy.dialects.hlo.arrays import (
    DynamicReshapeOp,
    ElidedConstantOp,
    RaggedDotOp,
    RngGetAndUpdateStateOp,
    ScaledDotOp,
    ScanOp,
    StochasticConvertOp,
    TopKOp,
    TupleConstantOp,
)
from xshardy.dialects.hlo.async_operation import AsyncOperation, DoneOp, StartOp
from xshardy.dialects.hlo.async_ops import AsyncDoneOp, AsyncStartOp, AsyncUpdateOp
from xshardy.dialects.hlo.async_types import AsyncBundleType
from xshardy.dialects.hlo.collectives import (
    AllGatherOp,
    AllReduceOp,
    AllToAllOp,
    CollectiveBroadcastOp,
    CollectivePermuteOp,
    RaggedAllToAllOp,
    ReduceScatterOp,
)
from xshardy.dialects.hlo.data_movement import BitcastOp, CopyOp
from xshardy.dialects.hlo.fusion import FusionCalleeExists, FusionKind, FusionKindAttr, FusionOp, check_callee_types
from xshardy.dialects.hlo.instruction import InstructionOp
from xshardy.dialects.hlo.layout import LAYOUT, MEMORY, layout_of
from xshardy.dialects.hlo.opaque import OpaqueOp
from xshardy.dialects.hlo.ordering import AddDependencyOp, DomainOp
from xshardy.dialects.hlo.own_async_ops import (
    AllGatherDoneOp,
    AllGatherStartOp,
    AllReduceDoneOp,
    AllReduceStartOp,
    CollectivePermuteDoneOp,
    CollectivePermuteStartOp,
    CopyDoneOp,
    CopyStartOp,
    RecvDoneOp,
    RecvOp,
    SendDoneOp,
    SendOp,
)

__all__ = [
    "HLO",
    "LAYOUT",
    "MEMORY",
    "AddDependencyOp",
    "AllGatherDoneOp",
    "AllGatherOp",
    "AllGatherStartOp",
    "AllReduceDoneOp",
    "AllReduceOp",
    "AllReduceStartOp",
    "AllToAllOp",
    "AsyncBundleType",
    "AsyncDoneOp",
    "AsyncOperation",
    "AsyncStartOp",
    "AsyncUpdateOp",
    "BitcastOp",
    "CollectiveBroadcastOp",
    "CollectivePermuteDoneOp",
    "CollectivePermuteOp",
    "CollectivePermuteStartOp",
    "CopyDoneOp",
    "CopyOp",
    "CopyStartOp",
    "DomainOp",
    "DoneOp",
    "DynamicReshapeOp",
    "ElidedConstantOp",
    "FusionCalleeExists",
    "FusionKind",
    "FusionKindAttr",
    "FusionOp",
    "InstructionOp",
    "OpaqueOp",
    "RaggedAllToAllOp",
    "RaggedDotOp",
    "RecvDoneOp",
    "RecvOp",
    "ReduceScatterOp",
    "RngGetAndUpdateStateOp",
    "ScaledDotOp",
    "ScanOp",
    "SendDoneOp",
    "SendOp",
    "StartOp",
    "StochasticConvertOp",
    "TopKOp",
    "TupleConstantOp",
    "check_callee_types",
    "layout_of",
]

HLO = Dialect(
    "hlo",
    [
        FusionOp,
        BitcastOp,
        CopyOp,
        AsyncStartOp,
        AsyncUpdateOp,
        AsyncDoneOp,
        CopyStartOp,
        CopyDoneOp,
        AllReduceStartOp,
        AllReduceDoneOp,
        AllGatherStartOp,
        AllGatherDoneOp,
        CollectivePermuteStartOp,
        CollectivePermuteDoneOp,
        SendOp,
        SendDoneOp,
        RecvOp,
        RecvDoneOp,
        DynamicReshapeOp,
        ElidedConstantOp,
        RaggedDotOp,
        RngGetAndUpdateStateOp,
        ScaledDotOp,
        ScanOp,
        StochasticConvertOp,
        TopKOp,
        TupleConstantOp,
        AllGatherOp,
        AllReduceOp,
        AllToAllOp,
        CollectiveBroadcastOp,
        CollectivePermuteOp,
        RaggedAllToAllOp,
        ReduceScatterOp,
        OpaqueOp,
        AddDependencyOp,
        DomainOp,
    ],
    [AsyncBundleType, FusionKindAttr],
)
