"""Transposes before and after matrix products, as dimension numbers of the products."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.indexing.tensor_maps import minor_to_major, row_major, values_of
from xshardy.rewriting import PatternPass, match_op_type


@dataclass(frozen=True, slots=True)
class Operand:
    """An operand of a product: which of its dimensions are batch dimensions, and which are contracted."""

    value: SSAValue
    batch: Sequence[int]
    contracting: Sequence[int]

    @property
    def free(self) -> list[int]:
        """The dimensions of the result, in order."""
        return [d for d in range(len(shape_of(self.value))) if d not in (*self.batch, *self.contracting)]

    def untransposed(self) -> "Operand | None":
        """
        The same without a transpose; None if there is none, or if the result would have another order.

        Also None if it is in the order of matrices now, and would not be: then a transpose is in memory either way.
        """
        transpose = self.value.owner
        if not isinstance(transpose, stablehlo.TransposeOp) or not _is_row_major(transpose.operand):
            return None
        moved = values_of(transpose.permutation)
        free = [moved[d] for d in self.free]
        batch, contracting = ([moved[d] for d in dims] for dims in (self.batch, self.contracting))
        folded = Operand(transpose.operand, batch, contracting)
        return folded if free == sorted(free) and (folded.is_matrix or not self.is_matrix) else None

    @property
    def is_matrix(self) -> bool:
        """Whether the dimensions are in the order of a matrix, or of the transpose of one, in a batch."""
        orders = ([*self.batch, *self.free, *self.contracting], [*self.batch, *self.contracting, *self.free])
        return any(order == sorted(order) for order in orders)


def operands_of(op: stablehlo.DotGeneralOp) -> tuple[Operand, Operand]:
    """Both operands of a product."""
    n = op.dot_dimension_numbers
    return (
        Operand(op.lhs, values_of(n.lhs_batching_dimensions), values_of(n.lhs_contracting_dimensions)),
        Operand(op.rhs, values_of(n.rhs_batching_dimensions), values_of(n.rhs_contracting_dimensions)),
    )


def dot_of(
    lhs: Operand, rhs: Operand, type: Attribute, precision: Sequence[stablehlo.PrecisionAttr]
) -> stablehlo.DotGeneralOp:
    """The product of two operands."""
    dims = (lhs.batch, rhs.batch, lhs.contracting, rhs.contracting)
    made = stablehlo.DotGeneralOp(lhs.value, rhs.value, stablehlo.DotDimensionNumbersAttr(*map(integers, dims)), type)
    if precision:
        made.precision_config = ArrayAttr(precision)
    return made


def precision_of(op: stablehlo.DotGeneralOp) -> Sequence[stablehlo.PrecisionAttr]:
    """The precision of each operand; empty if the product has none."""
    return () if op.precision_config is None else op.precision_config.data


def _is_row_major(value: SSAValue) -> bool:
    """Whether `value` has the layout of a tensor without any."""
    return minor_to_major(value) == row_major(shape_of(value))


class TransposeOfOperand(RewritePattern):
    """`dot_general transpose(%x), %y` -> `dot_general %x, %y`, with other dimension numbers."""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.DotGeneralOp, rewriter: PatternRewriter, /):
        operands = operands_of(op)
        folded = [operand.untransposed() for operand in operands]
        if op.algorithm is not None or folded == [None, None] or not _is_row_major(op.result):
            return
        lhs, rhs = (after or before for before, after in zip(operands, folded, strict=True))
        rewriter.replace(op, dot_of(lhs, rhs, op.result.type, precision_of(op)))


class TransposeOfProduct(RewritePattern):
    """`transpose (dot_general %x, %y)` -> `dot_general %y, %x`, if nothing else reads the product."""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.TransposeOp, rewriter: PatternRewriter, /):
        dot = op.operand.owner
        if not isinstance(dot, stablehlo.DotGeneralOp) or not dot.result.has_one_use() or not _is_row_major(op.result):
            return
        lhs, rhs = operands_of(dot)
        batch, left, right = len(lhs.batch), len(lhs.free), len(rhs.free)
        end = batch + left + right
        swapped = [*range(batch), *range(batch + left, end), *range(batch, batch + left)]
        if dot.algorithm is not None or [*values_of(op.permutation)] != swapped:
            return
        rewriter.replace(op, dot_of(rhs, lhs, op.result.type, precision_of(dot)[::-1]))
        rewriter.erase(dot)


class FoldDotTransposesPass(PatternPass):
    """
    Let matrix products read and write transposed tensors, instead of transposing them in memory.

    An operand is read by other dimension numbers. A product is transposed if its operands are swapped.
    """

    name = "hlo-fold-dot-transposes"
    source: ClassVar[str] = "XLA's transpose folding and algebraic simplifier"
    fixed_patterns = (TransposeOfOperand(), TransposeOfProduct())
