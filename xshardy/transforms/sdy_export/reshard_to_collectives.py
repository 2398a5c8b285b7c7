"""
Replace reshards by collectives.

`sharding/resharding.py` computes the plan of a reshard, the collectives and their order, without IR.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeVar

from xdsl.dialects.builtin import ModuleOp, ShapedType
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from xshardy.axes.spans import Axes
from xshardy.dialects.sdy.attributes.axes import (
    AllToAllParamAttr,
    AllToAllParamListAttr,
    AxisRefAttr,
    AxisRefListAttr,
    ListOfAxisRefListsAttr,
)
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import axis_ref, mesh_of, span_of
from xshardy.dialects.sdy.collectives import (
    AllGatherOp,
    AllSliceOp,
    AllToAllOp,
    Collective,
    CollectivePermuteOp,
    is_equivalent,
)
from xshardy.dialects.sdy.ops import PropagationBarrierOp, ReshardOp
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.rewriting import DecisionPattern, PatternPass, Step
from xshardy.rewriting.walk import operations_of
from xshardy.sharding.resharding import (
    AllGather,
    AllSlice,
    AllToAll,
    AxesPerDim,
    CollectivePermute,
    Resharding,
)
from xshardy.sharding.resharding import Step as PlanStep
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.sdy.shardings import with_mesh
from xshardy.transforms.sdy_export.single_device import is_on_single_device
from xshardy.transforms.sdy_export.unreduced_axes import unreduced_axes
from xshardy.transforms.sdy_export.verify_unreduced_axes import before_barriers

StepT = TypeVar("StepT", bound=PlanStep)


@dataclass(frozen=True, slots=True)
class PlannedStep(Generic[StepT]):
    """One collective of a plan."""

    step: StepT
    sharding: TensorShardingAttr
    """The sharding of its result."""
    mesh: MeshAttr
    """The mesh of the axes of `step`."""

    def axes(self, axes: Axes) -> Iterator[AxisRefAttr]:
        """`axes` of `step` by name."""
        names = mesh_of(self.mesh)
        return (axis_ref(names.named(axis), self.mesh) for axis in axes)

    def lists(self, axes: AxesPerDim) -> ListOfAxisRefListsAttr:
        """`axes` of each dimension of `step` by name."""
        return ListOfAxisRefListsAttr(AxisRefListAttr(self.axes(of_dim)) for of_dim in axes)


@dataclass(frozen=True, slots=True)
class Plan:
    """The collectives that replace a reshard."""

    steps: Sequence[PlannedStep[PlanStep]]
    keeps_barriers: bool = False
    """Whether the users of the reshard keep reading through its barriers; only for a plan without steps."""


@dataclass(frozen=True, slots=True)
class ReshardPlans:
    """The plans of the reshards of a module; a reshard without a plan is kept."""

    by_op: dict[ReshardOp, Plan] = field(default_factory=dict[ReshardOp, Plan])
    _by_route: dict[tuple[TensorShardingAttr, TensorShardingAttr, tuple[int, ...]], Plan] = field(
        default_factory=dict[tuple[TensorShardingAttr, TensorShardingAttr, tuple[int, ...]], Plan]
    )
    """Memoized by the shardings before and after, and the shape: many reshards of a program are alike."""

    @staticmethod
    def of(module: ModuleOp, *, keep_redundant: bool) -> "ReshardPlans":
        """
        The plans for all functions of `module`.

        Raises `OperationFailedException` for a reshard that changes unreduced axes.
        """
        functions = operations_of(module, FuncOp)
        reshards = [reshard for function in functions for reshard in operations_of(function, ReshardOp)]
        for reshard in reshards:
            check_unreduced_axes(reshard)
        plans = ReshardPlans()
        # `is_kept` reads the current module; `plan` reads it as if all earlier reshards were replaced.
        for reshard in [op for op in reshards if not is_kept(op, keep_redundant=keep_redundant)]:
            if (plan := plans.plan(reshard)) is not None:
                plans.by_op[reshard] = plan
        return plans

    @property
    def longest(self) -> int:
        """The number of collectives in the longest plan."""
        return max((len(plan.steps) for plan in self.by_op.values()), default=0)

    def steps(self, number: int, kind: type[StepT]) -> Mapping[ReshardOp, PlannedStep[StepT]]:
        """The reshards whose step `number`, counted from 0, has class `kind`, with that step."""
        return {
            op: plan.steps[number]
            for op, plan in self.by_op.items()
            if number < len(plan.steps) and isinstance(plan.steps[number].step, kind)
        }  # pyright: ignore[reportReturnType]

    def source(self, value: SSAValue) -> SSAValue:
        """The source of `value`, before barriers and before reshards without collectives."""
        while isinstance(op := value.owner, PropagationBarrierOp | ReshardOp):
            if isinstance(op, ReshardOp) and (op not in self.by_op or self.by_op[op].steps):
                break
            value = op.input
        return value

    def plan(self, op: ReshardOp) -> Plan | None:
        """
        The plan of `op`, computed after those of all earlier reshards; None if its operand is then over a mesh with
        other axes.
        """
        tensor, after = self.source(op.input), op.sharding
        planned = self.by_op.get(tensor.owner) if isinstance(tensor.owner, ReshardOp) else None
        before = planned.steps[-1].sharding if planned is not None else sharding_of(tensor)
        before = before or TensorShardingAttr.fully_open(after.mesh_or_ref, after.rank)
        if after.is_fully_replicated:
            if before.is_fully_replicated:
                return Plan((), keeps_barriers=True)
            after = with_mesh(after, before.mesh_or_ref)
        mesh = lookup_mesh(before, op)
        if mesh is None or not same_axes(before, after, op):
            return None
        assert isinstance(tensor.type, ShapedType)
        route = before, after, tensor.type.get_shape()
        if (plan := self._by_route.get(route)) is None:
            plan = self._by_route[route] = Plan([*planned_steps(*route, mesh)])
        return plan


def planned_steps(
    before: TensorShardingAttr, after: TensorShardingAttr, shape: Sequence[int], mesh: MeshAttr
) -> Iterator[PlannedStep[PlanStep]]:
    """The collectives that move a tensor of `shape` from `before`, over `mesh`, to `after`."""
    way = Resharding.between(
        axes_per_dim(before, mesh),
        axes_per_dim(after, mesh),
        shape,
        other_devices=before.mesh_or_ref != after.mesh_or_ref,
    )
    mesh_or_ref = before.mesh_or_ref
    for step in way.steps():
        if isinstance(step, CollectivePermute):
            mesh_or_ref = after.mesh_or_ref
        planned = PlannedStep(step, after, mesh)
        sharding = TensorShardingAttr(
            mesh_or_ref,
            (DimensionShardingAttr(planned.axes(axes), is_closed=True) for axes in step.after),
            unreduced_axes=after.unreduced_axes,
            reduction_op=after.reduction_op.data,
        )
        yield PlannedStep(step, sharding, mesh)


def axes_per_dim(sharding: TensorShardingAttr, mesh: MeshAttr) -> AxesPerDim:
    """The axes of each dimension of `sharding`, over `mesh`."""
    names = mesh_of(mesh)
    return tuple(tuple(names.numbered(span_of(axis, mesh)) for axis in dim.axes) for dim in sharding.dim_shardings)


def same_axes(a: TensorShardingAttr, b: TensorShardingAttr, op: ReshardOp) -> bool:
    """Whether both are over meshes with the same axes; the order of devices may differ."""
    if a.mesh_or_ref == b.mesh_or_ref:
        return True
    of_a, of_b = lookup_mesh(a, op), lookup_mesh(b, op)
    return of_a is not None and of_b is not None and of_a.axes == of_b.axes


def check_unreduced_axes(op: ReshardOp) -> None:
    """Raises `OperationFailedException` if `op` changes unreduced axes: no plan reduces."""
    before = unreduced_axes(sharding_of(before_barriers(op.input)))
    if set(before) != set(op.sharding.unreduced_axes):
        raise OperationFailedException(
            op,
            f"'{op.name}' op changes the axes that its operand is unreduced along: reduce it before",
        )


def is_kept(op: ReshardOp, *, keep_redundant: bool) -> bool:
    """
    Whether `op` is between meshes with different axes, to or from a single device, or redundant with `keep_redundant`.
    """
    before, after = sharding_of(before_barriers(op.input)), op.sharding
    if is_on_single_device(before, op) or is_on_single_device(after, op):
        return True
    if before is None:
        return keep_redundant and after.is_fully_replicated
    if keep_redundant and is_equivalent(before, after):
        return True
    return not after.is_fully_replicated and not same_axes(before, after, op)


# -- Patterns ---------------------------------------------------------------------------------------------------------


class InsertCollective(DecisionPattern[ReshardOp, PlannedStep[StepT]], Generic[StepT]):
    """`reshard(x)` -> `reshard(collective(x))`, for the next step of the reshard's plan."""

    def rewrite(self, op: ReshardOp, decision: PlannedStep[StepT], rewriter: PatternRewriter, /) -> None:
        collective = rewriter.insert(self.collective(before_barriers(op.input), decision), InsertPoint.before(op))
        collective.result.name_hint = op.result.name_hint
        op.operands[0] = collective.result
        rewriter.notify_op_modified(op)

    @abstractmethod
    def collective(self, tensor: SSAValue, planned: PlannedStep[StepT]) -> Collective:
        """The operation for `planned` on `tensor`."""


