"""Pictures of memory accesses of a warp: sectors of global memory, and banks of shared memory, lane by lane."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from xshardy import compiler
from xshardy.display.svg import Drawing, colour, width_of
from xshardy.emitters import emit_fusion
from xshardy.gpus.capability import DEFAULT_TARGET
from xshardy.gpus.sizes import BANKS, SECTOR_BYTES, WARP_SIZE
from xshardy.gpus.targets import device_of
from xshardy.interpreters.inputs import inputs_of
from xshardy.interpreters.simt.kernel import observe_block
from xshardy.interpreters.simt.machine import Lanes
from xshardy.interpreters.simt.memory import AccessKind, Tensor
from xshardy.numerics.element_types import Array, bits_in_memory
from xshardy.ptx.traffic import shared_wavefronts
from xshardy.transforms.xla_gpu.codegen_pipeline import LEVELS

CELL = 20
MOST_ACCESSES = 4
WORD_BITS = 32
WORDS = 8 * SECTOR_BYTES // WORD_BITS
"""The words of a sector."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The words that lanes access: in rows of 32, of which only those are drawn in which a lane has a word."""

    title: str
    words: Sequence[tuple[int, int]]
    """A lane, and the number of a word of 4 bytes that it accesses."""


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
        where = "shared memory" if self.is_shared else self.buffer
        return f"{self.kind.value} of {self.bits * self.places.shape[1]} bits per lane, {where}"


def warp_accesses(hlo: ModuleOp) -> Sequence[WarpAccess]:
    """The accesses of the first warp of the kernel of the first fusion in `hlo`, in the order of execution."""
    fusion = compiler.select_fusions(hlo)[0]
    module = compiler.lower(emit_fusion(fusion, device_of(DEFAULT_TARGET)), LEVELS[-2], target=DEFAULT_TARGET)
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
    The first access of each sort to global memory by the first warp, in the lines of 128 bytes that it accesses.

    Memory moves all sectors of 32 bytes, which are between two lines of the picture, in which a lane has a word.
    """
    grids: list[Grid] = []
    for each in _distinct([each for each in warp_accesses(hlo) if not each.is_shared]):
        sectors = {word // WORDS for _, word in each.words}
        grids.append(Grid(f"{each.title}: {len(sectors)} sectors", each.words))
    return _draw("The sectors of memory that the lanes of a warp access", grids)


def bank_picture(hlo: ModuleOp) -> Drawing:
    """
    The first access of each sort to shared memory by the first warp, in rows of a word of each bank.

    Lanes that need different words of one bank, in one column, wait for each other. Raises `ValueError` for a kernel
    without shared memory.
    """
    grids: list[Grid] = []
    for each in _distinct([each for each in warp_accesses(hlo) if each.is_shared]):
        first = np.pad(each.places[:, 0], (0, WARP_SIZE - len(each.places)), constant_values=-1)
        size = each.bits * each.places.shape[1] // 8
        waves, least = shared_wavefronts(first * each.bits // 8, first >= 0, size)
        conflicts = "no bank conflict" if waves == least else f"{waves} wavefronts"
        grids.append(Grid(f"{each.title}: {conflicts}", each.words))
    if not grids:
        raise ValueError("the kernel uses no shared memory: a transpose or a reduction does")
    return _draw("The banks of shared memory that the lanes of a warp access", grids)


def _draw(title: str, grids: Sequence[Grid]) -> Drawing:
    """The grids, one below the other."""
    width = max(CELL * BANKS, *(width_of(grid.title) for grid in grids)) + 4
    drawing = Drawing(width, 0, title)
    for grid in grids:
        top = drawing.height + 26
        rows = sorted({word // BANKS for _, word in grid.words})
        drawing.text(2, top - 10, grid.title, 12, font_weight="bold")
        for column in range(0, BANKS + 1, WORDS):
            drawing.line([(2 + column * CELL, top), (2 + column * CELL, top + CELL * len(rows))], stroke_width=0.4)
        for lane, word in grid.words:
            x, y = 2 + word % BANKS * CELL, top + rows.index(word // BANKS) * CELL
            drawing.rect(x + 0.5, y + 0.5, CELL - 1, CELL - 1, colour(lane // 8), rx=2, fill_opacity=0.65)
            drawing.text(x + CELL / 2, y + CELL * 0.68, str(lane), CELL / 2, "middle")
        drawing.height = top + CELL * len(rows) + 14
    return drawing
