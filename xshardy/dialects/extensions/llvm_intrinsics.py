"""
Operations for LLVM's intrinsics that upstream's `llvm` dialect has and xDSL's lacks.

`llvm.intr.NAME` is the intrinsic `llvm.NAME`, suffixed in LLVM's text with the types it is overloaded on.
"""

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import (
    AnyFloatConstr,
    BoolAttr,
    IntegerAttr,
    IntegerType,
    SignlessIntegerConstraint,
    VectorType,
    i32,
)
from xdsl.dialects.llvm import FastMathAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from xshardy.dialects.listing import operations_of

FUNCTION_FORMAT = "`(` operands `)` attr-dict `:` functional-type(operands, results)"

IntegerLike = SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint)
FloatLike = AnyFloatConstr | VectorType.constr(AnyFloatConstr)


class FloatUnaryIntrinsic(IRDLOperation, ABC):
    """`f(x)`, element by element, on floats."""

    T: ClassVar = VarConstraint("T", FloatLike)

    arg = operand_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    res = result_def(T)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = FUNCTION_FORMAT

    def __init__(self, arg: SSAValue | Operation, fastmath: FastMathAttr | None = None):
        super().__init__(
            operands=[arg],
            properties={"fastmathFlags": fastmath or FastMathAttr(None)},
            result_types=[SSAValue.get(arg).type],
        )


class FloatBinaryIntrinsic(IRDLOperation, ABC):
    """`f(x, y)`, element by element, on floats."""

    T: ClassVar = VarConstraint("T", FloatLike)

    lhs = operand_def(T)
    rhs = operand_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    res = result_def(T)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = FUNCTION_FORMAT

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation, fastmath: FastMathAttr | None = None):
        super().__init__(
            operands=[lhs, rhs],
            properties={"fastmathFlags": fastmath or FastMathAttr(None)},
            result_types=[SSAValue.get(lhs).type],
        )


class IntegerUnaryIntrinsic(IRDLOperation, ABC):
    """`f(x)`, element by element, on integers."""

    T: ClassVar = VarConstraint("T", IntegerLike)

    arg = operand_def(T)
    res = result_def(T)
    traits = traits_def(Pure())
    assembly_format = FUNCTION_FORMAT

    def __init__(self, arg: SSAValue | Operation):
        super().__init__(operands=[arg], result_types=[SSAValue.get(arg).type])


class FlaggedIntegerIntrinsic(IRDLOperation, ABC):
    """`f(x)`, element by element, on integers, with a flag: the one value of x for which the result may be poison."""

    T: ClassVar = VarConstraint("T", IntegerLike)

    arg = operand_def(T)
    res = result_def(T)
    traits = traits_def(Pure())
    FLAG: ClassVar[str]

    def __init__(self, arg: SSAValue | Operation, flag: bool = False):
        super().__init__(
            operands=[arg],
            properties={self.FLAG: BoolAttr.from_bool(flag)},
            result_types=[SSAValue.get(arg).type],
        )


class IntegerBinaryIntrinsic(IRDLOperation, ABC):
    """`f(x, y)`, element by element, on integers."""

    T: ClassVar = VarConstraint("T", IntegerLike)

    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)
    traits = traits_def(Pure())
    assembly_format = FUNCTION_FORMAT

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        super().__init__(operands=[lhs, rhs], result_types=[SSAValue.get(lhs).type])


class FunnelShiftIntrinsic(IRDLOperation, ABC):
    """Shift two integers as one of twice the width, `(x, y) by z`, and keep one half."""

    T: ClassVar = VarConstraint("T", IntegerLike)

    a = operand_def(T)
    b = operand_def(T)
    c = operand_def(T)
    res = result_def(T)
    traits = traits_def(Pure())
    assembly_format = FUNCTION_FORMAT

    def __init__(self, a: SSAValue | Operation, b: SSAValue | Operation, c: SSAValue | Operation):
        super().__init__(operands=[a, b, c], result_types=[SSAValue.get(a).type])


