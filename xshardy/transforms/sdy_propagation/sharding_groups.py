"""
Sharding groups: all members start with the sharding that one of them has, and change together.

Source: rows SDY-OP-10 and SDY-PASS-06, and Shardy's docs, "Sharding propagation".
"""

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import ShardingConstraintOp
from xshardy.sharding.interning import ShardingTable
from xshardy.transforms.failures import warn
from xshardy.transforms.sdy.uses import insert_point_after, replace_other_uses
from xshardy.transforms.sdy_propagation.reading import ReadModule


def _distinct(shardings: Sequence[int], table: ShardingTable) -> Sequence[int]:
    """The distinct ones of `shardings` that say anything: that have an axis, or a dimension to remain without."""
    known = dict.fromkeys(shardings)
    return [number for number in known if (s := table.sharding(number)) and any(d.axes or d.is_closed for d in s.dims)]


def share_shardings(read: ReadModule) -> None:
    """Say which values change together, and give all members of each group the sharding that some of them have."""
    program, numbering = read.program, read.numbering
    for members in read.groups.values():
        numbers = tuple(map(numbering.value, members))
        given = _distinct([program.shardings[number] for number in numbers], program.table)
        for member, number in zip(members, numbers, strict=True):
            if len(given) == 1:
                program.give(number, given[0])
            # An argument of a region has its sharding elsewhere, and changes with it, but does not take others along.
            if numbering.homes[number] is member:
                program.groups[number] = numbers


def constrain_conflicting_groups(read: ReadModule) -> bool:
    """
    Let all members of groups whose shardings differ be read through an open constraint, which is the member instead.

    Warns of each. Returns whether there are any: the module must be read again then.
    """
    program, numbering = read.program, read.numbering
    found = False
    for group, members in sorted(read.groups.items()):
        given = _distinct([program.shardings[numbering.value(member)] for member in members], program.table)
        if len(given) > 1 and (first := program.table.attribute(given[0])) is not None:
            found = True
            warn(_owning_op(members[0]), _conflict(group))
            for member in members:
                _constrain(member, first)
    return found


def _conflict(group: int) -> str:
    return (
        f"The initial operand shardings on the sharding groups of groupID: {group} do not match. Inserting an open "
        "sharding constraint to all constrained values. This can be caused when shardings from different values are "
        "grouped (e.g. from jax.shard_alike) but have separate inconsistent sharding constraints on them."
    )


def _owning_op(value: SSAValue) -> Operation:
    op = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    assert op is not None, "a value in a module is made by an operation, or is an argument of one"
    return op


def _constrain(member: SSAValue, like: TensorShardingAttr) -> None:
    """`f(x)` -> `f(sharding_constraint(x, open))`, over the mesh of `like`."""
    constraint = ShardingConstraintOp(member, TensorShardingAttr.fully_open(like.mesh_or_ref, like.rank))
    Rewriter.insert_op(constraint, insert_point_after(member))
    replace_other_uses(member, constraint.result, constraint)
