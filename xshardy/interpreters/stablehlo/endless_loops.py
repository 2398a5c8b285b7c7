"""Loops that never end: known by what their conditions depend on, or given up after very many iterations."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import SymbolRefAttr, i32, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, OpResult, SSAValue
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import InterpretationError

from xshardy.dialects.extensions.effects import is_side_effect_free
from xshardy.dialects.stablehlo.building import element_type
from xshardy.dialects.stablehlo.control_flow import WhileOp
from xshardy.dialects.stablehlo.trip_counts import counting
from xshardy.dialects.symbols import find_symbol
from xshardy.hlo_text.names import instruction_name
from xshardy.interpreters.stablehlo.calls import CALLEES
from xshardy.syntax.locations import file_and_line, location_of

MAX_ITERATIONS = 1 << 20
"""A loop is given up after these iterations, unless it counts to a larger number. Chosen by us."""

FIRST_CHECK = 16
"""The first iteration that is checked: an inner loop may be executed often. Chosen by us."""


@dataclass(slots=True)
class LoopWatch:
    """
    An execution of `loop`. It never ends if the values that decide about its end (`deciding_values`) are, bit for bit,
    those of an earlier iteration.

    They are compared with those of the last iteration whose number is a power of two, as in Brent's algorithm, so that
    a cycle of any length is found.
    """

    loop: WhileOp
    finds_cycles: bool = True
    """Whether an execution of equal values is the same each time: with random errors it is not."""
    iterations: int = 0
    limit: int = MAX_ITERATIONS
    deciding: Sequence[int] | None = None
    kept: Sequence[object] = ()

    def iterate(self, value: Callable[[int], object]) -> None:
        """
        Count an iteration: the condition is true. `value` gives a key that is equal for equal values of the state, by
        their number.

        Raises `InterpretationError` for a loop that does not end.
        """
        self.iterations += 1
        if self.iterations < FIRST_CHECK:
            return
        if self.iterations == FIRST_CHECK:
            self.deciding = deciding_values(self.loop)
            self._check_counter()
        if self.deciding == []:
            raise self._error("it never ends: its condition is always true")
        if self.iterations > self.limit:
            raise self._error(f"it is given up after {self.limit:,} iterations: its condition is still true")
        if self.deciding is None or not self.finds_cycles:
            return
        if self.kept and all(value(i) == kept for i, kept in zip(self.deciding, self.kept, strict=True)):
            raise self._error(f"it never ends: iteration {self.iterations} begins with the values of an earlier one")
        if self.iterations.bit_count() == 1:
            self.kept = [value(i) for i in self.deciding]

    def _check_counter(self) -> None:
        if (count := counting(self.loop)) is None:
            return
        if count.trips is not None:
            self.limit = max(self.limit, count.trips)
        elif element_type(count.compare.lhs) in (i32, i64) and 0 < abs(count.step) * MAX_ITERATIONS < 1 << 31:
            way = "past" if (count.limit - count.first) * count.step > 0 else "away from"
            raise self._error(
                f"its counter starts at {count.first} and steps by {count.step}, {way} {count.limit}, which ends it"
            )

    def _error(self, what: str) -> InterpretationError:
        name, place = instruction_name(self.loop) or self.loop.name, file_and_line(location_of(self.loop))
        return InterpretationError(f"loop {name}{f' ({place})' if place else ''}: {what}")


def deciding_values(loop: WhileOp) -> Sequence[int] | None:
    """
    The numbers of the values of the state on which, over all iterations, the condition of `loop` depends; None if it
    also depends on something else, as on what other devices send.
    """
    found: list[int] = []
    pending = [*_read_by(loop.cond.block, 0)]
    while pending:
        if (index := pending.pop()) is None:
            return None
        if index not in found:
            found.append(index)
            pending += _read_by(loop.body.block, index)
    return found


def _read_by(block: Block, index: int) -> Iterator[int | None]:
    """The numbers of the arguments of `block` on which its result `index` depends; None for something else."""
    assert block.last_op is not None
    pending: list[SSAValue] = [block.last_op.operands[index]]
    seen = set[SSAValue]()
    while pending:
        if (value := pending.pop()) in seen:
            continue
        seen.add(value)
        if isinstance(value, BlockArgument):
            if value.block is block:
                yield value.index
        elif isinstance(value, OpResult) and (op := value.op).parent is block:
            callee = CALLEES.get(type(op))
            function = None if callee is None else find_symbol(op, SymbolRefAttr(callee(op)))
            if isinstance(function, FuncOp):
                numbers = [*_read_by(function.body.block, value.index)]
                pending += (op.operands[number] for number in numbers if number is not None)
                yield from (None for number in numbers if number is None)
                continue
            if not all(inner.has_trait(IsTerminator) or is_side_effect_free(inner) for inner in op.walk()):
                yield None
            pending += (operand for inner in op.walk() for operand in inner.operands)
