"""
What the rules of `lower_tensors` share: the function at hand, its constants, and how an element is addressed.

A rule inserts operations before the one that it lowers, and gives the values for its results.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import gcd
from typing import TypeVar

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnrealizedConversionCastOp,
    i1,
    i8,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.dialects.extensions.arith import IndexCastUIOp
from xshardy.dialects.extensions.arith_elementwise import ExtUIOp, compare, element_type_of, with_element_type
from xshardy.dialects.extensions.llvm_memory import AddrSpaceCastOp
from xshardy.dialects.function_attributes import attributes_of_argument
from xshardy.dialects.xla_gpu.discardable import constant_value
from xshardy.transforms.xla_gpu.device import ComputeCapability
from xshardy.transforms.xla_gpu.function_constants import FunctionConstants
from xshardy.transforms.xla_gpu.memory_types import ElementLayout, array_type, llvm_type

POINTER = llvm.LLVMPointerType()
ALIGN = "llvm.align"
"""On an argument: the alignment of the pointer, in bytes."""
WIDEST_ACCESS = 16
"""The bytes that a thread loads or stores at once, at most."""
MAX_GEP_CONSTANT = 2**31 - 1
"""The largest index that `llvm.getelementptr` takes as a constant."""

OperationT = TypeVar("OperationT", bound=Operation)

Index = int | SSAValue
"""The number of an element in its tensor: a constant, or an integer as wide as `index`."""


def tensor_type(tensor: SSAValue) -> TensorType:
    """The type of a value that must be a tensor."""
    assert isa(tensor.type, TensorType)
    return tensor.type


@dataclass
class Globals:
    """The globals of a module that hold constants and shared memory; new ones come first in the module, in order."""

    module: ModuleOp
    names: set[str] = field(init=False)
    _last: Operation | None = field(default=None, init=False)
    _shared: dict[str, llvm.GlobalOp] = field(default_factory=dict[str, llvm.GlobalOp], init=False)
    _constants: dict[tuple[Attribute, Attribute], str] = field(
        default_factory=dict[tuple[Attribute, Attribute], str], init=False
    )

    def __post_init__(self):
        symbols = (op.properties.get("sym_name") for op in self.module.ops)
        self.names = {symbol.data for symbol in symbols if isinstance(symbol, StringAttr)}

    def shared(self, type: llvm.LLVMArrayType, address_space: int) -> str:
        """The name of a new global in memory of this address space, with undefined contents."""
        op = self._add("shared_", type, None, address_space)
        self._shared[op.sym_name.data] = op
        return op.sym_name.data

    def align_shared(self, name: str, alignment: int) -> int:
        """Align the shared memory of this name to so many bytes at least; gives what it is aligned to."""
        op = self._shared[name]
        if op.alignment is None or op.alignment.value.data < alignment:
            op.alignment = IntegerAttr(alignment, i64)
        return op.alignment.value.data

    def constant(self, value: Attribute, type: llvm.LLVMArrayType) -> str:
        """The name of the global that holds the constant `value`; equal constants share one."""
        if (value, type) not in self._constants:
            self._constants[value, type] = self._add("global_cst_", type, value, 0).sym_name.data
        return self._constants[value, type]

    def _add(self, prefix: str, type: llvm.LLVMArrayType, value: Attribute | None, address_space: int) -> llvm.GlobalOp:
        number = 0
        while (name := f"{prefix}{number}") in self.names:
            number += 1
        self.names.add(name)
        op = llvm.GlobalOp(type, name, "private", address_space, constant=value is not None, value=value)
        point = InsertPoint.at_start(self.module.body.block) if self._last is None else InsertPoint.after(self._last)
        Rewriter.insert_op(op, point)
        self._last = op
        return op


@dataclass
class TensorAccess:
    """The function that rules work on, and the place where they insert."""

    function: FuncOp
    globals: Globals
    index_type: IntegerType
    """As wide as `index`."""
    capability: ComputeCapability | None
    """Of the GPU; None if it is not known."""
    constants: FunctionConstants
    point: InsertPoint

    # -- Inserting ---------------------------------------------------------------------------------------------------

    def insert(self, op: OperationT) -> OperationT:
        """Insert `op` at the current place."""
        Rewriter.insert_op(op, self.point)
        return op

    def value(self, op: Operation) -> SSAValue:
        """Insert `op` at the current place; gives its only result."""
        return self.insert(op).results[0]

    def at_start(self, op: Operation) -> SSAValue:
        """Insert `op` where the function starts, behind its constants; gives its only result."""
        block = self.function.body.block
        first = next((other for other in block.ops if not isinstance(other, arith.ConstantOp | llvm.ConstantOp)), None)
        Rewriter.insert_op(op, InsertPoint.at_end(block) if first is None else InsertPoint.before(first))
        return op.results[0]

    def within(self, block: Block) -> "TensorAccess":
        """The same, but inserting at the end of `block`."""
        return replace(self, point=InsertPoint.at_end(block))

    def cast(self, value: SSAValue, type: Attribute) -> SSAValue:
        """`value` as another type that stands for the same bits; `value` itself if it has the type."""
        if value.type == type:
            return value
        return self.value(UnrealizedConversionCastOp.get([value], [type]))

    # -- Addresses ---------------------------------------------------------------------------------------------------

    def pointer(self, tensor: SSAValue) -> SSAValue:
        """The address of the first element of `tensor`."""
        match tensor.owner:
            case UnrealizedConversionCastOp(inputs=[source]) if isinstance(source.type, llvm.LLVMPointerType):
                return source
            case _:
                return self.cast(tensor, POINTER)

    def index(self, indices: Sequence[SSAValue]) -> Index:
        """The number of the element at `indices`. Raises `PassFailedException` unless there is at most one."""
        if len(indices) > 1:
            raise PassFailedException(
                f"a tensor is accessed with {len(indices)} indices: run xla-gpu-flatten-tensors first, it leaves one"
            )
        if not indices:
            return 0
        constant = constant_value(indices[0])
        return self.value(IndexCastUIOp(indices[0], self.index_type)) if constant is None else constant

    def address(self, tensor: SSAValue, index: Index) -> SSAValue:
        """
        The address of element `index` of `tensor`, or of the byte that holds it.

        `%t[%i]` -> `llvm.getelementptr inbounds %p[0, %i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<N x T>`.
        """
        type = tensor_type(tensor)
        index = self.byte_index(index, ElementLayout(type.element_type))
        pointer = self.pointer(tensor)
        if isinstance(index, int) and index > MAX_GEP_CONSTANT:
            index = self.constants.llvm(index, self.index_type)
        return self.value(llvm.GEPOp.from_mixed_indices(pointer, [0, index], array_type(type), inbounds=True))

    def alignment(self, tensor: SSAValue, step: int) -> int:
        """
        The known alignment in bytes of what is a multiple of `step` bytes behind the first element of `tensor`.

        That of an argument is given. Shared memory is ours, so it is aligned as is good for such accesses.
        """
        start = 1
        match self.pointer(tensor):
            case BlockArgument(block=block, index=index) if block is self.function.body.block:
                known = attributes_of_argument(self.function, index).get(ALIGN)
                start = known.value.data if isa(known, IntegerAttr) else 1
            case OpResult(op=AddrSpaceCastOp(arg=OpResult(op=llvm.AddressOfOp(global_name=name)))):
                start = self.globals.align_shared(name.root_reference.data, gcd(step, WIDEST_ACCESS))
            case _:
                pass
        return gcd(start, step)

    def bit_offset(self, index: Index, layout: ElementLayout) -> Index:
        """Where element `index` begins in its byte, in bits; an i8 if not constant. 0 if it has a byte of its own."""
        if not layout.is_packed:
            return 0
        if isinstance(index, int):
            return index % layout.per_byte * layout.bits
        place = self.value(arith.AndIOp(index, self.constants.arith(layout.per_byte - 1, self.index_type)))
        place = self.value(arith.TruncIOp(place, i8)) if self.index_type != i8 else place
        return self.value(arith.MuliOp(place, self.constants.arith(layout.bits, i8)))

    def byte_index(self, index: Index, layout: ElementLayout) -> Index:
        """The number of the byte that holds element `index` if elements share bytes; else `index`."""
        if not layout.is_packed:
            return index
        if isinstance(index, int):
            return index // layout.per_byte
        shift = layout.per_byte.bit_length() - 1
        return self.value(arith.ShRUIOp(index, self.constants.arith(shift, self.index_type)))

    # -- Values ------------------------------------------------------------------------------------------------------

    def from_memory(self, loaded: SSAValue, type: Attribute) -> SSAValue:
        """What was loaded, as a value of `type`: an i1, or each of a vector, is whether its byte is not 0."""
        if element_type_of(type) == i1:
            return self.value(compare("ne", loaded, self.constants.arith(0, loaded.type)))
        return self.cast(loaded, type)

    def to_memory(self, value: SSAValue) -> SSAValue:
        """`value` as it is stored: an i1, or each of a vector, is widened to a byte."""
        if element_type_of(value.type) == i1:
            bytes = with_element_type(value.type, i8)
            return self.value(ExtUIOp.create(operands=[value], result_types=[bytes]))
        return self.cast(value, llvm_type(value.type))
