"""
When the tensors of a prepared program are live.

Time counts the operations in schedule order, those of loops and branches after the operation that they are in. The
operation number `n` reads its operands until time `2 n + 1` and writes its results from time `2 n` on, so that an
operand and a result of one operation are live together. A loop and a branch write their results at their end, which has
a number of its own. What a loop reads from outside of it is live until its end, and so is what it carries, but for the
time in the body between the last read and the next value. What is in flight is live until the operation that waits.
"""

from dataclasses import dataclass, field

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from xshardy.dialects import hlo, stablehlo
from xshardy.launch.leaves import SAME_MEMORY, Leaf, leaves_of, origin, started
from xshardy.launch.prepared_program import CONTROL_FLOW, NESTED

WITHOUT_TIME = (*SAME_MEMORY, stablehlo.GetTupleElementOp, stablehlo.TupleOp)
"""Operations that read nothing: their results are their operands."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The times from `start` on, before `end`."""

    start: int
    end: int

    def overlaps(self, other: "Interval") -> bool:
        """Whether some time is in both."""
        return self.start < other.end and other.start < self.end


@dataclass(slots=True)
class LiveRanges:
    """For each tensor that the program defines, when it is live; and the numbers behind the times."""

    intervals: dict[Leaf, Interval] = field(default_factory=dict[Leaf, Interval])
    numbers: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """The number of each operation."""
    begins: dict[Block, int] = field(default_factory=dict[Block, int])
    """A number before those of the operations of a block."""
    ends: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """The number of the end of a loop or branch, and of the operation that waits for what another one starts."""
    last: int = 0
    """The last number."""

    def end_of(self, op: Operation) -> int:
        """The number of the end of `op`: the last one for what nothing waits for."""
        return self.ends.get(op, self.last)


def live_ranges(entry: FuncOp) -> LiveRanges:
    """The live ranges of the tensors of the prepared program `entry`. Linear in reads times their nesting."""
    found = LiveRanges()
    found.last = _number(entry.body.block, found, 0)
    writes: dict[Leaf, int] = {}
    reads: dict[Leaf, int] = {}
    for block in found.begins:
        _collect(block, found, writes, reads)
    for leaf, time in writes.items():
        found.intervals[leaf] = Interval(time, max(reads.get(leaf, 0), time) + 1)
    return found


def _number(block: Block, found: LiveRanges, number: int) -> int:
    """Number `block`, after `number`, and the operations in it; returns the last number."""
    found.begins[block] = number = number + 1
    for op in block.ops:
        found.numbers[op] = number = number + 1
        if isinstance(op, NESTED):
            for region in op.regions:
                number = _number(region.block, found, number)
        if isinstance(op, CONTROL_FLOW):
            found.ends[op] = number = number + 1
        elif isinstance(op, hlo.DoneOp | stablehlo.AsyncDoneOp):
            found.ends[started(op)] = number
    return number


def _collect(block: Block, found: LiveRanges, writes: dict[Leaf, int], reads: dict[Leaf, int]) -> None:
    """Add the times of the first write and of the last read of each tensor in `block`."""

    def write(value: SSAValue, number: int) -> None:
        for leaf in leaves_of(value):
            if origin(leaf) == leaf:
                writes[leaf] = 2 * number
                if (start := _in_flight(block)) is not None:
                    reads[leaf] = max(reads.get(leaf, 0), 2 * found.end_of(start))

    def read(value: SSAValue, reader: Operation) -> None:
        for leaf in map(origin, leaves_of(value)):
            reads[leaf] = max(reads.get(leaf, 0), 2 * _read_until(leaf, reader, found))

    for argument in block.args:
        write(argument, found.begins[block])
    for op in block.ops:
        if isinstance(op, WITHOUT_TIME):
            continue
        for operand in op.operands:
            read(operand, op)
        for result in op.results:
            write(result, found.end_of(op) if isinstance(op, CONTROL_FLOW) else found.numbers[op])
    parent, end = block.parent_op(), block.last_op
    if isinstance(parent, stablehlo.WhileOp) and block is parent.cond.block and end is not None:
        for argument in block.args:  # the body, or who reads the results, gets what the condition has seen
            read(argument, end)


def _read_until(leaf: Leaf, reader: Operation, found: LiveRanges) -> int:
    """The number until which `reader` needs `leaf`: that of the end of a loop, or of what is in flight, around it."""
    home = leaf.value.owner if isinstance(leaf.value.owner, Block) else leaf.value.owner.parent
    while home is not None and isinstance(start := home.parent_op(), stablehlo.AsyncStartOp):
        home = start.parent
    number = found.numbers[reader]
    around: Operation | None = reader
    while around is not None:
        is_inside = around.parent is home  # so are the operations around
        around = None if is_inside else around.parent_op()
        if isinstance(around, stablehlo.WhileOp):
            number = max(number, found.end_of(around))
    start = _in_flight(reader.parent)
    return number if start is None else max(number, found.end_of(start))


def _in_flight(block: Block | None) -> stablehlo.AsyncStartOp | None:
    """The operation that starts what is in `block`."""
    while block is not None:
        op = block.parent_op()
        if op is None or isinstance(op, stablehlo.AsyncStartOp):
            return op
        block = op.parent
    return None
