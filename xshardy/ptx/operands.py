"""Reads the operands of an instruction: constants, registers, addresses, vectors."""

import re
import struct
from collections.abc import Callable, Mapping

from xshardy.ptx.module import Address, Float, Integer, Negated, Operand, Pair, Register, Sink, Symbol, Tensor, Vector

_PART = re.compile(r"\s*((?:\{[^}]*\}|\[[^\]]*\]|[^,{\[]+)+)\s*(?:,|$)")
_INTEGER = re.compile(r"[-+~]?\s*(?:0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?")
_DECIMAL = re.compile(r"-?\d*\.\d*(?:[eE][-+]?\d+)?")
_HEX_FLOAT = re.compile(r"0[fF]([0-9a-fA-F]{8})|0[dD]([0-9a-fA-F]{16})")
_ADDRESS = re.compile(r"\[\s*(?P<base>[^\s+\-\]]+)\s*(?:(?P<sign>[+-])\s*(?P<offset>.+?))?\s*\]")
_TENSOR = re.compile(r"\[\s*([^,{]+?)\s*,\s*\{([^}]*)\}\s*\]")
_CALL = re.compile(
    r"(?:\((?P<results>[^()]*)\)\s*,\s*)?(?P<name>[A-Za-z_$][\w$.]*)\s*(?:,\s*\((?P<arguments>[^()]*)\)\s*)?"
)
_NAME = re.compile(r"[A-Za-z_$%][\w$.]*")

CONSTANTS: Mapping[str, Integer] = {"WARP_SZ": Integer(32)}

Rename = Callable[[str], str]
"""From the name of a register or variable in the text to the one in its body, which inner scopes change."""


class OperandError(ValueError):
    """Text that is no operand."""


def read_operands(text: str, rename: Rename, registers: Callable[[str], bool]) -> tuple[Operand, ...]:
    """The operands in `text`. `registers` says which renamed names are registers. Raises `OperandError`."""
    found: list[Operand] = []
    at = 0
    while at < len(text):
        match = _PART.match(text, at)
        if match is None:
            raise OperandError(f"cannot read the operands '{text.strip()}'")
        found.append(_operand(match[1].strip(), rename, registers))
        at = match.end()
    return tuple(found)


def read_call(text: str, rename: Rename) -> tuple[Operand, ...]:
    """
    The variables of the results, the function, and the variables of the arguments in `(a), f, (b, c)`.

    Raises `OperandError` for a call by a pointer, and for values that are passed in registers.
    """
    match = _CALL.fullmatch(text.strip())
    if match is None:
        raise OperandError(f"cannot read the call '{text.strip()}': it must name a function, and pass variables")

    def variables(names: str | None) -> Vector:
        return Vector(tuple(Symbol(rename(name.strip())) for name in (names or "").split(",") if name.strip()))

    return variables(match["results"]), Symbol(match["name"]), variables(match["arguments"])


def read_integer(text: str) -> int:
    """An integer constant. Raises `OperandError` for another text."""
    if not _INTEGER.fullmatch(text):
        raise OperandError(f"'{text}' is no integer constant")
    digits = text.rstrip("U").replace(" ", "")
    inverted = digits.startswith("~")
    digits = digits.lstrip("~+")
    is_octal = re.fullmatch(r"-?0[0-7]+", digits)
    value = int(digits, 8 if is_octal else 0)
    return ~value if inverted else value


def _operand(text: str, rename: Rename, registers: Callable[[str], bool]) -> Operand:
    first = text[:1]
    if first == "{":
        return Vector(read_operands(text[1:-1], rename, registers))
    if first == "[" and (tensor := _TENSOR.fullmatch(text)) is not None:
        coordinates = Vector(read_operands(tensor[2], rename, registers))
        return Tensor(_address(f"[{tensor[1]}]", rename, registers), coordinates)
    if first == "[":
        return _address(text, rename, registers)
    if first == "!":
        name = rename(text[1:].strip())
        if not registers(name):
            raise OperandError(f"{text[1:].strip()} is no register")
        return Negated(Register(name))
    if text == "_":
        return Sink()
    if "|" in text:
        one, other = text.split("|")
        return Pair(_operand(one.strip(), rename, registers), _operand(other.strip(), rename, registers))
    if float_bits := _HEX_FLOAT.fullmatch(text):
        return Float(int(float_bits[1] or float_bits[2], 16), 32 if float_bits[1] else 64)
    if _INTEGER.fullmatch(text):
        return Integer(read_integer(text))
    if text in CONSTANTS:
        return CONSTANTS[text]
    if _NAME.fullmatch(text):
        name = rename(text)
        return Register(name) if registers(name) else Symbol(name)
    if "+" in text and _NAME.fullmatch(text.partition("+")[0].strip()):
        symbol, _, offset = text.partition("+")
        return Symbol(symbol.strip(), read_integer(offset.strip()))
    if _DECIMAL.fullmatch(text):
        return Float(_bits_of(float(text)), 64)
    raise OperandError(f"cannot read the operand '{text}'")


def _bits_of(value: float) -> int:
    """The bits of an f64."""
    return int.from_bytes(struct.pack("<d", value), "little")


def _address(text: str, rename: Rename, registers: Callable[[str], bool]) -> Address:
    match = _ADDRESS.fullmatch(text)
    if match is None:
        raise OperandError(f"cannot read the address '{text}'")
    offset = read_integer(match["offset"]) if match["offset"] else 0
    if match["sign"] == "-":
        offset = -offset
    if _INTEGER.fullmatch(match["base"]):
        return Address(None, read_integer(match["base"]) + offset)
    name = rename(match["base"])
    return Address(Register(name) if registers(name) else Symbol(name), offset)
