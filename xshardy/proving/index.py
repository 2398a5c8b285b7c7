"""
Indices of elements as sums of digits, with an offset of each device.

Devices are concrete and indices are symbolic: `offset[device] + sum(stride * (i[dim] // div % mod))`. Replica groups,
permutations and tables that are read at the number of a device are then arrays, for any mesh, and reshapes, transposes
and slices are digits.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
"""Integers of each device: of shape `[devices]`, or `[1]` where they are the same on all."""


class Digit(NamedTuple):
    """`stride * (i[dim] // div % mod)`"""

    stride: int
    dim: int
    div: int
    mod: int

    def cut(self, at: int) -> "tuple[Digit, Digit] | None":
        """Its values of units and of multiples of `at` more than `div`; None if these are no digits."""
        if at <= 1 or self.mod % at:
            return None
        low = Digit(self.stride, self.dim, self.div, at)
        return low, Digit(self.stride * at, self.dim, self.div * at, self.mod // at)


UNLIMITED = 1 << 62
"""No index gets there: so many integers the source of integers counts, and a modulus so large changes nothing."""

LARGEST = 1 << 60
"""Larger integers are no indices: sums of smaller ones do not overflow here."""


@dataclass(frozen=True, eq=False, slots=True)
class Index:
    """An index into a source: `offset + sum of digits`; `digits` are canonical (`canonical`)."""

    offset: Ints
    digits: tuple[Digit, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether it is one number on each device."""
        return not self.digits

    def bounds(self, lo: Ints, hi: Ints) -> tuple[Ints, Ints]:
        """The least and the greatest value where the indices are in the box `[lo, hi)`, on each device."""
        low = high = self.offset
        for stride, dim, div, mod in self.digits:
            first, last = lo[:, dim] // div, np.maximum(hi[:, dim] - 1, 0) // div
            wraps = first // mod != last // mod
            first, last = np.where(wraps, 0, first % mod), np.where(wraps, mod - 1, last % mod)
            ends = (first, last) if stride > 0 else (last, first)
            low, high = low + stride * ends[0], high + stride * ends[1]
        return low, high

    @property
    def is_small(self) -> bool:
        """Whether the sum and the difference of two such indices are integers of 64 bits everywhere."""
        greatest = max(abs(int(self.offset.min())), abs(int(self.offset.max())))
        return greatest + sum(abs(digit.stride) * (digit.mod - 1) for digit in self.digits) < UNLIMITED

    def plus(self, offset: Ints | int) -> "Index":
        """It with another offset."""
        return Index(self.offset + offset, self.digits)

    def renamed(self, dims: Sequence[int]) -> "Index":
        """It with dimension `dims[d]` in place of `d`."""
        return Index(self.offset, canonical(Digit(s, dims[d], v, m) for s, d, v, m in self.digits))


def is_uniform(values: Ints) -> bool:
    """Whether all devices have the same."""
    return bool((values == values[0]).all())


def number(value: int | Ints) -> Index:
    """An index that is this number, or the number of each device."""
    return Index(value if isinstance(value, np.ndarray) else np.array([value], np.int64))


def whole(dim: int, size: int) -> Index:
    """The index of dimension `dim`, which has `size` elements."""
    return Index(ZERO, (Digit(1, dim, 1, size),) if size > 1 else ())


def part_at(starts: Sequence[Ints | int], shape: Sequence[int]) -> tuple[Index, ...]:
    """The indices, in a whole tensor, of the part of `shape` that begins at `starts`."""
    return tuple(whole(dim, size).plus(start) for dim, (start, size) in enumerate(zip(starts, shape, strict=True)))


def identity(shape: Sequence[int]) -> tuple[Index, ...]:
    """The index of each dimension of `shape`."""
    return tuple(whole(dim, size) for dim, size in enumerate(shape))


ZERO: Ints = np.zeros(1, np.int64)


def canonical(digits: Iterable[Digit]) -> tuple[Digit, ...]:
    """
    The digits of the same sum in one form: in order, cut at each other's ends, equal ones added, neighbours merged.
    """
    digits = tuple(digits)
    if len(digits) < 2:
        return digits if all(digit.mod > 1 and digit.stride for digit in digits) else ()
    sums: dict[tuple[int, int, int], int] = {}
    for stride, dim, div, mod in digits:
        if mod > 1:
            sums[dim, div, mod] = sums.get((dim, div, mod), 0) + stride
    ordered = sorted(sums.items())
    if any(a[0] == b[0] and b[1] < a[1] * a[2] for (a, _), (b, _) in pairwise(ordered)):
        ordered = _cut_at_ends(sums)
    merged: list[Digit] = []
    for (dim, div, mod), stride in ordered:
        if not stride:
            continue
        last = merged[-1] if merged else None
        if last is not None and last.dim == dim and last.div * last.mod == div and stride == last.stride * last.mod:
            merged[-1] = Digit(last.stride, dim, last.div, last.mod * mod)
        else:
            merged.append(Digit(stride, dim, div, mod))
    return tuple(merged)


