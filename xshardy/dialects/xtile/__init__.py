# What is imported is what the dialect has.
# pyright: reportUnusedImport=false
"""The xtile dialect: kernels that read tiles of buffers, compute with tensors, and write tiles."""

from xshardy.dialects.listing import dialect_of
from xshardy.dialects.xtile.attributes import LayoutAttr
from xshardy.dialects.xtile.ops import (
    DotScaledOp,
    EntryFuncOp,
    ExtractOp,
    InsertOp,
    MaskOp,
    ReturnOp,
    ScanOp,
    SelectBufferOp,
    YieldOp,
)

XTILE = dialect_of("xtile", globals())
