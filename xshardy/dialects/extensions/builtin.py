"""What upstream's builtin dialect has for each context: the resources of its modules."""

from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.ir import Dialect


def extend(dialect: Dialect) -> Dialect:
    """
    `dialect`, which is xDSL's builtin one, with no resources yet.

    xDSL keeps those of all modules that a process reads in one place, and renames the second `weights` to `weights_0`.
    """
    return Dialect(dialect.name, list(dialect.operations), list(dialect.attributes), [OpAsmDialectInterface()])
