"""The LLVM type that each type becomes."""

from dataclasses import dataclass, field

from xdsl.dialects.builtin import AnyFloat, ComplexType, FunctionType, IndexType, IntegerType, Signedness, VectorType
from xdsl.dialects.llvm import (
    LLVMArrayType,
    LLVMFunctionType,
    LLVMPointerType,
    LLVMStructType,
    LLVMVoidType,
)
from xdsl.ir import Attribute
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

LLVM_TYPES = (LLVMArrayType, LLVMFunctionType, LLVMPointerType, LLVMStructType)
"""Types that stay what they are. No value or argument is of LLVM's void type."""

NARROWEST_FLOAT = 16
"""Bits of the narrowest float that LLVM has; a narrower one is an integer of its width there."""


@dataclass(frozen=True, slots=True)
class LLVMTypes:
    """Converts types, for a module whose `index` has `index_width` bits."""

    index_width: int = 64
    _unchanged: set[Attribute] = field(default_factory=set[Attribute], init=False, repr=False, compare=False)
    """Types that LLVM has."""
    _converted: dict[Attribute, Attribute] = field(
        default_factory=dict[Attribute, Attribute], init=False, repr=False, compare=False
    )
    """Other types, and their LLVM types."""

    def convert(self, type: Attribute) -> Attribute:
        """The LLVM type of values of `type`, itself if LLVM has it. Raises `PassFailedException` if there is none."""
        if type in self._unchanged:
            return type
        if (converted := self._converted.get(type)) is None:
            converted = self._convert(type)
            if converted == type:
                self._unchanged.add(type)
                return type
            self._converted[type] = converted
        return converted

    def _convert(self, type: Attribute) -> Attribute:
        if isinstance(type, LLVM_TYPES):
            return type
        if isa(type, IntegerType) and type.signedness.data == Signedness.SIGNLESS:
            return type
        if isinstance(type, IndexType):
            return IntegerType(self.index_width)
        if isinstance(type, AnyFloat):
            return type if type.bitwidth >= NARROWEST_FLOAT else IntegerType(type.bitwidth)
        if isa(type, ComplexType):
            return LLVMStructType.from_type_list([self.convert(type.element_type)] * 2)
        if isa(type, VectorType) and type.get_num_dims() <= 1 and not type.get_num_scalable_dims():
            return VectorType(self.convert(type.element_type), type.get_shape() or (1,))
        raise PassFailedException(f"type {type} has no LLVM form: {_advice(type)}")

    def convert_function(self, type: FunctionType) -> LLVMFunctionType:
        """The LLVM type of a function. Several results are one struct."""
        inputs = [self.convert(argument) for argument in type.inputs]
        return LLVMFunctionType(inputs, self.convert_results(type.outputs.data))

    def convert_results(self, types: tuple[Attribute, ...]) -> Attribute:
        """The type that a function with results of `types` returns."""
        converted = [self.convert(result) for result in types]
        match converted:
            case []:
                return LLVMVoidType()
            case [only]:
                return only
            case _:
                return LLVMStructType.from_type_list(converted)


def _advice(type: Attribute) -> str:
    if isinstance(type, VectorType):
        return "unroll it to vectors of one dimension"
    if isinstance(type, IntegerType):
        return "make the integer signless"
    return "lower the operations on it first, tensors with xla-gpu-lower-tensors"
