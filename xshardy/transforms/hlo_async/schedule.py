"""
Schedule asynchronous operations so that other operations run while they are in flight.

An operation starts as soon as its operands are available, and their computation is scheduled first. Its done is
scheduled when only operations that depend on it remain. With a limit on operations in flight, further starts wait for a
free slot.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.extensions.effects import is_side_effect_free
from xshardy.dialects.hlo.async_operation import AsyncOperation, DoneOp, StartOp, start_of
from xshardy.dialects.hlo.collectives import CollectiveOp as HLOCollectiveOp
from xshardy.dialects.stablehlo.collectives import CollectiveOp
from xshardy.rewriting import PatternPass
from xshardy.rewriting.walk import operations_from
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.hlo_async.liveness import liveness_of

CONTROL_PREDECESSORS = "hlo.control_predecessors"
"""The discardable attribute with the HLO instructions that must precede this one."""

UNORDERED = (
    CollectiveOp,
    HLOCollectiveOp,
    hlo.CollectivePermuteOp,
    hlo.CopyOp,
    stablehlo.CollectivePermuteOp,
    stablehlo.RecvOp,
    stablehlo.SendOp,
)
"""
Operations with effects that are ordered by their operands only.

All devices run one program in one order, so collectives match wherever they are scheduled.
"""


def is_ordered(op: Operation) -> bool:
    """Whether `op` must keep its order relative to other ordered operations: it has effects, or may have."""
    if isinstance(op, AsyncOperation):
        start = op if isinstance(op, StartOp) else start_of(op.operands[0])
        return start is None or is_ordered(start.wrapped())
    return not isinstance(op, UNORDERED) and not is_side_effect_free(op)


def dependences(operations: Sequence[Operation]) -> list[set[int]]:
    """
    For each of `operations` (those of a block without its terminator), the positions of its predecessors.

    Predecessors are the operations whose results it reads, also in its regions, and for an ordered operation the last
    ordered one. An operation with control predecessors follows all operations that precede it now.
    """
    positions = {op: position for position, op in enumerate(operations)}
    before: list[set[int]] = []
    last_ordered, last_fence = -1, -1
    for position, op in enumerate(operations):
        producers = (operand.owner for inner in operations_from(op) for operand in inner.operands)
        needed = {positions[owner] for owner in producers if isinstance(owner, Operation) and owner in positions}
        if is_ordered(op):
            if last_ordered >= 0:
                needed.add(last_ordered)
            last_ordered = position
        if CONTROL_PREDECESSORS in op.attributes:
            needed.update(range(max(last_fence, 0), position))
            last_fence = position
        needed.discard(position)
        before.append(needed)
    return before


def earliest_start(operations: Sequence[Operation], before: Sequence[set[int]]) -> list[int]:
    """For each operation, the position of the first start that depends on it; past the end if there is none."""
    earliest = [position if isinstance(op, StartOp) else len(operations) for position, op in enumerate(operations)]
    for position in reversed(range(len(operations))):
        for producer in before[position]:
            earliest[producer] = min(earliest[producer], earliest[position])
    return earliest


class Scheduler:
    """
    Orders the operations of a block one by one: a start if there is a free slot, otherwise work, otherwise a done.

    Work that starts depend on has priority, in the order of the starts. Among dones, the one with the most operations
    that wait only for it has priority: these run while the rest is in flight.
    """

    def __init__(self, operations: Sequence[Operation]):
        self.operations = operations
        self.order: list[Operation] = []
        self.in_flight = 0
        before = dependences(operations)
        self.earliest = earliest_start(operations, before)
        self.after: list[list[int]] = [[] for _ in operations]
        for position, needed in enumerate(before):
            for producer in needed:
                self.after[producer].append(position)
        self.missing = [len(needed) for needed in before]
        self.sum_of_missing = [sum(needed) for needed in before]
        """For each operation, the sum of the positions of its missing predecessors: with one missing, its position."""
        self.waiting = [0] * len(operations)
        """For each done, the number of operations that wait only for it."""
        self.is_done = [False] * len(operations)
        self.starts: list[int] = []
        self.work: list[tuple[int, int]] = []
        self.dones: list[tuple[int, int]] = []
        for position in range(len(operations)):
            self.update_ready(position)

    def update_ready(self, position: int) -> None:
        """Update the ready sets after a predecessor of the operation at `position` was scheduled, or initially."""
        if self.missing[position] == 1:
            self.count_waiter(self.sum_of_missing[position])
        elif not self.missing[position]:
            match self.operations[position]:
                case StartOp():
                    heappush(self.starts, position)
                case DoneOp():
                    heappush(self.dones, (-self.waiting[position], position))
                case _:
                    heappush(self.work, (self.earliest[position], position))

    def count_waiter(self, position: int) -> None:
        """Record that one more operation waits only for the one at `position`; raises the priority of a done."""
        if isinstance(self.operations[position], DoneOp):
            self.waiting[position] += 1
            if not self.missing[position]:
                heappush(self.dones, (-self.waiting[position], position))

    def choose(self, max_in_flight: int | None) -> int | None:
        """The position of the next operation; None if the limit blocks all that are ready."""
        if self.starts and (max_in_flight is None or self.in_flight < max_in_flight):
            return heappop(self.starts)
        if self.work:
            return heappop(self.work)[1]
        while self.dones:
            _, position = heappop(self.dones)
            if not self.is_done[position]:
                return position
        return None

    def do(self, position: int) -> None:
        """Schedule the operation at `position`, and update its successors."""
        op = self.operations[position]
        self.order.append(op)
        self.is_done[position] = True
        self.in_flight += isinstance(op, StartOp) - isinstance(op, DoneOp)
        for consumer in self.after[position]:
            self.missing[consumer] -= 1
            self.sum_of_missing[consumer] -= position
            self.update_ready(consumer)


def schedule_of(operations: Sequence[Operation], max_in_flight: int | None = None) -> list[Operation] | None:
    """
    An order of `operations` (those of a block without its terminator), with starts early and dones late.

    None if `max_in_flight` cannot be kept because of the order of effects. The time is O(n log n) in operations and
    dependences.
    """
    scheduler = Scheduler(operations)
    for _ in operations:
        position = scheduler.choose(max_in_flight)
        if position is None:
            return None
        scheduler.do(position)
    return scheduler.order


def decided_order(block: Block, max_in_flight: int | None) -> Sequence[Operation] | None:
    """
    The order of `schedule_of` for the operations of `block` without its terminator; None to keep the block.

    A block is kept if the current order keeps the limit and no other order does, or if nothing starts in it. Raises
    `OperationFailedException` if no order keeps the limit.
    """
    *operations, _ = block.ops
    if not any(isinstance(op, StartOp) for op in operations):
        return None
    order = schedule_of(operations, max_in_flight)
    if order is None:
        at_once = liveness_of(block).max_in_flight()
        if max_in_flight is not None and at_once > max_in_flight:
            raise OperationFailedException(
                next(op for op in operations if isinstance(op, StartOp)),
                f"effects and control predecessors keep {at_once} asynchronous operations of this block in flight at "
                f"once: raise max-in-flight={max_in_flight}",
            )
    return order


@dataclass(frozen=True)
class ReorderBlocks(RewritePattern):
    """`{ a; b; return }` -> `{ b; a; return }`: the operations of a block in the decided order."""

    orders: Mapping[Block, Sequence[Operation]]
    """The operations of each block without its terminator."""

    @property
    def op_types(self) -> tuple[type, ...]:
        """The operation classes, for the driver."""
        return tuple({type(op) for block in self.orders if (op := block.parent_op()) is not None})

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        for region in op.regions:
            for block in region.blocks:
                order = self.orders.get(block)
                if order is None or list(order) == [*block.ops][:-1]:
                    continue
                for moved in order:
                    moved.detach()
                assert block.last_op is not None
                rewriter.insert(order, InsertPoint.before(block.last_op))


@dataclass(frozen=True)
class AsyncSchedulePass(PatternPass):
    """
    Start asynchronous operations as early, and wait for them as late, as dependences allow.

    At most `max_in_flight` operations of a block are in flight at once; unlimited by default.
    """

    name = "hlo-async-schedule"
    source: ClassVar[str] = "XLA, asynchronous operations: what runs between start and done (HLO-ASYNC)"
    max_in_flight: int | None = None

    def __post_init__(self) -> None:
        if self.max_in_flight is not None and self.max_in_flight < 1:
            raise ValueError(
                f"max-in-flight={self.max_in_flight} lets nothing start: it is 1 at least, or left out for no limit"
            )

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        orders = {block: decided_order(block, self.max_in_flight) for block in blocks_with_starts(module)}
        return (ReorderBlocks({block: order for block, order in orders.items() if order is not None}),)


def blocks_with_starts(module: ModuleOp) -> Iterator[Block]:
    """The blocks of `module` with starts, without duplicates."""
    blocks = (op.parent for op in operations_from(module) if isinstance(op, StartOp))
    yield from dict.fromkeys(block for block in blocks if block is not None)
