"""The builtin dialect with its own resources in each context, as upstream."""

from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.ir import Dialect


def extend(dialect: Dialect) -> Dialect:
    """
    xDSL's builtin `dialect`, with an empty set of resources.

    xDSL has one set for all modules of a process, and renames the second `weights` to `weights_0`.
    """
    return Dialect(dialect.name, list(dialect.operations), list(dialect.attributes), [OpAsmDialectInterface()])
