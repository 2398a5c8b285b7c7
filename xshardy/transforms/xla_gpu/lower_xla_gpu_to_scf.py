"""Lower the xla_gpu operations other than loops and calls: predicated accesses, inserts, reductions (XGPU-54)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

from xdsl.dialects import arith, complex, scf, tensor, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    Signedness,
    UnrealizedConversionCastOp,
    VectorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.affine.expressions import add, constant, dim, sym
from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects.extensions.gpu import ShuffleMode, ShuffleOp
from xshardy.dialects.shapes import is_tensor
from xshardy.dialects.xla_gpu.ops import (
    ApplyIndexingOp,
    InsertOp,
    LoopOp,
    PredicatedExtractOp,
    PredicatedInsertOp,
    PureCallOp,
    ReduceOp,
    ShuffleReduceOp,
    YieldOp,
)
from xshardy.dialects.xla_gpu.types import IndexedVectorType
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.unused_operations import EraseUnusedOperation
from xshardy.transforms.xla_gpu.index_values import apply_map, shared_constant

WORD = i32
"""The type that one `gpu.shuffle` moves between lanes."""


class PredicatedInsertToIf(RewritePattern):
    """
    `xla_gpu.predicated_insert %v into %t[%i] if %c`
    ->
    `scf.if %c { yield (tensor.insert %v into %t[%i]) } else { yield %t }`
    """

    @match_op_type
    def match_and_rewrite(self, op: PredicatedInsertOp, rewriter: PatternRewriter, /):
        insert = tensor.InsertOp(op.value, op.dest, op.indices)
        rewriter.replace(op, _if_else(op.condition, insert, op.dest))


class PredicatedExtractToIf(RewritePattern):
    """
    `xla_gpu.predicated_extract %t[%i] if %c else %v`
    ->
    `scf.if %c { yield (tensor.extract %t[%i]) } else { yield %v }`
    """

    @match_op_type
    def match_and_rewrite(self, op: PredicatedExtractOp, rewriter: PatternRewriter, /):
        extract = tensor.ExtractOp(op.src, op.indices, op.result.type)
        rewriter.replace(op, _if_else(op.condition, extract, op.fallback))


class InsertToLoop(RewritePattern):
    """
    `xla_gpu.insert %v(%i) into %t at #to : !xla_gpu.indexed_vector<..., #from>`
    ->
    `xla_gpu.loop (%i)[%s] -> (%x) in #from iter_args(%u = %t) { tensor.insert %v[%s] into %u[#to(%x)] }`

    The elements of a thread become a vector with one dimension per symbol of `#from`. Complex elements have their real
    and imaginary parts along an additional first dimension.
    """

    @match_op_type
    def match_and_rewrite(self, op: InsertOp, rewriter: PatternRewriter, /):
        held = op.source.type
        assert isinstance(held, IndexedVectorType)
        if op.map.constraints:
            raise PassFailedException(
                f"'{op.name}' takes every element that is held to the tensor, so its map has no constraints: "
                f"move those of {op.map} to the map of the vector"
            )
        source_map = held.indexing_map.data
        cast = rewriter.insert(UnrealizedConversionCastOp.get((op.source,), (_thread_vector_type(held),)))
        loop = rewriter.insert(LoopOp(op.indices, source_map, (op.dest,)))
        rewriter.insertion_point = InsertPoint.at_end(loop.body.block)
        # Vector positions start at 0 for any lower bounds of the symbols.
        positions = apply_map(
            source_map.with_results(
                add(sym(i), constant(-bounds.lower)) for i, bounds in enumerate(source_map.symbol_intervals)
            ),
            loop.dims,
            loop.induction_vars,
            loop,
            rewriter,
        )
        element = _vector_element(cast.results[0], positions, held.element_type, rewriter)
        indices = rewriter.insert(ApplyIndexingOp(loop.map_results, op.map))
        inserted = rewriter.insert(tensor.InsertOp(element, loop.iter_args[0], indices.results))
        rewriter.insert(YieldOp(inserted.result))
        rewriter.replace(op, (), loop.results)


class ReduceToLoops(RewritePattern):
    """
    `xla_gpu.reduce(%t) inits(%c) dimensions=[1] combiner=@f`
    ->
    `xla_gpu.loop ()[%i] iter_args(%u = tensor.empty) {`
    `  %s = xla_gpu.loop (%i)[%j] iter_args(%a = %c) { yield @f(%a, %t[%i, %j]) }`
    `  yield (tensor.insert %s into %u[%i]) }`
    """

    @match_op_type
    def match_and_rewrite(self, op: ReduceOp, rewriter: PatternRewriter, /):
        input_type = op.inputs[0].type
        assert is_tensor(input_type)
        shape = input_type.get_shape()
        reduced = op.dimensions.get_values()
        kept = tuple(i for i in range(len(shape)) if i not in reduced)
        kept_sizes = tuple(shape[i] for i in kept)
        into: Sequence[SSAValue] = tuple(
            rewriter.insert(tensor.EmptyOp((), result.type)).tensor for result in op.results
        )
        outer: LoopOp | None = None
        kept_indices: Sequence[SSAValue] = ()
        if kept:
            over_kept = IndexingMap.from_tensor_sizes((sym(i) for i in range(len(kept))), (), kept_sizes)
            outer = rewriter.insert(LoopOp((), over_kept, into))
            kept_indices, into = outer.induction_vars, outer.iter_args
            rewriter.insertion_point = InsertPoint.at_end(outer.body.block)

        whole_index = tuple(sym(reduced.index(i)) if i in reduced else dim(kept.index(i)) for i in range(len(shape)))
        over_reduced = IndexingMap.from_tensor_sizes(whole_index, kept_sizes, (shape[i] for i in reduced))
        inner = rewriter.insert(LoopOp(kept_indices, over_reduced, op.inits))
        elements = tuple(
            tensor.ExtractOp(source, inner.map_results, init.type)
            for source, init in zip(op.inputs, op.inits, strict=True)
        )
        combined = PureCallOp(op.combiner, (*inner.iter_args, *(e.result for e in elements)), op.inits.types)
        body = InsertPoint.at_end(inner.body.block)
        rewriter.insert((*elements, combined, YieldOp(*combined.results)), body)

        inserts = tuple(
            rewriter.insert(tensor.InsertOp(value, into_, kept_indices))
            for value, into_ in zip(inner.results, into, strict=True)
        )
        values = tuple(insert.result for insert in inserts)
        if outer is not None:
            rewriter.insert(YieldOp(*values))
            values = outer.results
        rewriter.replace(op, (), values)


DPP_SUBGROUP_WIDTHS = (16, 32)
"""Groups of lanes of AMD's GPUs in which a lane reads another one at a constant distance without its address."""


