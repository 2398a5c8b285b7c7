"""Give tensors the shardings that constraints dictate. Source: row SDY-PASS-02, and Shardy's docs, "Import passes"."""

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import BoolAttr, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xshardy.dialects.function_attributes import add_argument_attributes
from xshardy.dialects.sdy.attributes.edges import EdgeValueRefAttr
from xshardy.dialects.sdy.attributes.enums import EdgeNodeType
from xshardy.dialects.sdy.attributes.rule import DimMappingAttr, OpShardingRuleAttr, TensorMappingAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import DataFlowEdgeOp, ManualComputationOp, ShardingConstraintOp
from xshardy.dialects.sdy.value_shardings import SHARDING, SHARDING_RULE
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.sdy.data_flow import edge_of
from xshardy.transforms.sdy.propagation_steps import next_step, write_step
from xshardy.transforms.sdy.shapes import has_static_shape, rank_of, shape_of
from xshardy.transforms.sdy.shardable_values import owner_sharding, set_sharding, shardable_value
from xshardy.transforms.sdy.sharding_origins import ShardingOrigins, sharded_axes
from xshardy.transforms.sdy.uses import insert_point_after, replace_other_uses
from xshardy.transforms.sdy_import.constraints import BlockOrder, ConstraintUses

OPERAND, RESULT = EdgeValueRefAttr(EdgeNodeType.OPERAND, 0), EdgeValueRefAttr(EdgeNodeType.RESULT, 0)


class Shardings:
    """The shardings of values, of which those that are set on arguments of functions are written in one go."""

    def __init__(self):
        self._of_arguments: dict[FuncOp, dict[int, TensorShardingAttr]] = {}

    def of(self, value: SSAValue) -> TensorShardingAttr | None:
        carrier = shardable_value(value)
        if isinstance(carrier, BlockArgument) and isinstance(function := carrier.block.parent_op(), FuncOp):
            known = self._of_arguments.get(function, {}).get(carrier.index)
            return owner_sharding(carrier) if known is None else known
        return None if carrier is None else owner_sharding(carrier)

    def set(self, value: SSAValue, sharding: TensorShardingAttr) -> None:
        carrier = shardable_value(value)
        if isinstance(carrier, BlockArgument) and isinstance(function := carrier.block.parent_op(), FuncOp):
            self._of_arguments.setdefault(function, {})[carrier.index] = sharding
        else:
            set_sharding(value, sharding)

    def write(self) -> None:
        for function, shardings in self._of_arguments.items():
            add_argument_attributes(function, {index: {SHARDING: sharding} for index, sharding in shardings.items()})


def identity_rule(tensor: SSAValue) -> OpShardingRuleAttr | None:
    """`([i, j])->([i, j])`: the rule of an operation on `tensor` that keeps it as it is."""
    if not has_static_shape(tensor):
        return None
    mapping = TensorMappingAttr(DimMappingAttr([factor]) for factor in range(rank_of(tensor)))
    return OpShardingRuleAttr(shape_of(tensor), [mapping], [mapping], (), (), (), (), BoolAttr.from_bool(False))


class DebugInfo:
    """What the two debugging options ask to be remembered of constraints that were copied to their inputs."""

    def __init__(self, module: ModuleOp, sharding_origins: bool, propagation_edges: bool):
        self._origins = ShardingOrigins(module) if sharding_origins else None
        self._step = next_step(module) if propagation_edges else None

    def copied(self, op: ShardingConstraintOp) -> None:
        """The sharding of `op` was copied to its input: its axes went from its result to its operand."""
        axes = sharded_axes(op.sharding)
        if self._origins is not None:
            known = self._origins.of(op.result)
            for axis in axes:
                self._origins.add(op.input, (axis,), known[axis])
        if self._step is not None and (op.sharding.dim_shardings.data or any(op.sharding.axis_refs())):
            write_step(op, self._step, axes, RESULT, OPERAND)
            self._step += 1

    def write(self) -> None:
        if self._origins is not None:
            self._origins.write()


