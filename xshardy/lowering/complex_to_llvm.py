"""The parts of `complex` that are only storage to the llvm dialect: a complex number is a struct of two floats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import complex, llvm
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FloatAttr, IntegerAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.hints import isa

from xshardy.dialects.extensions.llvm import PoisonOp
from xshardy.lowering.conversion import ConversionPass, ConversionPattern, Operands, RowPattern
from xshardy.lowering.types import LLVMTypes

REAL, IMAGINARY = (DenseArrayBase.from_list(i64, [i]) for i in range(2))
"""The positions of the two parts in the struct."""

PARTS: Mapping[type[Operation], DenseArrayBase] = {complex.ReOp: REAL, complex.ImOp: IMAGINARY}


def _struct(real: SSAValue, imaginary: SSAValue, type: Attribute, rewriter: PatternRewriter) -> Operation:
    """A struct of two values."""
    empty = rewriter.insert(PoisonOp(type))
    with_real = rewriter.insert(llvm.InsertValueOp(REAL, empty.results[0], real))
    return llvm.InsertValueOp(IMAGINARY, with_real.res, imaginary)


class LowerCreate(ConversionPattern[complex.CreateOp]):
    """`complex.create %a, %b` -> two `llvm.insertvalue`."""

    def convert(self, op: complex.CreateOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        real, imaginary = operands
        return _struct(real, imaginary, self.result_type(op), rewriter)


class LowerComplexConstant(ConversionPattern[complex.ConstantOp]):
    """`complex.constant [1.0 : f32, 2.0 : f32]` -> a struct of two `llvm.mlir.constant`."""

    def convert(self, op: complex.ConstantOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        value = op.properties["value"]
        assert isa(value, ArrayAttr[FloatAttr]) or isa(value, ArrayAttr[IntegerAttr])
        real, imaginary = (rewriter.insert(llvm.ConstantOp(part, part.type)).result for part in value)
        return _struct(real, imaginary, self.result_type(op), rewriter)


@dataclass(frozen=True)
class LowerPart(RowPattern):
    """`complex.re %z` -> `llvm.extractvalue %z[0]`, `complex.im %z` -> `llvm.extractvalue %z[1]`."""

    position: DenseArrayBase

    def convert(self, op: Operation, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        return llvm.ExtractValueOp(self.position, operands[0], self.result_type(op))


class ConvertComplexToLLVMPass(ConversionPass):
    """Make complex numbers structs. Run `convert-complex-to-standard` first, which leaves no arithmetic on them."""

    name = "convert-complex-to-llvm"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM" (XGPU-37), `convert-complex-to-llvm` of MLIR'

    def conversions(self, types: LLVMTypes) -> Sequence[RewritePattern]:
        parts = (LowerPart(types, op, position) for op, position in PARTS.items())
        return LowerCreate(types), LowerComplexConstant(types), *parts
