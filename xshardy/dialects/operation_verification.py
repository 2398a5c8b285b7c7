"""
Verification of operations, each in time that does not depend on the size of the module around it.

xDSL 0.75 verifies the same, but counts the blocks of a region at each of its terminators, and reads the symbol table up
to the callee at each call: n blocks, or n calls of n functions, take n * n steps.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from xdsl.ir import ErasedSSAValue, Operation, OpTraits
from xdsl.irdl import IRDLOperation, OpDef
from xdsl.traits import IsTerminator, NoTerminator, SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.alike_verification import AlikeVerification
from xshardy.dialects.symbols import find_function, find_symbol
from xshardy.ir.fields import operands_of

if TYPE_CHECKING:
    from xdsl.dialects import func, llvm


class OperationVerification:
    """Verifies operations of one module, and those that are alike once."""

    def __init__(self) -> None:
        self._alike = AlikeVerification()

    def verify(self, op: Operation) -> None:
        """
        What `op.verify(verify_nested_ops=False)` verifies. Raises `VerifyException`.

        Raises `ValueError` if an operand is erased: that is a bug in a pass.
        """
        for operand in operands_of(op):
            if type(operand) is ErasedSSAValue:
                raise ValueError("Erased SSA value is used by the operation")
        _verify_place(op)
        try:
            if (check_symbols := SYMBOL_USERS.get(op.name)) is not None and isinstance(op, IRDLOperation):
                _without_symbol_uses(type(op)).verify(op)
                check_symbols(op)
            else:
                self._alike.verify(op)
        except VerifyException as error:
            op.emit_error(f"Operation does not verify: {error}", error)


def _verify_place(op: Operation) -> None:
    """An operation with successors, or last in its block, is a terminator; its successors are blocks beside its own."""
    block = op.parent
    region = None if block is None else block.parent
    if op.successors:
        if block is None or region is None or block.last_op is not op:
            raise VerifyException("operation with block successors must terminate its parent block")
        if any(successor.parent is not region for successor in op.successors):
            raise VerifyException("branching to block of a different region")
    if block is None or region is None or block.last_op is not op or op.has_trait(IsTerminator):
        return
    may_end_anyhow = region.parent is None or region.parent.has_trait(NoTerminator)
    if region.first_block is not region.last_block or not may_end_anyhow:
        raise VerifyException("block with no terminator: this is its last operation")


@cache
def _without_symbol_uses(op_type: type[IRDLOperation]) -> OpDef:
    """The definition of `op_type` without the traits that verify what its symbols refer to."""
    definition = op_type.get_irdl_definition()
    kept = tuple(trait for trait in definition.traits if not isinstance(trait, SymbolUserOpInterface))
    return replace(definition, traits=OpTraits(lambda: kept))


def _calls_function(op: "func.CallOp") -> None:
    """The callee is a function of the types of the operands and of the results."""
    function = find_function(op, op.callee)
    if function is None:
        raise VerifyException(f"'{op.callee.string_value()}' does not reference a valid function")
    type = function.function_type
    if len(type.inputs) != len(op.arguments):
        raise VerifyException("incorrect number of operands for callee")
    for index, (expected, operand) in enumerate(zip(type.inputs, op.arguments, strict=True)):
        if operand.type != expected:
            raise VerifyException(
                f"operand type mismatch: expected operand type '{expected}', but provided '{operand.type}' for operand "
                f"number {index}"
            )
    if len(type.outputs) != len(op.results):
        raise VerifyException("incorrect number of results for callee")
    for index, (expected, result) in enumerate(zip(type.outputs, op.results, strict=True)):
        if result.type != expected:
            raise VerifyException(
                f"result type mismatch at index {index}: the result is a '{result.type}', but the function returns a "
                f"'{expected}'"
            )


def _calls_llvm_function(op: "llvm.CallOp") -> None:
    """The callee, if it is named, is an `llvm.func`."""
    if op.callee is None:
        return
    function = find_symbol(op, op.callee)
    if function is None:
        raise VerifyException(f"'{op.callee.string_value()}' does not reference a symbol in the current scope")
    if function.name != "llvm.func":
        raise VerifyException(f"'{op.callee.string_value()}' does not reference a valid LLVM function")


SYMBOL_USERS: Mapping[str, Callable[[Any], None]] = {
    "func.call": _calls_function,
    "llvm.call": _calls_llvm_function,
}
"""
What xDSL's traits verify of the symbols that an operation refers to, by its name, so that no dialect is loaded for its
row. Each raises `VerifyException`.
"""
