"""MHLO, as far as programs between Shardy and HLO have it: operations of HLO that neither StableHLO nor CHLO has."""

from xdsl.ir import Dialect

from xshardy.dialects.mhlo.attributes import DotDimensionNumbersAttr, PrecisionAttr, RaggedDotDimensionNumbersAttr
from xshardy.dialects.mhlo.ops import CopyOp, RaggedDotOp, TopKOp

__all__ = [
    "MHLO",
    "CopyOp",
    "DotDimensionNumbersAttr",
    "PrecisionAttr",
    "RaggedDotDimensionNumbersAttr",
    "RaggedDotOp",
    "TopKOp",
]

MHLO = Dialect(
    "mhlo", [CopyOp, RaggedDotOp, TopKOp], [DotDimensionNumbersAttr, PrecisionAttr, RaggedDotDimensionNumbersAttr]
)
