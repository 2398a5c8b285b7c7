"""Copies from shared to tensor memory. Source: PTX ISA, `tcgen05.cp`."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.clocks import Engine
from xshardy.ptx.decode import Context, Step
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.scalar.memory import addresses
from xshardy.ptx.instructions.tensor.tensor_operands import GROUPS, Issue, Operands
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.matrix_descriptors import tensor_descriptor
from xshardy.ptx.swizzles import CHUNK
from xshardy.ptx.tensor_cells import store_cells
from xshardy.ptx.tensor_elements import FIRST_BITS, PACKED_BITS, unpacked
from xshardy.ptx.tensor_memory import LANES, split
from xshardy.ptx.types import TYPES

WORDS_OF_CHUNK = CHUNK // 4
B64 = TYPES["b64"]


@dataclass(frozen=True, slots=True)
class Shape:
    """Rows of shared memory, and the first lanes of the copies of each 32 of them."""

    rows: int
    chunks: int
    """Of a row."""
    quarters: tuple[tuple[int, ...], ...]
    """For each 32 rows, to which quarters of the lanes they go."""


_ALL = ((0,), (1,), (2,), (3,))
SHAPES: Mapping[str, Shape] = {
    "128x256b": Shape(128, 2, _ALL),
    "128x128b": Shape(128, 1, _ALL),
    "64x128b.warpx2::02_13": Shape(64, 1, ((0, 2), (1, 3))),
    "64x128b.warpx2::01_23": Shape(64, 1, ((0, 1), (2, 3))),
    "32x128b.warpx4": Shape(32, 1, ((0, 1, 2, 3),)),
}


def _sources(shape: Shape) -> Array:
    """The row that each lane gets."""
    rows = np.zeros(LANES, np.int64)
    for number, quarters in enumerate(shape.quarters):
        for quarter in quarters:
            rows[32 * quarter : 32 * quarter + 32] = 32 * number + np.arange(32)
    return rows


def take_packed_bits(form: Form) -> int | None:
    """Remove `.b8x16.format`: the bits of an element; None for copies of bytes as they are."""
    return PACKED_BITS[form.required(*PACKED_BITS)] if form.has("b8x16") else None


def copy(form: Form, context: Context) -> Step:
    """`tcgen05.cp.group.shape{.multicast}{.b8x16.format} [to], descriptor`."""
    blocks = GROUPS[form.required(*GROUPS)]
    name = form.required("128x256b", "128x128b", "64x128b", "32x128b")
    multicast = form.take("warpx2::02_13", "warpx2::01_23", "warpx4")
    key = name if multicast is None else f"{name}.{multicast}"
    if key not in SHAPES:
        raise form.error(f"there is no {key}, only {', '.join(SHAPES)}")
    shape, packed_bits = SHAPES[key], take_packed_bits(form)
    used = CHUNK if packed_bits is None else CHUNK * packed_bits // 8
    instruction, memory = form.instruction, context.memory
    to, source = instruction.operands
    readers = Operands((addresses(context, instruction, to), context.registers.reader(instruction, source, B64)))
    sources = _sources(shape)

    def execute(lanes: Lanes) -> None:
        with lanes.working(Engine.TENSOR):
            for threads, (address, bits) in readers.issues(lanes):
                issue = Issue(lanes, memory, instruction, threads, blocks)
                descriptor = tensor_descriptor(bits)
                if isinstance(descriptor, str):
                    issue.fault(f"uses a descriptor of a matrix in shared memory that {descriptor}")
                    continue
                places = descriptor.chunks(shape.rows, 32, is_transposed=False)[:, : shape.chunks]
                (lane,), (column,) = split(np.array([address]))
                columns = column + np.arange(WORDS_OF_CHUNK * shape.chunks)
                for block in range(blocks):
                    raw = issue.shared(places.reshape(-1), block, used)
                    if packed_bits is not None:
                        raw = unpacked(raw, packed_bits) << np.uint8(FIRST_BITS[packed_bits])
                    rows = np.ascontiguousarray(raw).reshape(len(threads), shape.rows, -1).view(np.uint32)
                    every = lane + np.arange(LANES)
                    cells, _ = issue.cells(np.array(block), every[:, None], columns[None, :])
                    store_cells(lanes, memory, instruction, cells, rows[:, sources].reshape(-1))

    return execute
