"""Sizes of dynamic dimensions: read, set to the bound, and no longer needed."""

from collections.abc import Sequence

from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects import stablehlo
from xshardy.rewriting import match_op_type
from xshardy.transforms.hlo.dynamic_dimensions.pad_pattern import PadPattern
from xshardy.transforms.hlo.dynamic_dimensions.padded_code import PaddedCode
from xshardy.transforms.hlo.dynamic_dimensions.padded_value import Padded, dynamic_dims


class ReadSize(PadPattern[stablehlo.GetDimensionSizeOp]):
    """`get_dimension_size (set_dimension_size %a, %n)` -> `%n`"""

    op_types = (stablehlo.GetDimensionSizeOp,)

    def padded(
        self, op: stablehlo.GetDimensionSizeOp, operands: Sequence[Padded], code: PaddedCode
    ) -> Sequence[Padded]:
        return [Padded(code.size(operands[0], op.dimension.value.data))]


class SetToBound(RewritePattern):
    """`set_dimension_size (set_dimension_size %a, %n), 8` -> `%a`, which has 8 elements"""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.SetDimensionSizeOp, rewriter: PatternRewriter, /):
        if not dynamic_dims(op.result.type) and (padded := Padded.of(op.operand)) is not None:
            rewriter.replace(op, (), [padded.value])


class EraseUnusedSize(RewritePattern):
    """`set_dimension_size %a, %n` -> nothing, where nothing reads it anymore"""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.SetDimensionSizeOp, rewriter: PatternRewriter, /):
        if not op.result.uses:
            rewriter.erase(op)
