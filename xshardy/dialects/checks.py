"""
The dialects `interpreter` and `check`, with which a program of StableHLO runs others on many devices and compares.

Source: StableHLO, `stablehlo/reference/InterpreterOps.td` and `stablehlo/tests/CheckOps.td`.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, SymbolRefAttr
from xdsl.ir import Dialect
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    var_operand_def,
    var_result_def,
)

from xshardy.dialects.stablehlo.types import TENSOR


@irdl_op_definition
class RunParallelOp(IRDLOperation):
    """
    Run `programs[replica][partition]` on a grid of devices.

    `inputs` are those of the first device, then those of the second, and so on; so are `results`.
    """

    name = "interpreter.run_parallel"
    inputs = var_operand_def(TENSOR)
    infeed = opt_prop_def(ArrayAttr[SymbolRefAttr])
    programs = prop_def(ArrayAttr[ArrayAttr[SymbolRefAttr]])
    outputs = var_result_def(TENSOR)

    @property
    def grid(self) -> Sequence[Sequence[str]]:
        """The names of the programs, by replica and partition."""
        return [[program.string_value() for program in row] for row in self.programs]


@irdl_op_definition
class ExpectEqOp(IRDLOperation):
    """Check that the tensors are equal, bit by bit."""

    name = "check.expect_eq"
    T: ClassVar = VarConstraint("T", TENSOR)
    lhs = operand_def(T)
    rhs = operand_def(T)
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs)"


INTERPRETER = Dialect("interpreter", [RunParallelOp])
CHECK = Dialect("check", [ExpectEqOp])