class ConversionIntrinsic(IRDLOperation, ABC):
    """A float as an integer of another type."""

    arg = operand_def(FloatLike)
    res = result_def(IntegerLike)
    traits = traits_def(Pure())
    assembly_format = FUNCTION_FORMAT

    def __init__(self, arg: SSAValue | Operation, result_type: Attribute):
        super().__init__(operands=[arg], result_types=[result_type])


class IntegerReduceIntrinsic(IRDLOperation, ABC):
    """All elements of a vector of integers combined into one."""

    T: ClassVar = VarConstraint("T", SignlessIntegerConstraint)

    arg = operand_def(VectorType.constr(T))
    res = result_def(T)
    traits = traits_def(Pure())
    assembly_format = FUNCTION_FORMAT

    def __init__(self, arg: SSAValue | Operation):
        super().__init__(operands=[arg], result_types=[SSAValue.get(arg, type=VectorType).type.element_type])


class FloatReduceIntrinsic(IRDLOperation, ABC):
    """All elements of a vector of floats combined into one."""

    T: ClassVar = VarConstraint("T", AnyFloatConstr)

    arg = operand_def(VectorType.constr(T))
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    res = result_def(T)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = FUNCTION_FORMAT

    def __init__(self, arg: SSAValue | Operation, fastmath: FastMathAttr | None = None):
        super().__init__(
            operands=[arg],
            properties={"fastmathFlags": fastmath or FastMathAttr(None)},
            result_types=[SSAValue.get(arg, type=VectorType).type.element_type],
        )


@irdl_op_definition
class FTruncOp(FloatUnaryIntrinsic):
    """Round towards zero."""

    name = "llvm.intr.trunc"


@irdl_op_definition
class RoundOp(FloatUnaryIntrinsic):
    """Round to the nearest integer, halves away from zero."""

    name = "llvm.intr.round"


@irdl_op_definition
class RoundEvenOp(FloatUnaryIntrinsic):
    """Round to the nearest integer, halves to the even one."""

    name = "llvm.intr.roundeven"


@irdl_op_definition
class RintOp(FloatUnaryIntrinsic):
    """Round to the nearest integer in the current rounding mode."""

    name = "llvm.intr.rint"


@irdl_op_definition
class MaximumOp(FloatBinaryIntrinsic):
    """The larger one; NaN if either is NaN, and -0 < +0."""

    name = "llvm.intr.maximum"


@irdl_op_definition
class MinimumOp(FloatBinaryIntrinsic):
    """The smaller one; NaN if either is NaN, and -0 < +0."""

    name = "llvm.intr.minimum"


@irdl_op_definition
class FMulAddOp(IRDLOperation):
    """`a * b + c`, rounded once or twice, whichever is faster."""

    name = "llvm.intr.fmuladd"

    T: ClassVar = VarConstraint("T", FloatLike)

    a = operand_def(T)
    b = operand_def(T)
    c = operand_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    res = result_def(T)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = FUNCTION_FORMAT

    def __init__(self, a: SSAValue | Operation, b: SSAValue | Operation, c: SSAValue | Operation):
        super().__init__(
            operands=[a, b, c],
            properties={"fastmathFlags": FastMathAttr(None)},
            result_types=[SSAValue.get(a).type],
        )


@irdl_op_definition
class IsFPClassOp(IRDLOperation):
    """Whether a float is in one of the classes of the mask `bit`: 3 is NaN, 516 infinite, 504 finite."""

    name = "llvm.intr.is.fpclass"

    arg = operand_def(FloatLike)
    bit = prop_def(IntegerAttr[IntegerType])
    res = result_def(IntegerLike)
    traits = traits_def(Pure())

    def __init__(self, arg: SSAValue | Operation, bit: int, result_type: Attribute):
        super().__init__(operands=[arg], properties={"bit": IntegerAttr(bit, i32)}, result_types=[result_type])


@irdl_op_definition
class SMaxOp(IntegerBinaryIntrinsic):
    name = "llvm.intr.smax"


@irdl_op_definition
class SMinOp(IntegerBinaryIntrinsic):
    name = "llvm.intr.smin"


@irdl_op_definition
class UMaxOp(IntegerBinaryIntrinsic):
    name = "llvm.intr.umax"


@irdl_op_definition
class UMinOp(IntegerBinaryIntrinsic):
    name = "llvm.intr.umin"


