"""`vector` to the llvm dialect, on vectors of at most one dimension, which are LLVM's."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from xdsl.dialects import llvm, vector
from xdsl.dialects.builtin import AnyFloat, DenseArrayBase, FloatAttr, VectorType, i32, i64
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.dialects.extensions import llvm_intrinsics as intrinsics
from xshardy.dialects.extensions.llvm import ExtractElementOp, PoisonOp
from xshardy.dialects.extensions.vector import FromElementsOp, ShapeCastOp
from xshardy.ir import new_operation
from xshardy.lowering.conversion import (
    NO_FAST_MATH,
    ConversionPass,
    ConversionPattern,
    FloatTwin,
    Operands,
    Twin,
    fast_math,
    integer_constant,
)
from xshardy.lowering.types import LLVMTypes

# --- elements and lanes -----------------------------------------------------------------------------------------------


def _lane(lane: int, rewriter: PatternRewriter) -> SSAValue:
    """The constant index of a lane."""
    return rewriter.insert(integer_constant(lane, i64)).result


def _position(static: Sequence[int], dynamic: Sequence[SSAValue], rewriter: PatternRewriter) -> SSAValue:
    """The index of an element: the only position, or 0 for a vector of no dimension."""
    return dynamic[0] if dynamic else _lane(static[0] if static else 0, rewriter)


class LowerExtract(ConversionPattern[vector.ExtractOp]):
    """`vector.extract %v[2]` -> `llvm.extractelement %v[%c2 : i64]`."""

    def convert(self, op: vector.ExtractOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        source, *dynamic = operands
        position = _position(op.static_position.get_values(), dynamic, rewriter)
        return new_operation(ExtractElementOp, (source, position), self.result_types(op))


class LowerInsert(ConversionPattern[vector.InsertOp]):
    """`vector.insert %x, %v[2]` -> `llvm.insertelement %x, %v[%c2 : i64]`."""

    def convert(self, op: vector.InsertOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        value, destination, *dynamic = operands
        position = _position(op.static_position.get_values(), dynamic, rewriter)
        return new_operation(llvm.InsertElementOp, (destination, value, position), self.result_types(op))


class LowerBroadcast(ConversionPattern[vector.BroadcastOp]):
    """`vector.broadcast %x` -> `llvm.insertelement %x` into lane 0, and a shuffle that copies it to all lanes."""

    def convert(self, op: vector.BroadcastOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation | SSAValue:
        (value,), type = operands, self.result_type(op)
        assert isa(type, VectorType)
        if value.type == type:
            return value
        if isa(value.type, VectorType):
            (value,) = rewriter.insert(ExtractElementOp(value, _lane(0, rewriter))).results
        (poison,) = rewriter.insert(PoisonOp(type)).results
        first = rewriter.insert(llvm.InsertElementOp(poison, value, _lane(0, rewriter)))
        lanes = DenseArrayBase.from_list(i32, [0] * type.get_shape()[0])
        return llvm.ShuffleVectorOp(first, poison, lanes, type)


class LowerFromElements(ConversionPattern[FromElementsOp]):
    """`vector.from_elements %a, %b` -> an `llvm.insertelement` for each."""

    def convert(self, op: FromElementsOp, operands: Operands, rewriter: PatternRewriter, /) -> SSAValue:
        (value,) = rewriter.insert(PoisonOp(self.result_type(op))).results
        for i, element in enumerate(operands):
            value = rewriter.insert(llvm.InsertElementOp(value, element, _lane(i, rewriter))).res
        return value


class LowerShuffle(ConversionPattern[vector.ShuffleOp]):
    """`vector.shuffle %a, %b [0, 2]` -> `llvm.shufflevector %a, %b [0, 2]`."""

    def convert(self, op: vector.ShuffleOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        a, b = operands
        mask = DenseArrayBase.from_list(i32, list(op.mask.get_values()))
        return llvm.ShuffleVectorOp(a, b, mask, self.result_type(op))


class LowerShapeCast(ConversionPattern[ShapeCastOp]):
    """`vector.shape_cast %v` -> `%v`: both shapes are one type in LLVM, which has vectors of one dimension only."""

    def convert(self, op: ShapeCastOp, operands: Operands, rewriter: PatternRewriter, /) -> SSAValue:
        (value,) = operands
        return value


# --- reductions -------------------------------------------------------------------------------------------------------

IntegerReduction = type[intrinsics.IntegerReduceIntrinsic]
FloatReduction = type[intrinsics.FloatReduceIntrinsic]

INTEGER_REDUCTIONS: Mapping[CombiningKindFlag, tuple[IntegerReduction, type[Operation]]] = {
    CombiningKindFlag.ADD: (intrinsics.VectorReduceAddOp, llvm.AddOp),
    CombiningKindFlag.MUL: (intrinsics.VectorReduceMulOp, llvm.MulOp),
    CombiningKindFlag.AND: (intrinsics.VectorReduceAndOp, llvm.AndOp),
    CombiningKindFlag.OR: (intrinsics.VectorReduceOrOp, llvm.OrOp),
    CombiningKindFlag.XOR: (intrinsics.VectorReduceXorOp, llvm.XOrOp),
    CombiningKindFlag.MAXSI: (intrinsics.VectorReduceSMaxOp, intrinsics.SMaxOp),
    CombiningKindFlag.MINSI: (intrinsics.VectorReduceSMinOp, intrinsics.SMinOp),
    CombiningKindFlag.MAXUI: (intrinsics.VectorReduceUMaxOp, intrinsics.UMaxOp),
    CombiningKindFlag.MINUI: (intrinsics.VectorReduceUMinOp, intrinsics.UMinOp),
}
"""The intrinsic that combines all elements, and the operation that joins the accumulator to them."""

FLOAT_REDUCTIONS: Mapping[CombiningKindFlag, tuple[FloatReduction, type[Operation]]] = {
    CombiningKindFlag.MAXNUMF: (intrinsics.VectorReduceFMaxOp, llvm.VectorFMaxOp),
    CombiningKindFlag.MINNUMF: (intrinsics.VectorReduceFMinOp, llvm.VectorFMinOp),
    CombiningKindFlag.MAXIMUMF: (intrinsics.VectorReduceFMaximumOp, intrinsics.MaximumOp),
    CombiningKindFlag.MINIMUMF: (intrinsics.VectorReduceFMinimumOp, intrinsics.MinimumOp),
}

Ordered = Callable[[SSAValue, SSAValue, llvm.FastMathAttr], Operation]

ORDERED_REDUCTIONS: Mapping[CombiningKindFlag, tuple[Ordered, float]] = {
    CombiningKindFlag.ADD: (llvm.VectorReduceFAddOp, -0.0),
    CombiningKindFlag.MUL: (llvm.VectorReduceFMulOp, 1.0),
}
"""Reductions of floats from the first element to the last, starting with the accumulator; and their neutral value."""


class LowerReduction(ConversionPattern[vector.ReductionOp]):
    """`vector.reduction <add>, %v, %acc` -> `llvm.intr.vector.reduce.add(%v)`, and `%acc` added to it."""

    def convert(self, op: vector.ReductionOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        source, *accumulator = operands
        kind, type = op.kind.data, self.result_type(op)
        if isinstance(type, AnyFloat) and kind in ORDERED_REDUCTIONS:
            reduction, neutral = ORDERED_REDUCTIONS[kind]
            start = accumulator or rewriter.insert(llvm.ConstantOp(FloatAttr(neutral, type), type)).results
            return reduction(start[0], source, fast_math(op))
        table = FLOAT_REDUCTIONS if isinstance(type, AnyFloat) else INTEGER_REDUCTIONS
        if kind not in table:
            raise PassFailedException(f"there is no reduction <{kind}> of {type}")
        reduction, join = table[kind]
        reduced = reduction(source)
        return _joined(join, accumulator[0], rewriter.insert(reduced).results[0]) if accumulator else reduced


def _joined(join: type[Operation], a: SSAValue, b: SSAValue) -> Operation:
    """The operation `join` of two numbers."""
    properties: dict[str, Attribute] = {"fastmathFlags": NO_FAST_MATH} if isinstance(a.type, AnyFloat) else {}
    return join.create(operands=[a, b], properties=properties, result_types=[a.type])


# --- the pass ---------------------------------------------------------------------------------------------------------


class ConvertVectorToLLVMPass(ConversionPass):
    """Lower `vector`, without memory accesses, to the llvm dialect."""

    name = "convert-vector-to-llvm"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM" (XGPU-37), `convert-vector-to-llvm` of MLIR'

    def conversions(self, types: LLVMTypes) -> Sequence[RewritePattern]:
        return (
            Twin(types, vector.BitcastOp, llvm.BitcastOp),
            FloatTwin(types, vector.FMAOp, llvm.FMAOp),
            LowerExtract(types),
            LowerInsert(types),
            LowerBroadcast(types),
            LowerFromElements(types),
            LowerShuffle(types),
            LowerShapeCast(types),
            LowerReduction(types),
        )
