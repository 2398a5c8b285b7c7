"""The one block of a function."""

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block

from xshardy.transforms.failures import OperationFailedException


def body_of(function: FuncOp) -> Block:
    """
    The block of `function`, which has a body.

    Raises `OperationFailedException` if it has several: a value may then come along several paths, and the passes of
    Shardy know only operations with regions, such as `stablehlo.while`.
    """
    blocks = function.body.blocks
    if len(blocks) != 1:
        raise OperationFailedException(
            function,
            f"@{function.sym_name.data} has {len(blocks)} blocks, and shardings go through functions of one block: "
            "write branches and loops as operations with regions, such as `stablehlo.if` and `stablehlo.while`",
        )
    return blocks[0]
