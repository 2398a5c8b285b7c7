"""
Expand `apply_indexing` and `affine.apply` to arith operations, after simplification of their expressions under bounds.

Divisions become unsigned ones, which are cheaper and better optimized by LLVM. If a dividend may be negative, the
operation stays an `affine.apply` for `lower_affine`.
"""

from typing import ClassVar

from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineExpr, AffineMap
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.affine.expressions import EXTREMA
from xshardy.affine.indexing_map import IndexingMap, Variable
from xshardy.dialects.xla_gpu.discardable import get_range
from xshardy.dialects.xla_gpu.ops import ApplyIndexingOp
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.unused_operations import EraseUnusedOperation
from xshardy.transforms.xla_gpu.affine_values import UNSIGNED, Expander


def divides_no_negative(expr: AffineExpr, map: IndexingMap) -> bool:
    """
    Whether every division in `expr` is by a positive constant, rounds down, and has a dividend that is never negative,
    as the operands of extrema.
    """
    match expr:
        case AffineBinaryOpExpr(AffineBinaryOpKind.Add | AffineBinaryOpKind.Mul, lhs, rhs):
            return divides_no_negative(lhs, map) and divides_no_negative(rhs, map)
        case AffineBinaryOpExpr(kind, lhs, rhs) if kind in EXTREMA:
            return all(divides_no_negative(each, map) and map.range_of(each).lower >= 0 for each in (lhs, rhs))
        case AffineBinaryOpExpr(kind, lhs, AffineConstantExpr(divisor)):
            return (
                kind is not AffineBinaryOpKind.CeilDiv
                and divisor > 0
                and divides_no_negative(lhs, map)
                and map.range_of(lhs).lower >= 0
            )
        case AffineBinaryOpExpr():
            return False
        case _:
            return True


def has_extremum(expr: AffineExpr) -> bool:
    """Whether `expr` has a max or a min."""
    match expr:
        case AffineBinaryOpExpr(kind, lhs, rhs):
            return kind in EXTREMA or has_extremum(lhs) or has_extremum(rhs)
        case _:
            return False


class ExpandApplyIndexing(RewritePattern):
    """
    `apply_indexing (d0) -> (d0 floordiv 4 + 1)` -> `addi(divui(d0, 4), 1)`, for each result.

    Refuses extrema of what may be negative, which an `affine.apply` does not have either.
    """

    @match_op_type
    def match_and_rewrite(self, op: ApplyIndexingOp, rewriter: PatternRewriter, /):
        map = op.map.simplify()
        if any(has_extremum(expr) and not divides_no_negative(expr, map) for expr in map.results):
            return
        expander = Expander(op.dims, op.symbols, op, rewriter, UNSIGNED)
        values: list[SSAValue] = []
        for expr in map.results:
            if divides_no_negative(expr, map):
                values.append(expander.value(expr))
            else:
                single = AffineMap(len(map.dimensions), len(map.symbols), (expr,))
                values.append(rewriter.insert(affine.ApplyOp(op.operands, AffineMapAttr(single))).result)
        rewriter.replace(op, (), values)


class ExpandAffineApply(RewritePattern):
    """`affine.apply (d0) -> (d0 floordiv 4 + 1)` -> `addi(divui(d0, 4), 1)`, if all operands have a known range."""

    @match_op_type
    def match_and_rewrite(self, op: affine.ApplyOp, rewriter: PatternRewriter, /):
        variables: list[Variable] = []
        for operand in op.mapOperands:
            interval = get_range(operand)
            if interval is None:
                return
            variables.append(Variable("", interval))
        count = op.map.data.num_dims
        map = IndexingMap(op.map.data.results, tuple(variables[:count]), tuple(variables[count:]))
        if not has_positive_divisors(map.results[0]):
            return
        map = map.simplify()
        if divides_no_negative(map.results[0], map):
            expander = Expander(op.mapOperands[:count], op.mapOperands[count:], op, rewriter, UNSIGNED)
            rewriter.replace(op, (), (expander.value(map.results[0]),))


def has_positive_divisors(expr: AffineExpr) -> bool:
    """Whether all divisors in `expr` are positive constants."""
    match expr:
        case AffineBinaryOpExpr(AffineBinaryOpKind.Add | AffineBinaryOpKind.Mul, lhs, rhs):
            return has_positive_divisors(lhs) and has_positive_divisors(rhs)
        case AffineBinaryOpExpr(_, lhs, AffineConstantExpr(divisor)):
            return divisor > 0 and has_positive_divisors(lhs)
        case AffineBinaryOpExpr():
            return False
        case _:
            return True


class SimplifyAffinePass(PatternPass):
    """Expand affine maps to arith operations, simplified for the ranges of their operands."""

    name = "xla-gpu-simplify-affine"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM", simplify_affine (XGPU-37)'
    fixed_patterns = (EraseUnusedOperation(), ExpandApplyIndexing(), ExpandAffineApply())
