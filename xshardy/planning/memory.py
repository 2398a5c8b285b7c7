"""
The most bytes that a device holds at a time, by the liveness of the program that it executes.

Buffers live from the operation that provides them to the last reader (`transforms/hlo_async/liveness.py`). Three things
that compilers do on all platforms are part of the model: fused operations have no buffers (`fusion.py`), an operation
overwrites an operand of the size of its result that nothing else reads, and a loop updates its values in place.
Arguments live for the whole program. Left out are padding, fragmentation, and the scratch memory of libraries.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from xshardy.dialects.stablehlo.collectives import AllGatherOp, AllToAllOp, ReduceScatterOp
from xshardy.dialects.stablehlo.control_flow import CaseOp, IfOp, WhileOp
from xshardy.planning.fusion import fusion_of, overwrites
from xshardy.transforms.hlo_async.aliasing import Aliasing, Buffer
from xshardy.transforms.hlo_async.liveness import ENTRY, liveness_of
from xshardy.transforms.hlo_async.report import size_in_bytes
from xshardy.transforms.sdy.main_function import main_function


@dataclass(frozen=True, slots=True)
class Held:
    """A buffer that is alive at the peak."""

    value: SSAValue
    """The first value of the local program in it."""
    bytes: int


@dataclass(frozen=True, slots=True)
class Peak:
    """The largest sum of bytes at one position of a block, of buffers that the block provides."""

    bytes: int = 0
    held: Sequence[Held] = ()


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory of a device, in bytes."""

    arguments: int
    results: int
    """The results that are no arguments."""
    peak: int
    """With arguments and results."""
    held: Sequence[Held]
    """What is alive at the peak, largest first."""


def memory_of(module: ModuleOp) -> Memory:
    """
    The memory of the main function of `module`, whose types are those of parts. Linear in its operations.

    Precondition: calls are inlined.
    """
    block = main_function(module).body.block
    arguments = [Held(value, size_in_bytes(value.type) or 0) for value in block.args]
    end = block.last_op
    returned = dict.fromkeys(end.operands if end is not None else ())
    inside = peak_of(block)
    size = sum(held.bytes for held in arguments)
    held = sorted((*arguments, *inside.held), key=lambda held: -held.bytes)
    results = _bytes(value for value in returned if value not in {*block.args})
    return Memory(size, results, size + inside.bytes, held)


def peak_of(block: Block, *, owns_arguments: bool = False) -> Peak:
    """
    The peak of `block`, without its arguments. With `owns_arguments`, results overwrite those that nothing reads later.

    The values of a loop are in buffers of the operation around it.
    """
    timeline = _Timeline(block, owns_arguments)
    for op, position in timeline.executed:
        inner = _inside(op)
        if inner.bytes:
            timeline.add(position, inner)
    return timeline.peak()


def _inside(op: Operation) -> Peak:
    """
    The peak of what `op` executes, beyond its operands and results.

    Messages are contiguous, so a collective along another dimension than the first copies its tensor.
    """
    match op:
        case WhileOp():
            return peak_of(op.body.block, owns_arguments=True)
        case IfOp() | CaseOp():
            return max((peak_of(region.block) for region in op.regions), key=lambda peak: peak.bytes)
        case AllGatherOp() if op.all_gather_dim.value.data:
            return Peak(_bytes(op.results))
        case ReduceScatterOp() if op.scatter_dimension.value.data:
            return Peak(_bytes(op.operands))
        case AllToAllOp():
            return Peak(_bytes(op.operands))
        case _:
            return Peak()


def _bytes(values: Iterable[SSAValue]) -> int:
    return sum(size_in_bytes(value.type) or 0 for value in values)


class _Timeline:
    """The bytes that are alive at each position of a block."""

    def __init__(self, block: Block, owns_arguments: bool):
        fusion = fusion_of(block)
        liveness = liveness_of(block, fusion.positions)
        self._places = liveness.aliasing.places()
        self._ranges = {buffer: (range.first, range.last) for buffer, range in liveness.ranges.items()}
        self._inner: dict[int, Peak] = {}
        arguments = liveness.aliasing.provided[None]
        for op in fusion.fused:
            for buffer in liveness.aliasing.provided[op]:
                del self._ranges[buffer]
        if not owns_arguments:
            for buffer in arguments:
                del self._ranges[buffer]
        self._argument_bytes = sum(map(_size, arguments)) if owns_arguments else 0
        self.executed = [(op, position) for position, op in enumerate(block.ops) if op not in fusion.fused]
        self._share_invariants(liveness.aliasing)
        self._overwrite(liveness.aliasing)
        self._own_arguments = frozenset(arguments if owns_arguments else ())

    def _share_invariants(self, aliasing: Aliasing) -> None:
        """Let a value that a loop carries along unchanged stay in the buffer of its operand."""
        for op, _ in self.executed:
            if not isinstance(op, WhileOp):
                continue
            body = op.body.block
            returned = body.last_op.operands if body.last_op is not None else ()
            for operand, result, argument, value in zip(op.operand, op.results, body.args, returned, strict=True):
                if value is not argument:
                    continue
                for source, target in zip(aliasing.buffers_of(operand), aliasing.buffers_of(result), strict=True):
                    _, last = self._ranges.pop(target)
                    if source in self._ranges:
                        self._ranges[source] = self._ranges[source][0], max(self._ranges[source][1], last)

    def _overwrite(self, aliasing: Aliasing) -> None:
        """Let results take over the buffers of operands that nothing reads later: they begin where those end."""
        ending = defaultdict[int, list[Buffer]](list)
        for buffer, (_, last) in self._ranges.items():
            ending[last].append(buffer)
        for op, position in self.executed:
            if not overwrites(op):
                continue
            own = aliasing.provided[op]
            free = Counter(_size(buffer) for buffer in ending[position] if buffer not in own)
            for buffer in (buffer for buffer in own if buffer in self._ranges):
                if free[_size(buffer)]:
                    free[_size(buffer)] -= 1
                    self._ranges[buffer] = position + 1, max(position + 1, self._ranges[buffer][1])

    def add(self, position: int, inner: Peak) -> None:
        """Count `inner` at `position`, too."""
        self._inner[position] = inner

    def peak(self) -> Peak:
        """The largest sum, and what is alive there."""
        changes = Counter[int]()
        for buffer, (first, last) in self._ranges.items():
            changes[first] += _size(buffer)
            changes[last + 1] -= _size(buffer)
        alive, most, where = 0, -1, ENTRY
        for position in sorted({*changes, *self._inner}):
            alive += changes[position]
            total = alive + self._inner.get(position, Peak()).bytes
            if total > most:
                most, where = total, position
        held = [
            Held(self._places[buffer][0][0], _size(buffer))
            for buffer, (first, last) in self._ranges.items()
            if first <= where <= last and _size(buffer) and buffer not in self._own_arguments
        ]
        inner = self._inner.get(where, Peak())
        return Peak(max(0, most - self._argument_bytes), (*held, *inner.held))


def _size(buffer: Buffer) -> int:
    return size_in_bytes(buffer.type) or 0
