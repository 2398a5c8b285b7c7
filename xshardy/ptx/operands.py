"""Reads the operands of an instruction: constants, registers, addresses, vectors."""

import re
import struct
from collections.abc import Callable

from xshardy.ptx.constants import WARP_SIZE, ConstantError, read_constant
from xshardy.ptx.module import Address, Float, Integer, Negated, Operand, Pair, Register, Sink, Symbol, Tensor, Vector

_PART = re.compile(r"\s*((?:\{[^}]*\}|\[[^\]]*\]|[^,{\[]+)+)\s*(?:,|$)")
_DECIMAL = re.compile(r"-?\d*\.\d*(?:[eE][-+]?\d+)?")
_HEX_FLOAT = re.compile(r"0[fF]([0-9a-fA-F]{8})|0[dD]([0-9a-fA-F]{16})")
_ADDRESS = re.compile(r"\[\s*(?P<base>[^\s+\-\]]+)\s*(?:(?P<sign>[+-])\s*(?P<offset>.+?))?\s*\]")
_TENSOR = re.compile(r"\[\s*([^,{]+?)\s*,\s*(?:\{([^}]*)\}|([^{},]+?))\s*\]")
_CALL = re.compile(
    r"(?:\((?P<results>[^()]*)\)\s*,\s*)?(?P<name>[A-Za-z_$%][\w$.]*)\s*(?:,\s*\((?P<arguments>[^()]*)\)\s*)?"
    r"(?:,\s*(?P<prototype>[A-Za-z_$%][\w$.]*)\s*)?"
)
_NAME = re.compile(r"[A-Za-z_$%][\w$.]*")
_PAIR = re.compile(r"([A-Za-z_$%][\w$.]*|\{[^{}]*\})\s*\|\s*([A-Za-z_$%][\w$.]*)")
_MOVED = re.compile(r"([A-Za-z_$%][\w$.]*)\s*([+-].*)")


Resolve = Callable[[str], Register | Vector | Symbol]
"""What a name in the text is in its body: a register, the registers of a vector, or else a variable or label."""


class OperandError(ValueError):
    """Text that is no operand."""


def read_operands(text: str, resolve: Resolve) -> tuple[Operand, ...]:
    """The operands in `text`. Raises `OperandError` and `ConstantError`."""
    found: list[Operand] = []
    at = 0
    while at < len(text):
        match = _PART.match(text, at)
        if match is None:
            raise OperandError(f"cannot read the operands '{text.strip()}'")
        found.append(_operand(match[1].strip(), resolve))
        at = match.end()
    return tuple(found)


def read_call(text: str, resolve: Resolve) -> tuple[Operand, ...]:
    """
    The results, the function, and the arguments in `(a), f, (b, c)`: variables, registers and constants. The function
    is a symbol, or a register with its address; a prototype, or list of targets, may follow.
    """
    match = _CALL.fullmatch(text.strip())
    if match is None:
        raise OperandError(f"cannot read the call '{text.strip()}'")
    results, arguments = (
        Vector(read_operands((match[part] or "").strip(), resolve)) for part in ("results", "arguments")
    )
    callee = resolve(match["name"])
    return results, callee if isinstance(callee, Register) else Symbol(match["name"]), arguments


def _operand(text: str, resolve: Resolve) -> Operand:
    first = text[:1]
    if (pair := _PAIR.fullmatch(text)) is not None:
        return Pair(_operand(pair[1], resolve), _operand(pair[2], resolve))
    if first == "{":
        return Vector(read_operands(text[1:-1], resolve))
    if first == "[" and (tensor := _TENSOR.fullmatch(text)) is not None:
        return Tensor(_address(f"[{tensor[1]}]", resolve), Vector(read_operands(tensor[2] or tensor[3], resolve)))
    if first == "[":
        return _address(text, resolve)
    if first == "!" and _NAME.fullmatch(name := text[1:].strip()) and name != WARP_SIZE:
        register = resolve(name)
        if not isinstance(register, Register):
            raise OperandError(f"{name} is no register")
        return Negated(register)
    if text == "_":
        return Sink()
    if (float_bits := read_float(text)) is not None:
        return float_bits
    if _NAME.fullmatch(text) and text != WARP_SIZE:
        return resolve(text)
    moved = _MOVED.fullmatch(text)
    if moved is not None and moved[1] != WARP_SIZE and isinstance(symbol := resolve(moved[1]), Symbol):
        return Symbol(symbol.name, read_constant(moved[2]))
    try:
        return Integer(read_constant(text))
    except ConstantError:
        raise OperandError(f"cannot read the operand '{text}'") from None


def read_float(text: str) -> Float | None:
    """A floating-point constant; None for another text."""
    if float_bits := _HEX_FLOAT.fullmatch(text):
        return Float(int(float_bits[1] or float_bits[2], 16), 32 if float_bits[1] else 64)
    return Float(_bits_of(float(text)), 64) if _DECIMAL.fullmatch(text) else None


def _bits_of(value: float) -> int:
    """The bits of an f64."""
    return int.from_bytes(struct.pack("<d", value), "little")


def _address(text: str, resolve: Resolve) -> Address:
    match = _ADDRESS.fullmatch(text)
    if match is None:
        raise OperandError(f"cannot read the address '{text}'")
    if not _NAME.fullmatch(match["base"]):
        return Address(None, read_constant(text[1:-1]))
    offset = read_constant(match["sign"] + match["offset"]) if match["offset"] else 0
    base = resolve(match["base"])
    if isinstance(base, Vector):
        raise OperandError(f"the address '{text}' is a vector")
    return Address(base, offset)
