"""What the propagation engine works on: a module whose values, operations and shardings are integers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from xshardy.sharding.interning import NO_SHARDING, ShardingTable
from xshardy.sharding.priorities import OpKind
from xshardy.sharding.steps import Signature
from xshardy.sharding.strategies import Direction

NO_VALUE = 0
"""The number of a value that cannot be sharded."""


class Dead(NamedTuple):
    """The consequences of removing a dead operation from the use graph."""

    removed: Sequence[int]
    """The operation and all operations inside it."""
    now_single_use: Sequence[int]
    """The operations whose operands have no other use any more."""
    candidates: Sequence[int]
    """The operations to enqueue, since they may be dead now; the last one is visited first."""


class UseGraph(Protocol):
    """What the engine needs to know of operations and uses beyond the integers of `Program`."""

    def dependents(self, value: int) -> tuple[Sequence[int], Sequence[int]]:
        """
        The operations to enqueue, in order, and the operations to mark dirty, when the sharding of `value` changes.

        Dirty are the operations that have the value among their tensors; those that are not enqueued are visited in the
        next round. `~op` stands for `op` as an operation around a dependent: it is enqueued even if it made the change.
        """
        ...

    def is_single_use(self, op: int) -> bool:
        """Whether no operand of `op`, scalars aside, has another use."""
        ...

    def remove_if_dead(self, op: int) -> Dead | None:
        """Remove `op` from the graph if it has no uses and no effects; None if it stays."""
        ...


@dataclass(eq=False, slots=True)
class OpClass:
    """Operations that propagate alike: in each round they share one or two `Steps`."""

    signature: Signature
    kind: OpKind = OpKind.OTHER
    direction: Direction | None = None
    """The direction of all factors in every round, for a propagation barrier; else None, and `kind` decides."""
    has_rule: bool = False
    """Whether the rule of the signature is a sharding rule of the operation, not the identity of an edge or barrier."""
    members: list[int] = field(default_factory=list[int])
    """The operations of this class, in text order."""


class Return(NamedTuple):
    """An operand of the return of the main function, and the result of the function that it becomes."""

    returned: int
    result: int
    signature: Signature


@dataclass(slots=True)
class Program:
    """
    A module as the engine sees it. Values on one data flow edge have one number, since they are always sharded alike.

    Operations with results are numbered in text order.
    """

    table: ShardingTable
    uses: UseGraph
    shardings: list[int] = field(default_factory=lambda: [NO_SHARDING])
    """By value, the number of its sharding."""
    tensors: list[Sequence[int]] = field(default_factory=list[Sequence[int]])
    """By operation, its operands, then its results."""
    classes: list[OpClass | None] = field(default_factory=list[OpClass | None])
    """By operation, its class; None if shardings do not propagate through it."""
    siblings: dict[int, Sequence[tuple[int, int]]] = field(default_factory=dict[int, Sequence[tuple[int, int]]])
    """
    For a result of an operation with several: all its results, with their ranks. If one has a sharding, all have one.
    """
    groups: dict[int, Sequence[int]] = field(default_factory=dict[int, Sequence[int]])
    """By value, all members of its sharding group."""
    returns: list[Return] = field(default_factory=list[Return])
    unused: set[int] = field(default_factory=set[int])
    """The operations that may be dead."""

    def set_sharding(self, value: int, sharding: int) -> Sequence[int]:
        """Set the sharding of `value`, and an open one on siblings without a sharding. Returns those siblings."""
        self.shardings[value] = sharding
        if value not in self.siblings:
            return ()
        bare = [(sibling, rank) for sibling, rank in self.siblings[value] if self.shardings[sibling] == NO_SHARDING]
        for sibling, rank in bare:
            self.shardings[sibling] = self.table.open_like(sharding, rank)
        return [sibling for sibling, _ in bare]
