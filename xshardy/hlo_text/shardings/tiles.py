"""
Arrays of devices as HLO shardings write them: `[4,2]<=[2,2,2]T(2,1,0)` or `[2,2]0,3,1,2`.

Source: XLA's docs, "HLO sharding", and the text that XLA's parser and printer agree on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod


def common_factors(*factorizations: Iterable[int]) -> tuple[int, ...] | None:
    """
    The shortest sequence of factors whose consecutive products give each of `factorizations`, without factors of 1.

    `(4, 6), (2, 12)` -> `(2, 2, 6)`. None if there is none, as for `(2, 3), (3, 2)`. Precondition: equal products.
    """
    boundaries = sorted({1}.union(*(_boundaries(factors) for factors in factorizations)))
    if any(end % start for start, end in pairwise(boundaries)):
        return None
    return tuple(end // start for start, end in pairwise(boundaries))


def _boundaries(factors: Iterable[int]) -> Iterator[int]:
    """The products of the first 1, 2, ... of `factors`."""
    product = 1
    for factor in factors:
        product *= factor
        yield product


def listed(numbers: Iterable[int]) -> str:
    """`2,4`"""
    return ",".join(map(str, numbers))


def strides_of(shape: Sequence[int]) -> tuple[int, ...]:
    """The distance, in elements, between neighbours along each dimension of a row-major array."""
    return tuple(prod(shape[dim + 1 :]) for dim in range(len(shape)))


@dataclass(frozen=True, slots=True)
class Iota:
    """
    The numbers 0, 1, ... in a row-major array of `shape`, read with the dimensions in the order of `permutation`.

    `Iota.of` makes the shortest one: no dimension of size 1, and none that could be one with the next.
    """

    shape: tuple[int, ...]
    permutation: tuple[int, ...]

    @classmethod
    def of(cls, shape: Sequence[int], permutation: Sequence[int]) -> Iota:
        """The shortest one with the same numbers in the same order."""
        runs: list[list[int]] = []
        """Dimensions that stay neighbours, in the order in which they are read."""
        kept = [dim for dim in permutation if shape[dim] != 1]
        position = {dim: index for index, dim in enumerate(sorted(kept))}
        for dim in kept:
            if runs and position[runs[-1][-1]] + 1 == position[dim]:
                runs[-1].append(dim)
            else:
                runs.append([dim])
        if not runs:
            return cls((1,), (0,))
        sizes = {run[0]: prod(shape[dim] for dim in run) for run in runs}
        order = sorted(sizes)
        return cls(tuple(sizes[dim] for dim in order), tuple(order.index(run[0]) for run in runs))

    @classmethod
    def of_numbers(cls, numbers: Sequence[int]) -> Iota | None:
        """The iota that reads as `numbers`; None if there is none. Linear in `numbers`."""
        digits = tuple(_digits(numbers))
        shape = [size for size, _ in digits]
        order = sorted(range(len(digits)), key=lambda digit: -digits[digit][1])
        iota = cls.of([shape[digit] for digit in order], [order.index(digit) for digit in range(len(digits))])
        return iota if prod(iota.shape) == len(numbers) and iota.numbers() == tuple(numbers) else None

    @property
    def read_shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions in the order in which they are read."""
        return tuple(self.shape[dim] for dim in self.permutation)

    @property
    def text(self) -> str:
        """`[2,4]T(1,0)`, or `[8]` if nothing is reordered."""
        transposed = f"T({listed(self.permutation)})" if len(self.shape) > 1 else ""
        return f"[{listed(self.shape)}]{transposed}"

    def numbers(self) -> tuple[int, ...]:
        """The numbers in the order in which they are read."""
        strides = strides_of(self.shape)
        numbers: tuple[int, ...] = (0,)
        for dim in self.permutation:
            numbers = tuple(number + index * strides[dim] for number in numbers for index in range(self.shape[dim]))
        return numbers


def _digits(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """
    The size and the stride of each digit of a position, major first, if the number at a position is linear in digits.

    The number at position `p` is `sum(digit * stride)`. Otherwise anything.
    """
    found: list[tuple[int, int]] = []
    block = 1
    """The positions of one block have the digits found so far."""
    while block < len(numbers):
        stride = numbers[block] - numbers[0]
        size = 1
        while size * block < len(numbers) and numbers[size * block] == numbers[0] + size * stride:
            size += 1
        found.append((size, stride))
        block *= size
    return reversed(found)


@dataclass(frozen=True, slots=True)
class Tiles:
    """
    An array of the devices, of `shape`, row-major: `order` says which device is where.

    `[4,2]<=[2,4]T(1,0)` has an `Iota`, and `[2,2]0,3,1,2` lists the devices.
    """

    shape: tuple[int, ...]
    order: Iota | tuple[int, ...]

    @classmethod
    def of_devices(cls, shape: Sequence[int], devices: Sequence[int]) -> Tiles:
        """The array of these devices, as an iota where there is one."""
        return cls(tuple(shape), Iota.of_numbers(devices) or tuple(devices))

    @property
    def count(self) -> int:
        """The number of devices."""
        return prod(self.shape)

    def devices(self) -> tuple[int, ...]:
        """The devices, row by row."""
        return self.order.numbers() if isinstance(self.order, Iota) else self.order

    def reshaped(self, shape: Sequence[int]) -> Tiles:
        """The same devices in the same order. Precondition: `shape` has as many elements."""
        return Tiles(tuple(shape), self.order)

    def transposed(self, permutation: Sequence[int]) -> Tiles:
        """The array with its dimensions in the order of `permutation`; a list stays a list."""
        strides = strides_of(self.shape)
        devices = self.devices()
        shape = tuple(self.shape[dim] for dim in permutation)
        positions: tuple[int, ...] = (0,)
        for dim in permutation:
            positions = tuple(at + index * strides[dim] for at in positions for index in range(self.shape[dim]))
        return self._with([devices[at] for at in positions], shape)

    def sorted_within(self, group: int) -> Tiles:
        """The array in which every `group` consecutive devices are sorted; a list stays a list."""
        devices = self.devices()
        starts = range(0, len(devices), group)
        return self._with([device for start in starts for device in sorted(devices[start : start + group])], self.shape)

    def _with(self, devices: Sequence[int], shape: tuple[int, ...]) -> Tiles:
        return Tiles.of_devices(shape, devices) if isinstance(self.order, Iota) else Tiles(shape, tuple(devices))
