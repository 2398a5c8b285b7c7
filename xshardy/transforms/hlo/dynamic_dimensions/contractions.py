"""Matrix products: what is behind the size of a contracted dimension becomes zero, in both operands."""

from collections.abc import Sequence

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.contraction import DotDimensionNumbersAttr
from xshardy.indexing.tensor_maps import values_of
from xshardy.transforms.hlo.dynamic_dimensions.pad_pattern import PadPattern
from xshardy.transforms.hlo.dynamic_dimensions.padded_code import PaddedCode
from xshardy.transforms.hlo.dynamic_dimensions.padded_value import Padded, largest_shape


def paired_dims(numbers: DotDimensionNumbersAttr) -> list[tuple[int, int]]:
    """The dimensions of both operands that have one size: of batches, and contracted."""
    lhs = (*values_of(numbers.lhs_batching_dimensions), *values_of(numbers.lhs_contracting_dimensions))
    rhs = (*values_of(numbers.rhs_batching_dimensions), *values_of(numbers.rhs_contracting_dimensions))
    return [*zip(lhs, rhs, strict=True)]


class PadDot(PadPattern[stablehlo.DotGeneralOp]):
    """`dot_general (set_dimension_size %a, %n), %b` -> `dot_general (select (iota < %n), %a, 0), (select ... %b, 0)`"""

    op_types = (stablehlo.DotGeneralOp,)

    @staticmethod
    def refusal(op: stablehlo.DotGeneralOp) -> str | None:
        lhs, rhs = largest_shape(op.lhs.type), largest_shape(op.rhs.type)
        equal = all(lhs[left] == rhs[right] for left, right in paired_dims(op.dot_dimension_numbers))
        return None if equal else "dimensions of both operands that go together have different bounds"

    def padded(self, op: stablehlo.DotGeneralOp, operands: Sequence[Padded], code: PaddedCode) -> Sequence[Padded]:
        numbers = op.dot_dimension_numbers
        sizes = dict(operands[0].sizes), dict(operands[1].sizes)
        for left, right in paired_dims(numbers):  # either may be the one that is dynamic
            if (size := sizes[0].get(left, sizes[1].get(right))) is not None:
                sizes[0][left] = sizes[1][right] = size
        batch = values_of(numbers.lhs_batching_dimensions)
        contracted = values_of(numbers.lhs_contracting_dimensions), values_of(numbers.rhs_contracting_dimensions)
        batches = batch, values_of(numbers.rhs_batching_dimensions)
        masked = [
            code.masked_by_zero(Padded(operand.value, known), dims)
            for operand, known, dims in zip(operands, sizes, contracted, strict=True)
        ]
        of_result = [sizes[0].get(d) for d in batch]
        for operand, known, dims, own in zip(operands, sizes, contracted, batches, strict=True):
            of_result += [known.get(d) for d in range(len(shape_of(operand.value))) if d not in (*dims, *own)]
        (made,) = code.remade(op, masked)
        return [Padded(made, {d: size for d, size in enumerate(of_result) if size is not None})]
