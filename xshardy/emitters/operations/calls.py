"""Calls of functions of elements."""

from collections.abc import Sequence

from xdsl.dialects.func import CallOp
from xdsl.ir import SSAValue

from xshardy.emitters.indices import Indices
from xshardy.emitters.operations.operands import Operands


def call(operands: Operands, op: CallOp, indices: Indices) -> Sequence[SSAValue]:
    """Call the function with one element of each operand, and with the indices of the element of the results."""
    elements = [operands.operand(op, i, indices) for i in range(len(op.operands))]
    return operands.apply_body(op, operands.s, elements, indices)
