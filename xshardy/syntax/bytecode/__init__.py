"""
MLIR bytecode: read as modules of xDSL, and written.

`container.py` finds the sections, `attribute_table.py` reads attributes and types by the tables of `builtin.py`,
`sdy.py`, `stablehlo.py` and `vhlo.py`, and `operations.py` builds the operations; `writer.py` is the inverse of them.
Source: MLIR, docs/BytecodeFormat.
"""

import re
from typing import TYPE_CHECKING

from xshardy.syntax.bytecode.errors import BytecodeError
from xshardy.syntax.bytecode.stream import MAGIC

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

__all__ = [
    "ARTIFACT_VERSION",
    "MAGIC",
    "BytecodeError",
    "is_bytecode",
    "read_bytecode",
    "version_of",
    "write_artifact",
    "write_bytecode",
]

PRODUCER = "xshardy"
"""What is said to have written plain bytecode."""

ARTIFACT_VERSION = "1.17.0"
"""The version of StableHLO for which artifacts are written: that of the jaxlib that the tests use."""


def is_bytecode(data: bytes) -> bool:
    """Whether `data` is MLIR bytecode, by its first bytes."""
    return data.startswith(MAGIC)


def read_bytecode(data: bytes, ctx: "Context | None" = None) -> "ModuleOp":
    """
    The module in `data`: MLIR bytecode, also a portable artifact of StableHLO, whose operations become StableHLO's.

    The module is not verified. Raises `BytecodeError`.
    """
    from xdsl.dialects.builtin import ModuleOp

    from xshardy.syntax.bytecode.container import open_container
    from xshardy.syntax.bytecode.operations import OperationReader
    from xshardy.universe import new_context

    try:
        operations = OperationReader(open_container(data), ctx or new_context()).read()
    except RecursionError:
        raise BytecodeError("the bytecode is nested too deeply") from None
    match operations:
        case [ModuleOp() as module]:
            return module
        case _:
            return ModuleOp(operations)


def write_bytecode(module: "Operation") -> bytes:
    """`module` as MLIR bytecode, with the operations as they are. Raises `BytecodeError`."""
    return _written(module, None, PRODUCER)


def write_artifact(module: "Operation", version: str = ARTIFACT_VERSION) -> bytes:
    """
    `module` as a portable artifact of StableHLO, which StableHLO reads from `version` on, and JAX as an `Exported`.

    Operations of StableHLO and func are written in VHLO, others as they are. Raises `BytecodeError` for what `version`
    lacks, and `ValueError` for a version that is not known.
    """
    return _written(module, version_of(version), f"StableHLO_v{version}")


def version_of(version: str) -> "tuple[int, int]":
    """`"1.5.0"` -> `(1, 5)`. Raises `ValueError` for a version of StableHLO that is not known here."""
    from xshardy.syntax.bytecode.vhlo import NEWEST, OLDEST, text_of

    match = re.fullmatch(r"([0-9]{1,4})\.([0-9]{1,4})\.[0-9]{1,4}", version)
    numbers = (int(match[1]), int(match[2])) if match is not None else (0, 0)
    if not OLDEST <= numbers <= NEWEST:
        raise ValueError(
            f"StableHLO '{version}': artifacts are written for versions from {text_of(OLDEST)} to {text_of(NEWEST)}"
        )
    return numbers


def _written(module: "Operation", version: "tuple[int, int] | None", producer: str) -> bytes:
    from xshardy.syntax.bytecode.writer import BytecodeWriter

    try:
        return BytecodeWriter(version).write(module, producer)
    except RecursionError:
        raise BytecodeError("the module is nested too deeply") from None
