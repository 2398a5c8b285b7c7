"""Products of tensors that are quantized in blocks."""

from collections.abc import Sequence

from xdsl.dialects.builtin import BFloat16Type, DenseArrayBase, Float32Type, StringAttr, TensorType
from xdsl.dialects.builtin import i64 as i64_type
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def, result_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects import stablehlo
from xshardy.dialects.decomposable import DecomposableOpInterface
from xshardy.dialects.hlo.arrays import ArrayFunctionOp
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.building import Tensors, element_type
from xshardy.dialects.stablehlo.types import TENSOR, bit_width

__all__ = ["ScaledDotOp"]

I64_ARRAY = DenseArrayBase.constr(i64_type)


@irdl_op_definition
class ScaledDotOp(ArrayFunctionOp, DecomposableOpInterface):
    """
    A product of tensors, summed over the contracting dimensions, with scale factors per block: the last two operands.

    A scalar in place of factors means that there are none. Source: XLA, scaled_dot_rewriter.
    """

    name = "hlo.scaled_dot"
    lhs_batch_dims = opt_prop_def(I64_ARRAY)
    rhs_batch_dims = opt_prop_def(I64_ARRAY)
    lhs_contracting_dims = opt_prop_def(I64_ARRAY)
    rhs_contracting_dims = opt_prop_def(I64_ARRAY)
    operand_precision = opt_prop_def(StringAttr)
    inputs = var_operand_def(TENSOR)
    result = result_def(TENSOR)

    def verify_(self) -> None:
        if len(self.inputs) != 4:
            raise VerifyException(f"takes two tensors and the factors of each, got {len(self.inputs)} operand(s)")

    def decompose(self, t: Tensors) -> Sequence[SSAValue]:
        """The product of the operands, each times its factors."""
        lhs, rhs, lhs_factors, rhs_factors = self.inputs
        dims = (self.lhs_batch_dims, self.rhs_batch_dims, self.lhs_contracting_dims, self.rhs_contracting_dims)
        numbers = stablehlo.DotDimensionNumbersAttr(*(dim or integers([]) for dim in dims))
        both = scaled(t, lhs, lhs_factors), scaled(t, rhs, rhs_factors)
        return [t(stablehlo.DotGeneralOp(*both, numbers, self.result.type))]


def scaled(t: Tensors, x: SSAValue, factors: SSAValue) -> SSAValue:
    """Each block of `x` times its factor. Raises `NotImplementedError` unless the blocks cover `x`."""
    sizes, counts = shape_of(x), shape_of(factors)
    if not counts:
        return x
    if len(sizes) != len(counts) or any(not count or size % count for size, count in zip(sizes, counts, strict=True)):
        raise NotImplementedError(f"factors of shape {list(counts)} for blocks of a tensor of shape {list(sizes)}")
    type = common_type(element_type(x), element_type(factors))
    x, factors = converted(t, x, type), converted(t, factors, type)
    # Blocks have dimensions of their own: [2, 3] for a tensor of shape [8, 3] is seen as [2, 4, 3].
    split = [part for size, count in zip(sizes, counts, strict=True) for part in (count, size // count)]
    repeated = t(stablehlo.BroadcastInDimOp(factors, range(0, len(split), 2), TensorType(type, split)))
    return t.multiply(x, t.reshape(repeated, sizes))


def common_type(one: Attribute, other: Attribute) -> Attribute:
    """The type in which two types are multiplied: bf16 at least, the wider one, and f32 for different ones as wide."""
    widths = bit_width(one), bit_width(other)
    if max(widths) < 16:
        return BFloat16Type()
    if one == other:
        return one
    return Float32Type() if widths[0] == widths[1] else one if widths[0] > widths[1] else other


def converted(t: Tensors, x: SSAValue, type: Attribute) -> SSAValue:
    return x if element_type(x) == type else t.convert(x, type)
