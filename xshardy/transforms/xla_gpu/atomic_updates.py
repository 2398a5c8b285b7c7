"""
Atomic updates of elements: one instruction where the target has it, a loop around compare-and-exchange elsewhere.

Which updates are one instruction follows the PTX ISA, `atom`: integers of 32 and 64 bits, and floats from the
generations in `FADD_SINCE` on.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xdsl.dialects import arith, llvm, scf, vector
from xdsl.dialects.builtin import (
    ComplexType,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    VectorType,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.dialects.extensions.llvm import FCmpOp, SelectOp
from xshardy.dialects.extensions.llvm_memory import (
    AtomicBinOp,
    AtomicCmpXchgOp,
    AtomicOrdering,
    AtomicRMWOp,
    LoadOp,
    StoreOp,
)
from xshardy.dialects.xla_gpu import AtomicRMWOp as UpdateOp
from xshardy.transforms.xla_gpu.device import ComputeCapability
from xshardy.transforms.xla_gpu.memory_types import BYTE, ElementLayout, llvm_type
from xshardy.transforms.xla_gpu.tensor_access import POINTER, Index, TensorAccess, tensor_type

KINDS: Mapping[type[Operation], AtomicBinOp] = {
    arith.AddfOp: AtomicBinOp.FADD,
    arith.MaximumfOp: AtomicBinOp.FMAX,
    arith.AddiOp: AtomicBinOp.ADD,
    arith.MaxSIOp: AtomicBinOp.MAX,
    arith.MaxUIOp: AtomicBinOp.UMAX,
    arith.MinSIOp: AtomicBinOp.MIN,
    arith.MinUIOp: AtomicBinOp.UMIN,
}
"""The operations that may be one instruction."""

FADD_SINCE: Mapping[Attribute, ComputeCapability] = {
    f32: ComputeCapability(2),
    f64: ComputeCapability(6),
    f16: ComputeCapability(7),
    bf16: ComputeCapability(9),
    VectorType(f32, [2]): ComputeCapability(9),
    VectorType(f32, [4]): ComputeCapability(9),
}
"""The GPU generation from which on a type can be added to memory atomically."""

WORDS = (i32, i64)
"""The integers that can be updated and exchanged atomically."""


@dataclass(frozen=True, slots=True)
class DirectUpdate:
    """`memory = kind(memory, modifier)`."""

    kind: AtomicBinOp
    modifier: SSAValue


def direct_update(op: UpdateOp) -> DirectUpdate | None:
    """
    What `op` does if it may be one instruction: an overwriting, or an operation of `KINDS` with the current element.

    As upstream, a body of one operation is known by that operation, and its result is taken to be what is yielded.
    """
    *operations, last = op.computation.block.ops
    match operations:
        case []:
            modifier = last.operands[0]
            return DirectUpdate(AtomicBinOp.XCHG, modifier) if modifier.type in (f32, *WORDS) else None
        case [operation] if (kind := KINDS.get(type(operation))) is not None and op.current_value in operation.operands:
            lhs, rhs = operation.operands
            modifier = rhs if lhs is op.current_value else lhs
            return DirectUpdate(kind, modifier) if modifier is not op.current_value else None
        case _:
            return None


# -- One instruction ---------------------------------------------------------------------------------------------------


def _overwrite(access: TensorAccess, address: SSAValue, modifier: SSAValue) -> None:
    """`memory = %m` -> `llvm.store %m, %p atomic unordered`."""
    alignment = ElementLayout(modifier.type).alignment
    access.insert(StoreOp(modifier, address, alignment=alignment, ordering=AtomicOrdering.UNORDERED))


def _update_word(kind: AtomicBinOp) -> Callable[[TensorAccess, SSAValue, SSAValue], None]:
    def update(access: TensorAccess, address: SSAValue, modifier: SSAValue) -> None:
        access.insert(AtomicRMWOp(kind, address, modifier, AtomicOrdering.MONOTONIC))

    return update


def _add_float(access: TensorAccess, address: SSAValue, modifier: SSAValue) -> None:
    """`memory += %m` -> `llvm.atomicrmw fadd %p, %m`; for a vector in PTX, as LLVM would take it apart."""
    if not isa(modifier.type, VectorType):
        access.insert(AtomicRMWOp(AtomicBinOp.FADD, address, modifier, AtomicOrdering.MONOTONIC))
        return
    count = modifier.type.get_shape()[0]
    results = ", ".join(f"${i}" for i in range(count))
    addends = ", ".join(f"${i}" for i in range(count + 1, 2 * count + 1))
    elements = [access.value(vector.ExtractOp(modifier, [i], f32)) for i in range(count)]
    access.insert(
        llvm.InlineAsmOp(
            f"atom.global.v{count}.f32.add {{{results}}}, [${count}], {{{addends}}};",
            ",".join(["=f"] * count + ["l"] + ["f"] * count),
            [address, *elements],
            [llvm.LLVMStructType.from_type_list([f32] * count)],
            asm_dialect=0,
            has_side_effects=True,
            is_align_stack=True,
        )
    )


def _maximize_f32(access: TensorAccess, address: SSAValue, modifier: SSAValue) -> None:
    """
    `memory = maximumf(memory, %m)`: the maximum of the bits as integers, as there is no atomic one of floats.

    Non-negative floats are ordered like signed integers, negative ones like unsigned integers backwards, and a positive
    NaN is above all numbers. Memory that is a NaN already, or not less than `%m`, is left alone.
    """
    nan, zero = access.constants.llvm_f32(float("nan")), access.constants.llvm(0, i32)
    current = access.value(LoadOp(address, f32))
    current_is_nan = access.value(FCmpOp(llvm.FCmpPredicateFlag.UNO, current, current))
    keep, update = Block([scf.YieldOp()]), Block()
    raise_memory, otherwise = Block(), access.within(update)
    modifier_is_nan = otherwise.value(FCmpOp(llvm.FCmpPredicateFlag.UNO, modifier, modifier))
    wanted = otherwise.value(SelectOp(modifier_is_nan, nan, modifier))
    is_less = otherwise.value(FCmpOp(llvm.FCmpPredicateFlag.ULT, current, wanted))
    otherwise.insert(scf.IfOp(is_less, [], [raise_memory]))
    otherwise.insert(scf.YieldOp())

    then = access.within(raise_memory)
    bits = then.value(arith.BitcastOp(wanted, i32))
    is_positive = then.value(llvm.ICmpOp(bits, zero, IntegerAttr(llvm.ICmpPredicateFlag.SGE.to_int(), i64)))
    raise_signed = AtomicRMWOp(AtomicBinOp.MAX, address, bits, AtomicOrdering.MONOTONIC)
    lower_unsigned = AtomicRMWOp(AtomicBinOp.UMIN, address, bits, AtomicOrdering.MONOTONIC)
    then.insert(scf.IfOp(is_positive, [], [raise_signed, scf.YieldOp()], [lower_unsigned, scf.YieldOp()]))
    then.insert(scf.YieldOp())
    access.insert(scf.IfOp(current_is_nan, [], [keep], [update]))


DIRECT: Mapping[AtomicBinOp, Callable[[TensorAccess, SSAValue, SSAValue], None]] = {
    AtomicBinOp.XCHG: _overwrite,
    AtomicBinOp.FADD: _add_float,
    AtomicBinOp.FMAX: _maximize_f32,
    **{
        kind: _update_word(kind)
        for kind in (AtomicBinOp.ADD, AtomicBinOp.MAX, AtomicBinOp.MIN, AtomicBinOp.UMAX, AtomicBinOp.UMIN)
    },
}
"""How each kind of update is written: `rule(access, address of the element, modifier)`."""


def is_direct(update: DirectUpdate, capability: ComputeCapability | None) -> bool:
    """Whether the GPU has `update` as one instruction, or as the few of `DIRECT`."""
    type = update.modifier.type
    match update.kind:
        case AtomicBinOp.XCHG:
            return True
        case AtomicBinOp.FADD:
            return type in FADD_SINCE and (capability or ComputeCapability(2)) >= FADD_SINCE[type]
        case AtomicBinOp.FMAX:
            return type == f32
        case _:
            return type in WORDS


# -- A loop ------------------------------------------------------------------------------------------------------------

Update = Callable[[TensorAccess, SSAValue], SSAValue]
"""Inserts what computes the new element from the current one."""


def compare_and_swap(access: TensorAccess, tensor: SSAValue, index: Index, update: Update) -> None:
    """
    `memory = update(memory)` -> `%x = load; scf.while (%x) { %y = update(%x); cmpxchg %x, %y; not exchanged }`.

    The exchange is of at least 32 bits. A smaller element is part of such a word: that at its address with the two
    lowest bits cleared, which is in the buffer, as buffers begin and end at multiples of 4 bytes.
    """
    element = tensor_type(tensor).element_type
    layout = ElementLayout(element)
    bit_offset = access.bit_offset(index, layout)
    address = access.address(tensor, index)
    if layout.bits < i32.bitwidth:
        word: _Word = _PartOfWord.around(access, address, bit_offset, layout)
    elif isa(element, ComplexType):
        word = _WordOfComplex.of(access, address, element)
    else:
        word = _WholeWord(address, IntegerType(layout.bits), element)

    initial = access.value(LoadOp(word.address, word.type))
    before, after = Block(arg_types=[word.type]), Block(arg_types=[word.type])
    loop = access.within(before)
    old = before.args[0]
    new = word.replace(loop, old, update(loop, word.element(loop, old)))
    exchange = loop.value(AtomicCmpXchgOp(word.address, old, new, AtomicOrdering.MONOTONIC, AtomicOrdering.MONOTONIC))
    found = loop.value(llvm.ExtractValueOp(DenseArrayBase.from_list(i64, [0]), exchange, word.type))
    exchanged = loop.value(llvm.ExtractValueOp(DenseArrayBase.from_list(i64, [1]), exchange, i1))
    retry = loop.value(llvm.XOrOp(exchanged, access.constants.llvm(1, i1)))
    loop.insert(scf.ConditionOp(retry, found))
    after.add_op(scf.YieldOp(after.args[0]))
    access.insert(scf.WhileOp([initial], [word.type], Region(before), Region(after)))


@dataclass(frozen=True, slots=True)
class _Word:
    """The integer that is exchanged for an element, and what it has to do with the element."""

    address: SSAValue
    type: IntegerType

    def element(self, access: TensorAccess, word: SSAValue) -> SSAValue:
        """The element in `word`."""
        raise NotImplementedError

    def replace(self, access: TensorAccess, word: SSAValue, element: SSAValue) -> SSAValue:
        """`word` with another element in it."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class _WholeWord(_Word):
    """An element of 32 or 64 bits is a word, in other clothes if it is a float."""

    element_type: Attribute

    def element(self, access: TensorAccess, word: SSAValue) -> SSAValue:
        return _bitcast(access, word, self.element_type)

    def replace(self, access: TensorAccess, word: SSAValue, element: SSAValue) -> SSAValue:
        return _bitcast(access, element, self.type)


