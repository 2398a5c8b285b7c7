"""
Kernels that become one: a producer and its reader, or siblings, which read the same tensor.

The kernel then has several results. What it computes for itself is not read from memory, and not written unless others
read it. Source: XLA's multi-output fusion.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import inf, prod

from xdsl.ir import Block, Operation, SSAValue

from xshardy.dialects.shapes import shape_of
from xshardy.fusing.groups import MAX_MEMBERS, Group, Grouping
from xshardy.fusing.spaces import Place, Places, Space, space_of

MAX_VALUES = 64
"""The maximal number of operands and results of a kernel that was several. Source: XLA's limit for fusions."""
MAX_COMPARED = 4
"""The maximal number of kernels with which one is compared that reads the same tensor: the time stays linear."""


def place_between(after: float, before: float, places: Sequence[float]) -> float | None:
    """A place after `after` and before `before`: the latest of `places`, if one of them is; None without any place."""
    within = [place for place in places if after < place < before]
    middle = (after + before) / 2
    return max(within) if within else middle if after < middle < before else None


@dataclass(frozen=True, slots=True)
class Readers:
    """What reads a value from memory."""

    groups: Collection[Group]
    other: float
    """The place of the first reader that is no kernel; infinite without one."""

    def __bool__(self) -> bool:
        return bool(self.groups) or self.other < inf

    @property
    def first(self) -> float:
        """The place of the first reader."""
        return min([self.other, *(group.place for group in self.groups)])

    def without(self, groups: Collection[Group]) -> "Readers":
        """The readers that are none of `groups`."""
        return Readers([group for group in self.groups if group not in groups], self.other)


class Merger:
    """The kernels of a block, while they become fewer. Each runs at its place, after what it reads is computed."""

    def __init__(self, block: Block, grouping: Grouping):
        self.grouping = grouping
        self.producers = {result: group for group in grouping.groups for result in group.results}
        self.spaces = {group: space_of(group.members, group.results) for group in grouping.groups}
        self.places = Places()
        self.values = [*block.args, *(result for op in block.ops for result in op.results)]

    def merge(self) -> Sequence[Group]:
        """The kernels that are left, in the order in which they run."""
        for value in self.values:
            if value in self.producers:
                self.merge_readers(value, [self.producers[value]])
        for value in self.values:
            self.merge_readers(value, [])
        return sorted(self.spaces, key=lambda group: group.place)

    def merge_readers(self, value: SSAValue, kernels: list[Group]) -> None:
        """Merge kernels that read `value` with `kernels`, and with each other."""
        for reader in sorted(self.readers(value).groups, key=lambda group: group.place):
            for number, other in enumerate(kernels):
                if (merged := self.merged(other, reader, value)) is not None:
                    kernels[number] = merged
                    break
            else:
                kernels = [*kernels, reader][-MAX_COMPARED:]

    def merged(self, first: Group, second: Group, shared: SSAValue) -> Group | None:
        """The kernel that replaces both, which write or read `shared`; None if they stay two."""
        spaces = self.spaces[first], self.spaces[second]
        if spaces[0] is None or spaces[1] is None or (space := spaces[0].with_other(spaces[1])) is None:
            return None
        if self.producers.get(shared) is not first and prod(shape_of(shared)) < space.elements:
            return None
        both = first, second
        members = {**first.members, **second.members}
        if len(members) > MAX_MEMBERS:
            return None
        members = dict.fromkeys(sorted(members, key=self.grouping.places.__getitem__, reverse=True))
        reads = {value for op in members for value in op.operands if value.owner not in members}
        written = {value: self.readers(value).without(both) for value in (*second.results, *first.results)}
        results = [value for value, readers in written.items() if readers]
        if len(reads) + len(results) > MAX_VALUES:
            return None
        after = max((self.computed_at(value) for value in reads), default=-1.0)
        before = min(readers.first for readers in written.values())
        place = place_between(after, before, [group.place for group in both])
        found = None if place is None else self.places.of(members, results, space)
        if place is None or found is None or any(Place.ELSEWHERE in found.get(value, ()) for value in written):
            return None
        group = Group(second.root, place, results, members, has_hero=space.reduction is not None)
        if space.is_row_wise:
            group.rows = space.reduction
        self.replace(both, group, space)
        return group

    def replace(self, both: Sequence[Group], group: Group, space: Space) -> None:
        """Let `group` be the kernel instead of `both`."""
        for old in both:
            del self.spaces[old]
        self.spaces[group] = space
        for op in group.members:
            others = [each for each in self.grouping.computing[op] if each not in both]
            self.grouping.computing[op] = [*others, group]
        self.producers.update((value, group) for value in group.results)

    # -- Who reads a value, and when --------------------------------------------------------------------------------

    def readers(self, value: SSAValue) -> Readers:
        """What reads `value` from memory."""
        groups: dict[Group, None] = {}
        first = inf
        for use in value.uses:
            op = use.operation
            groups.update(
                (group, None) for group in self.grouping.computing.get(op, ()) if value.owner not in group.members
            )
            if not self.grouping.is_in_kernels(op):
                first = min(first, self.grouping.places.get(op, -1))
        return Readers(groups, first)

    def computed_at(self, value: SSAValue) -> float:
        """The place at which `value` is in memory."""
        if (group := self.producers.get(value)) is not None:
            return group.place
        return self.grouping.places.get(value.owner, -1) if isinstance(value.owner, Operation) else -1
