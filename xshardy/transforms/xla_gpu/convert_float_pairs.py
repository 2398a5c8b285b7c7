"""
Convert pairs of floats of 4 and 8 bits that are adjacent in a vector.

An instruction takes or gives an i16 with two of them, the lower one first. This is also their order in memory, and in
the bits of a vector.
"""

from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith, llvm, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    IntegerType,
    ReducedPrecisionFloatType,
    UnrealizedConversionCastOp,
    VectorType,
    f32,
    i16,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.xla_gpu.discardable import constant_value
from xshardy.rewriting import match_op_type
from xshardy.rewriting.scalars import Scalar
from xshardy.transforms.xla_gpu.float_instructions import (
    Available,
    Instructions,
    convertible,
    element,
    is_too_large,
    misses_overflow,
    widened,
    with_elements,
)


@dataclass(frozen=True, slots=True)
class SmallVector:
    """A vector of an even number of small floats."""

    element: ReducedPrecisionFloatType
    length: int

    @staticmethod
    def of(type: VectorType[Attribute]) -> "SmallVector | None":
        """`type` as such a vector; None if it is another type."""
        if type.get_num_dims() != 1 or type.get_shape()[0] % 2:
            return None
        element = type.element_type
        return SmallVector(element, type.get_shape()[0]) if isinstance(element, ReducedPrecisionFloatType) else None

    @property
    def bits(self) -> VectorType[IntegerType]:
        """The vector of the bits of each float."""
        return VectorType(IntegerType(self.element.bitwidth), [self.length])

    @property
    def pairs(self) -> VectorType[IntegerType]:
        """The vector of the bits of each pair."""
        return VectorType(IntegerType(2 * self.element.bitwidth), [self.length // 2])


@dataclass(frozen=True, slots=True)
class ExtendPairs(RewritePattern):
    """
    `extf (vector.extract %v[0])`, `extf (vector.extract %v[1])` -> the results of one intrinsic on an i16 of `%v`.

    Inserted where `%v` is known and both come later. Elements whose neighbour is not extended are unchanged.
    """

    available: Available

    @match_op_type
    def match_and_rewrite(self, op: arith.ExtFOp, rewriter: PatternRewriter, /):
        if not isinstance(read := op.input.owner, vector.ExtractOp):
            return
        source = read.vector
        small = SmallVector.of(cast(VectorType[Attribute], source.type))
        if small is None or (instructions := self.available.get(small.element.__class__)) is None:
            return
        extensions = extensions_of_elements(source)
        couples = [low for low in range(0, small.length, 2) if low in extensions and low + 1 in extensions]
        if not couples:
            return
        rewriter.insertion_point = _place_behind(source, read)
        wide: list[tuple[arith.ExtFOp, Scalar]] = []
        for low in couples:
            bits = Scalar(source, rewriter).insert(UnrealizedConversionCastOp.get((source,), (small.bits,)))
            pair = element(bits.insert(llvm.BitcastOp(bits.value, small.pairs)), low // 2)
            if pair.type != i16:
                pair = pair.insert(llvm.ZExtOp(pair.value, i16))
            halves = instructions.extend(pair)
            for lane in range(2):
                half = element(halves, lane)
                wide += ((extension, half) for extension in extensions[low + lane])
        for extension, value in [(extension, _extended(half, extension)) for extension, half in wide]:
            read = extension.input.owner
            rewriter.replace(extension, (), (value.value,))
            if isinstance(read, vector.ExtractOp) and not read.result.first_use:
                rewriter.erase(read)


def _place_behind(source: SSAValue, read: Operation) -> InsertPoint:
    """Where `source` is known and all that use it come later; `read` is the first that does in its block."""
    if isinstance(source.owner, Operation):
        return InsertPoint.after(source.owner)
    is_local = all(use.operation.parent is source.owner for use in source.uses)
    return InsertPoint.before(read) if is_local else InsertPoint.at_start(source.owner)


def _extended(half: Scalar, op: arith.ExtFOp) -> Scalar:
    """`half` converted to the result type of `op`."""
    type = op.result.type
    assert isinstance(type, AnyFloat)
    return widened(half, type)


def extensions_of_elements(value: SSAValue) -> dict[int, list[arith.ExtFOp]]:
    """The operations that extend an element of a vector to a wider float, by its position."""
    found: dict[int, list[arith.ExtFOp]] = {}
    for read in [use.operation for use in value.uses]:
        if not isinstance(read, vector.ExtractOp) or (position := static_position(read)) is None:
            continue
        for extension in [use.operation for use in read.result.uses]:
            if isinstance(extension, arith.ExtFOp) and not isinstance(extension.result.type, ReducedPrecisionFloatType):
                found.setdefault(position, []).append(extension)
    return found


def static_position(op: vector.ExtractOp | vector.InsertOp) -> int | None:
    """The only index of an access to a vector, if it is constant; None otherwise."""
    if len(indices := op.get_mixed_position()) != 1:
        return None
    (index,) = indices
    return index if isinstance(index, int) else constant_value(index)


@dataclass(frozen=True, slots=True)
class TruncatePairs(RewritePattern):
    """
    `vector.insert (truncf %y), (vector.insert (truncf %x), %v[0])[1]` -> a vector of the i16 results of an intrinsic.

    Only if every element of the vector is such a float.
    """

    available: Available

    @match_op_type
    def match_and_rewrite(self, op: vector.InsertOp, rewriter: PatternRewriter, /):
        small = SmallVector.of(op.result.type)
        if small is None or (instructions := self.available.get(small.element.__class__)) is None:
            return
        if any(isinstance(use.operation, vector.InsertOp) for use in op.result.uses):
            return  # only the last insertion of a chain matches
        chain = insertions(op)
        elements = {static_position(insert): insert.source.owner for insert in reversed(chain)}  # the last one wins
        if None in elements:
            return
        values: list[Scalar] = []
        for position in range(small.length):
            truncation = elements.get(position)
            if not isinstance(truncation, arith.TruncFOp) or not has_wide_source(truncation):
                return
            values.append(Scalar(truncation.input, rewriter))
        values = [convertible(value, instructions) for value in values]
        couples = zip(values[::2], values[1::2], strict=True)
        pairs = [rounded_pair(low, high, small.element, instructions) for low, high in couples]
        bits = with_elements(values[0].insert(llvm.UndefOp(small.pairs)), pairs)
        bits = bits.insert(llvm.BitcastOp(bits.value, small.bits))
        rewriter.replace(op, UnrealizedConversionCastOp.get((bits.value,), (op.result.type,)))
        for unused in (*chain[1:], *elements.values()):
            if isinstance(unused, Operation) and unused.parent and not unused.results[0].first_use:
                rewriter.erase(unused)


def insertions(last: vector.InsertOp) -> list[vector.InsertOp]:
    """`last` and the preceding insertions whose vectors have no other use, last first."""
    chain = [last]
    while isinstance(before := chain[-1].dest.owner, vector.InsertOp) and before.result.has_one_use():
        chain.append(before)
    return chain


def has_wide_source(op: arith.TruncFOp) -> bool:
    """Whether `op` truncates a float of 16 bits or more."""
    return isinstance(op.input.type, AnyFloat) and not isinstance(op.input.type, ReducedPrecisionFloatType)


def rounded_pair(low: Scalar, high: Scalar, small: ReducedPrecisionFloatType, instructions: Instructions) -> Scalar:
    """The bits of two floats in a small format, adjacent."""
    if low.type != high.type:
        low, high = low.to_float(f32), high.to_float(f32)
    pair = instructions.truncate(low, high)
    if misses_overflow(small, instructions):
        # The instruction saturates, with the sign. Infinity, or NaN in formats without it, is the next code.
        for position, value in enumerate((low, high)):
            following = pair + (1 << position * small.bitwidth)
            pair = is_too_large(value, small).select(following, pair)
    return pair if 2 * small.bitwidth == i16.bitwidth else pair.resize(IntegerType(2 * small.bitwidth))