@dataclass(frozen=True, slots=True)
class _WordOfComplex(_Word):
    """A complex number and a word meet in memory of the thread, as they have no other way to each other."""

    element_type: Attribute
    slot: SSAValue

    @staticmethod
    def of(access: TensorAccess, address: SSAValue, element: Attribute) -> "_WordOfComplex":
        type = IntegerType(ElementLayout(element).bits)
        one = access.constants.llvm(1, i32)
        alloca = llvm.AllocaOp.create(operands=[one], properties={"elem_type": type}, result_types=[POINTER])
        return _WordOfComplex(address, type, element, access.at_start(alloca))

    def element(self, access: TensorAccess, word: SSAValue) -> SSAValue:
        access.insert(StoreOp(word, self.slot))
        return access.cast(access.value(LoadOp(self.slot, llvm_type(self.element_type))), self.element_type)

    def replace(self, access: TensorAccess, word: SSAValue, element: SSAValue) -> SSAValue:
        access.insert(StoreOp(access.to_memory(element), self.slot))
        return access.value(LoadOp(self.slot, self.type))


@dataclass(frozen=True, slots=True)
class _PartOfWord(_Word):
    """An element of less than 32 bits is at bit `shift` of a word; `others` has the bits of its neighbours set."""

    element_type: Attribute
    shift: SSAValue
    others: SSAValue

    @staticmethod
    def around(access: TensorAccess, address: SSAValue, bit_offset: Index, layout: ElementLayout) -> "_PartOfWord":
        constant = access.constants.llvm
        as_integer = access.value(llvm.PtrToIntOp(address, i64))
        byte = access.value(llvm.AndOp(as_integer, constant(3, i64)))
        back = access.value(llvm.MulOp(byte, constant(-1, i64)))
        word = access.value(llvm.GEPOp.from_mixed_indices(address, [back], i8, inbounds=True))
        shift = access.value(llvm.MulOp(access.value(llvm.TruncOp(byte, i32)), constant(BYTE, i32)))
        if isinstance(bit_offset, SSAValue):
            shift = access.value(llvm.AddOp(shift, access.value(llvm.ZExtOp(bit_offset, i32))))
        elif bit_offset:
            shift = access.value(llvm.AddOp(shift, constant(bit_offset, i32)))
        all_bits, own_bits = constant(-1, i32), constant(2 ** _small_integer(layout).bitwidth - 1, i32)
        others = access.value(llvm.XOrOp(all_bits, access.value(llvm.ShlOp(own_bits, shift))))
        return _PartOfWord(word, i32, layout.element, shift, others)

    def element(self, access: TensorAccess, word: SSAValue) -> SSAValue:
        small = _small_integer(ElementLayout(self.element_type))
        bits = access.value(llvm.TruncOp(access.value(llvm.LShrOp(word, self.shift)), small))
        if self.element_type == i1:
            return access.from_memory(bits, i1)
        return _bitcast(access, bits, self.element_type)

    def replace(self, access: TensorAccess, word: SSAValue, element: SSAValue) -> SSAValue:
        small = _small_integer(ElementLayout(self.element_type))
        bits = access.to_memory(element) if element.type == i1 else _bitcast(access, element, small)
        wide = access.value(llvm.ZExtOp(bits, i32))
        kept = access.value(llvm.AndOp(word, self.others))
        return access.value(llvm.OrOp(kept, access.value(llvm.ShlOp(wide, self.shift))))


