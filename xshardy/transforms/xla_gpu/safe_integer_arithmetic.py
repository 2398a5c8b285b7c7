"""
Guard divisions marked `xla.guard_ub`: define the results that LLVM leaves undefined as XLA does.

Division by zero gives -1 (all bits), its remainder the dividend. The smallest integer divided by -1 gives itself, with
remainder zero. Source: XLA's operation semantics, `Div` and `Rem`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
    VectorType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.utils.hints import isa

from xshardy.dialects.attribute_names import xla_attribute
from xshardy.dialects.extensions.arith_elementwise import compare, element_type_of, select
from xshardy.rewriting import OpTypePattern, PatternPass
from xshardy.transforms.xla_gpu.index_values import shared_constant

GUARD_UB = "xla.guard_ub"
"""On a division or remainder: LLVM's result may be undefined for the operands."""


@dataclass(frozen=True, slots=True)
class Guard:
    """The results of an operation for a divisor of zero and on overflow: an integer, or None for the dividend."""

    by_zero: int | None
    overflows: bool = False
    on_overflow: int | None = None


GUARDS: Mapping[type[Operation], Guard] = {
    arith.DivSIOp: Guard(by_zero=-1, overflows=True, on_overflow=None),
    arith.DivUIOp: Guard(by_zero=-1),
    arith.RemSIOp: Guard(by_zero=None, overflows=True, on_overflow=0),
    arith.RemUIOp: Guard(by_zero=None),
}


def every_element(value: int, type: Attribute) -> IntegerAttr | DenseIntOrFPElementsAttr:
    """`value` as a constant of an integer type, or of a vector or tensor as a splat."""
    if isa(type, IntegerType):
        return IntegerAttr(value, type)
    assert isa(type, VectorType[IntegerType]) or isa(type, TensorType[IntegerType])
    return DenseIntOrFPElementsAttr.from_list(type, [value])


@dataclass(frozen=True)
class GuardDivision(OpTypePattern):
    """
    `arith.divui %x, %y {xla.guard_ub}` -> `select (%y == 0), -1, (divui %x, (select (%y == 0), 1, %y))`.

    Signed operations also have a guard against overflow: `%x == min and %y == -1`. The division itself never has
    undefined operands, because a GPU may compute both sides of a select.
    """

    guard: Guard

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if xla_attribute(op.attributes, GUARD_UB) is None:
            return
        guard = self.guard
        lhs, rhs = op.operands
        element = element_type_of(lhs.type)
        if not isa(element, IntegerType):
            return

        def number(value: int) -> SSAValue:
            return shared_constant(every_element(value, lhs.type), op, rewriter)

        def is_equal(value: SSAValue, to: int) -> SSAValue:
            return rewriter.insert(compare("eq", value, number(to))).result

        def result(value: int | None) -> SSAValue:
            return lhs if value is None else number(value)

        smallest = -(1 << (element.bitwidth - 1))
        by_zero = is_equal(rhs, 0)
        undefined, overflow = by_zero, None
        if guard.overflows:
            is_smallest, by_minus_one = is_equal(lhs, smallest), is_equal(rhs, -1)
            overflow = rewriter.insert(arith.AndIOp(is_smallest, by_minus_one)).result
            undefined = rewriter.insert(arith.OrIOp(by_zero, overflow)).result
        divisor = rewriter.insert(select(undefined, number(1), rhs)).result
        attributes = {key: value for key, value in op.attributes.items() if not key.endswith(".guard_ub")}
        quotient = rewriter.insert(
            type(op).create(operands=[lhs, divisor], result_types=op.result_types, attributes=attributes)
        ).results[0]
        if overflow is not None:
            # On overflow the dividend is the smallest integer.
            on_overflow = number(smallest if guard.on_overflow is None else guard.on_overflow)
            quotient = rewriter.insert(select(overflow, on_overflow, quotient)).result
        rewriter.replace(op, select(by_zero, result(guard.by_zero), quotient))


class SafeIntegerArithmeticPass(PatternPass):
    """Guard the integer divisions and remainders that are marked `xla.guard_ub` against undefined behaviour."""

    name = "xla-gpu-safe-integer-arithmetic"
    source: ClassVar[str] = "XLA operation semantics, `Div` and `Rem`; xla-safe-integer-arithmetic"
    fixed_patterns = tuple(GuardDivision(op_type, guard) for op_type, guard in GUARDS.items())
