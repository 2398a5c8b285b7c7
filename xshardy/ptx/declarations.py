"""Reads declarations of registers, variables and parameters. Source: PTX ISA, "State Spaces" and "Variables"."""

import re
from collections.abc import Iterator
from math import prod

import numpy as np

from xshardy.ptx.module import Parameter, Variable
from xshardy.ptx.operands import read_integer
from xshardy.ptx.types import TYPES, Type

_REGISTERS = re.compile(r"\.reg\s+\.(\w+)\s+(.*)", re.DOTALL)
_REGISTER = re.compile(r"([\w$%]+?)(?:<(\d+)>)?")
_VARIABLE = re.compile(
    r"(?P<linking>(?:\.(?:visible|weak|extern|common)\s+)*)\.(?P<space>global|shared|local|const|param)\s+"
    r"(?:\.attribute\([^)]*\)\s*)?(?:\.align\s+(?P<align>\d+)\s+)?\.(?P<type>\w+)\s+"
    r"(?P<name>[\w$%]+)(?P<dimensions>(?:\s*\[\s*\w*\s*\])*)\s*(?:=\s*(?P<initial>.*))?",
    re.DOTALL,
)
_PARAMETER = re.compile(
    r"\.param\s+(?:\.align\s+(?P<align>\d+)\s+)?\.(?P<type>\w+)\s+"
    r"(?P<pointer>\.ptr\s+)?(?:\.(?:global|shared|const|local)\s+)?(?:\.align\s+\d+\s+)?"
    r"(?P<name>[\w$%]+)(?P<dimensions>(?:\[\s*\d+\s*\])*)"
)


class DeclarationError(ValueError):
    """Text that is no declaration the machine knows."""


def type_named(name: str) -> Type:
    """The type `.name`. Raises `DeclarationError` for an unknown one."""
    if name not in TYPES:
        raise DeclarationError(f"unknown type .{name}")
    return TYPES[name]


def read_registers(text: str) -> Iterator[tuple[str, int | None, Type]]:
    """The names in `.reg .TYPE NAME, NAME<COUNT>`, their counts and type."""
    match = _REGISTERS.fullmatch(text.strip())
    if match is None:
        raise DeclarationError(f"cannot read the declaration '{text.strip()}'")
    type = type_named(match[1])
    for part in match[2].split(","):
        register = _REGISTER.fullmatch(part.strip())
        if register is None:
            raise DeclarationError(f"cannot read the register '{part.strip()}'")
        yield register[1], None if register[2] is None else int(register[2]), type


def read_variable(text: str, line: int) -> Variable:
    """The variable in `.SPACE .align N .TYPE NAME[SIZE] = {...}`, declared in `line`."""
    match = _VARIABLE.fullmatch(text.strip())
    if match is None:
        raise DeclarationError(f"cannot read the declaration '{text.strip()}'")
    type = type_named(match["type"])
    dimensions = re.findall(r"\[\s*(\w*)\s*\]", match["dimensions"])
    size = type.bits // 8 * prod(read_integer(d) if d else 0 for d in dimensions)
    initial = b""
    if match["initial"] is not None:
        numbers = re.findall(r"[^\s{},]+", match["initial"])
        values = np.array([read_integer(number) % (1 << type.bits) for number in numbers], f"u{type.bits // 8}")
        initial = values.tobytes().ljust(size, b"\0")
    alignment = int(match["align"] or type.bits // 8)
    return Variable(match["name"], match["space"], max(size, len(initial)), alignment, line, initial)


def read_parameters(text: str) -> tuple[Parameter, ...]:
    """The parameters of an entry, each at the next offset of its alignment."""
    found: list[Parameter] = []
    offset = 0
    for part in filter(None, map(str.strip, text.split(","))):
        match = _PARAMETER.fullmatch(part)
        if match is None:
            raise DeclarationError(f"cannot read the parameter '{part}'")
        type = type_named(match["type"])
        count = prod(int(d) for d in re.findall(r"\[\s*(\d+)\s*\]", match["dimensions"]))
        size = type.bits // 8 * count
        alignment = int(match["align"] or type.bits // 8)
        offset = -(-offset // alignment) * alignment
        found.append(Parameter(match["name"], type, bool(match["pointer"]), size, alignment, offset))
        offset += size
    return tuple(found)
