"""
Elementwise functions that neither StableHLO nor CHLO has. A class is all that one needs: see docs/extending.md.

Its opcode in HLO text is its name, its decomposition says what it computes, and the trait `Elementwise` gives its
indexing maps and its sharding rule.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, IntegerType, Signedness
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects import stablehlo
from xshardy.dialects.decomposable import DecomposableOpInterface
from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.hlo.instruction import InstructionOp
from xshardy.dialects.stablehlo.building import Tensors, element_type
from xshardy.dialects.stablehlo.types import FLOAT_TENSOR, INTEGER_TENSOR, TENSOR, bit_width, tensor_type

__all__ = [
    "ElementwiseOp",
    "StochasticConvertOp",
]


class ElementwiseOp(InstructionOp, DecomposableOpInterface):
    """A function of elements. Operands and results have one shape."""

    traits = traits_def(Pure(), Elementwise())

    def verify_(self) -> None:
        if len({tensor_type(value).get_shape() for value in (*self.operands, *self.results)}) > 1:
            raise VerifyException("operands and result have one shape")


@irdl_op_definition
class StochasticConvertOp(ElementwiseOp):
    """`operand` in another element type, rounded up or down at random, by `random`."""

    name = "hlo.stochastic_convert"
    operand = operand_def(FLOAT_TENSOR)
    random = operand_def(INTEGER_TENSOR)
    result = result_def(TENSOR)

    def decompose(self, t: Tensors) -> Sequence[SSAValue]:
        """
        Round up in magnitude where `random`, as a fraction of all its values, is less than the fraction of the operand.

        Source: XLA's HloEvaluator, which has no conversion to floats either.
        """
        x, random, target = self.operand, self.random, element_type(self.result)
        width = bit_width(element_type(x))
        if isinstance(target, AnyFloat) or element_type(random) != IntegerType(width, Signedness.UNSIGNED):
            raise NotImplementedError("defined for a result of integers, and unsigned numbers as wide as the operand")
        magnitude = t(stablehlo.AbsOp(x))
        whole = t(stablehlo.FloorOp(magnitude))
        root = t.like(2 ** (width // 2), x)  # of the number of values of `random`: fits f16
        threshold = t.multiply(t.multiply(t(stablehlo.SubtractOp(magnitude, whole)), root), root)
        is_up = t.compare(random, stablehlo.ComparisonDirection.LT, t.convert(threshold, element_type(random)))
        rounded = t.select(is_up, t.add(whole, t.like(1, x)), whole)
        return [t.convert(t.multiply(rounded, t(stablehlo.SignOp(x))), target)]
