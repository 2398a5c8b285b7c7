"""
The most bytes that a device holds at a time, by the liveness of the program that it executes.

Buffers live from the operation that provides them to the last reader (`transforms/hlo_async/liveness.py`). Three things
that compilers do on all platforms are part of the model: fused operations have no buffers (`fusion.py`), an operation
overwrites an operand of the size of its result that nothing else reads, and a loop updates its values in place.
Arguments live for the whole program. Left out are padding, fragmentation, and the scratch memory of libraries.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from xshardy.dialects.stablehlo.collectives import AllGatherOp, AllToAllOp, ReduceScatterOp
from xshardy.dialects.stablehlo.control_flow import CaseOp, IfOp, WhileOp
from xshardy.planning.fusion import Fusion, Fusions, overwrites
from xshardy.transforms.hlo_async.aliasing import Aliasing, Buffer
from xshardy.transforms.hlo_async.liveness import ENTRY, liveness_of
from xshardy.transforms.hlo_async.report import size_in_bytes
from xshardy.transforms.sdy.main_function import main_function


@dataclass(frozen=True, slots=True)
class HeldBuffer:
    """A buffer that is alive at the peak."""

    value: SSAValue
    """The first value of the local program in it."""
    bytes: int


@dataclass(frozen=True, slots=True)
class Peak:
    """The largest sum of bytes at one position of a block, of buffers that the block provides."""

    bytes: int = 0
    held: Sequence[HeldBuffer] = ()


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory of a device, in bytes."""

    arguments: int
    results: int
    """The results that are no arguments."""
    peak: int
    """With arguments and results."""
    held: Sequence[HeldBuffer]
    """What is alive at the peak, largest first."""


def memory_of(module: ModuleOp, fusions: Fusions) -> Memory:
    """
    The memory of the main function of `module`, whose types are those of parts. Linear in its operations.

    Precondition: calls are inlined.
    """
    block = main_function(module).body.block
    arguments = [HeldBuffer(value, size_in_bytes(value.type) or 0) for value in block.args]
    end = block.last_op
    returned = dict.fromkeys(end.operands if end is not None else ())
    inside = peak_of(block, Role.PROGRAM, fusions)
    size = sum(held.bytes for held in arguments)
    held = sorted((*arguments, *inside.held), key=lambda held: -held.bytes)
    results = bytes_of(returned.keys() - set(block.args))
    return Memory(size, results, size + inside.bytes, held)


class Role(Enum):
    """What a block is for."""

    PROGRAM = "the body of the main function: arguments are counted elsewhere, results are allocated by the caller"
    LOOP = "the body of a loop: arguments are in the memory of the operation around it, and are overwritten"
    BRANCH = "a branch"


def peak_of(block: Block, role: Role, fusions: Fusions) -> Peak:
    """The peak of `block`, without its arguments."""
    timeline = _Timeline(block, role, fusions[block])
    for op, position in timeline.executed:
        if (inside := INSIDE.get(type(op))) is not None and (inner := inside(op, fusions)).bytes:
            timeline.add(position, inner)
    return timeline.peak()


def _inside_branches(op: IfOp | CaseOp, fusions: Fusions) -> Peak:
    return max((peak_of(region.block, Role.BRANCH, fusions) for region in op.regions), key=lambda peak: peak.bytes)


INSIDE: Mapping[type[Operation], Callable[[Any, Fusions], Peak]] = {
    AllGatherOp: lambda op, _: Peak(bytes_of(op.results) if op.all_gather_dim.value.data else 0),
    AllToAllOp: lambda op, _: Peak(bytes_of(op.operands)),
    CaseOp: _inside_branches,
    IfOp: _inside_branches,
    ReduceScatterOp: lambda op, _: Peak(bytes_of(op.operands) if op.scatter_dimension.value.data else 0),
    WhileOp: lambda op, fusions: peak_of(op.body.block, Role.LOOP, fusions),
}
"""
The peak of what an operation executes, beyond its operands and results.

Messages are contiguous, so a collective along another dimension than the first copies its tensor.
"""


def bytes_of(values: Iterable[SSAValue]) -> int:
    """The bytes of all of `values`."""
    return sum(size_in_bytes(value.type) or 0 for value in values)


@dataclass(slots=True, eq=False)
class _Slot:
    """Memory of a block, and the buffers that are in it one after the other, with the positions where they begin."""

    bytes: int
    first: int
    last: int
    buffers: list[tuple[int, Buffer]]

    def at(self, position: int) -> Buffer:
        """The buffer that is in it at `position`."""
        return next((buffer for first, buffer in reversed(self.buffers) if first <= position), self.buffers[0][1])


