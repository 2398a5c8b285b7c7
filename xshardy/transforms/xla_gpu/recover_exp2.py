"""Rewrite `exp(x * ln 2)` to `exp2(x)`, which is a GPU instruction."""

import math as numbers
from collections.abc import Mapping
from typing import ClassVar

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, bf16, f16, f32, f64
from xdsl.ir import Attribute, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.hints import isa

from xshardy.rewriting import PatternPass, match_op_type

PRECISION: Mapping[Attribute, int] = {bf16: 8, f16: 11, f32: 24, f64: 53}
"""The bits of the significand of a float type, the leading one included."""


def is_ln2(value: float, type: Attribute) -> bool:
    """
    Whether `value` is ln 2 up to rounding, in a computation with `type`.

    It is if it equals ln 2 rounded to `type`, or to a less precise type from which it was extended, or an adjacent
    number there: the constant is often the result of a computation.
    """
    return any(
        abs(value * 2**bits - round(numbers.log(2) * 2**bits)) in (0, 1)
        for bits in PRECISION.values()
        if bits <= PRECISION.get(type, 0)
    )


def _is_ln2_constant(value: SSAValue) -> bool:
    op = value.owner
    return isinstance(op, arith.ConstantOp) and isa(op.value, FloatAttr) and is_ln2(op.value.value.data, value.type)


class ExpOfTimesLn2(RewritePattern):
    """`math.exp (arith.mulf %x, ln 2)` -> `math.exp2 %x`; the product stays if it has other uses."""

    @match_op_type
    def match_and_rewrite(self, op: math.ExpOp, rewriter: PatternRewriter, /):
        product = op.operand.owner
        if not isinstance(product, arith.MulfOp):
            return
        factors = [product.rhs, product.lhs]
        ln2 = next((factor for factor in factors if _is_ln2_constant(factor)), None)
        if ln2 is None:
            return
        exponent = factors[0] if ln2 is factors[1] else factors[1]
        rewriter.replace(op, math.Exp2Op(exponent, op.fastmath))
        assert isinstance(ln2.owner, arith.ConstantOp)
        for unused in (product, ln2.owner):
            if not unused.result.first_use:
                rewriter.erase(unused)


class RecoverExp2Pass(PatternPass):
    """Replace `exp(x * ln 2)`, the compiled form of `2 ** x`, by `exp2(x)`."""

    name = "xla-gpu-recover-exp2"
    source: ClassVar[str] = 'XLA:GPU emitters, "Building blocks", xla-recover-exp2 (XGPU-10)'
    fixed_patterns = (ExpOfTimesLn2(),)
