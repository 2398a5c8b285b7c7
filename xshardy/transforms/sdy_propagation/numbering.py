"""The numbers that values and operations of a module have in the propagation engine."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from xshardy.sharding.propagation import NO_VALUE

NO_OPERATION = -1
"""The number of what makes an argument: no operation."""


@dataclass(frozen=True, slots=True)
class FunctionResult:
    """A result of a function, as the home of a sharding."""

    function: FuncOp
    index: int


Home = SSAValue | FunctionResult
"""Where the sharding of a value is written: at what makes it, or with the arguments or results of its function."""


@dataclass(slots=True)
class Numbering:
    """Which number each value and operation has, and which value and operation each number stands for."""

    values: dict[int, int] = field(default_factory=dict[int, int])
    """The number of a value by its identity; hashing an `SSAValue` itself would take several times as long."""
    operations: dict[int, int] = field(default_factory=dict[int, int])
    """The number of an operation by its identity."""
    homes: list[Home | None] = field(default_factory=lambda: [None])
    """By the number of a value, where its sharding is written."""
    ops: list[Operation] = field(default_factory=list[Operation])
    """By its number, the operation."""
    with_written_rule: list[Operation] = field(default_factory=list[Operation])
    """The operations that had a rule already when the module was read."""
    around: dict[int, Sequence[int]] = field(default_factory=dict[int, Sequence[int]])
    """By the number of an operation those of the operations around it, inner first, through which shardings go."""
    makers: list[int] = field(default_factory=lambda: [NO_OPERATION])
    """By the number of a value the operation that makes it; `NO_OPERATION` for arguments and results of functions."""
    users: list[list[int]] = field(default_factory=lambda: [[]])
    """By the number of a value the operations that read it and have a number, in the order of the text."""
    aliased: set[int] = field(default_factory=lambda: {NO_VALUE})
    """The numbers of several values, whose uses are not those of their home; edges aside, whose result all read."""
    indirect: set[int] = field(default_factory=lambda: {NO_VALUE})
    """The values for which these lists do not tell all: other operations read them too, or give them on."""

    def value(self, value: SSAValue) -> int:
        """The number of `value`; `NO_VALUE` if it cannot be sharded."""
        return self.values.get(id(value), NO_VALUE)
