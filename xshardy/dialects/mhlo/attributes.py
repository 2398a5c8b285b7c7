"""The attributes of MHLO: the dimensions of dot products, and precisions."""

from dataclasses import replace

from xdsl.dialects.builtin import I64, DenseArrayBase
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition

from xshardy.dialects.stablehlo.attributes import DimensionNumbers, Precision, integers
from xshardy.dialects.stablehlo.structs import ATTRIBUTE, INTEGERS, StructAttribute

__all__ = ["DotDimensionNumbersAttr", "PrecisionAttr", "RaggedDotDimensionNumbersAttr"]


@irdl_attr_definition
class PrecisionAttr(EnumAttribute[Precision], SpacedOpaqueSyntaxAttribute):
    name = "mhlo.precision"


@irdl_attr_definition
class DotDimensionNumbersAttr(DimensionNumbers):
    """The batching dimensions of a dot product, and its contracting dimensions."""

    name = "mhlo.dot"
    lhs_batching_dimensions: DenseArrayBase[I64]
    rhs_batching_dimensions: DenseArrayBase[I64]
    lhs_contracting_dimensions: DenseArrayBase[I64]
    rhs_contracting_dimensions: DenseArrayBase[I64]


OPTIONAL_INTEGERS = replace(INTEGERS, absent=integers(()))


@irdl_attr_definition
class RaggedDotDimensionNumbersAttr(StructAttribute):
    """`<dot_dimension_numbers = #mhlo.dot<...>, lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>`"""

    name = "mhlo.ragged_dot"
    FIELDS = {
        "dot_dimension_numbers": ATTRIBUTE,
        "lhs_ragged_dimensions": OPTIONAL_INTEGERS,
        "rhs_group_dimensions": OPTIONAL_INTEGERS,
    }
    dot_dimension_numbers: DotDimensionNumbersAttr
    lhs_ragged_dimensions: DenseArrayBase[I64]
    rhs_group_dimensions: DenseArrayBase[I64]

    @property
    def lhs_batching_dimensions(self) -> DenseArrayBase[I64]:
        return self.dot_dimension_numbers.lhs_batching_dimensions

    @property
    def rhs_batching_dimensions(self) -> DenseArrayBase[I64]:
        return self.dot_dimension_numbers.rhs_batching_dimensions

    @property
    def lhs_contracting_dimensions(self) -> DenseArrayBase[I64]:
        return self.dot_dimension_numbers.lhs_contracting_dimensions

    @property
    def rhs_contracting_dimensions(self) -> DenseArrayBase[I64]:
        return self.dot_dimension_numbers.rhs_contracting_dimensions
