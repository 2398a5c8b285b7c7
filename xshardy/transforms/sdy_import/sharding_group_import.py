"""Merge the sharding groups that share a tensor, and number them 0, 1, 2, ... Source: row SDY-PASS-06."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, ShapedType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy.ops import ManualComputationOp, ShardingGroupOp
from xshardy.rewriting import DecisionPattern, PatternPass
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.failures import OperationFailedException


def group_of(op: ShardingGroupOp) -> int:
    """The id of the group that `op` puts its tensor into."""
    return op.group_id.value.data


def validate_groups(groups: Iterable[tuple[ShardingGroupOp, ManualComputationOp | None]]) -> None:
    """
    Check that all tensors of a group have one shape and are in one manual computation, or all in none.

    `groups` are the members, each with the innermost manual computation around it. Raises `OperationFailedException`.
    """
    first: dict[int, tuple[Sequence[int], ManualComputationOp | None]] = {}
    for op, around in groups:
        shape = op.input.type.get_shape() if isinstance(op.input.type, ShapedType) else ()
        known_shape, known_around = first.setdefault(group_of(op), (shape, around))
        if known_around is not around:
            raise OperationFailedException(
                op,
                f"ShardingGroupOps values cannot cross ManualComputationOp boundaries for groupId: {group_of(op)}; "
                "give the values outside and inside groups of their own",
            )
        if known_shape != shape:
            raise OperationFailedException(
                op,
                f"ShardingGroupOps values must have the same shape for groupId: {group_of(op)}; this one has shape "
                f"{'x'.join(map(str, shape)) or '()'}, the first {'x'.join(map(str, known_shape)) or '()'}",
            )


def merged_groups(members: Iterable[tuple[SSAValue, int]]) -> dict[int, int]:
    """
    The new id of each group, given which tensor is in which: groups that share a tensor become one.

    Union-find: the first group of a tensor becomes the root of its other groups. New ids are 0, 1, 2, ... in the order
    of the roots, tensor by tensor.
    """
    groups_of: dict[SSAValue, list[int]] = {}
    for tensor, group in members:
        groups_of.setdefault(tensor, []).append(group)
    parent: dict[int, int] = {}

    def find(group: int) -> int:
        while (above := parent.setdefault(group, group)) != group:
            parent[group] = parent[above]
            group = parent[group]
        return group

    for first, *others in groups_of.values():
        find(first)
        for group in others:
            parent[find(group)] = find(first)
    numbers = {group: number for number, group in enumerate(group for group in parent if find(group) == group)}
    return {group: numbers[find(group)] for group in parent}


def groups_in_manual_computations(root: Operation) -> list[tuple[ShardingGroupOp, ManualComputationOp | None]]:
    """Every `sdy.sharding_group` in `root` in text order, each with the innermost manual computation around it."""
    around: dict[Operation | None, ManualComputationOp | None] = {None: None}

    def computation_around(op: Operation | None) -> ManualComputationOp | None:
        path: list[Operation] = []
        while op is not None and op not in around and not isinstance(op, ManualComputationOp):
            path.append(op)
            op = op.parent_op()
        found = op if isinstance(op, ManualComputationOp) else around[op]
        around.update(dict.fromkeys(path, found))
        return found

    return [(group, computation_around(group.parent_op())) for group in operations_of(root, ShardingGroupOp)]


@dataclass(frozen=True, slots=True)
class CanonicalGroups:
    """The canonical id of each member's group, for members that stay, and the members that repeat an earlier one."""

    new_ids: Mapping[ShardingGroupOp, int]
    repeated: Mapping[ShardingGroupOp, None]


def canonical_groups(members: Iterable[ShardingGroupOp]) -> CanonicalGroups:
    """Merge the groups of `members` that share a tensor and number them; of equal members only the first stays."""
    members = tuple(members)
    merged = merged_groups((op.input, group_of(op)) for op in members)
    first: dict[tuple[SSAValue, int], ShardingGroupOp] = {}
    for op in members:
        first.setdefault((op.input, merged[group_of(op)]), op)
    kept = {op: group for (_, group), op in first.items()}
    return CanonicalGroups(kept, {op: None for op in members if op not in kept})


class EraseRepeatedMember(DecisionPattern[ShardingGroupOp, None]):
    """`sharding_group x group_id=0`, `sharding_group x group_id=0` -> `sharding_group x group_id=0`"""

    def rewrite(self, op: ShardingGroupOp, decision: None, rewriter: PatternRewriter, /) -> None:
        rewriter.erase(op)


class RenumberGroup(DecisionPattern[ShardingGroupOp, int]):
    """`sharding_group x group_id=12` -> `sharding_group x group_id=0`, the canonical id of the merged group."""

    def rewrite(self, op: ShardingGroupOp, decision: int, rewriter: PatternRewriter, /) -> None:
        if decision != group_of(op):
            op.group_id = type(op.group_id)(decision, op.group_id.type)
            rewriter.notify_op_modified(op)


class ShardingGroupImportPass(PatternPass):
    """Canonicalize and validate sharding groups: merge those that share a tensor, number them, drop what repeats."""

    name = "sdy-sharding-group-import"
    source: ClassVar[str] = 'Shardy, "Import passes", sdy-sharding-group-import (SDY-PASS-06)'

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        groups = groups_in_manual_computations(module)
        validate_groups(groups)
        decided = canonical_groups(op for op, _ in groups)
        return EraseRepeatedMember(decided.repeated), RenumberGroup(decided.new_ids)
