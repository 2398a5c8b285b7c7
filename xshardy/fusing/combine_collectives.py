"""
All-reduces of several tensors at once, and all-gathers, in place of one for each tensor.

The time of a collective of few bytes is its latency. With data parallelism, the same devices add up the gradients of
a model, which are hundreds of tensors.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.launch.fusion_text import IGNORED
from xshardy.rewriting import PatternPass
from xshardy.rewriting.pattern_pass import Step
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.hlo_async.report import size_in_bytes
from xshardy.transforms.hlo_async.schedule import CONTROL_PREDECESSORS, ReorderBlocks, dependences
from xshardy.transforms.xla_sdy.fingerprints import fingerprint

COMBINED = (stablehlo.AllGatherOp, stablehlo.AllReduceOp)
LIMIT = 30 * 2**20
"""The bytes of the operands of a combined collective, at most: more take as long as one by one (XLA has this limit)."""


def key_of(op: Operation) -> Hashable | None:
    """What collectives have in common that may be one; None for an operation that is no such collective."""
    if not isinstance(op, COMBINED) or CONTROL_PREDECESSORS in op.attributes or _bytes(op) is None:
        return None
    kept = {name: value for name, value in op.attributes.items() if name not in IGNORED}
    properties = {**op.properties, "channel_handle": op.channel_handle and op.channel_handle.type}
    element_types = {tensor_type(operand).element_type for operand in op.operands}
    regions = tuple(fingerprint(region) for region in op.regions)
    return op.name, *(frozenset(each.items()) for each in (kept, properties)), frozenset(element_types), regions


def _bytes(op: Operation) -> int | None:
    """The bytes of the operands of `op`; None if they are not known."""
    sizes = [size_in_bytes(operand.type) for operand in op.operands]
    return None if None in sizes else sum(size for size in sizes if size is not None)


class Groups:
    """The operations of a block in groups, which have no circle of dependences: at first, each is one of its own."""

    def __init__(self, operations: Sequence[Operation]):
        self.operations = operations
        self.before = dependences(operations)
        self.group = list(range(len(operations)))
        """For each operation the number of its group: the position of the last operation in it."""

    def members(self) -> Mapping[int, Sequence[int]]:
        """The positions of the operations of each group."""
        found: dict[int, list[int]] = {}
        for position, group in enumerate(self.group):
            found.setdefault(group, []).append(position)
        return found

    def in_order(self) -> Iterator[Sequence[int]]:
        """The positions of each group, after the groups that it depends on, else in order of the last positions."""
        members = self.members()
        needed = {group: self.needed(positions) for group, positions in members.items()}
        after: dict[int, list[int]] = {group: [] for group in members}
        for group, groups in needed.items():
            for other in groups:
                after[other].append(group)
        missing = {group: len(groups) for group, groups in needed.items()}
        ready = [group for group, count in missing.items() if not count]
        heapify(ready)
        while ready:
            group = heappop(ready)
            yield members[group]
            for other in after[group]:
                missing[other] -= 1
                if not missing[other]:
                    heappush(ready, other)

    def needed(self, positions: Sequence[int]) -> set[int]:
        """The groups that the group with these positions depends on."""
        return {self.group[producer] for position in positions for producer in self.before[position]}

    def merge(self, is_candidate: Sequence[bool], limit: int) -> None:
        """
        Put candidates into groups whose operands have `limit` bytes at most.

        Candidates with as many candidates before them, on the longest path of dependences, do not depend on each other.
        Neither do groups of these: along a path, each candidate has one more before it than the last.
        """
        depths: dict[int, int] = {}
        by_depth: dict[int, list[int]] = {}
        for positions in self.in_order():
            groups = self.needed(positions)
            depth = max((depths[group] + is_candidate[group] for group in groups), default=0)
            group = positions[-1]
            depths[group] = depth
            if is_candidate[group]:
                by_depth.setdefault(depth, []).append(group)
        for candidates in by_depth.values():
            for chosen in _up_to(limit, sorted(candidates), self.operations):
                for position in chosen:
                    self.group[position] = chosen[-1]


def _up_to(limit: int, positions: Sequence[int], operations: Sequence[Operation]) -> Iterator[Sequence[int]]:
    """`positions` in runs, whose operations have operands of `limit` bytes at most."""
    run: list[int] = []
    size = 0
    for position in positions:
        more = _bytes(operations[position]) or 0
        if run and size + more > limit:
            yield run
            run, size = [], 0
        run.append(position)
        size += more
    if run:
        yield run


def grouped(block: Block, limit: int) -> Groups:
    """The operations of `block`, without its terminator, with collectives to combine in a group."""
    operations = [*block.ops][:-1]
    groups = Groups(operations)
    keys = [key_of(op) for op in operations]
    for key, count in Counter(keys).items():
        if key is not None and count > 1:
            groups.merge([other == key for other in keys], limit)
    return groups


@dataclass(frozen=True)
class CombineGroup(RewritePattern):
    """`%a = all_reduce %x; %b = all_reduce %y` -> `%a, %b = all_reduce %x, %y`, for the collectives of a group."""

    groups: Mapping[Operation, Sequence[Operation]]
    """The operations of each group by the last one."""
    op_types = COMBINED

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        members = self.groups.get(op)
        if members is None:
            return
        results = [result for member in members for result in member.results]
        combined = op.create(
            operands=[operand for member in members for operand in member.operands],
            result_types=[result.type for result in results],
            properties=op.properties,
            attributes=op.attributes,
            regions=[region.clone() for region in op.regions],
        )
        rewriter.insert(combined)
        for result, replacement in zip(results, combined.results, strict=True):
            rewriter.replace_all_uses_with(result, replacement)
        for member in members:
            rewriter.erase(member)


@dataclass(frozen=True)
class CombineCollectivesPass(PatternPass):
    """
    Make one all-reduce of several, and one all-gather, if they do not depend on each other.

    They have the same groups of devices, element type and computation, and `max_bytes` of operands at most. What
    stands between them and depends on the first ones comes after the last one.
    """

    name = "hlo-combine-collectives"
    source: ClassVar[str] = "XLA's all-reduce and all-gather combiners"
    max_bytes: int = LIMIT

    def __post_init__(self) -> None:
        if self.max_bytes < 0:
            raise ValueError(f"max-bytes={self.max_bytes} is less than nothing: 0 combines no collectives")

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        found = (op.parent for op in operations_of(module, *COMBINED))
        by_block = {block: grouped(block, self.max_bytes) for block in dict.fromkeys(found) if block is not None}
        orders: dict[Block, Sequence[Operation]] = {}
        groups: dict[Operation, Sequence[Operation]] = {}
        for block, of_block in by_block.items():
            in_order = [[of_block.operations[position] for position in members] for members in of_block.in_order()]
            orders[block] = [op for members in in_order for op in members]
            groups |= {members[-1]: members for members in in_order if len(members) > 1}
        yield Step([ReorderBlocks(orders)])
        yield Step([CombineGroup(groups)])
