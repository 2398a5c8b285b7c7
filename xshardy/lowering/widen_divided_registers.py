"""Widen the ranges of special registers that are divided, so that LLVM keeps their divisions at 32 bits."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.hints import isa

from xshardy.dialects import nvvm
from xshardy.dialects.extensions.llvm import ConstantRangeAttr
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.rewriting.walk import operations_in

MAX_GRID = 2**31 - 1
"""The largest number of blocks along a dimension of a grid."""


def divided_registers(module: ModuleOp) -> frozenset[Operation]:
    """The special registers that a division reads, or a sum or product of them of up to 16 bits."""
    registers = [op for op in operations_in(module) if isinstance(op, nvvm.SpecialRegisterOp) and op.range is not None]
    return frozenset(op for op in registers if _is_divided(op.res))


def _is_divided(register: SSAValue) -> bool:
    pending, seen = [register], {register}
    while pending:
        value = pending.pop()
        for use in value.uses:
            if _is_division(user := use.operation):
                if value is register or ((largest := _largest(user.operands[0], {})) is not None and largest < 1 << 16):
                    return True
            elif isinstance(user, llvm.AddOp | llvm.MulOp) and user.res not in seen:
                seen.add(user.res)
                pending.append(user.res)
    return False


def _largest(value: SSAValue, bounds: dict[SSAValue, int | None]) -> int | None:
    """
    An upper bound of sums, products and quotients of registers and constants, none negative. None: unknown.

    `bounds` keeps those of values that several operations read.
    """
    if value not in bounds:
        bounds[value] = _bound_of(value.owner, bounds)
    return bounds[value]


def _bound_of(op: Operation | Block, bounds: dict[SSAValue, int | None]) -> int | None:
    match op:
        case llvm.ConstantOp(value=IntegerAttr(value=constant)):
            return constant.data
        case nvvm.SpecialRegisterOp() as register:
            return None if register.range is None else register.range.upper.value.data - 1
        case llvm.AddOp() | llvm.MulOp() | llvm.UDivOp():
            lhs, rhs = _largest(op.lhs, bounds), _largest(op.rhs, bounds)
            if lhs is None or rhs is None:
                return None
            return lhs if isinstance(op, llvm.UDivOp) else lhs + rhs if isinstance(op, llvm.AddOp) else lhs * rhs
        case _:
            return None


def _is_division(op: Operation) -> bool:
    """Whether `op` is a division that is neither a shift nor a mask."""
    if not isinstance(op, llvm.UDivOp | llvm.URemOp):
        return False
    divisor = op.rhs.owner
    return not (
        isinstance(divisor, llvm.ConstantOp)
        and isa(divisor.value, IntegerAttr)
        and divisor.value.value.data.bit_count() == 1
    )


@dataclass(frozen=True)
class WidenRange(RewritePattern):
    """`nvvm.read.ptx.sreg.tid.x range <i32, 0, 96>` -> `... range <i32, 0, 2147483647>`, for registers of `divided`"""

    divided: AbstractSet[Operation]

    @match_op_type
    def match_and_rewrite(self, op: nvvm.SpecialRegisterOp, rewriter: PatternRewriter, /) -> None:
        if op not in self.divided or (range := op.range) is None or range.upper.value.data >= MAX_GRID:
            return
        op.range = ConstantRangeAttr(range.lower, IntegerAttr(MAX_GRID, range.upper.type))
        rewriter.notify_op_modified(op)


class WidenDividedRegistersPass(PatternPass):
    """
    Widen the range of each special register that a division reads, also as a part of a dividend of up to 16 bits.

    LLVM would narrow the division to 16 bits, which takes more instructions on NVIDIA's GPUs.
    """

    name = "xla-gpu-widen-divided-registers"
    source: ClassVar[str] = "LLVM's correlated value propagation, which narrows divisions"

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        return (WidenRange(divided_registers(module)),)
