"""
Transpositions in memory: the fewest dimensions that say how elements move, whatever the shapes and layouts.

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
"""Elements. Tiles of less in one direction leave too many threads idle."""
MIN_ELEMENTS = 16 * 16
MAX_MINOR_BITS = 64
"""A minor dimension that stays where it is moves as one element of up to that width."""
MIN_LAST_TWO = 8
"""Elements. The same as `MIN_DIMENSION` if only the last two dimensions change places."""


@dataclass(frozen=True, slots=True)
class Transposition:
    """Dimension `d` of the result is dimension `permutation[d]` of the input, of `shape`; both are row-major."""

    shape: tuple[int, ...]
    permutation: tuple[int, ...]

    @property
    def result_shape(self) -> tuple[int, ...]:
        return self.permuted(self.shape)

    def permuted(self, values: Sequence[T]) -> tuple[T, ...]:
        """What belongs to the dimensions of the input, in the order of those of the result."""
        return tuple(values[d] for d in self.permutation)

    @property
    def keeps_minor(self) -> bool:
        """Whether the elements of the minor dimension stay together."""
        return self.permutation[-1] == len(self.permutation) - 1

    @property
    def swapped(self) -> tuple[int, int]:
        """The dimensions of the input that are minor in it and in the result, but for one that both keep."""
        last = len(self.shape) - (2 if self.keeps_minor else 1)
        return self.permutation[last], last


def transposition(op: Operation) -> Transposition | None:
    """What `op` does to the order of elements in memory; None if it keeps it, or is no transposition."""
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
    """The transposition with dimensions that stay side by side taken as one; None if only one is left."""
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
    """Whether tiles of shared memory make the transposition `op` faster."""
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
