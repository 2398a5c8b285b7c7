"""
Replacement of an operation by one of another class with the same operands and results, whose values stay the same.

`PatternRewriter.replace` makes new results, and so rewrites the operands of every user.
"""

from xdsl.ir import Operation, OpResult
from xdsl.ir.core import SSAValues
from xdsl.pattern_rewriter import PatternRewriter

_NO_VALUES: SSAValues = SSAValues()
_NO_RESULTS: SSAValues[OpResult] = SSAValues()


def replace_by_twin(op: Operation, twin: Operation, rewriter: PatternRewriter) -> None:
    """
    `f(x)` -> `g(x)`, where `g` is `twin`, an operation without operands and results: it takes over those of `op`.

    It takes over the location too. Operands and results are right for the class of `twin`; `op` has no successors.
    """
    twin.location = op.location
    twin.results, twin._operands, twin._operand_uses = op.results, op._operands, op._operand_uses
    op.results, op._operands, op._operand_uses = _NO_RESULTS, _NO_VALUES, ()
    for result in twin.results:
        result.op = twin
    for use in twin._operand_uses:
        use._operation = twin
    rewriter.replace(op, twin, ())
    if rewriter.operation_modification_handler:
        for result in twin.results:
            for use in result.uses:
                rewriter.handle_operation_modification(use.operation)