def _small_integer(layout: ElementLayout) -> IntegerType:
    """The integer with the bits that an element has in memory."""
    return i8 if layout.element == i1 else IntegerType(layout.bits)


def _bitcast(access: TensorAccess, value: SSAValue, type: Attribute) -> SSAValue:
    return value if value.type == type else access.value(arith.BitcastOp(value, type))


# -- Vectors -----------------------------------------------------------------------------------------------------------


def _update_elements(
    op: UpdateOp, access: TensorAccess, index: Index, update: DirectUpdate, vector_type: VectorType
) -> None:
    """`memory = f(memory, %v)` -> the same for each element: the vector updates of PTX are no more atomic than that."""
    operation = op.computation.block.first_op
    assert operation is not None
    for position in range(vector_type.get_shape()[0]):
        place = _offset(access, index, position)
        modifier = access.value(vector.ExtractOp(update.modifier, [position], vector_type.element_type))
        element = DirectUpdate(update.kind, modifier)
        if is_direct(element, access.capability):
            DIRECT[element.kind](access, access.address(op.input, place), modifier)
        else:
            compare_and_swap(access, op.input, place, _apply(type(operation), modifier))


def _apply(operation: type[Operation], modifier: SSAValue) -> Update:
    return lambda inner, current: inner.value(operation(current, modifier))  # pyright: ignore[reportCallIssue]


