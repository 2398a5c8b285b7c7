"""A plan: what a program communicates and holds on each device, computed without running it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from xshardy.planning.causes import Causes
from xshardy.planning.collectives import Collective, collectives_of
from xshardy.planning.origins import Origins
from xshardy.planning.traced_partition import TracedPartition, partition_traced
from xshardy.syntax.source_names import SourceNames


@dataclass(frozen=True)
class Plan:
    """What each device of a partitioned program communicates, and why."""

    devices: int
    collectives: Sequence[Collective]
    """In the order of the program."""
    traced: TracedPartition = field(repr=False)
    names: SourceNames = field(repr=False)

    @property
    def bytes(self) -> int:
        """The bytes that a device sends in all collectives."""
        return sum(collective.total for collective in self.collectives)

    @property
    def counts(self) -> dict[str, int]:
        """The executed collectives of each kind."""
        counts = Counter[str]()
        for collective in self.collectives:
            counts[collective.kind] += collective.count
        return dict(counts)


def plan_module(module: ModuleOp, names: SourceNames, context: Context) -> Plan:
    """
    The plan of `module`, whose values have `names`. Shardings are propagated in place.

    Raises what `partition_module` raises.
    """
    traced = partition_traced(module, context)
    causes = Causes(Origins(traced.history, names))
    return Plan(traced.partitioned.devices, collectives_of(traced, causes), traced, names)
