"""
Where the tensors of a program are in memory.

Parameters, constants and results have allocations of their own. All other buffers are parts of one temporary
allocation; those that are never live at once may overlap. Source: the kinds of allocations are those of XLA's buffer
assignment; the placement is "greedy by size" of Y. Pisarchyk and J. Lee, Efficient Memory Management for Deep Neural
Net Inference, 2020: the largest buffer first, into the smallest gap that it fits.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from xdsl.dialects.func import FuncOp

from xshardy.dialects import hlo, stablehlo
from xshardy.launch.coalescing import Buffer, Buffers, coalesced
from xshardy.launch.copy_insertion import InPlace, insert_copies
from xshardy.launch.leaves import Leaf, leaves_of, origin, returned
from xshardy.launch.live_ranges import LiveRanges, live_ranges

if TYPE_CHECKING:
    from xshardy.numerics.element_types import Array

CONSTANTS = (stablehlo.ConstantOp, hlo.ElidedConstantOp)
ALIGNMENT = 256
"""Bytes: the kernels assume it of their results, as XLA's do."""


class AllocationKind(StrEnum):
    """What an allocation holds: who makes it, and how long it lasts, depend on it."""

    PARAMETER = "parameter"
    CONSTANT = "constant"
    RESULT = "result"
    TEMPORARY = "temporary"


@dataclass(frozen=True, slots=True)
class Allocation:
    """Contiguous memory of `size` bytes, at a multiple of `ALIGNMENT`."""

    number: int
    kind: AllocationKind
    size: int
    parameter: int | None = None
    """The number of the parameter that it holds at first."""
    constant: Leaf | None = None
    """The constant that it holds."""
    results: tuple[int, ...] = ()
    """The numbers of the results that it holds at last."""

    @property
    def constant_value(self) -> "Array | None":
        """The bytes of the constant that it holds, if it is one whose value is known."""
        if self.constant is None or not isinstance(op := self.constant.value.owner, stablehlo.ConstantOp):
            return None
        from xshardy.interpreters.constants import constant_array  # these load numpy
        from xshardy.launch.memory import to_memory

        return to_memory(constant_array(op.value), self.constant)


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of an allocation, in bytes."""

    allocation: int
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class BufferAssignment:
    """The allocations of a program, and the part of them that each buffer is."""

    allocations: Sequence[Allocation]
    slices: Mapping[Buffer, Slice]
    buffers: Buffers
    ranges: LiveRanges
    inserted: frozenset[hlo.CopyOp]
    """The copies that are no instructions of the program."""

    def slice(self, leaf: Leaf) -> Slice:
        """The memory of a tensor."""
        return self.slices[self.buffers.of_leaf(leaf)]

    @property
    def total_bytes(self) -> int:
        """The size of all allocations."""
        return sum(allocation.size for allocation in self.allocations)

    @property
    def temporary_bytes(self) -> int:
        """The size of the temporary allocation."""
        return sum(a.size for a in self.allocations if a.kind is AllocationKind.TEMPORARY)


@dataclass(slots=True)
class _Allocations:
    """The allocations made so far."""

    made: list[Allocation] = field(default_factory=list[Allocation])
    slices: dict[Buffer, Slice] = field(default_factory=dict[Buffer, Slice])

    def add(
        self,
        kind: AllocationKind,
        buffer: Buffer,
        *,
        parameter: int | None = None,
        constant: Leaf | None = None,
        results: tuple[int, ...] = (),
    ) -> None:
        """An allocation for `buffer` alone, unless it has one."""
        if buffer not in self.slices:
            number = len(self.made)
            self.slices[buffer] = Slice(number, 0, buffer.size)
            self.made.append(Allocation(number, kind, buffer.size, parameter, constant, results))


def assign_buffers(entry: FuncOp, in_place: InPlace, donated: Mapping[int, int]) -> BufferAssignment:
    """
    Assign memory to the tensors of the prepared program `entry`, into which this inserts copies.

    `donated` are the results that may be written into the memory of a parameter: result number to parameter number.
    Raises `ModuleError` for a tensor of unknown size.
    """
    shared = insert_copies(entry, in_place, donated)
    ranges = live_ranges(entry)
    parameters = [leaf for argument in entry.body.block.args for leaf in leaves_of(argument)]
    constants = [leaf for leaf in ranges.intervals if isinstance(leaf.value.owner, CONSTANTS)]
    given = frozenset(donated.values())
    read_only = [*constants, *(leaf for number, leaf in enumerate(parameters) if number not in given)]
    buffers = coalesced(ranges, shared, read_only)
    results = _results(entry, buffers)
    found = _Allocations()
    for number, leaf in enumerate(parameters):
        buffer = buffers.of_leaf(leaf)
        found.add(AllocationKind.PARAMETER, buffer, parameter=number, results=results.get(buffer, ()))
    for leaf in constants:
        found.add(AllocationKind.CONSTANT, buffers.of_leaf(leaf), constant=leaf)
    for buffer, numbers in results.items():
        found.add(AllocationKind.RESULT, buffer, results=numbers)
    rest = [buffer for buffer in buffers.all() if buffer not in found.slices]
    offsets = placed(rest)
    size = max((offset + buffer.size for buffer, offset in offsets.items()), default=0)
    if offsets:
        found.made.append(Allocation(len(found.made), AllocationKind.TEMPORARY, size))
    for buffer, offset in offsets.items():
        found.slices[buffer] = Slice(len(found.made) - 1, offset, buffer.size)
    return BufferAssignment(found.made, found.slices, buffers, ranges, frozenset(shared.copies))


def _results(entry: FuncOp, buffers: Buffers) -> dict[Buffer, tuple[int, ...]]:
    """The buffers of the results of the program, with the numbers of these."""
    found: dict[Buffer, tuple[int, ...]] = {}
    values = returned(entry.body.block).operands
    for number, leaf in enumerate(leaf for value in values for leaf in leaves_of(value)):
        buffer = buffers.of_leaf(origin(leaf))
        found[buffer] = (*found.get(buffer, ()), number)
    return found


def placed(buffers: Iterable[Buffer]) -> dict[Buffer, int]:
    """An offset for each buffer, so that no two that are live at once overlap. Quadratic in the buffers."""
    lifetimes = {buffer: buffer.lifetime for buffer in buffers}
    offsets: dict[Buffer, int] = {}
    for buffer in sorted(lifetimes, key=lambda buffer: (-buffer.size, lifetimes[buffer].start)):
        start, end = lifetimes[buffer].start, lifetimes[buffer].end
        taken = sorted(
            (offset, offset + other.size)
            for other, offset in offsets.items()
            if (lifetime := lifetimes[other]).start < end and start < lifetime.end and other.overlaps(buffer)
        )
        offsets[buffer] = min(_gaps(taken, buffer.size))[1]
    return offsets


def _gaps(taken: Sequence[tuple[int, int]], size: int) -> Iterator[tuple[float, int]]:
    """The gaps between the parts `taken` of memory that `size` bytes fit in: the size and the offset of each."""
    end = 0
    for start, stop in taken:
        if start - end >= size:
            yield start - end, end
        end = max(end, -(-stop // ALIGNMENT) * ALIGNMENT)
    yield float("inf"), end