@dataclass(frozen=True)
class ShuffleReduceToShuffles(RewritePattern):
    """
    `xla_gpu.shuffle_reduce(%v) to 2 combiner=@f` -> `%a = @f(%v, shuffle down 2 %v); @f(%a, shuffle down 1 %a)`

    With `to_all`, pairs of lanes exchange their values: `shuffle xor`.

    Only the first of `2 * distance` lanes has a result that counts. With `use_dpp_subgroup_widths`, lanes read in the
    smallest group of 16, 32 or all lanes in which it finds its source.
    """

    warp_size: int
    use_dpp_subgroup_widths: bool

    @match_op_type
    def match_and_rewrite(self, op: ShuffleReduceOp, rewriter: PatternRewriter, /):
        distance = op.max_distance.value.data
        if distance < 1 or distance & (distance - 1) or distance >= self.warp_size:
            raise PassFailedException(
                f"'{op.name}' cannot reduce over a distance of {distance} lanes: max_distance must be a power of 2 "
                f"below the warp size {self.warp_size}"
            )
        mode = ShuffleMode.Down if op.to_all is None else ShuffleMode.Xor
        values: Sequence[SSAValue] = op.operands
        while distance:
            narrows = self.use_dpp_subgroup_widths and mode is ShuffleMode.Down
            widths = DPP_SUBGROUP_WIDTHS if narrows else ()
            width = next((width for width in widths if distance < width), self.warp_size)
            shuffle = _Shuffle(mode, distance, width, op, rewriter)
            others = tuple(shuffle.shuffled(value) for value in values)
            values = rewriter.insert(PureCallOp(op.combiner, (*values, *others), op.result_types)).results
            distance //= 2
        rewriter.replace(op, (), values)


