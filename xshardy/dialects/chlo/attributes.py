"""The attributes of CHLO: StableHLO's enumerations under other names, and the dimensions of a ragged dot product."""

from xdsl.dialects.builtin import I64, DenseArrayBase
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition

from xshardy.dialects.stablehlo.attributes import ComparisonDirection, ComparisonType, DimensionNumbers, Precision

__all__ = ["ComparisonDirectionAttr", "ComparisonTypeAttr", "PrecisionAttr", "RaggedDotDimensionNumbersAttr"]


@irdl_attr_definition
class ComparisonDirectionAttr(EnumAttribute[ComparisonDirection], SpacedOpaqueSyntaxAttribute):
    name = "chlo.comparison_direction"


@irdl_attr_definition
class ComparisonTypeAttr(EnumAttribute[ComparisonType], SpacedOpaqueSyntaxAttribute):
    name = "chlo.comparison_type"


@irdl_attr_definition
class PrecisionAttr(EnumAttribute[Precision], SpacedOpaqueSyntaxAttribute):
    name = "chlo.precision"


@irdl_attr_definition
class RaggedDotDimensionNumbersAttr(DimensionNumbers):
    """The dimensions of a dot product, the ragged dimension of `lhs`, and the dimension of groups in `rhs`."""

    name = "chlo.ragged_dot"
    lhs_batching_dimensions: DenseArrayBase[I64]
    rhs_batching_dimensions: DenseArrayBase[I64]
    lhs_contracting_dimensions: DenseArrayBase[I64]
    rhs_contracting_dimensions: DenseArrayBase[I64]
    lhs_ragged_dimensions: DenseArrayBase[I64]
    rhs_group_dimensions: DenseArrayBase[I64]
