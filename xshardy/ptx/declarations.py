"""Reads declarations of registers, variables and parameters. Source: PTX ISA, "State Spaces" and "Variables"."""

import re
from collections.abc import Iterator, Sequence
from math import prod
from typing import TypeAlias

import numpy as np

from xshardy.ptx.constants import WARP_SIZE, read_constant
from xshardy.ptx.module import Formal, Parameter, Pointer, Symbol, Variable
from xshardy.ptx.operands import read_float
from xshardy.ptx.types import REFERENCES, TYPES, Kind, Type

_REGISTERS = re.compile(r"\.reg\s*(?:\.v([248])\s*)?\.(\w+)\s+(.*)", re.DOTALL)
_REGISTER = re.compile(r"([\w$%]+?)(?:<(\d+)>)?")
_VARIABLE = re.compile(
    r"(?P<linking>(?:\.(?:visible|weak|extern|common)\s*)*)\.(?P<space>global|shared|local|const|param)\s*"
    r"(?:\.attribute\([^)]*\)\s*)?(?:\.align\s+(?P<align>\d+)\s*)?(?:\.v(?P<width>[248])\s*)?\.(?P<type>\w+)\s+"
    r"(?P<name>[\w$%]+)(?P<dimensions>(?:\s*\[[^]]*\])*)\s*(?:=\s*(?P<initial>.*))?",
    re.DOTALL,
)
_PARAMETER = re.compile(
    r"\.param\s*(?:\.align\s+(?P<align>\d+)\s*)?\.(?P<type>\w+)\s+"
    r"(?:\.ptr\s*)?(?:\.(?:global|shared|const|local)\s*)?(?:\.align\s+\d+\s+)?"
    r"(?P<name>[\w$%]+)(?P<dimensions>(?:\[[^]]*\])*)"
)
_IN_REGISTER = re.compile(r"\.reg\s*\.(\w+)\s+([\w$%]+)")
_NESTING = re.compile(r"[{(]")
_POINTER = re.compile(
    r"(?:(?P<mask>0[xX][0-9a-fA-F]+)\s*\(\s*)?(?:generic\s*\(\s*)?(?P<name>[A-Za-z_$][\w$.]*)[\s)]*"
    r"(?P<offset>[+-][^)]*)?\)?"
)


class DeclarationError(ValueError):
    """Text that is no declaration the machine knows."""


def type_named(name: str) -> Type:
    """The type `.name`. Raises `DeclarationError` for an unknown one."""
    if name not in TYPES:
        raise DeclarationError(f"unknown type .{name}")
    return TYPES[name]


def read_registers(text: str) -> Iterator[tuple[str, int | None, Type, int]]:
    """The names in `.reg .vN .TYPE NAME, NAME<COUNT>`, their counts and type, and how many elements a vector has."""
    match = _REGISTERS.fullmatch(text.strip())
    if match is None:
        raise DeclarationError(f"cannot read the declaration '{text.strip()}'")
    type, width = type_named(match[2]), int(match[1] or 1)
    for part in match[3].split(","):
        register = _REGISTER.fullmatch(part.strip())
        if register is None or (register[2] is not None and width > 1):
            raise DeclarationError(f"cannot read the register '{part.strip()}'")
        yield register[1], None if register[2] is None else int(register[2]), type, width


def read_variable(text: str, line: int) -> Variable:
    """The variable in `.SPACE .align N .TYPE NAME[SIZE] = {...}`, declared in `line`."""
    match = _VARIABLE.fullmatch(text.strip())
    if match is None:
        raise DeclarationError(f"cannot read the declaration '{text.strip()}'")
    type = type_named(match["type"])
    width, size_of_element = int(match["width"] or 1), type.bits // 8
    shape = [read_constant(d) if d.strip() else 0 for d in re.findall(r"\[([^]]*)\]", match["dimensions"])]
    shape += [width] if width > 1 else []
    size, data, pointers = size_of_element * prod(shape), bytearray(), list[Pointer]()
    if match["initial"] is not None:
        for place, initial in _elements(_nested(match["initial"].strip()), shape, 0):
            at = place * size_of_element
            data.extend(bytes(max(at + size_of_element - len(data), 0)))
            if (pointer := _pointer(initial, at, size_of_element)) is not None:
                pointers.append(pointer)
            else:
                data[at : at + size_of_element] = _initial_bytes(initial, type)
        size = max(size, len(data))
    alignment = int(match["align"] or size_of_element * width)
    space = type.name if type.name in REFERENCES else match["space"]
    return Variable(match["name"], space, size, alignment, line, bytes(data), tuple(pointers))


