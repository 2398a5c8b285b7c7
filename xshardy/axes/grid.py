"""
The grid of devices that run a program: replicas, and partitions of each. The number of a device is
`replica * partitions + partition`. Source: StableHLO specification, "Process groups".
"""

from collections.abc import Sequence
from dataclasses import dataclass

Group = tuple[int, ...]
"""The numbers of the devices of a group, in the group's order."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The numbers of replicas of a program and of partitions of each replica."""

    replicas: int
    partitions: int

    @property
    def size(self) -> int:
        """The number of devices."""
        return self.replicas * self.partitions

    def device(self, replica: int, partition: int) -> int:
        """The number of a device."""
        return replica * self.partitions + partition

    def cross_replica(self, groups: Sequence[Sequence[int]]) -> list[Group]:
        """Groups of replicas: the devices of one partition each."""
        return [tuple(self.device(r, p) for r in group) for p in range(self.partitions) for group in groups]

    def cross_partition(self, groups: Sequence[Sequence[int]]) -> list[Group]:
        """Groups of partitions: the devices of one replica each."""
        return [tuple(self.device(r, p) for p in group) for r in range(self.replicas) for group in groups]

    def cross_replica_and_partition(self, groups: Sequence[Sequence[int]]) -> list[Group]:
        """
        Groups of replicas, with all of their partitions.

        As in XLA, the partitions of a replica are adjacent; in the specification, the replicas of a partition are. The
        difference is visible only in gathers over both.
        """
        return [tuple(self.device(r, p) for r in group for p in range(self.partitions)) for group in groups]
