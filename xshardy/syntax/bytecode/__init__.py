"""
MLIR bytecode: read as modules of xDSL, and written.

`container.py` finds the sections, `attribute_table.py` reads attributes and types by the tables of `builtin.py`,
`stablehlo.py` and `vhlo.py`, and `operations.py` builds the operations. Source: MLIR, docs/BytecodeFormat.
"""

from typing import TYPE_CHECKING

from xshardy.syntax.bytecode.errors import BytecodeError
from xshardy.syntax.bytecode.stream import MAGIC

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

__all__ = ["MAGIC", "BytecodeError", "is_bytecode", "read_bytecode"]


def is_bytecode(data: bytes) -> bool:
    """Whether `data` is MLIR bytecode, by its first bytes."""
    return data.startswith(MAGIC)


def read_bytecode(data: bytes, ctx: "Context | None" = None) -> "ModuleOp":
    """
    The module in `data`: MLIR bytecode, also a portable artifact of StableHLO, whose operations become StableHLO's.

    The module is not verified. Raises `BytecodeError`.
    """
    from xdsl.dialects.builtin import ModuleOp

    from xshardy.garbage import collection_suspended
    from xshardy.syntax.bytecode.container import open_container
    from xshardy.syntax.bytecode.operations import OperationReader
    from xshardy.universe import new_context

    try:
        with collection_suspended():
            operations = OperationReader(open_container(data), ctx or new_context()).read()
    except RecursionError:
        raise BytecodeError("the bytecode is nested too deeply") from None
    match operations:
        case [ModuleOp() as module]:
            return module
        case _:
            return ModuleOp(operations)
