"""
Put asynchronous operations into an order in which other work is done while they are in flight.

An operation starts as soon as its operands are there, and what they are computed from comes first. It is waited for
when nothing is left that does not need its results. With a limit on how many are in flight, an operation that finds no
place waits until one is free.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.extensions.effects import is_side_effect_free
from xshardy.dialects.hlo.async_operation import AsyncOperation, DoneOp, StartOp, start_of
from xshardy.dialects.hlo.collectives import CollectiveOp as HLOCollectiveOp
from xshardy.dialects.stablehlo.collectives import CollectiveOp
from xshardy.rewriting import PatternPass
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.hlo_async.liveness import liveness_of

CONTROL_PREDECESSORS = "hlo.control_predecessors"
"""The discardable attribute with the instructions of HLO text that must come before this one."""

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
Operations with effects whose order is only what their operands say.

All devices run one program in one order, so collectives meet their like on the others wherever they stand.
"""


def is_ordered(op: Operation) -> bool:
    """Whether `op` must keep its place among the other ordered operations: it has effects, as far as we know."""
    if isinstance(op, AsyncOperation):
        start = op if isinstance(op, StartOp) else start_of(op.operands[0])
        return start is None or is_ordered(start.wrapped())
    return not isinstance(op, UNORDERED) and not is_side_effect_free(op)


def dependences(operations: Sequence[Operation]) -> list[set[int]]:
    """
    For each of `operations`, all those of a block but its terminator, the positions of those that must come before it.

    These are the ones whose results it reads, also inside of its regions, and if it is ordered the last ordered one. An
    operation with control predecessors comes after all that are before it now.
    """
    positions = {op: position for position, op in enumerate(operations)}
    before: list[set[int]] = []
    last_ordered, last_fence = -1, -1
    for position, op in enumerate(operations):
        producers = (operand.owner for inner in op.walk() for operand in inner.operands)
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
    """For each operation, the position of the first start that has to wait for it; past the end if none does."""
    earliest = [position if isinstance(op, StartOp) else len(operations) for position, op in enumerate(operations)]
    for position in reversed(range(len(operations))):
        for producer in before[position]:
            earliest[producer] = min(earliest[producer], earliest[position])
    return earliest


class Scheduler:
    """
    Orders the operations of a block one by one: a start if there is a place for it, else work, else a done.

    Work for which a start waits comes first, the first start's first. Of dones, that comes first for which alone most
    others wait: they are then done while the rest is still in flight.
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
        """The sum of the positions that are missing: the position itself, when only one is."""
        self.waiting = [0] * len(operations)
        """How many operations wait for the done at a position, and for nothing else."""
        self.is_done = [False] * len(operations)
        self.starts: list[int] = []
        self.work: list[tuple[int, int]] = []
        self.dones: list[tuple[int, int]] = []
        for position in range(len(operations)):
            self.look_at(position)

    def look_at(self, position: int) -> None:
        """Something that the operation at `position` waits for has been done, or nothing has yet."""
        if self.missing[position] == 1:
            self.await_done(self.sum_of_missing[position])
        elif not self.missing[position]:
            match self.operations[position]:
                case StartOp():
                    heappush(self.starts, position)
                case DoneOp():
                    heappush(self.dones, (-self.waiting[position], position))
                case _:
                    heappush(self.work, (self.earliest[position], position))

    def await_done(self, position: int) -> None:
        """Another operation waits for the one at `position` alone. If this is a done, it is preferred the more."""
        if isinstance(self.operations[position], DoneOp):
            self.waiting[position] += 1
            if not self.missing[position]:
                heappush(self.dones, (-self.waiting[position], position))

    def choose(self, max_in_flight: int | None) -> int | None:
        """The position of the operation to do next; None if the limit forbids all that could be done."""
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
        """Put the operation at `position` next, and look at those that wait for it."""
        op = self.operations[position]
        self.order.append(op)
        self.is_done[position] = True
        self.in_flight += isinstance(op, StartOp) - isinstance(op, DoneOp)
        for consumer in self.after[position]:
            self.missing[consumer] -= 1
            self.sum_of_missing[consumer] -= position
            self.look_at(consumer)


def schedule_of(operations: Sequence[Operation], max_in_flight: int | None = None) -> list[Operation] | None:
    """
    An order of `operations`, all those of a block but its terminator, with starts early and dones late.

    None if `max_in_flight` cannot be kept, because effects are ordered so that more operations are in flight at once.
    In the operations and their dependences, linear but for a logarithm.
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
    The order of `schedule_of` for the operations of `block` but its terminator; None if the block stays as it is.

    A block stays when the limit cannot be kept in another order but is kept already, or when nothing starts in it.
    Raises `OperationFailedException` when the limit cannot be kept at all.
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
    """`{ a; b; return }` -> `{ b; a; return }`: the operations of a block in the order that is decided for it."""

    orders: Mapping[Block, Sequence[Operation]]
    """All operations of each block but its terminator."""

    @property
    def op_types(self) -> tuple[type, ...]:
        """What the driver reads."""
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
                block.insert_ops_before(order, block.last_op)
                rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class AsyncSchedulePass(PatternPass):
    """
    Start asynchronous operations as early, and wait for them as late, as dependences allow.

    At most `max_in_flight` of a block are in flight at once; without the option, any number.
    """

    name = "hlo-async-schedule"
    source: ClassVar[str] = "XLA, asynchronous operations: what runs between start and done (HLO-ASYNC)"
    max_in_flight: int | None = None

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        if self.max_in_flight is not None and self.max_in_flight < 1:
            raise PassFailedException(
                f"max-in-flight={self.max_in_flight} lets nothing start: it is 1 at least, or left out for no limit"
            )
        orders = {block: decided_order(block, self.max_in_flight) for block in blocks_with_starts(module)}
        return (ReorderBlocks({block: order for block, order in orders.items() if order is not None}),)


def blocks_with_starts(module: ModuleOp) -> Iterator[Block]:
    """The blocks of `module` in which something is started, each once."""
    blocks = (op.parent for op in list(module.walk()) if isinstance(op, StartOp))
    yield from dict.fromkeys(block for block in blocks if block is not None)
