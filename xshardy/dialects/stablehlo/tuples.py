"""Tuples: several values as one."""

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, TupleType, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import base, irdl_op_definition, operand_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.constraints import IntegerAtLeast
from xshardy.dialects.stablehlo.formats import TupleOpType
from xshardy.dialects.stablehlo.inference import InfersResultTypes
from xshardy.dialects.stablehlo.types import VALUE

__all__ = ["GetTupleElementOp", "TupleOp"]


@irdl_op_definition
class TupleOp(InfersResultTypes):
    """The operands as one value."""

    name = "stablehlo.tuple"
    val = var_operand_def(VALUE)
    result = result_def(base(TupleType))
    traits = traits_def(Pure())
    custom_directives = (TupleOpType,)
    assembly_format = "$val attr-dict `:` custom<TupleOpType>(type(operands), type(results))"

    def __init__(self, values: Sequence[SSAValue]):
        super().__init__(operands=[values], result_types=[tuple_type([value.type for value in values])])

    def infer_result_types(self) -> Sequence[Attribute]:
        return [tuple_type(self.val.types)]


@irdl_op_definition
class GetTupleElementOp(InfersResultTypes):
    """Element `index` of a tuple."""

    name = "stablehlo.get_tuple_element"
    operand = operand_def(base(TupleType))
    index = prop_def(IntegerAtLeast("index", 0, i32))
    result = result_def(VALUE)
    traits = traits_def(Pure())
    assembly_format = "$operand `[` $index `]` attr-dict `:` functional-type(operands, results)"

    def __init__(self, operand: SSAValue, index: int):
        assert isinstance(operand.type, TupleType)
        super().__init__(
            operands=[operand],
            result_types=[operand.type.types.data[index]],
            properties={"index": IntegerAttr(index, i32)},
        )

    def infer_result_types(self) -> Sequence[Attribute]:
        assert isinstance(self.operand.type, TupleType)
        types, index = self.operand.type.types.data, self.index.value.data
        if not 0 <= index < len(types):
            raise VerifyException(f"index {index} is out of bounds of operand with size {len(types)}")
        return [types[index]]


def tuple_type(types: Sequence[Attribute]) -> TupleType:
    """`tuple<types>`. xDSL keeps a list as it is, and such a type equals none that is made of a tuple."""
    return TupleType(tuple(types))  # pyright: ignore[reportArgumentType]