def _cut_at_ends(sums: dict[tuple[int, int, int], int]) -> list[tuple[tuple[int, int, int], int]]:
    """Digits that overlap, cut at the ends of the others where the cut is exact."""
    ends: dict[int, set[int]] = {}
    for dim, div, mod in sums:
        ends.setdefault(dim, set()).update((div, div * mod))
    cut: dict[tuple[int, int, int], int] = {}
    for (dim, div, mod), stride in sums.items():
        at = div
        for end in [*(end for end in sorted(ends[dim]) if div < end < div * mod), div * mod]:
            if end % at or div * mod % end:
                continue
            key = dim, at, end // at
            cut[key] = cut.get(key, 0) + stride * (at // div)
            at = end
    return sorted(cut.items())


def combine(*parts: tuple[int, Index]) -> Index:
    """The sum of multiples: `combine((2, a), (-1, b))` is `2 * a - b`."""
    if len(parts) == 1 and parts[0][0] == 1:
        return parts[0][1]
    offset, digits = ZERO, list[Digit]()
    for factor, index in parts:
        offset = offset + factor * index.offset
        digits += [Digit(factor * s, d, v, m) for s, d, v, m in index.digits]
    return Index(offset, canonical(digits))


def _units_and_multiples(digit: Digit, unit: int) -> list[Digit] | None:
    """A digit of positive stride as digits that are below `unit` in sum, and digits of multiples of it."""
    if digit.stride % unit == 0 or digit.stride * digit.mod <= unit:
        return [digit]
    if unit % digit.stride:
        return None
    cut = digit.cut(unit // digit.stride)
    return None if cut is None else list(cut)


def digit_of(index: Index, div: int, mod: int, lo: Ints | None = None, hi: Ints | None = None) -> Index | None:
    """`index // div % mod`, where that is a sum of digits; of indices in the box `[lo, hi)`, if there is one."""
    multiples, rest = list[Digit](), 0
    for digit in index.digits:
        cut = _units_and_multiples(digit, div) if digit.stride > 0 else None
        if cut is None:
            return None
        for part in cut:
            if part.stride % div == 0:
                multiples.append(part._replace(stride=part.stride // div))
            else:
                rest += part.stride * (part.mod - 1)
    quotient, remainder = np.divmod(index.offset, div)
    if (remainder + rest >= div).any():
        return None
    divided = Index(quotient, canonical(multiples))
    if lo is not None and hi is not None:
        low, high = divided.bounds(lo, hi)
        if (((low >= 0) & (high < mod)) | (hi <= lo).any(1)).all():
            return divided
    kept = list[Digit]()
    for digit in multiples:
        cut = _units_and_multiples(digit, mod)
        if cut is None:
            return None
        kept += [part for part in cut if part.stride % mod]
    quotient = quotient % mod
    if (quotient + sum(part.stride * (part.mod - 1) for part in kept) >= mod).any():
        return None
    return Index(quotient, canonical(kept))


def substitute(
    index: Index, at: Sequence[Index], shape: Sequence[int], lo: Ints | None = None, hi: Ints | None = None
) -> Index | None:
    """
    `index` with the index `at[d]` in place of dimension `d`, which has `shape[d]` elements; None if it is no index.

    `at` is of indices in the box `[lo, hi)`, if there is one. Each `at[d]` must be in `[0, shape[d])`.
    """
    parts = [(1, Index(index.offset))] if index.offset is not ZERO else []
    for stride, dim, div, mod in index.digits:
        is_whole = div == 1 and mod == shape[dim]
        inner = at[dim] if is_whole else digit_of(at[dim], div, mod, lo, hi)
        if inner is None:
            return None
        parts.append((stride, inner))
    return combine(*parts)


def divided(index: Index, divisor: int, active: NDArray[np.bool_]) -> Index | None:
    """`index / divisor`, where that is exact on all `active` devices."""
    if divisor == 1:
        return index
    offset = np.where(active, index.offset, 0)
    if (offset % divisor).any() or any(digit.stride % divisor for digit in index.digits):
        return None
    return Index(offset // divisor, canonical(d._replace(stride=d.stride // divisor) for d in index.digits))


def are_indices(at: Sequence[Index], shape: Sequence[int], devices: int) -> bool:
    """Whether these are canonical indices of a tensor of this shape: what an oracle answers may be anything."""
    return all(
        index.offset.shape in ((1,), (devices,))
        and all(0 <= dim < len(shape) and div > 0 and mod > 1 for _, dim, div, mod in index.digits)
        and index.is_small
        and canonical(index.digits) == index.digits
        for index in at
    )


def same_index(a: Index, b: Index, active: NDArray[np.bool_]) -> bool:
    """Whether two indices are equal on all `active` devices."""
    return a.digits == b.digits and not ((a.offset != b.offset) & active).any()


def reshaped(old: Sequence[int], new: Sequence[int]) -> tuple[Index, ...] | None:
    """The indices of a tensor of shape `old` at those of its reshape to `new`; None if sizes do not nest."""
    strides = [prod(new[dim + 1 :]) for dim in range(len(new))]
    linear = Index(ZERO, tuple(Digit(strides[d], d, 1, size) for d, size in enumerate(new) if size > 1))
    indices = [digit_of(linear, prod(old[d + 1 :]), size) if size > 1 else number(0) for d, size in enumerate(old)]
    return None if any(index is None for index in indices) else tuple(index for index in indices if index is not None)


def digits_of_steps(values: Ints) -> tuple[Digit, ...] | None:
    """`values[r] - values[0]` as digits of dimension 0, `r`; None if it is no sum of digits."""
    steps, digits, done = values - values[0], list[Digit](), 1
    while done < len(steps):
        stride, count = int(steps[done]), 1
        while (
            len(steps) >= done * (count + 1)
            and (steps[done * count : done * (count + 1)] == steps[:done] + count * stride).all()
        ):
            count += 1
        while len(steps) % (done * count):
            count -= 1
        if count == 1:
            return None
        digits.append(Digit(stride, 0, done, count))
        done *= count
    return canonical(digits)


def first_equal(rows: Ints) -> Ints:
    """For each row, the number of the first equal one."""
    _, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first[inverse.reshape(-1)]
