"""
What HLO has and StableHLO lacks, one module per kind of operation.

What HLO text says about an instruction and its operation has no place for (layout, metadata, sharding, backend_config)
is kept in discardable attributes; `layout.py` has the names of those that say how a value lies in memory.

To add an op, write it in the module of its kind, or in one of its own, and list it here.
"""

from xdsl.ir import Dialect

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

__all__ = [
    "HLO",
    "LAYOUT",
    "MEMORY",
    "AcosOp",
    "AcoshOp",
    "AsinOp",
    "AsinhOp",
    "AtanhOp",
    "BitcastOp",
    "ComplexFunctionOp",
    "CopyOp",
    "CoshOp",
    "ErfOp",
    "FusionCalleeExists",
    "FusionKind",
    "FusionKindAttr",
    "FusionOp",
    "SinhOp",
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
    ],
    [FusionKindAttr],
)
