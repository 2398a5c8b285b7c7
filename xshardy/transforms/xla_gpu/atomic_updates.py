"""
Atomic updates of elements: one instruction if the target has it, otherwise a loop around compare-and-exchange.

The single instructions are integers of 32 and 64 bits, bitwise operations on any word, stores of whole bytes, and the
additions of floats that `xshardy.gpus.atomics` lists.
"""

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from xdsl.dialects import arith, llvm, scf, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    FixedBitwidthType,
    IntegerAttr,
    IntegerType,
    VectorType,
    bf16,
    f16,
    f32,
    f64,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.dialects.extensions.llvm import FCmpOp, SelectOp
from xshardy.dialects.extensions.llvm_memory import AtomicBinOp, AtomicOrdering, AtomicRMWOp, LoadOp, StoreOp
from xshardy.dialects.extensions.vector import FromElementsOp
from xshardy.dialects.xla_gpu import AtomicRMWOp as UpdateOp
from xshardy.gpus.atomics import UNKNOWN_GPU, Addend, Atomics
from xshardy.rewriting import match_op_type
from xshardy.transforms.xla_gpu.atomic_words import Update, compare_and_swap, word_of
from xshardy.transforms.xla_gpu.memory_types import BYTE, ElementLayout
from xshardy.transforms.xla_gpu.tensor_access import Index, MemoryPattern, ModuleMemory, TensorAccess

KINDS: Mapping[type[Operation], AtomicBinOp] = {
    arith.AddfOp: AtomicBinOp.FADD,
    arith.MaximumfOp: AtomicBinOp.FMAX,
    arith.MinimumfOp: AtomicBinOp.FMIN,
    arith.AddiOp: AtomicBinOp.ADD,
    arith.AndIOp: AtomicBinOp.AND,
    arith.OrIOp: AtomicBinOp.OR,
    arith.XOrIOp: AtomicBinOp.XOR,
    arith.MaxSIOp: AtomicBinOp.MAX,
    arith.MaxUIOp: AtomicBinOp.UMAX,
    arith.MinSIOp: AtomicBinOp.MIN,
    arith.MinUIOp: AtomicBinOp.UMIN,
}
"""The operations that may be one instruction."""

WORDS = (i32, i64)
"""The integer types of atomic updates and exchanges."""

WriteDirect = Callable[[AtomicBinOp, TensorAccess, SSAValue, Index, SSAValue], None]
"""`write(kind, access, tensor, index of the element, modifier)` inserts an update."""


@dataclass(frozen=True, slots=True)
class DirectUpdate:
    """`memory = kind(memory, modifier)`."""

    kind: AtomicBinOp
    modifier: SSAValue


def direct_update(op: UpdateOp) -> DirectUpdate | None:
    """
    The update of `op` that may be one instruction: an overwrite, or an operation of `KINDS` with the current element.

    As in upstream, a body of one operation is identified by that operation, assuming that its result is yielded. An
    addition in f32 of f16 or bf16, rounded to that type, is one in that type: 24 digits are at least twice as many as
    theirs and two more, so the result is the same.
    """
    *operations, last = op.computation.block.ops
    match operations:
        case [*_, arith.AddfOp() as addition, arith.TruncFOp(result=narrow)] if narrow.type in (f16, bf16):
            sources = [each.owner.input for each in addition.operands if isinstance(each.owner, arith.ExtFOp)]
            modifiers = [source for source in sources if source is not op.current_value]
            is_alone = len(operations) == 2 + sum(each.owner in operations for each in addition.operands)
            is_narrow = len(sources) == 2 and {source.type for source in sources} == {narrow.type}
            if not is_alone or not is_narrow or len(modifiers) != 1 or last.operands[0] is not narrow:
                return None
            return DirectUpdate(AtomicBinOp.FADD, modifiers[0])
        case [] if (modifier := last.operands[0]) is not op.current_value:
            return DirectUpdate(AtomicBinOp.XCHG, modifier)
        case [operation] if (kind := KINDS.get(type(operation))) is not None and op.current_value in operation.operands:
            lhs, rhs = operation.operands
            modifier = rhs if lhs is op.current_value else lhs
            return DirectUpdate(kind, modifier) if modifier is not op.current_value else None
        case _:
            return None


