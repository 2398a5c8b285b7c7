"""
What HLO has and StableHLO lacks, one module per kind of operation.

What HLO text says about an instruction and its operation has no place for (layout, metadata, sharding, backend_config)
is kept in discardable attributes; `layout.py` has the names of those that say how a value lies in memory.

To add an op, write it in the module of its kind, or in one of its own, and list it here.
"""

from xdsl.ir import Dialect

from xshardy.dialects.hlo.async_operation import AsyncOperation, DoneOp, StartOp
from xshardy.dialects.hlo.async_ops import AsyncDoneOp, AsyncStartOp, AsyncUpdateOp
from xshardy.dialects.hlo.async_types import AsyncBundleType
from xshardy.dialects.hlo.data_movement import BitcastOp, CopyOp
from xshardy.dialects.hlo.elementwise import (
    AcoshOp,
    AcosOp,
    AsinhOp,
    AsinOp,
    AtanhOp,
    ComplexFunctionOp,
    CoshOp,
    ErfOp,
    SinhOp,
)
from xshardy.dialects.hlo.fusion import FusionCalleeExists, FusionKind, FusionKindAttr, FusionOp, check_callee_types
from xshardy.dialects.hlo.layout import LAYOUT, MEMORY, layout_of
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
    "AcosOp",
    "AcoshOp",
    "AllGatherDoneOp",
    "AllGatherStartOp",
    "AllReduceDoneOp",
    "AllReduceStartOp",
    "AsinOp",
    "AsinhOp",
    "AsyncBundleType",
    "AsyncDoneOp",
    "AsyncOperation",
    "AsyncStartOp",
    "AsyncUpdateOp",
    "AtanhOp",
    "BitcastOp",
    "CollectivePermuteDoneOp",
    "CollectivePermuteStartOp",
    "ComplexFunctionOp",
    "CopyDoneOp",
    "CopyOp",
    "CopyStartOp",
    "CoshOp",
    "DoneOp",
    "ErfOp",
    "FusionCalleeExists",
    "FusionKind",
    "FusionKindAttr",
    "FusionOp",
    "RecvDoneOp",
    "RecvOp",
    "SendDoneOp",
    "SendOp",
    "SinhOp",
    "StartOp",
    "check_callee_types",
    "layout_of",
]

HLO = Dialect(
    "hlo",
    [
        FusionOp,
        BitcastOp,
        CopyOp,
        AcosOp,
        AcoshOp,
        AsinOp,
        AsinhOp,
        AtanhOp,
        CoshOp,
        SinhOp,
        ErfOp,
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
    ],
    [AsyncBundleType, FusionKindAttr],
)
