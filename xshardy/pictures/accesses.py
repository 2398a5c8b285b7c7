"""Pictures of memory accesses of a warp: sectors of global memory, and banks of shared memory, lane by lane."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from xshardy import compiler
from xshardy.emitters import emit_fusion
from xshardy.emitters.devices import device_of
from xshardy.indexing.coalescing import SECTOR_BYTES
from xshardy.interpreters.element_types import Array, bits_in_memory
from xshardy.interpreters.inputs import inputs_of
from xshardy.interpreters.simt.kernel import observe_block
from xshardy.interpreters.simt.launch import WARP_SIZE
from xshardy.interpreters.simt.machine import Lanes
from xshardy.interpreters.simt.memory import AccessKind, Tensor
from xshardy.interpreters.simt.traffic import BANKS, wavefronts
from xshardy.svg import Drawing, colour, width_of
from xshardy.transforms.xla_gpu.codegen_pipeline import LEVELS

CELL = 13
GAP = 36
MOST_ACCESSES = 4
WORD_BITS = 32
WORDS = 8 * SECTOR_BYTES // WORD_BITS
"""The words of a sector."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The words that lanes access, in a grid."""

    title: str
    cells: Sequence[tuple[int, int, int]]
    """The row, the column and the lane of each."""
    rows: int
    columns: int
    below: str


@dataclass(frozen=True, slots=True)
class WarpAccess:
    """An access of the first warp of a kernel."""

    buffer: str
    kind: AccessKind
    is_shared: bool
    bits: int
    """The bits of an element."""
    places: Array
    """[lanes, elements of a lane]: their numbers in the buffer; -1 for a lane that does not take part."""

    @property
    def words(self) -> Sequence[tuple[int, int]]:
        """Each lane with each word of 32 bits that it accesses."""
        numbers = np.where(self.places >= 0, self.places * self.bits // WORD_BITS, -1)
        return [(lane, int(word)) for lane, row in enumerate(numbers) for word in np.unique(row) if word >= 0]

    @property
    def title(self) -> str:
        where = "shared memory" if self.is_shared else f"buffer {self.buffer}"
        return f"{self.kind.value} of {self.bits * self.places.shape[1]} bits per lane, {where}"


def warp_accesses(hlo: ModuleOp, target: str = compiler.DEFAULT_TARGET) -> Sequence[WarpAccess]:
    """The accesses of the first warp of the kernel of the first fusion in `hlo`, in the order of execution."""
    fusion = compiler.select_fusions(hlo)[0]
    module = compiler.lower(emit_fusion(fusion, device_of(target)), LEVELS[-2], target=target)
    found: list[WarpAccess] = []

    def observe(lanes: Lanes, kind: AccessKind, tensor: Tensor, where: Array, mask: Array) -> None:
        places = np.broadcast_to(where, lanes.shape + where.shape[2:])
        active = np.broadcast_to(lanes.on_vector(mask, places.ndim), places.shape).reshape(lanes.shape[1], -1)
        of_warp = np.where(active, places.reshape(active.shape), -1)[:WARP_SIZE]
        if (of_warp >= 0).any():
            is_shared = tensor.buffer.elements_per_block is not None
            bits = bits_in_memory(tensor.buffer.data.dtype)
            found.append(WarpAccess(tensor.buffer.name, kind, is_shared, bits, of_warp))

    observe_block(module, inputs_of(fusion.callee_function(), seed=0), observe)
    return found


def _distinct(accesses: Sequence[WarpAccess]) -> Sequence[WarpAccess]:
    """The first access of each sort."""
    sorts = {(each.buffer, each.kind, each.places.shape[1]): each for each in reversed(accesses)}
    return [*sorts.values()][::-1][:MOST_ACCESSES]


def sector_picture(hlo: ModuleOp) -> Drawing:
    """
    The first access of each sort to global memory by the first warp: lanes down, words of 4 bytes across.

    Only sectors are drawn that the warp accesses, each between two lines: memory moves all of them.
    """
    grids: list[Grid] = []
    for each in _distinct([each for each in warp_accesses(hlo) if not each.is_shared]):
        words = each.words
        sectors = sorted({word // WORDS for _, word in words})
        cells = [(lane, sectors.index(word // WORDS) * WORDS + word % WORDS, lane) for lane, word in words]
        title = f"{each.title}: {len(sectors)} sectors"
        grids.append(Grid(title, cells, WARP_SIZE, len(sectors) * WORDS, "lanes, words by sectors of 32 bytes"))
    return _draw("The sectors of memory that the lanes of a warp access", grids)


def bank_picture(hlo: ModuleOp) -> Drawing:
    """
    The first access of each sort to shared memory by the first warp, lane by lane, in rows of a word of each bank.

    Lanes that need different words of one bank, in one column, wait for each other.
    """
    accesses = _distinct([each for each in warp_accesses(hlo) if each.is_shared])
    if not accesses:
        raise ValueError("the kernel uses no shared memory: a transpose or a reduction does")
    grids: list[Grid] = []
    for each in accesses:
        words = each.words
        rows = sorted({word // BANKS for _, word in words})
        cells = [(rows.index(word // BANKS), word % BANKS, lane) for lane, word in words]
        waves = wavefronts(np.array([word for _, word in words]))
        title = f"{each.title}: {'no bank conflict' if waves == 1 else f'{waves} wavefronts'}"
        grids.append(Grid(title, cells, len(rows), BANKS, f"rows of {BANKS} words, one in each bank"))
    return _draw("The banks of shared memory that the lanes of a warp access", grids)


def _draw(title: str, grids: Sequence[Grid]) -> Drawing:
    """The grids, two in a row."""
    widths = [max(grid.columns * CELL + 40, width_of(grid.title)) + GAP for grid in grids]
    of_rows = [sum(widths[first : first + 2]) for first in range(0, len(grids), 2)]
    heights = [max(grid.rows for grid in grids[first : first + 2]) * CELL + 62 for first in range(0, len(grids), 2)]
    drawing = Drawing(max(of_rows, default=0), sum(heights), title)
    for number, grid in enumerate(grids):
        left = 6 + (widths[number - 1] if number % 2 else 0)
        _draw_grid(drawing, grid, left, sum(heights[: number // 2]) + 26)
    return drawing


def _draw_grid(drawing: Drawing, grid: Grid, left: float, top: float) -> None:
    drawing.text(left, top - 10, grid.title, 12, font_weight="bold")
    drawing.text(left, top + CELL * grid.rows + 16, grid.below, 11)
    for column in range(0, grid.columns + 1, WORDS):
        x = left + column * CELL
        drawing.line([(x, top), (x, top + CELL * grid.rows)], stroke_width=0.4)
    for row, column, lane in grid.cells:
        x, y = left + column * CELL, top + row * CELL
        drawing.rect(x + 0.5, y + 0.5, CELL - 1, CELL - 1, colour(lane // 8), rx=2, fill_opacity=0.65)
        drawing.text(x + CELL / 2, y + CELL - 4, str(lane), 7, "middle")