# -- Capabilities of targets -------------------------------------------------------------------------------------------


def is_direct(kind: AtomicBinOp, type: Attribute, atomics: Atomics | None) -> bool:
    """Whether the GPU can update elements of `type` by one instruction, or by several without a loop."""
    atomics = atomics or UNKNOWN_GPU
    match kind:
        case AtomicBinOp.XCHG if type in (f32, *WORDS):
            return True
        case AtomicBinOp.XCHG:
            return atomics.has_memory_model and _fills_bytes(type)
        case AtomicBinOp.FADD:
            return _addend(type) in atomics.additions
        case AtomicBinOp.FMAX | AtomicBinOp.FMIN:
            return (type == f32 and kind is AtomicBinOp.FMAX) or (type in (f32, f64) and atomics.has_memory_model)
        case AtomicBinOp.AND | AtomicBinOp.OR | AtomicBinOp.XOR:
            return isa(type, IntegerType) and type.width.data <= i64.bitwidth
        case _:
            return type in WORDS


def _addend(type: Attribute) -> Addend:
    """`vector<2xf16>` -> `("f16", 2)`."""
    element, shape = (type.element_type, type.get_shape()) if isa(type, VectorType) else (type, (1,))
    return str(element), prod(shape)


def has_vector_addition(type: VectorType, atomics: Atomics) -> bool:
    """Whether the GPU adds this vector of floats to memory by fewer instructions than elements."""
    return _largest_part(AtomicBinOp.FADD, type, atomics) is not None


def _fills_bytes(type: Attribute) -> bool:
    """Whether an element occupies whole bytes, at most a word."""
    if not isa(type, ComplexType) and not isinstance(type, FixedBitwidthType):
        return False
    return not ElementLayout(type).is_packed and ElementLayout(type).bits <= i64.bitwidth


# -- One instruction ---------------------------------------------------------------------------------------------------


class LowerDirectUpdate(MemoryPattern):
    """Base of the patterns for updates that the GPU does by one instruction, or by several without a loop."""

    kinds: ClassVar[Collection[AtomicBinOp]]

    @match_op_type
    def match_and_rewrite(self, op: UpdateOp, rewriter: PatternRewriter, /):
        update = direct_update(op)
        if update is None or update.kind not in self.kinds:
            return
        if is_direct(update.kind, update.modifier.type, self.memory.atomics):
            access = self.memory.access(op, rewriter)
            self.write(update.kind, access, op.input, access.index(op.indices), update.modifier)
            rewriter.replace(op, (), (op.input,))

    @staticmethod
    @abstractmethod
    def write(kind: AtomicBinOp, access: TensorAccess, tensor: SSAValue, index: Index, modifier: SSAValue) -> None:
        """Insert the update of the element, or the elements from there on, at `index`."""