Nested: TypeAlias = "str | list[Nested]"
"""An initial value, or those between braces."""


def _nested(text: str) -> Nested:
    if not text.startswith("{"):
        return text
    inside = text[1:-1]
    if not _NESTING.search(inside):
        return [part.strip() for part in inside.split(",") if part.strip()]
    parts, depth = [""], 0
    for char in inside:
        depth += (char in "{(") - (char in "})")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [_nested(part.strip()) for part in parts if part.strip()]


def _elements(value: Nested, shape: Sequence[int], first: int) -> Iterator[tuple[int, str]]:
    """The elements of an array by their numbers, from `first` on; braces within braces are for a part of the array."""
    if isinstance(value, str):
        yield first, value
        return
    for number, part in enumerate(value):
        step = 1 if isinstance(part, str) else prod(shape[1:])
        yield from _elements(part, shape[1:], first + number * step)


def _pointer(text: str, place: int, size: int) -> Pointer | None:
    """The address in `name + offset`, also in `generic(...)`, or that byte of it which `mask(...)` names."""
    match = _POINTER.fullmatch(text)
    if match is None or match["name"] == WARP_SIZE:
        return None
    mask = read_constant(match["mask"] or "0")
    shift = (mask & -mask).bit_length() - 1 if mask else 0
    return Pointer(place, size, Symbol(match["name"], read_constant(match["offset"] or "0")), shift)


def _initial_bytes(text: str, type: Type) -> bytes:
    """The bytes of an initial value. A floating-point constant has its bits in a variable of bits."""
    size = type.bits // 8
    if (constant := read_float(text)) is None:
        if type.kind is Kind.FLOAT:
            raise DeclarationError(f"'{text}' is no floating-point constant, as a variable of .{type.name} needs")
        return (read_constant(text) % (1 << type.bits)).to_bytes(size, "little")
    if type.kind not in (Kind.FLOAT, Kind.BITS):
        raise DeclarationError(f"'{text}' is no integer, as a variable of .{type.name} needs")
    if constant.bits == 32 and type.kind is Kind.BITS:
        return constant.pattern.to_bytes(4, "little").ljust(size, b"\0")[:size]
    value = np.array(constant.pattern, f"u{constant.bits // 8}").view(f"f{constant.bits // 8}")
    return value.astype(type.dtype if type.kind is Kind.FLOAT else f"f{size}").tobytes()


def read_formals(text: str) -> tuple[Formal, ...]:
    """The results or parameters of a device function: registers, and variables as those of an entry."""
    found: list[Formal] = []
    for part in filter(None, map(str.strip, text.split(","))):
        if (in_register := _IN_REGISTER.fullmatch(part)) is not None:
            found.append(Formal(in_register[2], type_named(in_register[1]), is_register=True))
        else:
            (parameter,) = read_parameters(part)
            found.append(Formal(parameter.name, parameter.type, is_register=False))
    return tuple(found)


def read_parameters(text: str) -> tuple[Parameter, ...]:
    """The parameters of an entry, each at the next offset of its alignment."""
    found: list[Parameter] = []
    offset = 0
    for part in filter(None, map(str.strip, text.split(","))):
        match = _PARAMETER.fullmatch(part)
        if match is None:
            raise DeclarationError(f"cannot read the parameter '{part}'")
        type = type_named(match["type"])
        count = prod(read_constant(d) for d in re.findall(r"\[([^]]*)\]", match["dimensions"]))
        size = type.bits // 8 * count
        alignment = int(match["align"] or type.bits // 8)
        offset = -(-offset // alignment) * alignment
        found.append(Parameter(match["name"], type, size, alignment, offset))
        offset += size
    return tuple(found)