@irdl_op_definition
class AbsOp(FlaggedIntegerIntrinsic):
    """The absolute value of a signed integer; the flag concerns the most negative integer."""

    name = "llvm.intr.abs"
    FLAG: ClassVar = "is_int_min_poison"
    is_int_min_poison = prop_def(IntegerAttr[IntegerType])


@irdl_op_definition
class CountLeadingZerosOp(FlaggedIntegerIntrinsic):
    """The number of zeros above the highest one bit; the flag concerns 0."""

    name = "llvm.intr.ctlz"
    FLAG: ClassVar = "is_zero_poison"
    is_zero_poison = prop_def(IntegerAttr[IntegerType])


@irdl_op_definition
class CountTrailingZerosOp(FlaggedIntegerIntrinsic):
    """The number of zeros below the lowest one bit; the flag concerns 0."""

    name = "llvm.intr.cttz"
    FLAG: ClassVar = "is_zero_poison"
    is_zero_poison = prop_def(IntegerAttr[IntegerType])


@irdl_op_definition
class CtPopOp(IntegerUnaryIntrinsic):
    """The number of one bits."""

    name = "llvm.intr.ctpop"


@irdl_op_definition
class ByteSwapOp(IntegerUnaryIntrinsic):
    name = "llvm.intr.bswap"


@irdl_op_definition
class BitReverseOp(IntegerUnaryIntrinsic):
    name = "llvm.intr.bitreverse"


@irdl_op_definition
class FShlOp(FunnelShiftIntrinsic):
    name = "llvm.intr.fshl"


@irdl_op_definition
class FShrOp(FunnelShiftIntrinsic):
    name = "llvm.intr.fshr"


@irdl_op_definition
class FPToSISatOp(ConversionIntrinsic):
    """Rounds towards zero; what is out of range becomes the nearest integer, NaN becomes 0."""

    name = "llvm.intr.fptosi.sat"


@irdl_op_definition
class FPToUISatOp(ConversionIntrinsic):
    """Rounds towards zero; what is out of range becomes the nearest integer, NaN becomes 0."""

    name = "llvm.intr.fptoui.sat"


@irdl_op_definition
class VectorReduceAddOp(IntegerReduceIntrinsic):
    name = "llvm.intr.vector.reduce.add"


@irdl_op_definition
class VectorReduceMulOp(IntegerReduceIntrinsic):
    name = "llvm.intr.vector.reduce.mul"


@irdl_op_definition
class VectorReduceAndOp(IntegerReduceIntrinsic):
    name = "llvm.intr.vector.reduce.and"


@irdl_op_definition
class VectorReduceOrOp(IntegerReduceIntrinsic):
    name = "llvm.intr.vector.reduce.or"


@irdl_op_definition
class VectorReduceXorOp(IntegerReduceIntrinsic):
    name = "llvm.intr.vector.reduce.xor"


@irdl_op_definition
class VectorReduceSMaxOp(IntegerReduceIntrinsic):
    name = "llvm.intr.vector.reduce.smax"


@irdl_op_definition
class VectorReduceSMinOp(IntegerReduceIntrinsic):
    name = "llvm.intr.vector.reduce.smin"


@irdl_op_definition
class VectorReduceUMaxOp(IntegerReduceIntrinsic):
    name = "llvm.intr.vector.reduce.umax"


@irdl_op_definition
class VectorReduceUMinOp(IntegerReduceIntrinsic):
    name = "llvm.intr.vector.reduce.umin"


@irdl_op_definition
class VectorReduceFMaxOp(FloatReduceIntrinsic):
    name = "llvm.intr.vector.reduce.fmax"


@irdl_op_definition
class VectorReduceFMinOp(FloatReduceIntrinsic):
    name = "llvm.intr.vector.reduce.fmin"


@irdl_op_definition
class VectorReduceFMaximumOp(FloatReduceIntrinsic):
    name = "llvm.intr.vector.reduce.fmaximum"


@irdl_op_definition
class VectorReduceFMinimumOp(FloatReduceIntrinsic):
    name = "llvm.intr.vector.reduce.fminimum"


OPERATIONS = operations_of("llvm", globals())