class InsertAllSlice(InsertCollective[AllSlice]):
    """`reshard(x)` -> `reshard(all_slice(x))`"""

    def collective(self, tensor: SSAValue, planned: PlannedStep[AllSlice]) -> Collective:
        return AllSliceOp(tensor, planned.lists(planned.step.axes), planned.sharding)


class InsertAllGather(InsertCollective[AllGather]):
    """`reshard(x)` -> `reshard(all_gather(x))`"""

    def collective(self, tensor: SSAValue, planned: PlannedStep[AllGather]) -> Collective:
        return AllGatherOp(tensor, planned.lists(planned.step.axes), planned.sharding)


class InsertAllToAll(InsertCollective[AllToAll]):
    """`reshard(x)` -> `reshard(all_to_all(x))`"""

    def collective(self, tensor: SSAValue, planned: PlannedStep[AllToAll]) -> Collective:
        step = planned.step
        param = AllToAllParamAttr(planned.axes(step.axes), step.source, step.target)
        return AllToAllOp(tensor, AllToAllParamListAttr([param]), planned.sharding)


class InsertCollectivePermute(InsertCollective[CollectivePermute]):
    """`reshard(x)` -> `reshard(collective_permute(x))`"""

    def collective(self, tensor: SSAValue, planned: PlannedStep[CollectivePermute]) -> Collective:
        return CollectivePermuteOp(tensor, planned.sharding)


