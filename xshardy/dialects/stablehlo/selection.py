"""Elementwise ops that compare, and that choose between values."""

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, IntegerType, i1
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.quant import UniformQuantizedType
from xshardy.dialects.stablehlo.attributes import (
    ComparisonDirection,
    ComparisonDirectionAttr,
    ComparisonType,
    ComparisonTypeAttr,
)
from xshardy.dialects.stablehlo.formats import SameOperandsAndResultType, SelectOpType
from xshardy.dialects.stablehlo.inference import InfersResultTypes, require_same_element_types, with_element_type
from xshardy.dialects.stablehlo.types import (
    PRED,
    PRED_TENSOR,
    TENSOR,
    UNSIGNED,
    is_compatible,
    is_compatible_shape,
    tensor_type,
)

__all__ = ["ClampOp", "CompareOp", "SelectOp"]


@irdl_op_definition
class ClampOp(InfersResultTypes):
    """`operand` moved into [`min`, `max`], each of which is a scalar or has the operand's shape."""

    name = "stablehlo.clamp"
    min = operand_def(TENSOR)
    operand = operand_def(TENSOR)
    max = operand_def(TENSOR)
    result = result_def(TENSOR)
    traits = traits_def(Pure(), Elementwise())
    custom_directives = (SameOperandsAndResultType,)
    assembly_format = "operands attr-dict `:` custom<SameOperandsAndResultType>(type(operands), type(results))"

    def __init__(self, min: SSAValue, operand: SSAValue, max: SSAValue):
        super().__init__(operands=[min, operand, max], result_types=[operand.type])

    def infer_result_types(self) -> Sequence[Attribute]:
        shape = tensor_type(self.operand).get_shape()
        for name, bound in (("min", self.min), ("max", self.max)):
            bound_shape = tensor_type(bound).get_shape()
            if bound_shape and not is_compatible_shape(bound_shape, shape):
                raise VerifyException(
                    f"{name} shape [{', '.join(map(str, bound_shape))}] is not scalar and is not compatible to "
                    f"operand shape [{', '.join(map(str, shape))}]"
                )
        require_same_element_types(self.operands)
        return [self.operand.type]


@irdl_op_definition
class CompareOp(InfersResultTypes):
    """Whether `lhs` and `rhs` are in the order that `comparison_direction` names."""

    name = "stablehlo.compare"
    lhs = operand_def(TENSOR)
    rhs = operand_def(TENSOR)
    comparison_direction = prop_def(ComparisonDirectionAttr)
    compare_type = opt_prop_def(ComparisonTypeAttr)
    result = result_def(PRED_TENSOR)
    traits = traits_def(Pure(), Elementwise())
    assembly_format = (
        "$comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)? attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self, lhs: SSAValue, rhs: SSAValue, direction: ComparisonDirection, compare_type: ComparisonType | None = None
    ):
        super().__init__(
            operands=[lhs, rhs],
            result_types=[with_element_type(lhs, i1)],
            properties={
                "comparison_direction": ComparisonDirectionAttr(direction),
                "compare_type": None if compare_type is None else ComparisonTypeAttr(compare_type),
            },
        )

    def infer_result_types(self) -> Sequence[Attribute]:
        require_same_element_types(self.operands, "all operands")
        if not is_compatible(self.lhs.type, self.rhs.type):
            raise VerifyException(
                f"requires the same shape for all operands, but got '{self.lhs.type}' and '{self.rhs.type}'"
            )
        return [with_element_type(self.lhs, i1)]


def default_compare_type(element: Attribute) -> ComparisonType:
    """The comparison type that HLO assumes for these elements."""
    if element in UNSIGNED | PRED:
        return ComparisonType.UNSIGNED
    return ComparisonType.SIGNED if isinstance(element, IntegerType) else ComparisonType.FLOAT


def why_unordered(compare_type: EnumAttribute[ComparisonType] | None, element: Attribute) -> str | None:
    """
    Why a comparison of this type gives the elements no order; None if it does.

    MLIR verifies such comparisons, and XLA refuses them later. Source: StableHLO specification, "compare".
    """
    kind = None if compare_type is None else compare_type.data
    if kind in (None, ComparisonType.NOTYPE) or isinstance(element, UniformQuantizedType):
        return None
    expected = [default_compare_type(element)]
    if isinstance(element, AnyFloat):
        expected.append(ComparisonType.TOTALORDER)
    if kind in expected:
        return None
    return f"compare_type {kind} does not fit elements of type {element}: use {' or '.join(expected)}"


@irdl_op_definition
class SelectOp(InfersResultTypes):
    """`on_true` where `pred` holds, `on_false` elsewhere; `pred` is a scalar or has the shape of the others."""

    name = "stablehlo.select"
    pred = operand_def(PRED_TENSOR)
    on_true = operand_def(TENSOR)
    on_false = operand_def(TENSOR)
    result = result_def(TENSOR)
    traits = traits_def(Pure(), Elementwise())
    custom_directives = (SelectOpType,)
    assembly_format = "operands attr-dict `:` custom<SelectOpType>(type(operands), type(results))"

    def __init__(self, pred: SSAValue, on_true: SSAValue, on_false: SSAValue):
        super().__init__(operands=[pred, on_true, on_false], result_types=[on_true.type])

    def infer_result_types(self) -> Sequence[Attribute]:
        if not is_compatible(self.on_true.type, self.on_false.type):
            raise VerifyException(
                "requires compatible types for non-predicate operands, but got "
                f"'{self.on_true.type}' and '{self.on_false.type}'"
            )
        shape = tensor_type(self.pred).get_shape()
        if shape and not is_compatible_shape(shape, tensor_type(self.on_true).get_shape()):
            raise VerifyException("requires the same shape for all operands")
        return [self.on_true.type]