class _Timeline:
    """The bytes that are alive at each position of a block."""

    def __init__(self, block: Block, role: Role, fusion: Fusion):
        liveness = liveness_of(block, fusion.positions)
        aliasing = liveness.aliasing
        self._values = {buffer: places[0][0] for buffer, places in aliasing.places().items()}
        self._inner: dict[int, Peak] = {}
        arguments = frozenset(aliasing.provided[None])
        in_no_buffer = {buffer for op in fusion.fused for buffer in aliasing.provided[op]}
        if role is not Role.LOOP:
            in_no_buffer |= arguments
        self._slots = {
            buffer: _Slot(_size(buffer), range.first, range.last, [(range.first, buffer)])
            for buffer, range in liveness.ranges.items()
            if buffer not in in_no_buffer
        }
        self._of_around = arguments if role is Role.LOOP else frozenset[Buffer]()
        self.executed = [(op, position) for position, op in enumerate(block.ops) if op not in fusion.fused]
        self._share_invariants(aliasing)
        self._overwrite(aliasing)
        if role is Role.PROGRAM and block.last_op is not None:
            self._allocate_results(block.last_op, aliasing)

    def _share_invariants(self, aliasing: Aliasing) -> None:
        """Let a value that a loop carries along unchanged stay in the memory of its operand."""
        for op, _ in self.executed:
            if type(op) is not WhileOp:
                continue
            body = op.body.block
            returned = body.last_op.operands if body.last_op is not None else ()
            for operand, result, argument, value in zip(op.operand, op.results, body.args, returned, strict=True):
                if value is not argument:
                    continue
                targets = [*aliasing.buffers_of(result)]
                slots = [self._slots.pop(target) for target in targets]
                if operand not in aliasing.trees:
                    continue  # from outside of the block, where its memory is counted
                for source, target, slot in zip(aliasing.buffers_of(operand), targets, slots, strict=True):
                    if (known := self._slots.get(source)) is not None:
                        known.last = max(known.last, slot.last)
                        self._slots[target] = known

    def _overwrite(self, aliasing: Aliasing) -> None:
        """Let results take over the memory of operands of their size that nothing reads later."""
        ending = defaultdict[int, list[_Slot]](list)
        for slot in self._distinct():
            ending[slot.last].append(slot)
        for op, position in self.executed:
            if not overwrites(op):
                continue
            for buffer in aliasing.provided[op]:
                mine = self._slots.get(buffer)
                free = (slot for slot in ending[position] if slot is not mine and mine and slot.bytes == mine.bytes)
                if mine is None or (taken := next(free, None)) is None:
                    continue
                ending[position].remove(taken)
                if mine in ending[mine.last]:
                    ending[mine.last].remove(mine)
                taken.last = mine.last
                taken.buffers.append((position + 1, buffer))
                ending[taken.last].append(taken)
                self._slots[buffer] = taken

    def _allocate_results(self, end: Operation, aliasing: Aliasing) -> None:
        """Let what is returned have its memory from the start, as a caller allocates it."""
        for value in end.operands:
            for buffer in aliasing.buffers_of(value):
                if (slot := self._slots.get(buffer)) is not None:
                    slot.first = ENTRY

    def _distinct(self) -> Iterable[_Slot]:
        return dict.fromkeys(self._slots.values())

    def add(self, position: int, inner: Peak) -> None:
        """Count `inner` at `position`, too."""
        self._inner[position] = inner

    def peak(self) -> Peak:
        """The largest sum, and what is alive there."""
        changes = Counter[int]()
        for slot in self._distinct():
            changes[slot.first] += slot.bytes
            changes[slot.last + 1] -= slot.bytes
        alive, most, where = 0, 0, ENTRY
        for position in sorted({*changes, *self._inner}):
            alive += changes[position]
            total = alive + self._inner.get(position, Peak()).bytes
            if total > most:
                most, where = total, position
        held = [
            HeldBuffer(self._values[buffer], slot.bytes)
            for slot in self._distinct()
            if slot.first <= where <= slot.last and slot.bytes and (buffer := slot.at(where)) not in self._of_around
        ]
        around = sum(map(_size, self._of_around))
        return Peak(max(0, most - around), (*held, *self._inner.get(where, Peak()).held))


def _size(buffer: Buffer) -> int:
    return size_in_bytes(buffer.type) or 0
