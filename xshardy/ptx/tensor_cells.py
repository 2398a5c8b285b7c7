"""Accesses of cells of tensor memory: whether they are allocated, and what the checks are told of them."""

from dataclasses import dataclass

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import AccessKind, BulkAccess, Memory
from xshardy.ptx.module import Instruction
from xshardy.ptx.tensor_memory import CELLS, COLUMNS, LANES


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells that threads access: arrays of one shape."""

    threads: Array
    """The number of the thread among those executed together."""
    blocks: Array
    """Whose memory it is; the number of the block among those executed together."""
    lanes: Array
    columns: Array

    @property
    def places(self) -> Array:
        """The numbers of the cells."""
        return self.blocks * CELLS + self.lanes * COLUMNS + self.columns

    def of(self, chosen: Array) -> "Cells":
        """Those that a mask names."""
        return Cells(self.threads[chosen], self.blocks[chosen], self.lanes[chosen], self.columns[chosen])


def cells_of(threads: Array, blocks: Array, lanes: Array, columns: Array) -> Cells:
    """Cells from arrays that are broadcast against each other."""
    return Cells(*(np.ascontiguousarray(part) for part in np.broadcast_arrays(threads, blocks, lanes, columns)))


def load_cells(lanes: Lanes, memory: Memory, instruction: Instruction, cells: Cells) -> Array:
    """What is in cells; 0 where the access is a fault."""
    good = _granted(lanes, memory, AccessKind.LOAD, instruction, cells)
    return np.where(good, memory.tensor.cells[np.where(good, cells.places, 0)], np.uint32(0))


def store_cells(lanes: Lanes, memory: Memory, instruction: Instruction, cells: Cells, words: Array) -> None:
    """Set cells."""
    memory.changes += 1
    good = _granted(lanes, memory, AccessKind.STORE, instruction, cells)
    memory.tensor.cells[cells.places[good]] = words[good]


def touch_cells(lanes: Lanes, memory: Memory, instruction: Instruction, cells: Cells) -> None:
    """Tell the checks that cells are written, whatever with."""
    _granted(lanes, memory, AccessKind.STORE, instruction, cells)


def report(lanes: Lanes, memory: Memory, instruction: Instruction, kind: FaultKind, threads: Array, what: str) -> None:
    """Report a fault of threads, by their numbers among those executed together, if there are any."""
    if threads.size:
        mask = np.zeros(lanes.shape, np.bool_)
        mask.reshape(-1)[threads] = True
        memory.faults.report(kind, instruction.line, lanes, mask, lambda _: what)


def _granted(lanes: Lanes, memory: Memory, kind: AccessKind, instruction: Instruction, cells: Cells) -> Array:
    """Which accesses are no faults. Observers are told of them."""
    outside = (cells.columns >= COLUMNS) | (cells.lanes >= LANES)
    if outside.any():
        lane, column = int(cells.lanes[outside][0]), int(cells.columns[outside][0])
        what = f"accesses lane {lane}, column {column} of tensor memory, which has {LANES} lanes of {COLUMNS} columns"
        report(lanes, memory, instruction, FaultKind.OUT_OF_BOUNDS, cells.threads[outside], what)
    missing = ~memory.tensor.is_allocated[cells.blocks, np.where(outside, 0, cells.columns)] & ~outside
    if missing.any():
        what = f"accesses column {int(cells.columns[missing][0])} of tensor memory, which is not allocated"
        report(lanes, memory, instruction, FaultKind.TENSOR_MEMORY, cells.threads[missing], what)
    good = ~outside & ~missing
    if memory.observers and good.any():
        found = cells.of(good)
        access = BulkAccess(kind, instruction, memory.tensor_region, found.threads, found.places, 1)
        for observer in memory.observers:
            observer(lanes, access)
    return good
