"""
Convert floats of 4 and 8 bits that no vector has, or not beside another one.

An instruction that converts a pair has such a float as the lower one; the upper one is unused.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import AnyFloat, IntegerType, ReducedPrecisionFloatType
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.rewriting import Step, match_op_type
from xshardy.rewriting.scalars import Scalar
from xshardy.transforms.unused_operations import EraseUnusedOperation
from xshardy.transforms.xla_gpu.convert_float_pairs import ExtendPairs, TruncatePairs
from xshardy.transforms.xla_gpu.float_instructions import (
    Available,
    convertible,
    is_too_large,
    misses_overflow,
    widened,
)


@dataclass(frozen=True, slots=True)
class ExtendByInstruction(RewritePattern):
    """
    `arith.extf %x : f8 to f32` -> an intrinsic on `%x`, and `arith.extf` of its f16 result where it has one.
    """

    available: Available

    @match_op_type
    def match_and_rewrite(self, op: arith.ExtFOp, rewriter: PatternRewriter, /):
        source, result = op.input.type, op.result.type
        instructions = self.available.get(source.__class__)
        if instructions is None or not isinstance(source, ReducedPrecisionFloatType):
            return
        if not isinstance(result, AnyFloat) or isinstance(result, ReducedPrecisionFloatType):
            return
        bits = Scalar(op.input, rewriter).bitcast(IntegerType(source.bitwidth))
        value = instructions.extend_one(bits)
        rewriter.replace(op, (), (widened(value, result).value,))


@dataclass(frozen=True, slots=True)
class TruncateByInstruction(RewritePattern):
    """
    `arith.truncf %x : f32 to f8` -> an intrinsic on `%x` and a zero, and a select for overflow.

    Floats that no instruction accepts become f32 first: an f64 is then rounded twice.
    """

    available: Available

    @match_op_type
    def match_and_rewrite(self, op: arith.TruncFOp, rewriter: PatternRewriter, /):
        source, result = op.input.type, op.result.type
        instructions = self.available.get(result.__class__)
        if instructions is None or not isinstance(result, ReducedPrecisionFloatType):
            return
        if not isinstance(source, AnyFloat) or isinstance(source, ReducedPrecisionFloatType):
            return
        value = convertible(Scalar(op.input, rewriter), instructions)
        pair = instructions.truncate(value, value.constant(0.0))
        bits = pair.insert(llvm.TruncOp(pair.value, IntegerType(result.bitwidth)))
        if misses_overflow(result, instructions):
            # The instruction saturates, with the sign. Infinity, or NaN in formats without it, is the next code.
            bits = is_too_large(value, result).select(bits + 1, bits)
        rewriter.replace(op, (), (bits.bitcast(result).value,))


def conversion_steps(available: Available) -> Iterator[Step]:
    """Convert pairs, then what is left, with the instructions of a target."""
    yield Step((EraseUnusedOperation(), ExtendPairs(available), TruncatePairs(available)))
    yield Step((EraseUnusedOperation(), ExtendByInstruction(available), TruncateByInstruction(available)))