def _offset(access: TensorAccess, index: Index, offset: int) -> Index:
    if isinstance(index, int):
        return index + offset
    return access.value(arith.AddiOp(index, access.constants.arith(offset, access.index_type))) if offset else index


# -- The rule ----------------------------------------------------------------------------------------------------------


def lower_atomic_rmw(op: UpdateOp, access: TensorAccess) -> list[SSAValue]:
    """`xla_gpu.atomic_rmw %t[%i] { ^bb(%x): ...; yield %y }` -> one instruction, or a loop around `llvm.cmpxchg`."""
    index = access.index(op.indices)
    update = direct_update(op)
    if update is not None and is_direct(update, access.capability):
        address = access.address(op.input, index)
        DIRECT[update.kind](access, address, update.modifier)
        return [op.input]
    if isa(op.current_value.type, VectorType):
        if update is None:
            raise PassFailedException(
                f"'{op.name}' on {op.current_value.type}: only one of {', '.join(kind.name for kind in KINDS)} can be "
                "done for a vector; update the elements one by one"
            )
        _update_elements(op, access, index, update, op.current_value.type)
        return [op.input]

    def inline_body(inner: TensorAccess, current: SSAValue) -> SSAValue:
        Rewriter.inline_block(op.computation.block, inner.point, [current])
        last = inner.point.block.last_op
        assert last is not None
        result = last.operands[0]
        Rewriter.erase_op(last)
        return result

    compare_and_swap(access, op.input, index, inline_body)
    return [op.input]
