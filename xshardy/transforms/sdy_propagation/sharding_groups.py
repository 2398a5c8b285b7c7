"""
Sharding groups: all members start with the sharding that one of them has, and change together.

Source: rows SDY-OP-10 and SDY-PASS-06, and Shardy's docs, "Sharding propagation".
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import ShardingConstraintOp, ShardingGroupOp
from xshardy.transforms.failures import warn
from xshardy.transforms.sdy_import.data_flow_edges import (
    insert_point_after,
    replace_other_uses,
    set_sharding,
    sharding_of,
)
from xshardy.transforms.sdy_import.sharding_group_import import group_of

Group = list[SSAValue]
"""The members of a sharding group, in the order of the text."""


def sharding_groups(module: ModuleOp) -> Sequence[Group]:
    """The groups of `module`, by their ids, which are to be canonical: 0, 1, 2, ... and one for each tensor."""
    groups: dict[int, Group] = {}
    for op in module.walk():
        if isinstance(op, ShardingGroupOp):
            groups.setdefault(group_of(op), []).append(op.input)
    return [groups[number] for number in sorted(groups)]


def share_shardings(groups: Sequence[Group]) -> None:
    """
    Give all members of each group the sharding that some of them have.

    Where they have different ones, each is read through an open `sdy.sharding_constraint` from now on, which becomes
    the member in its place, and a warning says so.
    """
    for number, members in enumerate(groups):
        given = {sharding for member in members if (sharding := _given(member)) is not None}
        if len(given) == 1:
            (sharding,) = given
            for member in members:
                if sharding_of(member) != sharding:
                    set_sharding(member, sharding)
        elif given:
            first = next(sharding for member in members if (sharding := _given(member)) is not None)
            warn(_owning_op(members[0]), _conflict(number))
            members[:] = [_constrained(member, first) for member in members]


def _given(member: SSAValue) -> TensorShardingAttr | None:
    """The sharding of `member`, if it says anything: not if it has no axes and is open."""
    sharding = sharding_of(member)
    if sharding is None or not any(dim.axes.data or dim.is_closed for dim in sharding.dim_shardings):
        return None
    return sharding


def _conflict(number: int) -> str:
    return (
        f"The initial operand shardings on the sharding groups of groupID: {number} do not match. Inserting an open "
        "sharding constraint to all constrained values. This can be caused when shardings from different values are "
        "grouped (e.g. from jax.shard_alike) but have separate inconsistent sharding constraints on them."
    )


def _owning_op(value: SSAValue) -> Operation:
    op = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    assert op is not None, "a value in a module is made by an operation, or is an argument of one"
    return op


def _constrained(member: SSAValue, like: TensorShardingAttr) -> SSAValue:
    """`f(x)` -> `f(sharding_constraint(x, open))`, over the mesh of `like`."""
    constraint = ShardingConstraintOp(member, TensorShardingAttr.fully_open(like.mesh_or_ref, like.rank))
    Rewriter.insert_op(constraint, insert_point_after(member))
    replace_other_uses(member, constraint.result, constraint)
    return constraint.result
