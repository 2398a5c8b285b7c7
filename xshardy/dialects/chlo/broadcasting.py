"""Elementwise ops that broadcast their operands, by numpy's rules or along given dimensions."""

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, ComplexType, DenseArrayBase, TensorType, UnrankedTensorType, i1, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Commutative, Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.chlo.attributes import ComparisonDirectionAttr, ComparisonTypeAttr
from xshardy.dialects.stablehlo.inference import InfersResultTypes, require_compatible_elements
from xshardy.dialects.stablehlo.types import (
    COMPLEX_TENSOR,
    FLOAT_TENSOR,
    PER_AXIS_TENSOR,
    PRED_OR_INTEGER_TENSOR,
    PRED_TENSOR,
    is_compatible_element,
    tensor_type,
)

__all__ = [
    "BroadcastAddOp",
    "BroadcastAndOp",
    "BroadcastAtan2Op",
    "BroadcastCompareOp",
    "BroadcastComplexOp",
    "BroadcastDivOp",
    "BroadcastMaxOp",
    "BroadcastMinOp",
    "BroadcastMulOp",
    "BroadcastNextAfterOp",
    "BroadcastOrOp",
    "BroadcastPolygammaOp",
    "BroadcastPowOp",
    "BroadcastRemOp",
    "BroadcastSelectOp",
    "BroadcastShiftLeftOp",
    "BroadcastShiftRightArithmeticOp",
    "BroadcastShiftRightLogicalOp",
    "BroadcastSubOp",
    "BroadcastXorOp",
    "BroadcastZetaOp",
]

Shape = Sequence[int]

ANY_TENSOR = PER_AXIS_TENSOR.or_unranked()
ANY_PRED_TENSOR = PRED_TENSOR.or_unranked()


def broadcast_shapes(lhs: Shape, rhs: Shape) -> tuple[int, ...] | None:
    """
    `(4, 1)` and `(3,)` -> `(4, 3)`; None if two sizes differ and neither is 1. A known size takes precedence over `?`.
    """
    rank = max(len(lhs), len(rhs))
    result: list[int] = []
    for sizes in zip(*((*(1,) * (rank - len(shape)), *shape) for shape in (lhs, rhs)), strict=True):
        large = {size for size in sizes if size not in (1, DYNAMIC_INDEX)}
        if len(large) > 1:
            return None
        result.append(large.pop() if large else DYNAMIC_INDEX if DYNAMIC_INDEX in sizes else 1)
    return tuple(result)


def broadcast_along(lhs: Shape, rhs: Shape, dimensions: Sequence[int]) -> tuple[int, ...] | None:
    """
    The result shape when the dimensions of the operand of lower rank map to `dimensions` of the other operand.

    None if there is no such dimension, or the sizes do not fit.
    """
    small, large = (rhs, lhs) if len(lhs) > len(rhs) else (lhs, rhs)
    if len(dimensions) != len(small) or any(not 0 <= dimension < len(large) for dimension in dimensions):
        return None
    sizes = broadcast_shapes(small, [large[dimension] for dimension in dimensions])
    if sizes is None:
        return None
    result = list(large)
    for dimension, size in zip(dimensions, sizes, strict=True):
        result[dimension] = size
    return tuple(result)


def broadcast(shapes: Sequence[Shape | None], dimensions: Sequence[int] | None = None) -> Shape | None:
    """The shape that two shapes, None if unknown, are broadcast to; None if that is unknown, or there is none."""
    lhs, rhs = shapes
    if lhs is None or rhs is None:
        return None
    return broadcast_shapes(lhs, rhs) if dimensions is None else broadcast_along(lhs, rhs, dimensions)


def known_shape_of(value: SSAValue) -> Shape | None:
    """The shape of the tensor `value`; None if its rank is unknown."""
    return tensor_type(value).get_shape() if isinstance(value.type, TensorType) else None


def of_shape(element: Attribute, shape: Shape | None) -> Attribute:
    """
    A tensor type; unranked if the shape is not known.

    As upstream, operands that cannot be broadcast also have a result of unknown rank.
    """
    return UnrankedTensorType(element) if shape is None else TensorType(element, shape)


class BroadcastBinaryOp(InfersResultTypes):
    """
    `f(lhs, rhs)`, element by element.

    `broadcast_dimensions`, if given, maps the dimensions of the operand of lower rank to those of the other operand.
    """

    lhs = operand_def(ANY_TENSOR)
    rhs = operand_def(ANY_TENSOR)
    broadcast_dimensions = opt_prop_def(DenseArrayBase.constr(i64))
    result = result_def(ANY_TENSOR)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type(results)"

    def result_element(self, operand: Attribute) -> Attribute:
        """The element type of the result, from that of the operands."""
        return operand

    def infer_result_types(self) -> Sequence[Attribute]:
        lhs, rhs = tensor_type(self.lhs), tensor_type(self.rhs)
        if not is_compatible_element(lhs.element_type, rhs.element_type):
            raise VerifyException("mismatched operand types")
        shapes = [known_shape_of(value) for value in self.operands]
        dimensions = None if self.broadcast_dimensions is None else self.broadcast_dimensions.get_values()
        return [of_shape(self.result_element(lhs.element_type), broadcast(shapes, dimensions))]


