"""The operations to which patterns are still to be applied, until nothing changes."""

from collections.abc import Mapping, Sequence
from typing import final

from xdsl.ir import Operation, OpResult, SSAValue

from xshardy.ir.fields import operands_of, users_of
from xshardy.ir.walks import BACKWARD
from xshardy.rewriting.walk import operations_from


@final
class Worklist:
    """
    Operations, the last one first: in the order of xDSL's `Worklist`, without its tests in Python code. It holds only
    operations of classes that `takers` gives a pattern.
    """

    __slots__ = ("_less_used", "_ops", "_takers")

    def __init__(self, ops: Sequence[Operation], takers: Mapping[type[Operation], Sequence[object]]):
        self._takers = takers
        self._ops = dict.fromkeys(reversed(ops))
        self._less_used: list[SSAValue] = []
        """What removed operations read."""

    def __bool__(self) -> bool:
        return bool(self._ops)

    def pop(self) -> Operation:
        return self._ops.popitem()[0]

    def add(self, op: Operation) -> None:
        if self._takers[type(op)]:
            self._ops.setdefault(op)

    def add_around(self, op: Operation) -> None:
        """`op` and what is in it, what it is in, what it reads and what reads it: each may match now."""
        for operand in operands_of(op):
            if isinstance(operand, OpResult):
                self.add(operand.op)
        self.add_users(op)
        if (parent := op.parent_op()) is not None:
            self.add(parent)
        for inner in operations_from(op, BACKWARD) if op.regions else (op,):
            self.add(inner)

    def add_users(self, op: Operation, values: Sequence[SSAValue | None] = ()) -> None:
        """The users of the results of `op`, which `values` are about to replace."""
        for result in op.results:
            for user in users_of(result):
                self.add(user)

    def remove(self, op: Operation) -> None:
        """`op` and what is in it, which are about to be erased."""
        for inner in operations_from(op) if op.regions else (op,):
            self._ops.pop(inner, None)
            self._less_used.extend(operands_of(inner))
        if (parent := op.parent_op()) is not None:
            self.add(parent)

    def add_less_used(self, operands: Sequence[SSAValue]) -> None:
        """
        What may match since values have lost a use: their owners, which may be dead, and the only operations that still
        read them. The values are `operands`, those of an operation that has changed, and those of removed operations.
        """
        for value in (*operands, *self._less_used):
            if isinstance(value, OpResult):
                self.add(value.op)
            if (user := value.get_user_of_unique_use()) is not None:
                self.add(user)
        self._less_used.clear()
