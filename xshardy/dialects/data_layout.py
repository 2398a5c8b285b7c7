"""The width of `index`, which a module states with `dlti.dl_spec`, as in `#dlti.dl_spec<index = 32 : i32>`."""

from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.dialects.dlti import DataLayoutSpecAttr
from xdsl.ir import Operation
from xdsl.utils.hints import isa

SPEC = "dlti.dl_spec"

DEFAULT_INDEX_WIDTH = 64
"""Bits of an `index` where no enclosing operation states another width."""


def index_width(op: Operation) -> int:
    """The bits of an `index` in `op`, as stated by the closest operation around it that states them, or 64."""
    scope: Operation | None = op
    while scope is not None:
        spec = scope.attributes.get(SPEC)
        if isinstance(spec, DataLayoutSpecAttr):
            for entry in spec.entries:
                if isinstance(entry.key, IndexType) and isa(entry.value, IntegerAttr):
                    return entry.value.value.data
        scope = scope.parent_op()
    return DEFAULT_INDEX_WIDTH


def state_index_width(op: Operation, width: int) -> None:
    """Have an `index` in `op` be `width` bits wide."""
    op.attributes[SPEC] = DataLayoutSpecAttr({IndexType(): IntegerAttr(width, IntegerType(32))})


def index_integer(op: Operation) -> IntegerType:
    """The integer type that is as wide as an `index` in `op`."""
    return IntegerType(index_width(op))
