"""Merge the sharding groups that share a tensor, and number them 0, 1, 2, ... Source: row SDY-PASS-06."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, ShapedType
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xshardy.dialects.sdy.ops import ManualComputationOp, ShardingGroupOp
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

    A tensor's first group leads the others of it. New ids are 0, 1, 2, ... in the order in which the leaders are met,
    tensor by tensor.
    """
    groups_of: dict[SSAValue, list[int]] = {}
    for tensor, group in members:
        groups_of.setdefault(tensor, []).append(group)
    leader: dict[int, int] = {}

    def find(group: int) -> int:
        while (above := leader.setdefault(group, group)) != group:
            leader[group] = leader[above]
            group = leader[group]
        return group

    for first, *others in groups_of.values():
        find(first)
        for group in others:
            leader[find(group)] = find(first)
    numbers = {group: number for number, group in enumerate(group for group in leader if find(group) == group)}
    return {group: numbers[find(group)] for group in leader}


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


@dataclass(frozen=True)
class ShardingGroupImportPass(ModulePass):
    """Canonicalize and validate sharding groups: merge those that share a tensor, number them, drop what repeats."""

    name = "sdy-sharding-group-import"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        groups = groups_in_manual_computations(op)
        validate_groups(groups)
        new_ids = merged_groups((group.input, group_of(group)) for group, _ in groups)
        seen: set[tuple[SSAValue, int]] = set()
        for group, _ in groups:
            member = group.input, new_ids[group_of(group)]
            if member in seen:
                Rewriter.erase_op(group)
                continue
            seen.add(member)
            group.group_id = type(group.group_id)(member[1], group.group_id.type)
