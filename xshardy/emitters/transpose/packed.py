"""
Packed tiles, for elements of less than four bytes: a thread moves squares that are four bytes wide and as many high.

A bank of shared memory is four bytes wide, and so is what a thread reads or writes of it at once. A narrower element on
its way between a row and a column would leave the rest of the bank idle. So a thread writes four bytes of a row to the
tile as they are; reads four bytes each of neighbouring rows from it, a square; and turns the square in its registers.

Source: XLA:GPU's transpose emitter, `PackedTranspose`. The tile is our own: XLA rotates each row, ours are padded.
"""

from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation
from xdsl.ir.affine import AffineExpr

from xshardy.affine.expressions import add, constant, dim, floordiv, mod, mul, sym
from xshardy.emitters.elemental.kinds import bits_in_memory
from xshardy.emitters.grids import block_number, ceil_div, grid_map, split, within
from xshardy.emitters.launch_dimensions import Device, LaunchDimensions, grid_of
from xshardy.emitters.transpose.normal_form import Transposition, transposition
from xshardy.emitters.transpose.tiling import (
    ROWS,
    SHARED_MEMORY,
    THREADS,
    TILE,
    TransposeTiling,
    in_block,
    tile_counts,
)
from xshardy.indexing.tensor_maps import inside

BANK_BITS = 32
"""The width of a bank of shared memory."""
BYTE = 8
"""Bits."""
MIN_SQUARES = 10
"""Squares along a side of a tile. With fewer, most threads of a warp have none."""


@dataclass(frozen=True, slots=True)
class PackedTile:
    """
    The part of a transposition that a block moves, as a matrix.

    Its rows go along the dimension that is minor in the result, its columns along the last dimensions of the input,
    from `middle` on. `blocks` are the sizes of the part in the dimensions of the input.
    """

    square: int
    """Elements along the sides of a square."""
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

        So the rows that a warp reads at once, one of each square, are neighbours. They are longer by a bank than what
        a warp writes: what it reads of a column is in different banks, as is what it writes of a row.
        """
        return self.square, TILE, (TILE + 1) * self.square

    def size(self, width: int) -> int:
        """The bytes that the tile takes of shared memory for elements of `width` bits."""
        return prod(self.shape) * width // 8


def packed_tile(moved: Transposition, width: int) -> PackedTile:
    """
    The tile for elements of `width` bits, less than a bank has: up to 32 by 32 squares.

    Where the minor dimension of the input is short, columns go on along the one before it, if that stays where it is.
    """
    square = BANK_BITS // width
    side = TILE * square
    row, minor = moved.swapped
    blocks = [1] * len(moved.shape)
    blocks[row] = min(moved.shape[row], side)
    blocks[minor] = min(moved.shape[minor], side)
    middle = minor - 1 if minor > 1 and moved.permutation[minor - 1] == minor - 1 else minor
    if middle < minor:
        blocks[middle] = min(moved.shape[middle], side // blocks[minor])
    return PackedTile(square, tuple(blocks), blocks[row], middle)


def why_not_packed(moved: Transposition, width: int) -> str | None:
    """
    What speaks against packed tiles for elements of `width` bits; None if nothing does.

    The result has to consist of whole squares, and, as a part of a byte is never written by itself, so has the input
    if elements share bytes.
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
    """Whether packed tiles make the transposition `op` faster."""
    moved = transposition(op)
    return (
        moved is not None and 0 not in moved.shape and why_not_packed(moved, bits_in_memory(op.results[0].type)) is None
    )


def packed_tiling(moved: Transposition, width: int, heroes: int, device: Device) -> TransposeTiling | None:
    """
    The plan with packed tiles for elements of `width` bits, of each of `heroes` tensors.

    None if something speaks against them, or there is not enough shared memory.
    """
    if why_not_packed(moved, width) is not None:
        return None
    tile = packed_tile(moved, width)
    if heroes * tile.size(width) > SHARED_MEMORY:
        return None
    counts = tile_counts(moved.result_shape, moved.permuted(tile.blocks))
    launch = LaunchDimensions(THREADS, grid_of(prod(counts), device))
    numbers = split(block_number(launch), counts)  # blocks one after the other write neighbours
    matrix = (tile.rows, tile.columns)
    square = constant(tile.square)
    lane, warp = mod(dim(0), constant(TILE)), floordiv(dim(0), constant(TILE))
    step = add(mul(sym(0), constant(ROWS)), warp)

    def indices(row: AffineExpr, column: AffineExpr) -> tuple[AffineExpr, ...]:
        """Those in the input of an element of the matrix."""
        offsets = [constant(0)] * tile.middle + [*split(column, tile.blocks[tile.middle :])]
        offsets[moved.swapped[0]] = row
        return in_block([numbers[moved.permutation.index(d)] for d in range(len(offsets))], tile.blocks, offsets)

    # A warp writes row after row, each thread a part of it.
    written = (step, add(mul(lane, square), sym(1)))
    steps = (ceil_div(tile.rows, ROWS), tile.square)
    input = inside(grid_map(launch, indices(*written), steps), written, matrix)
    write = grid_map(launch, (mod(step, square), floordiv(step, square), written[1]), steps)

    # It reads square after square in each column of them, each thread one.
    read = (constant(0), lane, mul(step, square))
    squares = ceil_div(tile.columns, ROWS * tile.square)
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
