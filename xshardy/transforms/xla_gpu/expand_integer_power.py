"""
Expand `math.ipowi` to multiplications by repeated squaring.

Powers are modulo the width. A negative exponent gives 0, except for the bases 1 and -1. Source: XLA's operation
semantics, `Pow`.
"""

from collections.abc import Callable, Iterator
from typing import ClassVar

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.hints import isa

from xshardy.dialects.extensions.arith_elementwise import compare, element_type_of, select
from xshardy.dialects.xla_gpu.discardable import constant_value
from xshardy.rewriting import PatternPass, Step, match_op_type
from xshardy.transforms.xla_gpu.index_values import index_constant, shared_constant
from xshardy.transforms.xla_gpu.safe_integer_arithmetic import every_element

MAX_MULTIPLICATIONS = 16
"""The maximal number of multiplications for a constant exponent; beyond that, a loop."""


class PowerOfConstant(RewritePattern):
    """`math.ipowi %x, 5` -> `%x * ((%x * %x) * (%x * %x))`: repeated squaring, with no loop."""

    @match_op_type
    def match_and_rewrite(self, op: math.IPowIOp, rewriter: PatternRewriter, /):
        exponent = constant_value(op.rhs)
        if exponent is None or exponent < 0 or multiplications(exponent) > MAX_MULTIPLICATIONS:
            return
        power: SSAValue | None = None
        square = op.lhs
        while exponent:
            if exponent & 1:
                power = square if power is None else rewriter.insert(arith.MuliOp(power, square)).result
            exponent >>= 1
            if exponent:
                square = rewriter.insert(arith.MuliOp(square, square)).result
        rewriter.replace(op, (), (power or shared_constant(every_element(1, op.lhs.type), op, rewriter),))


def multiplications(exponent: int) -> int:
    """The number of multiplications of repeated squaring."""
    return max(exponent.bit_length() - 1, 0) + max(exponent.bit_count() - 1, 0)


class PowerByLoop(RewritePattern):
    """
    `math.ipowi %x, %n` -> a loop over the bits of `%n`; elementwise for vectors, until no bit is left for scalars.

    `%p, %s, %n = 1, %x, %n; repeat { %p = select(%n & 1, %p * %s, %p); %s = %s * %s; %n = %n >> 1 }`.
    """

    @match_op_type
    def match_and_rewrite(self, op: math.IPowIOp, rewriter: PatternRewriter, /):
        type = op.lhs.type
        element = element_type_of(type)
        if not isa(element, IntegerType):
            return

        def constant(value: int) -> SSAValue:
            return shared_constant(every_element(value, type), op, rewriter)

        zero, one = constant(0), constant(1)
        is_negative = rewriter.insert(compare("slt", op.rhs, zero)).result
        opposite = rewriter.insert(arith.SubiOp(zero, op.rhs)).result
        magnitude = rewriter.insert(select(is_negative, opposite, op.rhs)).result

        def step(power: SSAValue, square: SSAValue, bits: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
            bit = rewriter.insert(compare("ne", rewriter.insert(arith.AndIOp(bits, one)).result, zero)).result
            product = rewriter.insert(arith.MuliOp(power, square)).result
            power = rewriter.insert(select(bit, product, power)).result
            square = rewriter.insert(arith.MuliOp(square, square)).result
            return power, square, rewriter.insert(arith.ShRUIOp(bits, one)).result

        inits = (one, op.lhs, magnitude)
        if type == element:
            power = _while_not_zero(inits, zero, step, rewriter)
        else:
            power = _for_each_bit(element.bitwidth, inits, step, op, rewriter)

        # With a negative exponent, only 1 and -1, whose square is 1, have a power other than 0.
        successor = rewriter.insert(arith.AddiOp(op.lhs, one)).result
        is_unit = rewriter.insert(compare("ule", successor, constant(2))).result
        is_not_zero = rewriter.insert(compare("ne", op.lhs, zero)).result
        has_inverse = rewriter.insert(arith.AndIOp(is_unit, is_not_zero)).result
        inverse = rewriter.insert(select(has_inverse, power, zero)).result
        rewriter.replace(op, select(is_negative, inverse, power))


Values = tuple[SSAValue, SSAValue, SSAValue]
Iteration = Callable[[SSAValue, SSAValue, SSAValue], Values]


def _while_not_zero(inits: Values, zero: SSAValue, step: Iteration, rewriter: PatternRewriter) -> SSAValue:
    """`scf.while` over three scalars until the last one is 0; returns the first one."""
    types = [value.type for value in inits]
    before, after = Block(arg_types=types), Block(arg_types=types)
    here = rewriter.insertion_point
    rewriter.insertion_point = InsertPoint.at_end(before)
    condition = rewriter.insert(compare("ne", before.args[2], zero)).result
    rewriter.insert(scf.ConditionOp(condition, *before.args))
    rewriter.insertion_point = InsertPoint.at_end(after)
    power, square, bits = after.args
    rewriter.insert(scf.YieldOp(*step(power, square, bits)))
    rewriter.insertion_point = here
    return rewriter.insert(scf.WhileOp(inits, types, Region(before), Region(after))).results[0]


def _for_each_bit(bits: int, inits: Values, step: Iteration, op: math.IPowIOp, rewriter: PatternRewriter) -> SSAValue:
    """`scf.for` over three carried values, `bits` times; returns the first one."""
    lower, upper, by = (index_constant(value, op, rewriter) for value in (0, bits, 1))
    body = Block(arg_types=[IndexType(), *(value.type for value in inits)])
    here = rewriter.insertion_point
    rewriter.insertion_point = InsertPoint.at_end(body)
    _, power, square, rest = body.args
    rewriter.insert(scf.YieldOp(*step(power, square, rest)))
    rewriter.insertion_point = here
    return rewriter.insert(scf.ForOp(lower, upper, by, inits, body)).results[0]


class ExpandIntegerPowerPass(PatternPass):
    """Expand integer powers to multiplications."""

    name = "xla-gpu-expand-integer-power"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM" (XGPU-37); XLA operation semantics, `Pow`'

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        yield Step((PowerOfConstant(),))
        yield Step((PowerByLoop(),))
