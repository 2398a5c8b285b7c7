"""
Functions that NVIDIA's runtime has: `vprintf` and `__assertfail`. Source: CUDA's programming guide, "Formatted Output",
"Assertion", and "System Calls" of the PTX writer's guide.

Calls of them become instructions `call.name` when functions are inlined, whose operands are variables in local memory.
"""

import re
from collections.abc import Iterator, Mapping

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.bulk import load_each
from xshardy.ptx.decode import Context, Step
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.row import Row
from xshardy.ptx.instructions.scalar.memory import load_words, store_words
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import Memory
from xshardy.ptx.module import Instruction, Operand
from xshardy.ptx.types import TYPES, Type

_CONVERSION = re.compile(
    rb"%(?:%|(?P<flags>[-+ #0]*)(?P<width>\d*)(?P<precision>\.\d*)?"
    rb"(?P<size>hh|h|ll|l|j|z|t)?(?P<type>[diouxXcsfFeEgGaAp]))"
)
WIDE = (b"l", b"ll", b"j", b"z", b"t")
"""Sizes of 8 bytes."""
MOST_BYTES = 1 << 16
"""Of a string."""
POINTER = TYPES["b64"]


class _Reader:
    """Reads the memory of threads while an instruction is executed."""

    def __init__(self, lanes: Lanes, memory: Memory, instruction: Instruction):
        self.lanes, self.memory, self.instruction = lanes, memory, instruction

    def read(self, thread: int, address: int, size: int) -> bytes:
        where = np.array([address % (1 << 64)], np.uint64)
        return load_each(self.lanes, self.memory, self.instruction, "", np.array([thread]), where, size).tobytes()

    def string(self, thread: int, address: int) -> bytes:
        """The bytes in front of the first zero."""
        found = bytearray()
        while len(found) < MOST_BYTES and (byte := self.read(thread, address + len(found), 1)) != b"\0":
            found += byte
        return bytes(found)

    def pieces(self, thread: int, text: bytes, at: int) -> Iterator[bytes]:
        """`text` with the values of a C structure at an address instead of its conversions."""
        end = 0
        for match in _CONVERSION.finditer(text):
            yield text[end : match.start()]
            end = match.end()
            if match["type"] is None:
                yield b"%"
                continue
            kind = match["type"]
            size = 8 if kind in b"sfFeEgGaAp" or match["size"] in WIDE else 4
            at = -(-at // size) * size
            yield self._converted(match, thread, self.read(thread, at, size))
            at += size
        yield text[end:]

    def _converted(self, match: re.Match[bytes], thread: int, raw: bytes) -> bytes:
        form = (match["flags"] + match["width"] + (match["precision"] or b"")).decode()
        kind = match["type"].decode()
        number = int.from_bytes(raw, "little", signed=kind in "di")
        if kind == "s":
            return (f"%{form}s" % self.string(thread, number).decode("latin-1")).encode("latin-1")
        if kind == "c":
            return (f"%{form}c" % chr(number & 255)).encode("latin-1")
        if kind == "p":
            return (f"%{form}s" % f"{number:#x}").encode()
        if kind in "diouxX":
            return (f"%{form}{kind.replace('i', 'd').replace('u', 'd')}" % number).encode()
        (value,) = np.frombuffer(raw, np.float64).tolist()
        return value.hex().encode() if kind in "aA" else (f"%{form}{kind}" % value).encode()


def _variables(form: Form, context: Context) -> list[Array]:
    """The addresses of the variables in local memory that are the operands."""
    return [np.array([[_address(context, form.instruction, each)]], np.uint64) for each in form.instruction.operands]


def _address(context: Context, instruction: Instruction, operand: Operand) -> int:
    return context.registers.pattern(instruction, operand, POINTER)


def _values(lanes: Lanes, context: Context, instruction: Instruction, where: Array, type: Type) -> Array:
    """What each thread has in a variable."""
    (found,) = load_words(lanes, context.memory, instruction, "local", where, type.bits // 8, 1)
    return np.broadcast_to(found, lanes.shape).reshape(-1)


def formatted_print(form: Form, context: Context) -> Step:
    """`call.vprintf result, format, arguments`: prints for one thread after another; the result is the conversions."""
    result, text, arguments = _variables(form, context)
    instruction = form.instruction

    def execute(lanes: Lanes) -> None:
        reader = _Reader(lanes, context.memory, instruction)
        texts, places = (_values(lanes, context, instruction, where, POINTER) for where in (text, arguments))
        counts = np.zeros(lanes.shape, np.uint32)
        for thread in np.flatnonzero(lanes.active_mask()).tolist():
            template = reader.string(thread, int(texts[thread]))
            printed = b"".join(reader.pieces(thread, template, int(places[thread])))
            context.output(printed.decode("utf-8", "replace"))
            counts.reshape(-1)[thread] = sum(match["type"] is not None for match in _CONVERSION.finditer(template))
        store_words(lanes, context.memory, instruction, "local", result, [counts])

    return execute


def assertion_failure(form: Form, context: Context) -> Step:
    """`call.__assertfail message, file, line, function, size_of_char`: a fault of the threads that come there."""
    message, file, line, function, _ = _variables(form, context)
    instruction, memory = form.instruction, context.memory

    def execute(lanes: Lanes) -> None:
        reader = _Reader(lanes, memory, instruction)
        texts = [_values(lanes, context, instruction, where, POINTER) for where in (message, file, function)]
        lines = _values(lanes, context, instruction, line, TYPES["b32"])

        def describe(thread: int) -> str:
            what, where, who = (reader.string(thread, int(text[thread])).decode("utf-8", "replace") for text in texts)
            return f"fails the assertion `{what}` in {who} ({where}:{int(lines[thread])})"

        memory.faults.report(FaultKind.ASSERTION, instruction.line, lanes, lanes.active_mask(), describe)

    return execute


SYSTEM_CALLS: Mapping[str, Row] = {
    "call.vprintf": Row(formatted_print, "call"),
    "call.__assertfail": Row(assertion_failure, "call"),
}
