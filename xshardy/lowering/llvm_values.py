"""Types, names and constants as LLVM IR text."""

import re
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from math import isnan
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    VectorType,
)
from xdsl.dialects.llvm import LLVMArrayType, LLVMFunctionType, LLVMPointerType, LLVMStructType, LLVMVoidType
from xdsl.ir import Attribute
from xdsl.utils.exceptions import DiagnosticException
from xdsl.utils.hints import isa

from xshardy.dialects.dense_elements import element_count, is_splat


class LLVMTextError(DiagnosticException):
    """A module cannot be written as LLVM IR text."""


# --- names ------------------------------------------------------------------------------------------------------------

_PLAIN_NAME = re.compile(r"[-a-zA-Z$._][-a-zA-Z$._0-9]*")


def quoted(text: str) -> str:
    """A string literal of LLVM: bytes that are not printable ASCII are written as `\\XX`."""
    return '"' + "".join(map(_escaped, text.encode())) + '"'


def _escaped(byte: int) -> str:
    return chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\' else f"\\{byte:02X}"


def global_name(name: str) -> str:
    """`@name`, in quotes where LLVM needs them."""
    return f"@{name}" if _PLAIN_NAME.fullmatch(name) else f"@{quoted(name)}"


# --- types ------------------------------------------------------------------------------------------------------------

FLOAT_NAMES: Mapping[type[Attribute], tuple[str, str]] = {
    BFloat16Type: ("bfloat", "bf16"),
    Float16Type: ("half", "f16"),
    Float32Type: ("float", "f32"),
    Float64Type: ("double", "f64"),
}
"""The name of a float type in LLVM IR, and its name in overloaded intrinsics."""


@cache
def type_text(type: Attribute) -> str:
    """`type` in LLVM IR. Raises `LLVMTextError` for a type that is not LLVM's."""
    if (names := FLOAT_NAMES.get(type.__class__)) is not None:
        return names[0]
    if isa(type, IntegerType):
        return f"i{type.width.data}"
    if isa(type, VectorType) and type.get_num_dims() == 1:
        return f"<{type.get_shape()[0]} x {type_text(type.element_type)}>"
    match type:
        case LLVMPointerType():
            space = address_space(type)
            return f"ptr addrspace({space})" if space else "ptr"
        case LLVMArrayType():
            return f"[{type.size.data} x {type_text(type.type)}]"
        case LLVMStructType():
            return "{ " + ", ".join(map(type_text, type.types)) + " }" if type.types.data else "{}"
        case LLVMFunctionType():
            inputs = [*map(type_text, type.inputs), *["..."] * bool(type.is_variadic)]
            return f"{type_text(type.output)} ({', '.join(inputs)})"
        case LLVMVoidType():
            return "void"
        case _:
            raise LLVMTextError(f"type {type} is not LLVM's: lower the operations on it with xla-gpu-lower-to-llvm")


def address_space(type: LLVMPointerType) -> int:
    """The number of the address space of a pointer; 0 is the generic one."""
    return type.addr_space.data if isinstance(type.addr_space, IntAttr) else 0


@cache
def mangled(type: Attribute) -> str:
    """`type` in the name of an overloaded intrinsic, such as `v4f32`."""
    if (names := FLOAT_NAMES.get(type.__class__)) is not None:
        return names[1]
    if isa(type, IntegerType):
        return f"i{type.width.data}"
    if isa(type, VectorType):
        return f"v{type.get_shape()[0]}{mangled(type.element_type)}"
    raise LLVMTextError(f"there is no intrinsic on {type}")


# --- constants --------------------------------------------------------------------------------------------------------


def _half(value: float) -> str:
    return "0xH" + struct.pack(">e", value).hex().upper()


def _bfloat(value: float) -> str:
    return "0xR" + BFloat16Type().pack((value,))[::-1].hex().upper()


def _single(value: float) -> str:
    """LLVM writes an f32 as the f64 of the same value. A NaN keeps its payload, whose bits are moved up."""
    return (
        "0x"
        + struct.pack(">d", value if isnan(value) else struct.unpack("<f", struct.pack("<f", value))[0]).hex().upper()
    )


def _double(value: float) -> str:
    return "0x" + struct.pack(">d", value).hex().upper()


FLOAT_LITERALS: Mapping[type[Attribute], Callable[[float], str]] = {
    BFloat16Type: _bfloat,
    Float16Type: _half,
    Float32Type: _single,
    Float64Type: _double,
}


def scalar_text(value: float | tuple[float, float], type: Attribute) -> str:
    """A number, or the two parts of a complex one, as a constant of `type`, exact to the bit."""
    if isinstance(value, tuple):
        assert isinstance(type, LLVMStructType)
        parts = zip(type.types, value, strict=True)
        return f"{{ {', '.join(f'{type_text(part)} {scalar_text(number, part)}' for part, number in parts)} }}"
    if (literal := FLOAT_LITERALS.get(type.__class__)) is not None:
        return literal(value)
    if isa(type, IntegerType):
        return str(int(value)) if type.width.data > 1 else ("true" if value else "false")
    raise LLVMTextError(f"there is no constant {value} of {type} in LLVM")


def constant_text(value: Attribute, type: Attribute) -> str:
    """The constant `value` as an operand of `type`, without the type in front."""
    match value:
        case IntegerAttr():
            return scalar_text(value.value.data, type)
        case FloatAttr():
            return scalar_text(value.value.data, type)
        case DenseIntOrFPElementsAttr():
            return _dense_text(value, type)
        case StringAttr():
            return "c" + quoted(value.data)
        case _:
            raise LLVMTextError(f"{value} is not a constant of LLVM")


def _dense_text(value: DenseIntOrFPElementsAttr, type: Attribute) -> str:
    shape, element = _nest(type)
    elements = cast(Sequence[float | tuple[float, float]], value.get_values())
    if not any(_is_not_zero(number) for number in elements):
        return "zeroinitializer"
    texts = [scalar_text(number, element) for number in (elements[:1] if is_splat(value) else elements)]
    if len(texts) == 1:
        texts *= element_count(value)
    prefix = type_text(element)
    opening, closing = "<>" if isinstance(type, VectorType) else "[]"
    for size in reversed(shape):
        starts = range(0, len(texts), size)
        groups = (", ".join(f"{prefix} {text}" for text in texts[start : start + size]) for start in starts)
        texts = [f"{opening}{group}{closing}" for group in groups]
        prefix = f"{opening}{size} x {prefix}{closing}"
    return texts[0]


def _is_not_zero(number: float | tuple[float, float]) -> bool:
    """Whether any bit of a number is set: -0.0 is not zero."""
    if isinstance(number, tuple):
        return any(map(_is_not_zero, number))
    return bool(number) or str(number).startswith("-")


def _nest(type: Attribute) -> tuple[tuple[int, ...], Attribute]:
    """The sizes of nested arrays, or of a vector, outermost first; and the type inside."""
    if isa(type, VectorType):
        return type.get_shape(), type.element_type
    sizes: list[int] = []
    while isinstance(type, LLVMArrayType):
        sizes.append(type.size.data)
        type = type.type
    return tuple(sizes), type


def float_type_of(type: Attribute) -> AnyFloat | None:
    """The float that `type` is, or has as elements; None if there is none."""
    element = type.element_type if isa(type, VectorType) else type
    return element if isinstance(element, AnyFloat) else None


def joined(parts: Iterable[str]) -> str:
    """The parts that are not empty, with a space between."""
    return " ".join(filter(None, parts))
