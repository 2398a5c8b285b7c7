"""Numbers of the elements of a strided array: of the devices along some axes, of an iota that is transposed."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from operator import mul


def strides_of(sizes: Sequence[int]) -> list[int]:
    """`[2, 3, 4]` -> `[12, 4, 1]`: how far apart neighbours are along each dimension, in row-major order."""
    return [*accumulate(sizes[:0:-1], mul, initial=1)][::-1] if sizes else []


def strided(dims: Iterable[tuple[int, int]]) -> list[int]:
    """The number of each element, in row-major order: the sum of its indices times strides. `dims`: (size, stride)."""
    numbers = [0]
    for size, stride in dims:
        numbers = [number + index * stride for number in numbers for index in range(size)]
    return numbers
