"""The numbers of values and operations of a module in the propagation engine."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from xshardy.sharding.program import NO_VALUE

NO_OPERATION = -1
"""The number in place of the defining operation of a value that is an argument."""


@dataclass(frozen=True, slots=True)
class FunctionResult:
    """A result of a function, as the home of a sharding."""

    function: FuncOp
    index: int


Home = SSAValue | FunctionResult
"""Where the sharding of a value is written: on its defining operation, or on the function."""


@dataclass(slots=True)
class Numbering:
    """The numbers of values and operations, and the values and operations by number."""

    values: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """The number of each value."""
    operations: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """The number of each operation."""
    homes: list[Home | None] = field(default_factory=lambda: [None])
    """By value, where its sharding is written."""
    ops: list[Operation] = field(default_factory=list[Operation])
    """By number, the operation."""
    with_written_rule: list[Operation] = field(default_factory=list[Operation])
    """The operations with a rule in the input."""
    around: dict[int, Sequence[int]] = field(default_factory=dict[int, Sequence[int]])
    """By operation, the operations around it that shardings propagate through, inner first."""
    definitions: list[int] = field(default_factory=lambda: [NO_OPERATION])
    """By value, the operation that defines it; `NO_OPERATION` for arguments and results of functions."""
    users: list[list[int]] = field(default_factory=lambda: [[]])
    """By value, the numbered operations that use it, in text order."""
    aliased: set[int] = field(default_factory=lambda: {NO_VALUE})
    """The numbers shared by several SSA values, so that the uses of the home are not all uses; without edges."""
    indirect: set[int] = field(default_factory=lambda: {NO_VALUE})
    """The values whose dependents are more than `definitions` and `users`, such as uses across edges or calls."""

    def value(self, value: SSAValue) -> int:
        """The number of `value`; `NO_VALUE` if it cannot be sharded."""
        return self.values.get(value, NO_VALUE)
