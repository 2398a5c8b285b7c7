"""
The rules of XLA's verifier for buffers, `b(f32[4])`: memory that calls write in place.

Pin makes one of an array, CreateBuffer one without contents, Unpin an array again. Other custom calls write it: their
result is the same memory after that, and the operand must not be used again.
"""

from collections.abc import Mapping, Sequence

from xdsl.ir import BlockArgument, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.calls import buffers_in
from xshardy.hlo_text.async_opcodes import stem_of
from xshardy.hlo_text.errors import HLOError
from xshardy.hlo_text.instruction import Instruction
from xshardy.hlo_text.lexer import Tokens

TAKE_BUFFERS = frozenset({"custom-call", "get-tuple-element", "tuple", "while"})
"""The opcodes, besides those of parameters and asynchronous instructions, that take and give buffers."""
UNPIN = 'make it an array first: `f32[4] custom-call(b), custom_call_target="Unpin"`'


def has_buffer(value: SSAValue) -> bool:
    """Whether `value` is a buffer, or a tuple with one in it."""
    return any(True for _ in buffers_in(value.type))


def check_takes_buffers(instruction: Instruction) -> None:
    """Raise `HLOError` if an operand of `instruction` is a buffer, and it must not be."""
    if instruction.opcode in TAKE_BUFFERS or stem_of(instruction.opcode)[1]:
        return
    for number, operand in enumerate(instruction.operands):
        if has_buffer(operand):
            raise instruction.error(f"operand {number} is a buffer", UNPIN)


def check_buffers(values: Mapping[SSAValue, int], root: SSAValue, is_entry: bool, tokens: Tokens) -> None:
    """
    Raise `HLOError` if a computation that returns `root` breaks a rule.

    `values` are those with buffers, each with the token of its opcode: parameters of the entry are none of them, and
    each is written once at most.
    """
    for value, at in values.items():
        if isinstance(value, BlockArgument) and is_entry:
            raise tokens.error("a parameter of ENTRY is a buffer", 'pin an array: custom_call_target="Pin"', at)
        for path in buffers_in(value.type):
            if count_writers(value, path, None if is_entry else root) > 1:
                raise more_than_one_writer(tokens, at)


def more_than_one_writer(tokens: Tokens, at: int) -> HLOError:
    """The error about a buffer that the instruction at token `at` gives."""
    return tokens.error(
        "this buffer is written or unpinned more than once", "use the result of each call in the next one", at
    )


def count_writers(value: SSAValue, path: Sequence[int], root: SSAValue | None) -> int:
    """
    The number of uses that write the buffer in `value` at `path`, or may do so: loops, and being returned as `root`.
    """
    count = int(value is root)
    for use in value.uses:
        match use.operation:
            case stablehlo.TupleOp() as tuple:
                count += count_writers(tuple.result, (use.index, *path), root)
            case stablehlo.GetTupleElementOp() as element:
                if element.index.value.data == path[0]:
                    count += count_writers(element.result, path[1:], root)
            case _:
                count += 1
    return count
