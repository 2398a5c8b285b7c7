"""What upstream's `llvm` dialect has and xDSL's lacks."""

from xdsl.ir import Dialect

from xshardy.dialects.extensions import extended, llvm_memory


def extend(dialect: Dialect) -> Dialect:
    """`dialect` with the operations and attributes of this module."""
    return extended(dialect, llvm_memory.OPERATIONS, llvm_memory.ATTRIBUTES)
