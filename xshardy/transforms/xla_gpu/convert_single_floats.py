"""
Convert floats of 4 and 8 bits that no vector has, or not beside another one.

An instruction that converts a pair has such a float as the lower one; the upper one is unused.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import AnyFloat, IntegerType, ReducedPrecisionFloatType
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.rewriting import Step, match_op_type
from xshardy.rewriting.scalars import Scalar
from xshardy.transforms.unused_operations import EraseUnusedOperation
from xshardy.transforms.xla_gpu.convert_float_pairs import ExtendPairs, TruncatePairs
from xshardy.transforms.xla_gpu.float_instructions import (
    Available,
    Instructions,
    convertible,
    is_too_large,
    misses_overflow,
    widened,
)


class Conversion(NamedTuple):
    """Between a small float and one that is not, by instructions."""

    small: ReducedPrecisionFloatType
    large: AnyFloat
    instructions: Instructions


def conversion(small: Attribute, large: Attribute, available: Available) -> Conversion | None:
    """The conversion between two scalar types; None if they are others, or if there are no instructions for it."""
    instructions = available.get(small.__class__)
    if instructions is None or not isinstance(small, ReducedPrecisionFloatType):
        return None
    if not isinstance(large, AnyFloat) or isinstance(large, ReducedPrecisionFloatType):
        return None
    return Conversion(small, large, instructions)


@dataclass(frozen=True, slots=True)
class ExtendByInstruction(RewritePattern):
    """
    `arith.extf %x : f8 to f32` -> an intrinsic on `%x`, and `arith.extf` of its f16 result where it has one.
    """

    available: Available

    @match_op_type
    def match_and_rewrite(self, op: arith.ExtFOp, rewriter: PatternRewriter, /):
        if (found := conversion(op.input.type, op.result.type, self.available)) is None:
            return
        bits = Scalar(op.input, rewriter).bitcast(IntegerType(found.small.bitwidth))
        value = found.instructions.extend_one(bits)
        rewriter.replace(op, (), (widened(value, found.large).value,))


@dataclass(frozen=True, slots=True)
class TruncateByInstruction(RewritePattern):
    """
    `arith.truncf %x : f32 to f8` -> an intrinsic on `%x` and a zero, and a select for overflow.

    Floats that no instruction accepts become f32 first: an f64 is then rounded twice.
    """

    available: Available

    @match_op_type
    def match_and_rewrite(self, op: arith.TruncFOp, rewriter: PatternRewriter, /):
        if (found := conversion(op.result.type, op.input.type, self.available)) is None:
            return
        instructions, small = found.instructions, found.small
        value = convertible(Scalar(op.input, rewriter), instructions)
        pair = instructions.truncate(value, value.constant(0.0))
        bits = pair.insert(llvm.TruncOp(pair.value, IntegerType(small.bitwidth)))
        if misses_overflow(small, instructions):
            # The instruction saturates, with the sign. Infinity, or NaN in formats without it, is the next code.
            bits = is_too_large(value, small).select(bits + 1, bits)
        rewriter.replace(op, (), (bits.bitcast(small).value,))


def conversion_steps(available: Available) -> Iterator[Step]:
    """Convert pairs, then what is left, with the instructions of a target."""
    yield Step((EraseUnusedOperation(), ExtendPairs(available), TruncatePairs(available)))
    yield Step((EraseUnusedOperation(), ExtendByInstruction(available), TruncateByInstruction(available)))
