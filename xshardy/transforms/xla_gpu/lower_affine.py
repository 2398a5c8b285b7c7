"""Lower `affine.apply` to arith operations that are correct for negative values too."""

from typing import ClassVar

from xdsl.dialects import affine
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects.xla_gpu.ops import ApplyIndexingOp
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.xla_gpu.affine_values import SIGNED, Expander
from xshardy.transforms.xla_gpu.simplify_affine import has_positive_divisors


class LowerAffineApply(RewritePattern):
    """`affine.apply (d0) -> (d0 mod 4)` -> `r = remsi(d0, 4)`, `select(r < 0, r + 4, r)`."""

    @match_op_type
    def match_and_rewrite(self, op: affine.ApplyOp, rewriter: PatternRewriter, /):
        map = op.map.data
        (expr,) = map.results
        if not has_positive_divisors(expr):
            raise PassFailedException(f"affine.apply of {map}: it divides by what is not a positive constant")
        dims, symbols = op.mapOperands[: map.num_dims], op.mapOperands[map.num_dims :]
        rewriter.replace(op, (), (Expander(dims, symbols, op, rewriter, SIGNED).value(expr),))


class LowerApplyIndexing(RewritePattern):
    """`apply_indexing (d0, d1) -> (max(d0, d1))` -> `maxsi(d0, d1)`, for what `xla-gpu-simplify-affine` leaves."""

    @match_op_type
    def match_and_rewrite(self, op: ApplyIndexingOp, rewriter: PatternRewriter, /):
        expander = Expander(op.dims, op.symbols, op, rewriter, SIGNED)
        rewriter.replace(op, (), [expander.value(expr) for expr in op.map.results])


class LowerAffinePass(PatternPass):
    """Lower `affine.apply` and `apply_indexing` to arith. Unlike xDSL's `lower-affine`, `mod` is never negative."""

    name = "xla-gpu-lower-affine"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM" (XGPU-37)'
    fixed_patterns = (LowerAffineApply(), LowerApplyIndexing())