class ConstraintApplier:
    """Lets constraints, one after the other, dictate the sharding of what they read."""

    def __init__(self, debug_info: DebugInfo):
        self._shardings = Shardings()
        self._uses = ConstraintUses()
        self._order = BlockOrder()
        self._debug_info = debug_info

    def apply(self, op: ShardingConstraintOp | ManualComputationOp) -> None:
        if isinstance(op, ShardingConstraintOp):
            self.read_tail_of_chain(op)
            self.apply_sharding_constraint(op)
        else:
            self.apply_in_shardings(op)

    def write(self) -> None:
        """Write what is not written yet."""
        self._shardings.write()
        self._debug_info.write()

    def read_tail_of_chain(self, head: ShardingConstraintOp) -> None:
        """What reads the input of a chain of constraints, and comes after the chain, reads its result instead."""
        if self._shardings.of(head.input) is not None or (tail := self._uses.tail_of_chain(head)) is None:
            return
        head.input.replace_uses_with_if(
            tail.result,
            lambda use: (
                use.operation is not head
                and not isinstance(use.operation, ReturnOp)
                and self._order.is_before(tail, use.operation)
            ),
        )

    def apply_sharding_constraint(self, op: ShardingConstraintOp) -> None:
        """`f(x)`, `constraint(x, s)` -> `f(x) {s}`, `constraint(x, s)` where it dictates the sharding of `x`."""

        def moved() -> ShardingConstraintOp:
            op.detach()
            Rewriter.insert_op(op, insert_point_after(op.input))
            return op

        copied = self.apply_constraint(op.input, op.sharding, moved)
        if copied and (rule := identity_rule(op.input)) is not None:
            op.attributes.setdefault(SHARDING_RULE, rule)
            self._debug_info.copied(op)

    def apply_in_shardings(self, op: ManualComputationOp) -> None:
        """The same for each operand of a manual computation: its in-sharding is a constraint too."""
        for index, sharding in enumerate(op.in_shardings.shardings):
            operand = op.operands[index]  # as it is now: the operand before may be the same value

            def inserted(tensor: SSAValue = operand, wanted: TensorShardingAttr = sharding) -> ShardingConstraintOp:
                constraint = ShardingConstraintOp(tensor, wanted)
                Rewriter.insert_op(constraint, insert_point_after(tensor))
                return constraint

            self.apply_constraint(operand, sharding, inserted)

    def apply_constraint(
        self,
        tensor: SSAValue,
        sharding: TensorShardingAttr,
        constraint_after_tensor: Callable[[], ShardingConstraintOp],
    ) -> bool:
        """
        Let a constraint with `sharding` dictate the sharding of `tensor`, if it does. Says whether it was copied there.

        A target of a data flow edge keeps its sharding, which is that of all targets; instead everything reads the
        constraint, which `constraint_after_tensor` puts right after `tensor`.
        """
        if not self.dictates(sharding, tensor):
            return False
        if not isinstance(tensor.owner, DataFlowEdgeOp) and edge_of(tensor) is None:
            self._shardings.set(tensor, sharding)
            return True
        constraint = constraint_after_tensor()
        replace_other_uses(tensor, constraint.result, constraint)
        self._uses.forget(tensor)
        self._uses.forget(constraint.result)
        if sharding.unreduced_axes.data:  # These do not propagate, so the tensor must have them itself.
            opened = TensorShardingAttr.fully_open(sharding.mesh_or_ref, rank_of(tensor))
            unreduced = TensorShardingAttr(
                opened.mesh_or_ref, opened.dim_shardings, (), sharding.unreduced_axes, sharding.reduction_op.data
            )
            self._shardings.set(tensor, unreduced)
        return False

    def dictates(self, sharding: TensorShardingAttr, tensor: SSAValue) -> bool:
        """Whether a constraint with `sharding` decides that of `tensor`: it is closed, and no other one differs."""
        return (
            shardable_value(tensor) is not None
            and self._shardings.of(tensor) is None
            and all(dimension.is_closed for dimension in sharding.dim_shardings)
            and len(self._uses.of(tensor)) == 1
        )


@dataclass(frozen=True)
class ApplyShardingConstraintsPass(ModulePass):
    """
    Copy the sharding of a constraint to its input where it dictates it; later uses read the end of a chain.

    With `debug_sharding_origins`, values say where the axes of their shardings come from; with
    `debug_propagation_edge_sharding`, constraints say which of their axes were copied.
    """

    name = "sdy-apply-sharding-constraints"
    debug_sharding_origins: bool = False
    debug_propagation_edge_sharding: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        constraints = list(operations_of(op, ShardingConstraintOp, ManualComputationOp, inner_first=True))
        applier = ConstraintApplier(DebugInfo(op, self.debug_sharding_origins, self.debug_propagation_edge_sharding))
        for constraint in constraints:
            applier.apply(constraint)
        applier.write()
