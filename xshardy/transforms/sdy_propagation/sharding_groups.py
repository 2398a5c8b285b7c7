"""
Sharding groups: all members start with the sharding that one of them has, and change together.

Source: rows SDY-OP-10 and SDY-PASS-06, and Shardy's docs, "Sharding propagation".
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import ShardingConstraintOp
from xshardy.rewriting import DecisionPattern
from xshardy.sharding.interning import ShardingTable
from xshardy.transforms.failures import warn
from xshardy.transforms.sdy.uses import insert_point_after
from xshardy.transforms.sdy_propagation.module_program import ModuleProgram


def _distinct(shardings: Sequence[int], table: ShardingTable) -> Sequence[int]:
    """The distinct shardings that have an axis or a closed dimension."""
    known = dict.fromkeys(shardings)
    return [number for number in known if (s := table.sharding(number)) and any(d.axes or d.is_closed for d in s.dims)]


def share_shardings(module_program: ModuleProgram) -> None:
    """Register sharding groups with the program. Members of a group start with the sharding that one of them has."""
    program, numbering = module_program.program, module_program.numbering
    for group_ops in module_program.groups.values():
        members = [op.input for op in group_ops]
        numbers = tuple(map(numbering.value, members))
        given = _distinct([program.shardings[number] for number in numbers], program.table)
        for member, number in zip(members, numbers, strict=True):
            if len(given) == 1:
                program.set_sharding(number, given[0])
            # An argument of a region shares the number of its edge: it follows the edge, but does not lead the group.
            if numbering.homes[number] is member:
                program.groups[number] = numbers


class Conflict(NamedTuple):
    """A member of a sharding group with conflicting shardings, and the first of these."""

    member: SSAValue
    first: TensorShardingAttr


def conflicting_members(module_program: ModuleProgram) -> Mapping[Operation, Conflict]:
    """The `sdy.sharding_group` operations of groups whose members have different shardings. Warns of each group."""
    program, numbering = module_program.program, module_program.numbering
    found: dict[Operation, Conflict] = {}
    for group, ops in sorted(module_program.groups.items()):
        given = _distinct([program.shardings[numbering.value(op.input)] for op in ops], program.table)
        if len(given) > 1 and (first := program.table.attribute(given[0])) is not None:
            warn(_owning_op(ops[0].input), _conflict_message(group))
            found.update((op, Conflict(op.input, first)) for op in ops)
    return found


def _conflict_message(group: int) -> str:
    return (
        f"The initial operand shardings on the sharding groups of groupID: {group} do not match. Inserting an open "
        "sharding constraint to all constrained values. This can be caused when shardings from different values are "
        "grouped (e.g. from jax.shard_alike) but have separate inconsistent sharding constraints on them."
    )


def _owning_op(value: SSAValue) -> Operation:
    op = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    assert op is not None, "a value in a module is the result of an operation, or an argument of a region of one"
    return op


class ConstrainGroupMember(DecisionPattern[Operation, Conflict]):
    """
    `f(%x); sdy.sharding_group %x` -> `%0 = sdy.sharding_constraint %x <open>; f(%0); sdy.sharding_group %0`.

    The group has members with different shardings. The constraint is over the mesh of the first one.
    """

    def rewrite(self, op: Operation, decision: Conflict, rewriter: PatternRewriter, /) -> None:
        member, first = decision
        constraint = ShardingConstraintOp(member, TensorShardingAttr.fully_open(first.mesh_or_ref, first.rank))
        rewriter.insert(constraint, insert_point_after(member))
        rewriter.replace_uses_with_if(member, constraint.result, lambda use: use.operation is not constraint)
