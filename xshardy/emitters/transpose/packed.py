"""
Packed tiles, for elements of less than four bytes: a thread moves squares that are four bytes wide.

A bank of shared memory is four bytes wide, and a thread accesses four bytes of it at a time. Moving a narrower element
between a row and a column would waste the rest of the bank. So a thread writes four bytes of a row to the tile, reads
four bytes each of adjacent rows, a square, and transposes the square in registers.

Source: XLA:GPU's transpose emitter, `PackedTranspose`. The tile differs: XLA rotates each row, this tile is padded.
"""

from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation
from xdsl.ir.affine import AffineExpr

from xshardy.affine.expressions import add, constant, dim, floordiv, mod, mul, sym
from xshardy.emitters.elemental.kinds import bits_in_memory
from xshardy.emitters.grids import block_number, ceil_div, grid_map, split, within
from xshardy.emitters.launch_dimensions import LaunchDimensions, grid_of
from xshardy.emitters.transpose.normal_form import Transposition, transposition
from xshardy.emitters.transpose.tiling import (
    SHARED_MEMORY,
    TILE,
    TransposeTiling,
    in_block,
    tile_counts,
)
from xshardy.gpus.devices import Device
from xshardy.indexing.tensor_maps import inside

BANK_BITS = 32
"""The width of a bank of shared memory."""
BYTE = 8
"""Bits."""
MIN_SQUARES = 10
"""The minimal number of squares along a side of a tile; with fewer, most threads of a warp are idle."""


@dataclass(frozen=True, slots=True)
class PackedTile:
    """
    The part of a transposition that a block moves, as a matrix.

    Its rows are along the minor dimension of the result, its columns along the last dimensions of the input, from
    `middle` on. `blocks` are the sizes of the part in the dimensions of the input.
    """

    square: int
    """The number of elements along the sides of a square."""
    blocks: tuple[int, ...]
    rows: int
    middle: int

    @property
    def columns(self) -> int:
        return prod(self.blocks[self.middle :])

    @property
    def shape(self) -> tuple[int, int, int]:
        """
        The tile in shared memory: row `r` of the matrix is at `[r mod square, r floordiv square]`.

        The rows that a warp reads together, one of each square, are thus adjacent. Rows are padded by one bank, so that
        neither the reads of a column nor the writes of a row conflict.
        """
        return self.square, TILE, (TILE + 1) * self.square

    def size(self, width: int) -> int:
        """The bytes of shared memory of the tile, for elements of `width` bits."""
        return prod(self.shape) * width // 8


def packed_tile(moved: Transposition, width: int) -> PackedTile:
    """
    The tile for elements of `width` bits, less than a bank: up to 32 by 32 squares.

    If the minor dimension of the input is short, columns continue along the next one, provided that the transposition
    keeps that one.
    """
    square = BANK_BITS // width
    side = TILE * square
    row, minor = moved.swapped
    blocks = [1] * len(moved.shape)
    blocks[row] = min(moved.shape[row], side)
    blocks[minor] = min(moved.shape[minor], side)
    middle = minor - 1 if moved.permutation[minor - 1] == minor - 1 else minor
    if middle < minor:
        blocks[middle] = min(moved.shape[middle], side // blocks[minor])
    return PackedTile(square, tuple(blocks), blocks[row], middle)


def why_not_packed(moved: Transposition, width: int) -> str | None:
    """
    The reason against packed tiles for elements of `width` bits; None if they are possible.

    The result must consist of whole squares. So must the input if elements share bytes, because parts of bytes are
    never written.
    """
    if width >= BANK_BITS:
        return f"an element of {width} bits fills a bank"
    if moved.keeps_minor:
        return "the minor dimension stays where it is"
    tile = packed_tile(moved, width)
    row, minor = moved.swapped
    sizes = [("rows", moved.shape[row]), ("columns of a tile", tile.columns)]
    if width < BYTE:
        sizes.append(("columns", moved.shape[minor]))
    for what, size in sizes:
        if size % tile.square:
            return f"{size} {what} are no multiple of {tile.square}"
    if min(tile.rows, tile.columns) < MIN_SQUARES * tile.square:
        return f"tiles of {tile.rows} by {tile.columns} have too few squares of {tile.square} by {tile.square}"
    return None


def is_packed(op: Operation) -> bool:
    """Whether packed tiles speed up the transposition `op`."""
    moved = transposition(op)
    return (
        moved is not None and 0 not in moved.shape and why_not_packed(moved, bits_in_memory(op.results[0].type)) is None
    )


def packed_tiling(moved: Transposition, width: int, heroes: int, device: Device) -> TransposeTiling | None:
    """
    The tiling with packed tiles for elements of `width` bits, of each of `heroes` tensors.

    None if packed tiles are impossible or do not fit into shared memory.
    """
    if why_not_packed(moved, width) is not None:
        return None
    tile = packed_tile(moved, width)
    if heroes * tile.size(width) > SHARED_MEMORY:
        return None
    counts = tile_counts(moved.result_shape, moved.permuted(tile.blocks))
    rows = device.transposed_rows
    launch = LaunchDimensions(TILE * rows, grid_of(prod(counts), device))
    numbers = split(block_number(launch), counts)  # consecutive blocks write adjacent elements
    matrix = (tile.rows, tile.columns)
    square = constant(tile.square)
    lane, warp = mod(dim(0), constant(TILE)), floordiv(dim(0), constant(TILE))
    step = add(mul(sym(0), constant(rows)), warp)

    def indices(row: AffineExpr, column: AffineExpr) -> tuple[AffineExpr, ...]:
        """The indices in the input of an element of the matrix."""
        offsets = [constant(0)] * tile.middle + [*split(column, tile.blocks[tile.middle :])]
        offsets[moved.swapped[0]] = row
        return in_block([numbers[moved.permutation.index(d)] for d in range(len(offsets))], tile.blocks, offsets)

    # A warp writes one row after the other, each thread a part of it.
    written = (step, add(mul(lane, square), sym(1)))
    steps = (ceil_div(tile.rows, rows), tile.square)
    input = inside(grid_map(launch, indices(*written), steps), written, matrix)
    write = grid_map(launch, (mod(step, square), floordiv(step, square), written[1]), steps)

    # Within each column of squares, a warp reads one square after the other, one square per thread.
    read = (constant(0), lane, mul(step, square))
    squares = ceil_div(tile.columns, rows * tile.square)
    turned = (add(mul(lane, square), sym(2)), add(mul(step, square), sym(1)))
    results = moved.permuted(indices(*turned))
    output = inside(grid_map(launch, results, (squares, tile.square, tile.square)), turned, matrix)
    return TransposeTiling(
        moved,
        launch,
        within(input, moved.shape),
        within(output, moved.result_shape),
        tile.shape,
        write.simplify(),
        grid_map(launch, read, (squares,)).simplify(),
        square=tile.square,
    )
