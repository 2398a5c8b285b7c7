"""
The dialect `interpreter`, with which a program of StableHLO runs others on many devices.

Source: StableHLO, `stablehlo/reference/InterpreterOps.td`.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, SymbolRefAttr
from xdsl.ir import Dialect
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    var_operand_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.types import TENSOR_OR_TOKEN


@irdl_op_definition
class RunParallelOp(IRDLOperation):
    """
    Run `programs[replica][partition]` on a grid of devices.

    `inputs` are those of the first device, then those of the second, and so on; so are `results`. The functions that
    `infeed` names take nothing; each `stablehlo.infeed` gets the results of the next one.
    """

    name = "interpreter.run_parallel"
    inputs = var_operand_def(TENSOR_OR_TOKEN)
    infeed = opt_prop_def(ArrayAttr[SymbolRefAttr])
    programs = prop_def(ArrayAttr[ArrayAttr[SymbolRefAttr]])
    outputs = var_result_def(TENSOR_OR_TOKEN)

    @property
    def grid(self) -> Sequence[Sequence[str]]:
        """The names of the programs, by replica and partition."""
        return [[program.string_value() for program in row] for row in self.programs]

    def verify_(self) -> None:
        sizes = [len(row) for row in self.programs]
        if not sizes or 0 in sizes:
            raise VerifyException("`programs` attribute cannot be empty")
        if other := [size for size in sizes if size != sizes[0]]:
            raise VerifyException(
                f"Sizes of second dimension of `programs` should all match {sizes[0]} but got {other[0]}"
            )


INTERPRETER = Dialect("interpreter", [RunParallelOp])
