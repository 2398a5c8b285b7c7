"""Give tensors the shardings that constraints dictate. Source: row SDY-PASS-02, and Shardy's docs, "Import passes"."""

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import BoolAttr, ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, Operation, SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xshardy.dialects.sdy.attributes.rule import DimMappingAttr, OpShardingRuleAttr, TensorMappingAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import DataFlowEdgeOp, ManualComputationOp, ShardingConstraintOp
from xshardy.dialects.sdy.value_shardings import SHARDING_RULE
from xshardy.transforms.sdy_import.data_flow_edges import (
    edge_of,
    has_static_shape,
    insert_point_after,
    rank_of,
    replace_other_uses,
    set_sharding,
    shape_of,
    shardable_value,
    sharding_of,
)


def constrained_sharding(use: Use) -> TensorShardingAttr | None:
    """The sharding that `use` asks of the value it reads; None if it is no constraint."""
    match use.operation:
        case ShardingConstraintOp(sharding=sharding):
            return sharding
        case ManualComputationOp(in_shardings=shardings):
            return shardings.shardings.data[use.index]
        case _:
            return None


def is_constraint(op: Operation) -> bool:
    return isinstance(op, ShardingConstraintOp | ManualComputationOp)


def dictates(sharding: TensorShardingAttr, tensor: SSAValue) -> bool:
    """Whether a constraint with `sharding` decides the sharding of `tensor`: it is closed, and nothing else differs."""
    if shardable_value(tensor) is None or sharding_of(tensor) is not None:
        return False
    if not all(dimension.is_closed for dimension in sharding.dim_shardings):
        return False
    return all((other := constrained_sharding(use)) is None or other == sharding for use in tensor.uses)


def apply_constraint(
    tensor: SSAValue, sharding: TensorShardingAttr, constraint_after_tensor: Callable[[], ShardingConstraintOp]
) -> bool:
    """
    Let a constraint with `sharding` dictate the sharding of `tensor`, if it does. Says whether it was copied there.

    A target of a data flow edge keeps its sharding, which is that of all targets; instead everything reads the
    constraint, which `constraint_after_tensor` puts right after `tensor`.
    """
    if not dictates(sharding, tensor):
        return False
    if not isinstance(tensor.owner, DataFlowEdgeOp) and edge_of(tensor) is None:
        set_sharding(tensor, sharding)
        return True
    constraint = constraint_after_tensor()
    replace_other_uses(tensor, constraint.result, constraint)
    if sharding.unreduced_axes.data:  # These do not propagate, so the tensor must have them itself.
        opened = TensorShardingAttr.fully_open(sharding.mesh_or_ref, rank_of(tensor))
        unreduced = TensorShardingAttr(
            opened.mesh_or_ref, opened.dim_shardings, (), sharding.unreduced_axes, sharding.reduction_op.data
        )
        set_sharding(tensor, unreduced)
    return False


def identity_rule(tensor: SSAValue) -> OpShardingRuleAttr | None:
    """`([i, j])->([i, j])`: the rule of an operation on `tensor` that keeps it as it is."""
    if not has_static_shape(tensor):
        return None
    mapping = TensorMappingAttr(DimMappingAttr([factor]) for factor in range(rank_of(tensor)))
    return OpShardingRuleAttr(shape_of(tensor), [mapping], [mapping], (), (), (), (), BoolAttr.from_bool(False))


def tail_of_chain(head: ShardingConstraintOp) -> ShardingConstraintOp | None:
    """
    The last of the chain of two or more constraints that starts with `head`; None if there is no such chain.

    The tensor that it starts with has no sharding, and no other constraint; between its ends nothing else reads it.
    """
    tensor = head.input
    if isinstance(tensor.owner, ShardingConstraintOp) or sharding_of(tensor) is not None:
        return None
    if any(use.operation is not head and is_constraint(use.operation) for use in tensor.uses):
        return None
    tail = head
    while isinstance(user := tail.result.get_user_of_unique_use(), ShardingConstraintOp):
        tail = user
    if tail is head or any(is_constraint(use.operation) for use in tail.result.uses):
        return None
    return tail


class BlockOrder:
    """Where each operation stands in its block, as it was when its block was first asked about."""

    def __init__(self):
        self._positions: dict[Block, dict[Operation, int]] = {}

    def is_before(self, first: Operation, second: Operation) -> bool:
        """Whether both are in one block, `first` before `second`."""
        block = first.parent
        if block is None or block is not second.parent:
            return False
        if (positions := self._positions.get(block)) is None:
            positions = self._positions[block] = {op: index for index, op in enumerate(block.ops)}
        # What was put into the block since then stands right after what it constrains: before all that reads it.
        return positions.get(first, -1) < positions.get(second, -1)


def read_tail_of_chain(head: ShardingConstraintOp, order: BlockOrder) -> None:
    """What reads the input of a chain of constraints, and comes after the chain, reads its result instead."""
    if (tail := tail_of_chain(head)) is None:
        return
    head.input.replace_uses_with_if(
        tail.result,
        lambda use: (
            use.operation is not head
            and not isinstance(use.operation, ReturnOp)
            and order.is_before(tail, use.operation)
        ),
    )


def apply_sharding_constraint(op: ShardingConstraintOp) -> None:
    """`f(x)`, `constraint(x, s)` -> `f(x) {s}`, `constraint(x, s)` where it dictates the sharding of `x`."""

    def moved() -> ShardingConstraintOp:
        op.detach()
        Rewriter.insert_op(op, insert_point_after(op.input))
        return op

    if apply_constraint(op.input, op.sharding, moved) and (rule := identity_rule(op.input)) is not None:
        op.attributes.setdefault(SHARDING_RULE, rule)


def apply_in_shardings(op: ManualComputationOp) -> None:
    """The same for each operand of a manual computation: its in-sharding is a constraint too."""
    for operand, sharding in zip(op.inputs, op.in_shardings.shardings, strict=True):

        def inserted(tensor: SSAValue = operand, wanted: TensorShardingAttr = sharding) -> ShardingConstraintOp:
            constraint = ShardingConstraintOp(tensor, wanted)
            Rewriter.insert_op(constraint, insert_point_after(tensor))
            return constraint

        apply_constraint(operand, sharding, inserted)


@dataclass(frozen=True)
class ApplyShardingConstraintsPass(ModulePass):
    """Copy the sharding of a constraint to its input where it dictates it; later uses read the end of a chain."""

    name = "sdy-apply-sharding-constraints"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        order = BlockOrder()
        for inner in [inner for inner in op.walk(region_first=True) if is_constraint(inner)]:
            if isinstance(inner, ShardingConstraintOp):
                read_tail_of_chain(inner, order)
                apply_sharding_constraint(inner)
            elif isinstance(inner, ManualComputationOp):
                apply_in_shardings(inner)
