"""
A custom pass between two levels of the pipeline: `x * y + z` becomes one instruction, which rounds once.

Run by `python examples/fuse_multiply_add.py [FILE.hlo]`; explained in docs/extending.md.
"""

import sys
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern, op_type_rewrite_pattern

from xshardy import compiler
from xshardy.lowering.code_generators import compile_module
from xshardy.universe import new_context


class MultiplyAddToFma(RewritePattern):
    """`x * y + z` -> `fma(x, y, z)`, when nothing else reads the product."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.AddfOp, rewriter: PatternRewriter, /):
        for product, addend in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if isinstance(product.owner, arith.MulfOp) and product.has_one_use():
                rewriter.replace(op, math.FmaOp(product.owner.lhs, product.owner.rhs, addend))
                return


class FuseMultiplyAddPass(ModulePass):
    """Fuse a product and its sum to a multiply-add, which does not round the product."""

    name = "fuse-multiply-add"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(MultiplyAddToFma()).rewrite_module(op)


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "gelu.hlo"
    module = compiler.emit(path.read_text(), name=str(path))
    for level in compiler.lower_by_level(module):
        if level == "unrolled":
            FuseMultiplyAddPass().apply(new_context(), module)
    kernel = compile_module(module)
    print(f"{path.name}: {kernel.ptx.count('fma.rn.bf16')} fused multiply-adds in bf16")


if __name__ == "__main__":
    main()
