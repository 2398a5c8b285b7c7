"""The preimages of boxes under sums of digits, against brute force: no index too many, none too few."""

from itertools import product

import numpy as np
import pytest

from xshardy.proving.index import Digit, Index, canonical
from xshardy.proving.views import Box, full_box, preimage, without
from xshardy.proving.views import _preimages as preimages  # pyright: ignore[reportPrivateUsage]

DEVICES = 3


def value_of(index: Index, device: int, at: tuple[int, ...]) -> int:
    offset = int(np.broadcast_to(index.offset, DEVICES)[device])
    return offset + sum(stride * (at[dim] // div % mod) for stride, dim, div, mod in index.digits)


def cases(seed: int) -> tuple[tuple[int, ...], list[Index], Box]:
    """A shape, indices of it into another tensor, and a box there, of each device."""
    rng = np.random.default_rng(seed)
    shape = tuple(int(size) for size in rng.choice([1, 2, 3, 4, 6, 8, 12], rng.integers(1, 4)))
    indices = list[Index]()
    for _ in range(rng.integers(1, 4)):
        digits = list[Digit]()
        for dim, size in enumerate(shape):
            for div, mod in ((1, size), (1, 2), (2, max(size // 2, 1)), (3, 2), (1, 3)):
                if size % (div * mod) == 0 and mod > 1 and rng.random() < 0.3:
                    digits.append(Digit(int(rng.choice([1, 2, 3, 4, 6, -1, -2])), dim, div, mod))
                    break
        indices.append(Index(rng.integers(-3, 4, DEVICES), canonical(digits)))
    lo = rng.integers(-3, 8, (DEVICES, len(indices)))
    return shape, indices, Box(lo, lo + rng.integers(0, 8, lo.shape), rng.random(DEVICES) < 0.9)


def inside(boxes: list[Box], device: int, at: tuple[int, ...]) -> int:
    """How many of the boxes have this index."""
    return sum(bool(b.here[device] and (b.lo[device] <= at).all() and (b.hi[device] > at).all()) for b in boxes)


@pytest.mark.parametrize("start", range(0, 600, 150))
def test_preimage_is_that_of_brute_force(start: int):
    decided = 0
    for seed in range(start, start + 150):
        shape, indices, box = cases(seed)
        one, several = preimage(box, indices, shape), preimages(box, indices, shape)
        assert one is None or several is not None
        decided += several is not None
        for boxes in ([one] if one is not None else None, several):
            for device, at in product(range(DEVICES), product(*map(range, shape))) if boxes is not None else ():
                place = tuple(value_of(index, device, at) for index in indices)
                assert inside(boxes or [], device, at) == inside([box], device, place), (seed, device, at)
    assert decided > 75


def test_without_leaves_each_other_index_once():
    rng = np.random.default_rng(0)
    for _ in range(200):
        whole, lo = full_box((4, 5), DEVICES), rng.integers(0, 5, (DEVICES, 2))
        hole = Box(lo, lo + rng.integers(0, 3, lo.shape), rng.random(DEVICES) < 0.8)
        rest = list(without(whole, hole))
        for device, at in product(range(DEVICES), product(range(4), range(5))):
            assert inside(rest, device, at) == 1 - inside([hole], device, at)
