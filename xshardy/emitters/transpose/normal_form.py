"""
Transpositions normalized to the fewest dimensions that describe the movement in memory, for any shape and layout.

Source: row XGPU-40; XLA:GPU's rules for tiled transpositions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeVar

from xdsl.ir import Operation

from xshardy.dialects import hlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.shape import TransposeOp
from xshardy.emitters.elemental.kinds import bits_in_memory
from xshardy.indexing.tensor_maps import minor_to_major

T = TypeVar("T")

MIN_DIMENSION = 4
"""Elements. Smaller tile dimensions leave too many threads idle."""
MIN_ELEMENTS = 16 * 16
MAX_MINOR_BITS = 64
"""The maximal width of a minor dimension that is kept and moves as one element."""
MIN_LAST_TWO = 8
"""Elements. Replaces `MIN_DIMENSION` if only the last two dimensions are swapped."""


@dataclass(frozen=True, slots=True)
class Transposition:
    """Dimension `d` of the result is dimension `permutation[d]` of the input, of `shape`; both are row-major."""

    shape: tuple[int, ...]
    permutation: tuple[int, ...]

    @property
    def result_shape(self) -> tuple[int, ...]:
        return self.permuted(self.shape)

    def permuted(self, values: Sequence[T]) -> tuple[T, ...]:
        """Permute `values`, one per dimension of the input, into the order of the result's dimensions."""
        return tuple(values[d] for d in self.permutation)

    def restored(self, values: Sequence[T]) -> tuple[T, ...]:
        """Permute `values`, one per dimension of the result, into the order of the input's dimensions."""
        return tuple(value for _, value in sorted(zip(self.permutation, values, strict=True), key=lambda pair: pair[0]))

    @property
    def keeps_minor(self) -> bool:
        """Whether the minor dimension stays minor."""
        return self.permutation[-1] == len(self.permutation) - 1

    @property
    def swapped(self) -> tuple[int, int]:
        """
        The minor dimensions of the input and of the result, as input dimensions; a minor dimension kept by both is
        skipped.
        """
        last = len(self.shape) - (2 if self.keeps_minor else 1)
        return self.permutation[last], last


def transposition(op: Operation) -> Transposition | None:
    """The transposition of elements in memory by `op`; None if `op` keeps the order or is no transposition."""
    match op:
        case TransposeOp():
            permutation = op.permutation.get_values()
        case hlo.CopyOp():
            permutation = tuple(range(len(shape_of(op.operand))))
        case _:
            return None
    (operand,), (result,) = op.operands, op.results
    shape = shape_of(operand)
    source = [d for d in reversed(minor_to_major(operand)) if shape[d] != 1]
    target = [d for i in reversed(minor_to_major(result)) if shape[d := permutation[i]] != 1]
    return _merged([shape[d] for d in source], [source.index(d) for d in target])


def _merged(shape: Sequence[int], permutation: Sequence[int]) -> Transposition | None:
    """The transposition with adjacent dimensions merged; None if one dimension remains."""
    runs: list[list[int]] = []
    for d in permutation:
        if runs and runs[-1][-1] + 1 == d:
            runs[-1].append(d)
        else:
            runs.append([d])
    if len(runs) < 2:
        return None
    sizes = {run[0]: prod(shape[d] for d in run) for run in runs}
    order = sorted(sizes)
    return Transposition(tuple(sizes[d] for d in order), tuple(order.index(run[0]) for run in runs))


def is_tiled(op: Operation) -> bool:
    """Whether tiles in shared memory speed up the transposition `op`."""
    if (moved := transposition(op)) is None or 0 in moved.shape:
        return False
    width = bits_in_memory(op.results[0].type)
    first, last = (moved.shape[d] for d in moved.swapped)
    narrow = min(first, last)
    if moved.keeps_minor:
        fits = width * moved.shape[-1] <= MAX_MINOR_BITS
    else:
        fits = width != 4 and (narrow >= MIN_LAST_TWO or moved.swapped[0] != len(moved.shape) - 2)
    return fits and narrow >= MIN_DIMENSION and first * last >= MIN_ELEMENTS
