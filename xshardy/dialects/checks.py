"""
The dialect `check`, with which a program of StableHLO compares its own results.

Source: StableHLO, `stablehlo/tests/CheckOps.td`. Its `expect_serialized_eq`, which compares with files, is left out.
"""

from typing import ClassVar

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, IntegerType, Signedness, f64
from xdsl.ir import Dialect
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParamAttrConstraint,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
)
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.types import FLOAT_OR_COMPLEX_TENSOR, TENSOR

UI64 = IntegerType(64, Signedness.UNSIGNED)


class CheckOp(IRDLOperation):
    """A comparison that ends the program if it fails."""

    def verify_(self) -> None:
        """An attribute with the name of a limit would be ignored."""
        for name in self.attributes.keys() & self.get_irdl_definition().properties.keys():
            raise VerifyException(f"`{name}` must be written in front of the attributes, as in `, {name} = ...`")


@irdl_op_definition
class ExpectEqOp(CheckOp):
    """Check that the tensors are equal, bit by bit; a NaN is equal to any NaN."""

    name = "check.expect_eq"
    T: ClassVar = VarConstraint("T", TENSOR)
    lhs = operand_def(T)
    rhs = operand_def(T)
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs)"


@irdl_op_definition
class ExpectEqConstOp(CheckOp):
    """Check that the tensor is equal to `value`, bit by bit; a NaN is equal to any NaN."""

    name = "check.expect_eq_const"
    T: ClassVar = VarConstraint("T", TENSOR)
    lhs = operand_def(T)
    value = prop_def(ParamAttrConstraint(DenseIntOrFPElementsAttr, (T, AnyAttr())))
    assembly_format = "$lhs `,` $value attr-dict"


@irdl_op_definition
class ExpectAlmostEqOp(CheckOp):
    """Check that the numbers differ by at most `tolerance`."""

    name = "check.expect_almost_eq"
    T: ClassVar = VarConstraint("T", FLOAT_OR_COMPLEX_TENSOR)
    lhs = operand_def(T)
    rhs = operand_def(T)
    tolerance = opt_prop_def(FloatAttr.constr(f64), default_value=FloatAttr(1e-4, f64))
    assembly_format = "$lhs `,` $rhs (`,` `tolerance` `=` $tolerance^)? attr-dict `:` type($lhs)"


@irdl_op_definition
class ExpectAlmostEqConstOp(CheckOp):
    """Check that the numbers differ from those of `value` by at most `tolerance`."""

    name = "check.expect_almost_eq_const"
    T: ClassVar = VarConstraint("T", FLOAT_OR_COMPLEX_TENSOR)
    lhs = operand_def(T)
    value = prop_def(ParamAttrConstraint(DenseIntOrFPElementsAttr, (T, AnyAttr())))
    tolerance = opt_prop_def(FloatAttr.constr(f64), default_value=FloatAttr(1e-4, f64))
    assembly_format = "$lhs `,` $value (`,` `tolerance` `=` $tolerance^)? attr-dict"


@irdl_op_definition
class ExpectCloseOp(CheckOp):
    """Check how many numbers of the element type are between the two; infinities are equal only to themselves."""

    name = "check.expect_close"
    T: ClassVar = VarConstraint("T", FLOAT_OR_COMPLEX_TENSOR)
    actual = operand_def(T)
    expected = operand_def(T)
    max_ulp_difference = prop_def(IntegerAttr.constr(UI64), default_value=IntegerAttr(1, UI64))
    min_ulp_difference = opt_prop_def(IntegerAttr.constr(UI64), default_value=IntegerAttr(0, UI64))
    assembly_format = (
        "$actual `,` $expected `,` `max_ulp_difference` `=` $max_ulp_difference "
        "(`,` `min_ulp_difference` `=` $min_ulp_difference^)? `:` attr-dict type($actual) `,` type($expected)"
    )


CHECK = Dialect("check", [ExpectAlmostEqConstOp, ExpectAlmostEqOp, ExpectCloseOp, ExpectEqConstOp, ExpectEqOp])
