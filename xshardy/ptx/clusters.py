"""Clusters of blocks, which execute together and access each other's shared memory. Source: PTX ISA, "Clusters"."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from xshardy.gpus.launch import along_axis
from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import LaunchError

MOST_BLOCKS = 16
"""Of a cluster."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """The clusters of a grid. Without any, each block is one."""

    grid: tuple[int, int, int]
    shape: tuple[int, int, int] = (1, 1, 1)
    """The blocks of a cluster."""

    @property
    def size(self) -> int:
        """How many blocks a cluster has."""
        return prod(self.shape)

    def cluster_of(self, blocks: Array, axis: int) -> Array:
        """The coordinate of the clusters of `blocks`, which are numbers in the grid."""
        return along_axis(blocks, self.grid, axis) // self.shape[axis]

    def place_of(self, blocks: Array, axis: int) -> Array:
        """The coordinate of `blocks` in their clusters."""
        return along_axis(blocks, self.grid, axis) % self.shape[axis]

    def whole(self, blocks: Sequence[int]) -> Sequence[int]:
        """`blocks` and all others of their clusters, those of a cluster one after another, by their rank in it."""
        if self.size == 1:
            return blocks
        counts = [of_grid // of_cluster for of_grid, of_cluster in zip(self.grid, self.shape, strict=True)]

        def numbers(everyone: Array) -> tuple[Array, Array]:
            cluster, rank = (
                (find(everyone, 2) * sizes[1] + find(everyone, 1)) * sizes[0] + find(everyone, 0)
                for find, sizes in ((self.cluster_of, counts), (self.place_of, self.shape))
            )
            return cluster, rank

        chosen, _ = numbers(np.asarray(blocks))
        everyone = np.arange(prod(self.grid))
        cluster, rank = numbers(everyone)
        there = np.isin(cluster, chosen)
        return everyone[there][np.lexsort((rank[there], cluster[there]))].tolist()


def clusters_of(grid: tuple[int, int, int], shape: Sequence[int]) -> Clusters:
    """The clusters of so many blocks along each axis. Raises `LaunchError` if they do not fill the grid."""
    padded = (*shape, 1, 1, 1)
    found = Clusters(grid, (padded[0], padded[1], padded[2]))
    if any(of_grid % of_cluster for of_grid, of_cluster in zip(grid, found.shape, strict=True)):
        raise LaunchError(f"clusters of {found.shape} blocks do not fill a grid of {grid}")
    if found.size > MOST_BLOCKS:
        raise LaunchError(f"clusters of {found.shape} blocks: at most {MOST_BLOCKS} blocks are supported")
    return found
