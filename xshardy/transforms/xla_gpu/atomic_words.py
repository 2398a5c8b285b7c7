"""
The word of memory that contains an element, and its update by a loop around compare-and-exchange.

GPUs exchange 32 and 64 bits atomically. A smaller element is part of such a word.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith, llvm, scf
from xdsl.dialects.builtin import ComplexType, DenseArrayBase, IntegerType, i1, i8, i32, i64
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.utils.hints import isa

from xshardy.dialects.extensions.llvm_memory import AtomicCmpXchgOp, AtomicOrdering, LoadOp, StoreOp
from xshardy.transforms.xla_gpu.memory_types import BYTE, ElementLayout, llvm_type
from xshardy.transforms.xla_gpu.tensor_access import POINTER, Index, TensorAccess, tensor_type

Update = Callable[[TensorAccess, SSAValue], SSAValue]
"""Computes the new element from the current one."""


def compare_and_swap(access: TensorAccess, tensor: SSAValue, index: Index, update: Update) -> None:
    """
    `memory = update(memory)` -> `%x = load; scf.while (%x) { %y = update(%x); cmpxchg %x, %y; not exchanged }`.

    The exchange has at least 32 bits. A smaller element is part of the word at its address with the two lowest bits
    cleared. The word of the last element may end behind the buffer, which is aligned to 4 bytes, but not behind its
    allocation: these bytes stay as they are.
    """
    word = word_of(access, tensor, index)
    initial = access.value(LoadOp(word.address, word.type))
    before, after = Block(arg_types=[word.type]), Block(arg_types=[word.type])
    loop = access.within(before)
    old = before.args[0]
    new = word.replace(loop, old, update(loop, word.element(loop, old)))
    exchange = loop.value(AtomicCmpXchgOp(word.address, old, new, AtomicOrdering.MONOTONIC, AtomicOrdering.MONOTONIC))
    found = loop.value(llvm.ExtractValueOp(DenseArrayBase.from_list(i64, [0]), exchange, word.type))
    exchanged = loop.value(llvm.ExtractValueOp(DenseArrayBase.from_list(i64, [1]), exchange, i1))
    retry = loop.value(llvm.XOrOp(exchanged, access.llvm_constant(1, i1)))
    loop.insert(scf.ConditionOp(retry, found))
    after.add_op(scf.YieldOp(after.args[0]))
    access.insert(scf.WhileOp([initial], [word.type], Region(before), Region(after)))


def word_of(access: TensorAccess, tensor: SSAValue, index: Index) -> "Word":
    """The word that contains element `index` of `tensor`."""
    element = tensor_type(tensor).element_type
    layout = ElementLayout(element)
    bit_offset = access.bit_offset(index, layout)
    address = access.address(tensor, index)
    if layout.bits < i32.bitwidth:
        return _PartOfWord.around(access, address, bit_offset, layout)
    if isa(element, ComplexType):
        return _WordOfComplex.of(access, address, element)
    return _WholeWord(address, IntegerType(layout.bits), element)


@dataclass(frozen=True, slots=True)
class Word(ABC):
    """The exchanged integer for an element, and conversions between the two."""

    address: SSAValue
    type: IntegerType

    @abstractmethod
    def element(self, access: TensorAccess, word: SSAValue) -> SSAValue:
        """The element in `word`."""

    @abstractmethod
    def replace(self, access: TensorAccess, word: SSAValue, element: SSAValue) -> SSAValue:
        """`word` with the element replaced."""


@dataclass(frozen=True, slots=True)
class _WholeWord(Word):
    """An element of 32 or 64 bits; a float is bitcast."""

    element_type: Attribute

    def element(self, access: TensorAccess, word: SSAValue) -> SSAValue:
        return _bitcast(access, word, self.element_type)

    def replace(self, access: TensorAccess, word: SSAValue, element: SSAValue) -> SSAValue:
        return _bitcast(access, element, self.type)


@dataclass(frozen=True, slots=True)
class _WordOfComplex(Word):
    """A complex number. It is converted through memory of the thread, because LLVM cannot bitcast structs."""

    element_type: Attribute
    slot: SSAValue

    @staticmethod
    def of(access: TensorAccess, address: SSAValue, element: Attribute) -> "_WordOfComplex":
        type = IntegerType(ElementLayout(element).bits)
        one = access.llvm_constant(1, i32)
        alloca = llvm.AllocaOp.create(operands=[one], properties={"elem_type": type}, result_types=[POINTER])
        return _WordOfComplex(address, type, element, access.at_start(alloca))

    def element(self, access: TensorAccess, word: SSAValue) -> SSAValue:
        access.insert(StoreOp(word, self.slot))
        return access.cast(access.value(LoadOp(self.slot, llvm_type(self.element_type))), self.element_type)

    def replace(self, access: TensorAccess, word: SSAValue, element: SSAValue) -> SSAValue:
        access.insert(StoreOp(access.to_memory(element), self.slot))
        return access.value(LoadOp(self.slot, self.type))


@dataclass(frozen=True, slots=True)
class _PartOfWord(Word):
    """An element of less than 32 bits at bit `shift` of a word; `others` is the mask of the other bits."""

    element_type: Attribute
    shift: SSAValue
    others: SSAValue

    @staticmethod
    def around(access: TensorAccess, address: SSAValue, bit_offset: Index, layout: ElementLayout) -> "_PartOfWord":
        constant = access.llvm_constant
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
    """The integer type with the width of an element in memory."""
    return i8 if layout.element == i1 else IntegerType(layout.bits)


def _bitcast(access: TensorAccess, value: SSAValue, type: Attribute) -> SSAValue:
    return value if value.type == type else access.value(arith.BitcastOp(value, type))
