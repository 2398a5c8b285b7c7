"""Other orders in which the warps of a grid advance, and a kernel checked in several of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from xshardy.numerics.element_types import Array

Warp = tuple[int, int]
"""The number of the block in the grid, and that of the warp in it."""


@dataclass(frozen=True, slots=True)
class Order:
    """
    Warps of a lower rank advance until they end or wait for others, before those of a higher one do.

    Either one warp is first, or all have random ranks of two, and clusters are executed in a random order.
    """

    seed: int = 0
    first: Warp | None = None

    def of_clusters(self, blocks: Sequence[int], size: int) -> Sequence[int]:
        """`blocks` in another order; those of a cluster, `size` ones after another, stay together."""
        clusters = np.reshape(np.asarray(blocks), (-1, size))
        if self.first is None:
            return np.random.default_rng(self.seed).permutation(clusters).reshape(-1).tolist()
        others = ~(clusters == self.first[0]).any(axis=1)
        return clusters[np.argsort(others, kind="stable")].reshape(-1).tolist()

    def ranks(self, blocks: Sequence[int], warps: int) -> Array:
        """The rank of each warp: an array [blocks, warps]."""
        if self.first is None:
            return np.random.default_rng((self.seed, *blocks[:1])).integers(0, 2, (len(blocks), warps))
        block, warp = self.first
        return 1 - ((np.asarray(blocks)[:, None] == block) & (np.arange(warps) == warp))


def orders(count: int, learners: Sequence[Warp]) -> Iterator[Order]:
    """
    So many orders: at most half of them with one of `learners`, who were behind others, first; then random ones.
    """
    directed = learners[: (count + 1) // 2]
    yield from (Order(first=warp) for warp in directed)
    yield from (Order(seed) for seed in range(count - len(directed)))