@dataclass(frozen=True)
class _Shuffle:
    """Emits shuffles that read a value of the lane at `distance`, for any element type."""

    mode: ShuffleMode
    distance: int
    width: int
    user: Operation
    rewriter: PatternRewriter

    def shuffled(self, value: SSAValue) -> SSAValue:
        """
        `value` of the other lane. Types other than 32 bits wide are split into words and reassembled.

        Raises `PassFailedException` for a type without a bit representation.
        """
        type_ = value.type
        match type_:
            case ComplexType():
                real, imaginary = (self.shuffled(self._insert(part(value))) for part in (complex.ReOp, complex.ImOp))
                return self._insert(complex.CreateOp(real, imaginary, type_))
            case IndexType():
                bits = self._insert(arith.IndexCastOp(value, i64))
                return self._insert(arith.IndexCastOp(self.shuffled(bits), type_))
            case IntegerType(signedness=signedness) if signedness.data != Signedness.SIGNLESS:
                return self._cast(self.shuffled(self._cast(value, IntegerType(type_.bitwidth))), type_)
            case IntegerType():
                return self._shuffled_integer(value, type_)
            case _ if isinstance(type_, AnyFloat) and type_.bitwidth == WORD.bitwidth:
                return self._shuffled_word(value)
            case _ if isinstance(type_, AnyFloat):
                bits = self._insert(arith.BitcastOp(value, IntegerType(type_.bitwidth)))
                return self._insert(arith.BitcastOp(self.shuffled(bits), type_))
            case _:
                raise PassFailedException(f"cannot shuffle a value of type {type_}: use numbers, or complex numbers")

    def _shuffled_integer(self, value: SSAValue, type_: IntegerType) -> SSAValue:
        """A signless integer, extended to whole words and shuffled word by word."""
        words = -(-type_.bitwidth // WORD.bitwidth)
        whole = IntegerType(words * WORD.bitwidth)
        if whole != type_:
            widened = self._insert(arith.ExtUIOp(value, whole))
            return self._insert(arith.TruncIOp(self._shuffled_integer(widened, whole), type_))
        if words == 1:
            return self._shuffled_word(value)
        placed = (self._shuffled_part(value, type_, i * WORD.bitwidth) for i in range(words))
        return reduce(lambda low, high: self._insert(arith.OrIOp(low, high)), placed)

    def _shuffled_part(self, value: SSAValue, type_: IntegerType, offset: int) -> SSAValue:
        """The word of `value` that starts at bit `offset`, shuffled, at its position in a `type_`."""
        word = self._insert(arith.TruncIOp(self._shifted(arith.ShRUIOp, value, type_, offset), WORD))
        wide = self._insert(arith.ExtUIOp(self._shuffled_word(word), type_))
        return self._shifted(arith.ShLIOp, wide, type_, offset)

    def _shifted(
        self, shift: type[arith.ShLIOp | arith.ShRUIOp], value: SSAValue, type_: IntegerType, bits: int
    ) -> SSAValue:
        return self._insert(shift(value, self._constant(bits, type_))) if bits else value

    def _shuffled_word(self, value: SSAValue) -> SSAValue:
        distance, width = self._constant(self.distance, i32), self._constant(self.width, i32)
        return self._insert(ShuffleOp(value, distance, width, self.mode))

    def _cast(self, value: SSAValue, type_: Attribute) -> SSAValue:
        return self._insert(UnrealizedConversionCastOp.get((value,), (type_,)))

    def _constant(self, value: int, type_: IntegerType) -> SSAValue:
        return shared_constant(IntegerAttr(value, type_), self.user, self.rewriter)

    def _insert(self, op: Operation) -> SSAValue:
        return self.rewriter.insert(op).results[0]


def _if_else(condition: SSAValue, then: Operation, otherwise: SSAValue) -> scf.IfOp:
    """`scf.if %condition { yield (then) } else { yield %otherwise }`, with one result."""
    return scf.IfOp(
        condition,
        (otherwise.type,),
        Region(Block((then, scf.YieldOp(*then.results)))),
        Region(Block((scf.YieldOp(otherwise),))),
    )


def _thread_vector_type(held: IndexedVectorType) -> VectorType:
    """The vector type of the elements of a thread: a dimension per symbol, after one of size 2 for complex numbers."""
    sizes = tuple(bounds.size for bounds in held.indexing_map.data.symbol_intervals)
    if isinstance(held.element_type, ComplexType):
        return VectorType(held.element_type.element_type, (2, *sizes))
    return VectorType(held.element_type, sizes)


def _vector_element(
    values: SSAValue, positions: Sequence[SSAValue], type_: Attribute, rewriter: PatternRewriter
) -> SSAValue:
    """The element of a thread's vector at `positions`; a complex number from its two parts."""
    if not isa(type_, ComplexType[AnyFloat]):
        return rewriter.insert(vector.ExtractOp(values, positions, type_)).result
    real, imaginary = (
        rewriter.insert(vector.ExtractOp(values, (part, *positions), type_.element_type)) for part in (0, 1)
    )
    return rewriter.insert(complex.CreateOp(real, imaginary, type_)).complex


@dataclass(frozen=True)
class LowerXlaGpuToScfPass(PatternPass):
    """
    Lower predicated accesses, inserts and reductions of the xla_gpu dialect to scf, loops and shuffles.

    `warp_size` is the number of lanes of a shuffle; `use_dpp_subgroup_widths` makes shuffles of reductions narrower.
    """

    name = "xla-gpu-lower-xla-gpu-to-scf"
    source: ClassVar[str] = 'XLA:GPU emitters, "xla_gpu to scf" (XGPU-33, XGPU-54)'
    warp_size: int = 32
    use_dpp_subgroup_widths: bool = False

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        return (
            EraseUnusedOperation(),
            PredicatedInsertToIf(),
            PredicatedExtractToIf(),
            InsertToLoop(),
            ReduceToLoops(),
            ShuffleReduceToShuffles(self.warp_size, self.use_dpp_subgroup_widths),
        )
