"""
Buffer liveness: from the operation that provides a buffer to the last reader of a value in it.

A done reads the whole bundle. So the operands of an asynchronous operation are live at least until its done, and its
outputs from the start on. Source: rows HLO-ASYNC-07 to -11.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

from xdsl.ir import Block, Operation, Region

from xshardy.dialects.hlo.async_operation import AsyncOperation, StartOp, chain_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.hlo_async.aliasing import Aliasing, Buffer, aliasing_of

ENTRY = -1
"""The position before the first operation of a block, where its arguments are defined."""


@dataclass(frozen=True, slots=True)
class LiveRange:
    """The positions in a block, both included, between which a buffer is live."""

    first: int
    last: int

    def overlaps(self, other: "LiveRange", *, may_meet: bool = False) -> bool:
        """
        Whether both buffers are live at a common position.

        With `may_meet`, one range may end where the other begins: the operation there overwrites its operand.
        """
        if self.first == other.first:
            return True
        earlier, later = (self, other) if self.first < other.first else (other, self)
        return later.first < earlier.last or (later.first == earlier.last and not may_meet)


@dataclass(frozen=True, slots=True)
class InFlight:
    """An asynchronous operation: its start, updates and done, and their positions in the block."""

    chain: tuple[AsyncOperation, ...]
    positions: tuple[int, ...]

    @property
    def first(self) -> int:
        """The position of the start."""
        return self.positions[0]

    @property
    def last(self) -> int:
        """The position of the done."""
        return self.positions[-1]


@dataclass(frozen=True, slots=True)
class Liveness:
    """The live ranges of a block, and its operations in flight."""

    block: Block
    aliasing: Aliasing
    ranges: Mapping[Buffer, LiveRange]
    in_flight: tuple[InFlight, ...]

    def max_in_flight(self) -> int:
        """The maximal number of operations in flight at once."""
        changes = [change for flight in self.in_flight for change in ((flight.first, 1), (flight.last, -1))]
        return max(accumulate(change for _, change in sorted(changes)), default=0)


def only_block(region: Region) -> Block:
    """The block of `region`, which is one schedule. Raises `OperationFailedException` if there are several."""
    if (around := region.parent) is not None and len(region.blocks) > 1:
        raise OperationFailedException(around, "liveness is of one schedule: expected a single block")
    return region.block


def liveness_of(block: Block, positions: Mapping[Operation, int] | None = None) -> Liveness:
    """
    The liveness of the buffers of `block`. Precondition: its module verifies. Linear in operations and uses.

    `positions` says where operations execute if that is not where they are: one that is fused into others reads its
    operands where they execute.
    """
    aliasing = aliasing_of(block)
    if positions is None:
        positions = {op: position for position, op in enumerate(block.ops)}
    first = {
        buffer: ENTRY if op is None else positions[op]
        for op, buffers in aliasing.provided.items()
        for buffer in buffers
    }
    last = dict(first)
    for value in aliasing.trees:
        readers = (block.find_ancestor_op_in_block(use.operation) for use in value.uses)
        last_reader = max((positions[reader] for reader in readers if reader is not None), default=ENTRY)
        for buffer in aliasing.buffers_of(value):
            last[buffer] = max(last[buffer], last_reader)
    chains = (tuple(chain_of(op)) for op in block.ops if isinstance(op, StartOp))
    return Liveness(
        block,
        aliasing,
        {buffer: LiveRange(position, last[buffer]) for buffer, position in first.items()},
        tuple(InFlight(chain, tuple(positions[op] for op in chain)) for chain in chains),
    )
