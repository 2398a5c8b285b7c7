"""The errors for names that are not defined: of opcodes, operands and computations. They say what may be meant."""

from collections.abc import Collection

from xshardy.hlo_text.errors import HLOError
from xshardy.hlo_text.fields import ComputationName
from xshardy.hlo_text.lexer import Tokens
from xshardy.hlo_text.opcodes import OPCODES
from xshardy.syntax.close_names import close_names, question_of


def no_such_opcode(tokens: Tokens, opcode: str, at: int) -> HLOError:
    """The error for an opcode without a row."""
    return tokens.error(f"unknown opcode '{opcode}'", question_of(close_names(opcode, OPCODES)), at)


def undefined_operand(tokens: Tokens, name: str, at: int, values: Collection[str]) -> HLOError:
    """The error for an operand that no instruction above defines. `values` are the names that are defined."""
    texts = tokens.texts
    is_later = any(texts[i].removeprefix("%") == name and texts[i + 1] == "=" for i in range(at, len(texts) - 1))
    if name in texts[at:] and is_later:
        hint = "an instruction comes after its operands: move it down"
    else:
        hint = question_of(close_names(name, values)) or "operands are instructions of the same computation"
    return tokens.error(f"undefined operand '{name}'", hint, at)


def undefined_computation(tokens: Tokens, callee: ComputationName, caller: str) -> HLOError:
    """The error for a computation that `caller` calls, and that is not read yet."""
    if callee.name == caller:
        return tokens.error(f"recursive call: computation '{caller}' calls itself", "HLO has no recursion", callee.at)
    texts = tokens.texts
    is_later = any(
        texts[i].removeprefix("%") == callee.name and texts[i + 1] in ("{", "(") and texts[i - 1] in ("}", "ENTRY")
        for i in range(callee.at, len(texts) - 1)
    )
    hint = (
        "computations come before those that call them, and HLO has no recursion: move it up"
        if is_later
        else "define it above"
    )
    return tokens.error(f"computation '{callee.name}' is not defined", hint, callee.at)
