"""The shared base of the patterns of `lower_tensors`: facts about the module, and addresses of elements."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from math import gcd
from typing import TypeVar, cast

from xdsl.builder import Builder
from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    BytesAttr,
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
    UnrealizedConversionCastOp,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.dialects.data_layout import index_integer
from xshardy.dialects.dense_elements import all_bytes
from xshardy.dialects.extensions.arith import IndexCastUIOp
from xshardy.dialects.extensions.arith_elementwise import ExtUIOp, compare, element_type_of, with_element_type
from xshardy.dialects.extensions.llvm_memory import AddrSpaceCastOp
from xshardy.dialects.function_attributes import attributes_of_argument
from xshardy.dialects.nvvm import SHARED_MEMORY
from xshardy.dialects.xla_gpu import AllocateSharedOp
from xshardy.dialects.xla_gpu.discardable import constant_value
from xshardy.gpus.atomics import Atomics
from xshardy.ir import new_operation
from xshardy.lowering.conversion import integer_attribute
from xshardy.transforms.xla_gpu.function_constants import FunctionConstants, after_constants
from xshardy.transforms.xla_gpu.memory_types import BYTE, ElementLayout, array_type, llvm_type

POINTER = llvm.LLVMPointerType()
ALIGN = "llvm.align"
"""The argument attribute with the alignment of the pointer, in bytes."""
WIDEST_ACCESS = 16
"""The widest load or store of a thread, in bytes."""
ELEMENT_POINTER: Mapping[str, Attribute] = {"noWrapFlags": IntegerAttr(0, 32), "inbounds": UnitAttr()}
"""The properties of the address of an element that do not depend on the element."""


@lru_cache(maxsize=4096)
def raw_indices(index: int) -> DenseArrayBase:
    """The constant indices of the address of element `index` of an array."""
    return DenseArrayBase.from_list(i32, (0, index))


MAX_GEP_CONSTANT = 2**31 - 1
"""The largest constant index of `llvm.getelementptr`."""

OperationT = TypeVar("OperationT", bound=Operation)

Index = int | SSAValue
"""The number of an element in its tensor: a constant, or an integer of the width of `index`."""


def tensor_type(tensor: SSAValue) -> TensorType:
    """The type of a value, narrowed to a tensor type. Precondition: it is one."""
    type = tensor.type
    assert isinstance(type, TensorType)
    return cast(TensorType, type)


def is_arithmetic(type: Attribute) -> bool:
    """Whether operations of `arith` take values of `type`: floats and signless integers, and vectors of these."""
    if isinstance(type, TensorType):
        return False
    element = element_type_of(type)
    return isinstance(element, AnyFloat) or (
        isinstance(element, IntegerType) and element == IntegerType(element.bitwidth)
    )


# -- Globals -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PlannedGlobal:
    """A global to be created after the one planned before it, or at the start of the module."""

    op: llvm.GlobalOp
    previous: llvm.GlobalOp | None


@dataclass(frozen=True, slots=True)
class Globals:
    """The globals for constants and shared memory. New ones are first in the module, in order."""

    module: ModuleOp
    planned: Mapping[Operation, PlannedGlobal]
    """The global of each allocation of shared memory, and of each distinct constant tensor."""

    def use(self, op: Operation, builder: Builder) -> str:
        """The name of the global for `op`; created by `builder` on the first use."""
        planned = self.planned[op]
        if planned.op.parent is None:
            start = InsertPoint.at_start(self.module.body.block)
            builder.insert(planned.op, start if planned.previous is None else InsertPoint.after(planned.previous))
        return planned.op.sym_name.data

    def align(self, name: str, alignment: int, rewriter: PatternRewriter) -> int:
        """
        Increase the alignment of the global `name` to at least `alignment` bytes; returns the resulting alignment.
        """
        op = next(op for op in self.module.ops if isinstance(op, llvm.GlobalOp) and op.sym_name.data == name)
        if op.alignment is None or op.alignment.value.data < alignment:
            op.alignment = IntegerAttr(alignment, i64)
            rewriter.notify_op_modified(op)
        return op.alignment.value.data


def plan_globals(module: ModuleOp, operations: Iterable[Operation]) -> Globals:
    """The globals for the shared memory and the constant tensors among `operations`, all in `module`."""
    symbols = (op.properties.get("sym_name") for op in module.ops)
    names = {symbol.data for symbol in symbols if isinstance(symbol, StringAttr)}
    planned: dict[Operation, PlannedGlobal] = {}
    constants: dict[tuple[Attribute, Attribute], PlannedGlobal] = {}
    last: llvm.GlobalOp | None = None

    def plan(prefix: str, type: llvm.LLVMArrayType, value: Attribute | None, address_space: int) -> PlannedGlobal:
        nonlocal last
        name = next(name for number in count() if (name := f"{prefix}{number}") not in names)
        names.add(name)
        op = llvm.GlobalOp(type, name, "private", address_space, constant=value is not None, value=value)
        new = PlannedGlobal(op, last)
        last = op
        return new

    for op in operations:
        if isinstance(op, AllocateSharedOp):
            planned[op] = plan("shared_", array_type(tensor_type(op.result)), None, SHARED_MEMORY)
        elif isinstance(op, arith.ConstantOp) and isa(op.result.type, TensorType):
            assert isa(op.value, DenseIntOrFPElementsAttr)
            value, type = memory_image(op.value), array_type(op.result.type)
            if (value, type) not in constants:
                constants[value, type] = plan("global_cst_", type, value, 0)
            planned[op] = constants[value, type]
    return Globals(module, planned)


def memory_image(value: DenseIntOrFPElementsAttr) -> DenseIntOrFPElementsAttr:
    """
    The elements of a constant in their memory representation, as a one-dimensional attribute.

    `dense<[1, 2, 3]> : tensor<3xi4>` -> `dense<[33, 3]> : tensor<2xi8>`.
    """
    layout = ElementLayout(value.get_element_type())
    raw = all_bytes(value)
    elements = len(raw) // value.get_element_type().compile_time_size
    if layout.bits < BYTE:
        starts = range(0, elements, layout.per_byte)
        raw = bytes(_pack(raw[start : start + layout.per_byte], layout.bits) for start in starts)
    element = layout.element if isa(layout.element, ComplexType) else layout.stored
    type = TensorType(element, [layout.stored_count(elements)])
    return DenseIntOrFPElementsAttr(type, BytesAttr(raw))  # pyright: ignore[reportArgumentType]


def _pack(elements: bytes, bits: int) -> int:
    """The byte of these packed elements, first one in the lowest bits."""
    return sum((element & 2**bits - 1) << (place * bits) for place, element in enumerate(elements))


# -- Facts for patterns ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FunctionMemory:
    """The facts about a function: its constants, and the integer type with the width of `index`."""

    function: FuncOp
    index_type: IntegerType
    constants: FunctionConstants


@dataclass(frozen=True, slots=True)
class ModuleMemory:
    """The facts about a module: its functions with a body, its globals, and the GPU if known."""

    functions: Mapping[FuncOp, FunctionMemory]
    globals: Globals
    atomics: Atomics | None

    @staticmethod
    def of(functions: Iterable[FuncOp], globals: Globals, atomics: Atomics | None = None) -> "ModuleMemory":
        """The facts about `functions`. Precondition: their constants are at their start."""
        known = {f: FunctionMemory(f, index_integer(f), FunctionConstants(f)) for f in functions}
        return ModuleMemory(known, globals, atomics)

    def access(self, op: Operation, rewriter: PatternRewriter) -> "TensorAccess":
        """An inserter of operations before `op`."""
        function = op.parent_op()
        while not isinstance(function, FuncOp):
            assert function is not None
            function = function.parent_op()
        return TensorAccess(self.functions[function], self, rewriter, InsertPoint.before(op))


@dataclass(frozen=True)
class MemoryPattern(RewritePattern):
    """Base of the patterns that lower an operation on tensors."""

    memory: ModuleMemory


@dataclass(frozen=True, slots=True)
class TensorAccess:
    """The function under rewriting, and the insertion point."""

    function: FunctionMemory
    memory: ModuleMemory
    rewriter: PatternRewriter
    point: InsertPoint

    @property
    def index_type(self) -> IntegerType:
        """The integer type with the width of `index`."""
        return self.function.index_type

    # -- Inserting ---------------------------------------------------------------------------------------------------

    def insert(self, op: OperationT) -> OperationT:
        """Insert `op` at the insertion point."""
        return self.rewriter.insert(op, self.point)

    def value(self, op: Operation) -> SSAValue:
        """Insert `op` at the insertion point; returns its only result."""
        return self.rewriter.insert(op, self.point).results[0]

    def at_start(self, op: Operation) -> SSAValue:
        """Insert `op` at the start of the function, after its constants; returns its only result."""
        return self.rewriter.insert(op, after_constants(self.function.function.body.block)).results[0]

    def within(self, block: Block) -> "TensorAccess":
        """The same access with the insertion point at the end of `block`."""
        return replace(self, point=InsertPoint.at_end(block))

    def cast(self, value: SSAValue, type: Attribute) -> SSAValue:
        """`value` cast to another type with the same bits; `value` itself if it has the type."""
        if value.type == type:
            return value
        if is_arithmetic(value.type) and is_arithmetic(type):
            return self.value(arith.BitcastOp(value, type))
        return self.value(UnrealizedConversionCastOp.get([value], [type]))

    # -- Constants ---------------------------------------------------------------------------------------------------

    def arith_constant(self, value: int, type: Attribute) -> SSAValue:
        """`arith.constant value : type`, for an integer or an integer vector splat."""
        constant = new_operation(arith.ConstantOp, (), (type,), {"value": integer_attribute(value, type)})
        return self.function.constants.get(constant, self.rewriter)

    def llvm_constant(self, value: int, type: IntegerType) -> SSAValue:
        """`llvm.mlir.constant(value : type) : type`."""
        constant = llvm.ConstantOp(integer_attribute(value, type), type)
        return self.function.constants.get(constant, self.rewriter)

    def llvm_float(self, value: float, type: Attribute) -> SSAValue:
        """`llvm.mlir.constant(value : type) : type`, for a float type of LLVM."""
        constant = llvm.ConstantOp(FloatAttr(value, cast(AnyFloat, type)), type)
        return self.function.constants.get(constant, self.rewriter)

    # -- Addresses ---------------------------------------------------------------------------------------------------

    def pointer(self, tensor: SSAValue) -> SSAValue:
        """The address of the first element of `tensor`."""
        match tensor.owner:
            case UnrealizedConversionCastOp(inputs=[source]) if isinstance(source.type, llvm.LLVMPointerType):
                return source
            case _:
                return self.cast(tensor, POINTER)

    def index(self, indices: Sequence[SSAValue]) -> Index:
        """The number of the element at `indices`. Raises `PassFailedException` for more than one index."""
        if len(indices) > 1:
            raise PassFailedException(
                f"a tensor is accessed with {len(indices)} indices: run xla-gpu-flatten-tensors first, it leaves one"
            )
        if not indices:
            return 0
        constant = constant_value(indices[0])
        if constant is not None:
            return constant
        return self.value(new_operation(IndexCastUIOp, (indices[0],), (self.index_type,)))

    def address(self, tensor: SSAValue, index: Index) -> SSAValue:
        """
        The address of element `index` of `tensor`, or of the byte that holds it.

        `%t[%i]` -> `llvm.getelementptr inbounds %p[0, %i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<N x T>`.
        """
        type = tensor_type(tensor)
        index = self.byte_index(index, ElementLayout(type.element_type))
        pointer = self.pointer(tensor)
        if isinstance(index, int) and index > MAX_GEP_CONSTANT:
            index = self.llvm_constant(index, self.index_type)
        dynamic = () if isinstance(index, int) else (index,)
        constants = raw_indices(index if isinstance(index, int) else llvm.GEP_USE_SSA_VAL)
        properties = {**ELEMENT_POINTER, "rawConstantIndices": constants, "elem_type": array_type(type)}
        return self.value(new_operation(llvm.GEPOp, (pointer, *dynamic), (POINTER,), properties))

    def alignment(self, tensor: SSAValue, step: int, natural: int) -> int:
        """
        The known alignment in bytes of an access at a multiple of `step` bytes from the start of `tensor`.

        An argument has its `llvm.align`, by default the `natural` alignment of the access. Shared memory is aligned as
        such accesses need.
        """
        start = 1
        match self.pointer(tensor):
            case BlockArgument(block=block, index=index) if block is self.function.function.body.block:
                known = attributes_of_argument(self.function.function, index).get(ALIGN)
                start = known.value.data if isa(known, IntegerAttr) else natural
            case OpResult(op=AddrSpaceCastOp(arg=OpResult(op=llvm.AddressOfOp(global_name=name)))):
                alignment = gcd(step, WIDEST_ACCESS)
                start = self.memory.globals.align(name.root_reference.data, alignment, self.rewriter)
            case _:
                pass
        return gcd(start, step)

    def bit_offset(self, index: Index, layout: ElementLayout) -> Index:
        """The bit offset of element `index` in its byte: an i8 if not constant; 0 if elements take whole bytes."""
        if not layout.is_packed:
            return 0
        if isinstance(index, int):
            return index % layout.per_byte * layout.bits
        place = self.value(arith.AndIOp(index, self.arith_constant(layout.per_byte - 1, self.index_type)))
        place = self.value(arith.TruncIOp(place, i8)) if self.index_type != i8 else place
        return self.value(arith.MuliOp(place, self.arith_constant(layout.bits, i8)))

    def byte_index(self, index: Index, layout: ElementLayout) -> Index:
        """The number of the byte of element `index` if elements share bytes; otherwise `index`."""
        if not layout.is_packed:
            return index
        if isinstance(index, int):
            return index // layout.per_byte
        shift = layout.per_byte.bit_length() - 1
        return self.value(arith.ShRUIOp(index, self.arith_constant(shift, self.index_type)))

    # -- Values ------------------------------------------------------------------------------------------------------

    def from_memory(self, loaded: SSAValue, type: Attribute) -> SSAValue:
        """A loaded value converted to `type`: an i1, or each of a vector, is whether its byte is not 0."""
        if element_type_of(type) == i1:
            return self.value(compare("ne", loaded, self.arith_constant(0, loaded.type)))
        return self.cast(loaded, type)

    def to_memory(self, value: SSAValue) -> SSAValue:
        """`value` in its stored form: an i1, or each of a vector, is extended to a byte."""
        if element_type_of(value.type) == i1:
            bytes = with_element_type(value.type, i8)
            return self.value(ExtUIOp.create(operands=[value], result_types=[bytes]))
        return self.cast(value, llvm_type(value.type))