class DropReshard(DecisionPattern[ReshardOp, Plan]):
    """`reshard(collective(x))` -> `collective(x)`, after the last step of the plan; `reshard(x)` -> `x` without one."""

    def rewrite(self, op: ReshardOp, decision: Plan, rewriter: PatternRewriter, /) -> None:
        rewriter.replace(op, [], [op.input if decision.keeps_barriers else before_barriers(op.input)])


@dataclass(frozen=True)
class ReshardToCollectivesPass(PatternPass):
    """
    Replace each reshard by its collectives, or by its operand if it needs none.

    With `keep_redundant_reshards`, a reshard to the sharding of its operand is kept. A module with a reshard that needs
    a reduction is left as it was.
    """

    name = "sdy-reshard-to-collectives"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-reshard-to-collectives'
    keep_redundant_reshards: bool = False

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        plans = ReshardPlans.of(module, keep_redundant=self.keep_redundant_reshards)
        # Reshards without collectives are replaced first: the plans of the others start from their operands.
        yield Step([DropReshard({op: plan for op, plan in plans.by_op.items() if not plan.steps})])
        for number in range(max(plans.longest, 1)):
            yield Step(
                [
                    InsertAllSlice(plans.steps(number, AllSlice)),
                    InsertCollectivePermute(plans.steps(number, CollectivePermute)),
                    InsertAllToAll(plans.steps(number, AllToAll)),
                    InsertAllGather(plans.steps(number, AllGather)),
                ]
            )
        yield Step([DropReshard({op: plan for op, plan in plans.by_op.items() if plan.steps})])
