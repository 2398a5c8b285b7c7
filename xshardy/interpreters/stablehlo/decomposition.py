"""The rule of operations without one that are written in operations of StableHLO: evaluate those."""

from xdsl.builder import Builder
from xdsl.dialects import func
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint

from xshardy.dialects.decomposable import DecomposableOpInterface
from xshardy.dialects.stablehlo.building import Tensors
from xshardy.interpreters.stablehlo.rules import unsupported


def decomposition(op: Operation) -> Block:
    """
    A block that returns the results of `op`, and whose arguments are its operands.

    Raises `InterpretationError` if `op` has no decomposition for its types.
    """
    block = Block(arg_types=op.operand_types)
    copy = op.clone(dict(zip(op.operands, block.args, strict=False)))
    assert isinstance(copy, DecomposableOpInterface)
    try:
        results = copy.decompose(Tensors(Builder(InsertPoint.at_end(block))))
    except NotImplementedError as error:
        raise unsupported(op, str(error)) from error
    block.add_op(func.ReturnOp(*results))
    return block