class SameElementBroadcastOp(BroadcastBinaryOp):
    """A broadcasting op whose operands and result have the same element type."""

    def verify_(self) -> None:
        if len({tensor_type(value).element_type for value in (self.lhs, self.rhs, self.result)}) > 1:
            raise VerifyException("requires the same element type for all operands and results")
        super().verify_()


class CompatibleBroadcastOp(BroadcastBinaryOp):
    """A commutative broadcasting op, whose operands may be quantized with other scales than the result."""

    traits = traits_def(Pure(), Commutative())

    def verify_(self) -> None:
        require_compatible_elements(self.lhs, self.rhs, self.result)
        super().verify_()


class LogicalBroadcastOp(BroadcastBinaryOp):
    """Logical on predicates, bitwise on integers."""

    traits = traits_def(Pure(), Commutative())
    lhs = operand_def(PRED_OR_INTEGER_TENSOR.or_unranked())
    rhs = operand_def(PRED_OR_INTEGER_TENSOR.or_unranked())
    result = result_def(PRED_OR_INTEGER_TENSOR.or_unranked())


@irdl_op_definition
class BroadcastAddOp(CompatibleBroadcastOp):
    name = "chlo.broadcast_add"


@irdl_op_definition
class BroadcastAndOp(LogicalBroadcastOp):
    name = "chlo.broadcast_and"


@irdl_op_definition
class BroadcastAtan2Op(SameElementBroadcastOp):
    name = "chlo.broadcast_atan2"


@irdl_op_definition
class BroadcastDivOp(SameElementBroadcastOp):
    name = "chlo.broadcast_divide"


@irdl_op_definition
class BroadcastMaxOp(CompatibleBroadcastOp):
    name = "chlo.broadcast_maximum"


@irdl_op_definition
class BroadcastMinOp(CompatibleBroadcastOp):
    name = "chlo.broadcast_minimum"


@irdl_op_definition
class BroadcastMulOp(SameElementBroadcastOp):
    name = "chlo.broadcast_multiply"
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class BroadcastNextAfterOp(SameElementBroadcastOp):
    name = "chlo.broadcast_next_after"


@irdl_op_definition
class BroadcastOrOp(LogicalBroadcastOp):
    name = "chlo.broadcast_or"


@irdl_op_definition
class BroadcastPolygammaOp(SameElementBroadcastOp):
    name = "chlo.broadcast_polygamma"


@irdl_op_definition
class BroadcastPowOp(SameElementBroadcastOp):
    name = "chlo.broadcast_power"


@irdl_op_definition
class BroadcastRemOp(SameElementBroadcastOp):
    name = "chlo.broadcast_remainder"


@irdl_op_definition
class BroadcastShiftLeftOp(SameElementBroadcastOp):
    name = "chlo.broadcast_shift_left"


@irdl_op_definition
class BroadcastShiftRightArithmeticOp(SameElementBroadcastOp):
    name = "chlo.broadcast_shift_right_arithmetic"


@irdl_op_definition
class BroadcastShiftRightLogicalOp(SameElementBroadcastOp):
    name = "chlo.broadcast_shift_right_logical"


@irdl_op_definition
class BroadcastSubOp(SameElementBroadcastOp):
    name = "chlo.broadcast_subtract"


@irdl_op_definition
class BroadcastXorOp(LogicalBroadcastOp):
    name = "chlo.broadcast_xor"


@irdl_op_definition
class BroadcastZetaOp(SameElementBroadcastOp):
    name = "chlo.broadcast_zeta"


@irdl_op_definition
class BroadcastComplexOp(BroadcastBinaryOp):
    """Complex numbers of real parts `lhs` and imaginary parts `rhs`."""

    name = "chlo.broadcast_complex"
    lhs = operand_def(FLOAT_TENSOR.or_unranked())
    rhs = operand_def(FLOAT_TENSOR.or_unranked())
    result = result_def(COMPLEX_TENSOR.or_unranked())

    def result_element(self, operand: Attribute) -> Attribute:
        return ComplexType(operand)  # pyright: ignore[reportArgumentType]


@irdl_op_definition
class BroadcastCompareOp(BroadcastBinaryOp):
    name = "chlo.broadcast_compare"
    comparison_direction = prop_def(ComparisonDirectionAttr)
    compare_type = opt_prop_def(ComparisonTypeAttr)
    result = result_def(ANY_PRED_TENSOR)

    def result_element(self, operand: Attribute) -> Attribute:
        return i1


@irdl_op_definition
class BroadcastSelectOp(InfersResultTypes):
    """`on_true` where `pred` holds, else `on_false`; all three broadcast to each other as numpy does."""

    name = "chlo.broadcast_select"
    pred = operand_def(PRED_TENSOR)
    on_true = operand_def(ANY_TENSOR)
    on_false = operand_def(ANY_TENSOR)
    result = result_def(ANY_TENSOR)
    traits = traits_def(Pure())
    assembly_format = (
        "$pred `,` $on_true `,` $on_false attr-dict `:` "
        "`(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->` type(results)"
    )

    def infer_result_types(self) -> Sequence[Attribute]:
        element = tensor_type(self.on_true).element_type
        if element != tensor_type(self.on_false).element_type:
            raise VerifyException("mismatched operand types")
        pred, *branches = (known_shape_of(value) for value in self.operands)
        return [of_shape(element, broadcast((pred, broadcast(branches))))]
