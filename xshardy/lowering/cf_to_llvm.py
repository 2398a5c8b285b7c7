"""`cf` to the llvm dialect: branches, and the arguments of the blocks that they lead to."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects import cf, llvm
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import BlockInsertPoint

from xshardy.lowering.arith_to_llvm import compare
from xshardy.lowering.conversion import ConversionPass, ConversionPattern, Operands, convert_arguments, integer_constant
from xshardy.lowering.types import LLVMTypes


class LowerBranch(ConversionPattern[cf.BranchOp]):
    """`cf.br ^b(%x : index)` -> `llvm.br ^b(%x : i64)`."""

    def convert(self, op: cf.BranchOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        (target,) = op.successors
        convert_arguments(target, self.types, rewriter)
        return llvm.BrOp(target, *operands)


class LowerConditionalBranch(ConversionPattern[cf.ConditionalBranchOp]):
    """`cf.cond_br %c, ^a(%x : index), ^b` -> `llvm.cond_br %c, ^a(%x : i64), ^b`."""

    def convert(self, op: cf.ConditionalBranchOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        for target in op.successors:
            convert_arguments(target, self.types, rewriter)
        condition, *arguments = operands
        middle = len(op.then_arguments)
        return llvm.CondBrOp(condition, op.then_block, arguments[:middle], op.else_block, arguments[middle:])


class LowerSwitch(ConversionPattern[cf.SwitchOp]):
    """
    `cf.switch %f [default: ^d, 0: ^a, 1: ^b]` -> a chain of blocks that compare `%f` with one case each.

    LLVM makes a jump table of the chain where that is better.
    """

    def convert(self, op: cf.SwitchOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        for target in op.successors:
            convert_arguments(target, self.types, rewriter)
        flag, *arguments = operands
        values = () if op.case_values is None else op.case_values.get_values()
        default_size = len(op.default_operands)
        cases = _split(arguments[default_size:], op.case_operand_segments.get_values())

        block = op.parent
        assert block is not None
        for value, target, case_arguments in zip(values, op.case_blocks, cases, strict=True):
            here = rewriter.insertion_point
            block = rewriter.create_block(BlockInsertPoint.after(block))
            constant = integer_constant(int(value), flag.type)
            matches = compare("eq", flag, constant.result)
            branch = llvm.CondBrOp(matches, target, case_arguments, block, ())
            rewriter.insert([constant, matches, branch], here)
        return llvm.BrOp(op.default_block, *arguments[:default_size])


def _split(values: Sequence[SSAValue], sizes: Sequence[int]) -> list[Sequence[SSAValue]]:
    """Cut `values` into consecutive parts of `sizes`."""
    pending = iter(values)
    return [[next(pending) for _ in range(size)] for size in sizes]


class ConvertCfToLLVMPass(ConversionPass):
    """Lower `cf` to branches of the llvm dialect."""

    name = "convert-cf-to-llvm"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM" (XGPU-37), `convert-cf-to-llvm` of MLIR'

    def conversions(self, types: LLVMTypes) -> Sequence[RewritePattern]:
        return LowerBranch(types), LowerConditionalBranch(types), LowerSwitch(types)
