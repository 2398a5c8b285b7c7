"""The rule of operations without one that are written in operations of StableHLO: evaluate those."""

from xdsl.dialects import func
from xdsl.ir import Block, Operation

from xshardy.facts.decompositions import decomposed
from xshardy.interpreters.stablehlo.rules import unsupported


def decomposition(op: Operation) -> Block:
    """
    A block that returns the results of `op`, and whose arguments are its operands.

    Raises `InterpretationError` if `op` has no decomposition for its types.
    """
    try:
        block, results = decomposed(op)
    except NotImplementedError as error:
        raise unsupported(op, str(error)) from error
    block.add_op(func.ReturnOp(*results))
    return block