class LowerOverwriting(LowerDirectUpdate):
    """`atomic_rmw %t[%i] { yield %m }` -> `llvm.store %m, %p atomic unordered`: for some types, of the bits."""

    kinds = (AtomicBinOp.XCHG,)

    @staticmethod
    def write(kind: AtomicBinOp, access: TensorAccess, tensor: SSAValue, index: Index, modifier: SSAValue) -> None:
        layout = ElementLayout(modifier.type)
        alignment, address = max(layout.bits // BYTE, 1), access.address(tensor, index)
        if isa(modifier.type, ComplexType):
            stored = word_of(access, tensor, index).replace(access, access.llvm_constant(0, i64), modifier)
        elif modifier.type in (f16, bf16):
            stored = access.value(arith.BitcastOp(modifier, i16))
        else:
            stored = access.to_memory(modifier)
        access.insert(StoreOp(stored, address, alignment=alignment, ordering=AtomicOrdering.UNORDERED))


class LowerWordUpdate(LowerDirectUpdate):
    """`atomic_rmw %t[%i] { ^bb(%x): yield (addi %x, %m) }` -> `llvm.atomicrmw add %p, %m`; so for extrema of words."""

    kinds = (AtomicBinOp.ADD, AtomicBinOp.MAX, AtomicBinOp.MIN, AtomicBinOp.UMAX, AtomicBinOp.UMIN)

    @staticmethod
    def write(kind: AtomicBinOp, access: TensorAccess, tensor: SSAValue, index: Index, modifier: SSAValue) -> None:
        access.insert(AtomicRMWOp(kind, access.address(tensor, index), modifier, AtomicOrdering.MONOTONIC))


class LowerBitwiseUpdate(LowerDirectUpdate):
    """
    `atomic_rmw %t[%i] { ^bb(%x): yield (ori %x, %m) }` -> `llvm.atomicrmw or %p, %m`; so for `andi` and `xori`.

    For a part of a word, the whole word is updated with neutral bits around the part.
    """

    kinds = (AtomicBinOp.AND, AtomicBinOp.OR, AtomicBinOp.XOR)

    @staticmethod
    def write(kind: AtomicBinOp, access: TensorAccess, tensor: SSAValue, index: Index, modifier: SSAValue) -> None:
        if modifier.type in WORDS:
            LowerWordUpdate.write(kind, access, tensor, index, modifier)
            return
        word = word_of(access, tensor, index)
        neutral = access.llvm_constant(-1 if kind is AtomicBinOp.AND else 0, word.type)
        bits = word.replace(access, neutral, modifier)
        access.insert(AtomicRMWOp(kind, word.address, bits, AtomicOrdering.MONOTONIC))


class LowerFloatAddition(LowerDirectUpdate):
    """
    `atomic_rmw %t[%i] { ^bb(%x): yield (addf %x, %m) }` -> `llvm.atomicrmw fadd %p, %m`.

    Where LLVM would split the addition of a vector, it is inline PTX.
    """

    kinds = (AtomicBinOp.FADD,)

    @staticmethod
    def write(kind: AtomicBinOp, access: TensorAccess, tensor: SSAValue, index: Index, modifier: SSAValue) -> None:
        atomics = access.memory.atomics or UNKNOWN_GPU
        if not isa(modifier.type, VectorType[AnyFloat]) or not atomics.splits_vectors:
            LowerWordUpdate.write(kind, access, tensor, index, modifier)
            return
        address = access.address(tensor, index)
        if modifier.type.element_type == f32:
            access.insert(_f32_addition(access, address, modifier, modifier.type.get_shape()[0]))
            return
        count = modifier.type.get_shape()[0] // 2
        pairs = access.value(vector.BitcastOp(modifier, VectorType(i32, [count])))
        registers = [access.value(vector.ExtractOp(pairs, [i], i32)) for i in range(count)]
        access.insert(pair_addition(address, registers, modifier.type.element_type))


def _f32_addition(access: TensorAccess, address: SSAValue, modifier: SSAValue, count: int) -> llvm.InlineAsmOp:
    results = ", ".join(f"${i}" for i in range(count))
    addends = ", ".join(f"${i}" for i in range(count + 1, 2 * count + 1))
    elements = [access.value(vector.ExtractOp(modifier, [i], f32)) for i in range(count)]
    return llvm.InlineAsmOp(
        f"atom.global.v{count}.f32.add {{{results}}}, [${count}], {{{addends}}};",
        ",".join(["=f"] * count + ["l"] + ["f"] * count),
        [address, *elements],
        [llvm.LLVMStructType.from_type_list([f32] * count)],
        asm_dialect=0,
        has_side_effects=True,
        is_align_stack=True,
    )


def pair_addition(address: SSAValue, pairs: Sequence[SSAValue], element: Attribute) -> llvm.InlineAsmOp:
    """Add `pairs` of f16 or bf16 elements, each pair an i32, to memory from `address` on, which is a multiple of 4."""
    places = ", ".join(f"${i + 1}" for i in range(len(pairs)))
    vector_size, places = ("", places) if len(pairs) == 1 else (f".v{len(pairs)}", f"{{{places}}}")
    return llvm.InlineAsmOp(
        f"red.global.add.noftz{vector_size}.{element}x2 [$0], {places};",
        ",".join(["l", *["r"] * len(pairs)]),
        [address, *pairs],
        [],
        asm_dialect=0,
        has_side_effects=True,
        is_align_stack=True,
    )


@dataclass(frozen=True, slots=True)
class _Order:
    """
    The comparison of floats by their bits, for the maximum or the minimum: there is no instruction on floats.

    Non-negative floats are ordered like signed integers, negative ones in reverse like unsigned integers; the code
    `nan` is beyond all numbers. `improves` compares the current float with the new one.
    """

    of_positive: AtomicBinOp
    of_negative: AtomicBinOp
    improves: llvm.FCmpPredicateFlag
    nan: float


ORDERS: Mapping[AtomicBinOp, _Order] = {
    AtomicBinOp.FMAX: _Order(AtomicBinOp.MAX, AtomicBinOp.UMIN, llvm.FCmpPredicateFlag.ULT, float("nan")),
    AtomicBinOp.FMIN: _Order(AtomicBinOp.MIN, AtomicBinOp.UMAX, llvm.FCmpPredicateFlag.UGT, -float("nan")),
}


class LowerFloatExtremum(LowerDirectUpdate):
    """
    `atomic_rmw %t[%i] { ^bb(%x): yield (maximumf %x, %m) }` -> `llvm.atomicrmw max`, or `umin`, of the bits.

    The update is skipped if memory holds a NaN, or if `%m` does not improve on it. So for `minimumf`.
    """

    kinds = tuple(ORDERS)

    @staticmethod
    def write(kind: AtomicBinOp, access: TensorAccess, tensor: SSAValue, index: Index, modifier: SSAValue) -> None:
        order, bits_type = ORDERS[kind], IntegerType(ElementLayout(modifier.type).bits)
        address = access.address(tensor, index)
        nan, zero = access.llvm_float(order.nan, modifier.type), access.llvm_constant(0, bits_type)
        current = access.value(LoadOp(address, modifier.type))
        current_is_nan = access.value(FCmpOp(llvm.FCmpPredicateFlag.UNO, current, current))
        keep, update = Block([scf.YieldOp()]), Block()
        change_memory, otherwise = Block(), access.within(update)
        modifier_is_nan = otherwise.value(FCmpOp(llvm.FCmpPredicateFlag.UNO, modifier, modifier))
        wanted = otherwise.value(SelectOp(modifier_is_nan, nan, modifier))
        improves = otherwise.value(FCmpOp(order.improves, current, wanted))
        otherwise.insert(scf.IfOp(improves, [], [change_memory]))
        otherwise.insert(scf.YieldOp())

        then = access.within(change_memory)
        bits = then.value(arith.BitcastOp(wanted, bits_type))
        is_positive = then.value(llvm.ICmpOp(bits, zero, IntegerAttr(llvm.ICmpPredicateFlag.SGE.to_int(), i64)))
        positive, negative = (
            AtomicRMWOp(op, address, bits, AtomicOrdering.MONOTONIC) for op in (order.of_positive, order.of_negative)
        )
        then.insert(scf.IfOp(is_positive, [], [positive, scf.YieldOp()], [negative, scf.YieldOp()]))
        then.insert(scf.YieldOp())
        access.insert(scf.IfOp(current_is_nan, [], [keep], [update]))


DIRECT: Sequence[type[LowerDirectUpdate]] = (
    LowerOverwriting,
    LowerWordUpdate,
    LowerBitwiseUpdate,
    LowerFloatAddition,
    LowerFloatExtremum,
)

WRITERS: Mapping[AtomicBinOp, WriteDirect] = {kind: pattern.write for pattern in DIRECT for kind in pattern.kinds}
"""The pattern for each kind of update, for the parts of a vector."""


# -- Vectors -----------------------------------------------------------------------------------------------------------


class LowerVectorUpdate(MemoryPattern):
    """
    `atomic_rmw %t[%i] { ^bb(%x: vector): yield (f %x, %m) }` -> the same for parts of the vector.

    The parts are the largest vectors that the GPU updates at once, otherwise the elements. `LowerDirectUpdate` handles
    vectors that it updates as a whole.
    """

    @match_op_type
    def match_and_rewrite(self, op: UpdateOp, rewriter: PatternRewriter, /):
        type = op.current_value.type
        if not isa(type, VectorType):
            return
        update = direct_update(op)
        if update is None:
            raise PassFailedException(
                f"'{op.name}' on {type}: only one of {', '.join(kind.name for kind in KINDS)} can be "
                "done for a vector; update the elements one by one"
            )
        access = self.memory.access(op, rewriter)
        _update_parts(op, access, access.index(op.indices), update, type)
        rewriter.replace(op, (), (op.input,))


def _update_parts(
    op: UpdateOp, access: TensorAccess, index: Index, update: DirectUpdate, vector_type: VectorType
) -> None:
    """
    `memory = f(memory, %v)` -> the same for parts of it: the largest that are updated at once, otherwise the elements.
    """
    operation, write = op.computation.block.first_op, WRITERS[update.kind]
    assert operation is not None
    (count,), element = vector_type.get_shape(), vector_type.element_type
    part = _largest_part(update.kind, vector_type, access.memory.atomics)
    for first in range(0, count, 1 if part is None else part.get_shape()[0]):
        place = _offset(access, index, first)
        elements = [access.value(vector.ExtractOp(update.modifier, [first], element))]
        if part is not None:
            others = range(first + 1, first + part.get_shape()[0])
            elements += [access.value(vector.ExtractOp(update.modifier, [i], element)) for i in others]
            write(update.kind, access, op.input, place, access.value(FromElementsOp(elements, part)))
        elif is_direct(update.kind, element, access.memory.atomics):
            write(update.kind, access, op.input, place, elements[0])
        else:
            compare_and_swap(access, op.input, place, _apply(type(operation), elements[0]))


def _largest_part(kind: AtomicBinOp, type: VectorType, atomics: Atomics | None) -> VectorType | None:
    """The largest part of a vector that is updated at once; None if that is an element."""
    (count,) = type.get_shape()
    lengths = [length for length in range(count, 1, -1) if count % length == 0]
    parts = [VectorType(type.element_type, [length]) for length in lengths]
    return next((part for part in parts if is_direct(kind, part, atomics)), None)


def _apply(operation: type[Operation], modifier: SSAValue) -> Update:
    return lambda inner, current: inner.value(operation(current, modifier))  # pyright: ignore[reportCallIssue]


def _offset(access: TensorAccess, index: Index, offset: int) -> Index:
    if isinstance(index, int):
        return index + offset
    return access.value(arith.AddiOp(index, access.arith_constant(offset, access.index_type))) if offset else index


# -- Loops -------------------------------------------------------------------------------------------------------------


class LowerUpdateByExchange(MemoryPattern):
    """
    `atomic_rmw %t[%i] { ^bb(%x): ...; yield %y }` -> a loop around `llvm.cmpxchg`, with the body inside.

    For every update of an element that no `LowerDirectUpdate` handles.
    """

    @match_op_type
    def match_and_rewrite(self, op: UpdateOp, rewriter: PatternRewriter, /):
        access = self.memory.access(op, rewriter)
        index = access.index(op.indices)

        def inline_body(inner: TensorAccess, current: SSAValue) -> SSAValue:
            rewriter.inline_block(op.computation.block, inner.point, [current])
            last = inner.point.block.last_op
            assert last is not None
            result = last.operands[0]
            rewriter.erase(last)
            return result

        compare_and_swap(access, op.input, index, inline_body)
        rewriter.replace(op, (), (op.input,))


def atomic_update_patterns(memory: ModuleMemory) -> tuple[RewritePattern, ...]:
    """The patterns for `xla_gpu.atomic_rmw`, in order of priority."""
    return (*(pattern(memory) for pattern in DIRECT), LowerVectorUpdate(memory), LowerUpdateByExchange(memory))
