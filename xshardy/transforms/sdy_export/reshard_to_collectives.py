"""Do by collectives what reshards ask for. Source: Shardy's docs, "Export passes", `sdy-reshard-to-collectives`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, ShapedType
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

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
from xshardy.dialects.sdy.ops import ReshardOp
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.rewriting.walk import operations_of
from xshardy.sharding.resharding import (
    AllGather,
    AllSlice,
    AllToAll,
    AxesPerDim,
    CollectivePermute,
    Resharding,
    Step,
)
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.sdy_export.single_device import is_on_single_device
from xshardy.transforms.sdy_export.unreduced_axes import unreduced_axes
from xshardy.transforms.sdy_export.verify_unreduced_axes import before_barriers

Route = tuple[TensorShardingAttr, TensorShardingAttr, tuple[int, ...]]
"""From a sharding to a sharding, of a tensor of a shape."""


def axes_per_dim(sharding: TensorShardingAttr, mesh: MeshAttr) -> AxesPerDim:
    """The axes of each dimension of `sharding`, which is over `mesh`."""
    names = mesh_of(mesh)
    return tuple(tuple(names.numbered(span_of(axis, mesh)) for axis in dim.axes) for dim in sharding.dim_shardings)


def same_axes(a: TensorShardingAttr, b: TensorShardingAttr, op: ReshardOp) -> bool:
    """Whether both are over meshes with the same axes, be it of devices in another order."""
    if a.mesh_or_ref == b.mesh_or_ref:
        return True
    of_a, of_b = lookup_mesh(a, op), lookup_mesh(b, op)
    return of_a is not None and of_b is not None and of_a.axes == of_b.axes


def check_unreduced_axes(op: ReshardOp) -> None:
    """Raises `OperationFailedException` if `op` is to reduce, which takes more than to move data."""
    before = unreduced_axes(sharding_of(before_barriers(op.input)))
    if set(before) != set(op.sharding.unreduced_axes):
        raise OperationFailedException(
            op,
            f"'{op.name}' op changes the axes that its operand is unreduced along: let sdy-insert-explicit-reshards "
            "reduce it before",
        )


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes collectives that lead to the sharding `after`."""

    mesh: MeshAttr
    before: TensorShardingAttr
    after: TensorShardingAttr

    def collectives(self, tensor: SSAValue, steps: Sequence[Step]) -> Iterator[Collective]:
        """The operations for `steps`, the first on `tensor` and each other on the one before."""
        mesh_or_ref = self.before.mesh_or_ref
        for step in steps:
            if isinstance(step, CollectivePermute):
                mesh_or_ref = self.after.mesh_or_ref
            sharding = TensorShardingAttr(
                mesh_or_ref,
                (DimensionShardingAttr(self._axes(axes), is_closed=True) for axes in step.after),
                unreduced_axes=self.after.unreduced_axes,
                reduction_op=self.after.reduction_op.data,
            )
            op = self._collective(tensor, step, sharding)
            yield op
            tensor = op.result

    def _collective(self, tensor: SSAValue, step: Step, sharding: TensorShardingAttr) -> Collective:
        match step:
            case AllSlice(axes):
                return AllSliceOp(tensor, self._lists(axes), sharding)
            case AllGather(axes):
                return AllGatherOp(tensor, self._lists(axes), sharding)
            case AllToAll(axes, source, target):
                param = AllToAllParamAttr(self._axes(axes), source, target)
                return AllToAllOp(tensor, AllToAllParamListAttr([param]), sharding)
            case CollectivePermute():
                return CollectivePermuteOp(tensor, sharding)

    def _axes(self, axes: Axes) -> Iterator[AxisRefAttr]:
        names = mesh_of(self.mesh)
        return (axis_ref(names.named(axis), self.mesh) for axis in axes)

    def _lists(self, axes: AxesPerDim) -> ListOfAxisRefListsAttr:
        return ListOfAxisRefListsAttr(AxisRefListAttr(self._axes(of_dim)) for of_dim in axes)


def stays(op: ReshardOp, *, keep_redundant: bool) -> bool:
    """Whether `op` is between meshes with other axes, to or from a single device, or kept though it changes nothing."""
    before, after = sharding_of(before_barriers(op.input)), op.sharding
    if is_on_single_device(before, op) or is_on_single_device(after, op):
        return True
    if before is None:
        return keep_redundant and after.is_fully_replicated
    if keep_redundant and is_equivalent(before, after):
        return True
    return not after.is_fully_replicated and not same_axes(before, after, op)


@dataclass(slots=True)
class ReshardReplacer:
    """Replaces reshards by collectives. What was found for one tensor is remembered for the next like it."""

    known: dict[Route, Sequence[Step]] = field(default_factory=dict[Route, Sequence[Step]], init=False)

    def replace(self, op: ReshardOp) -> None:
        """The operand of `op` may have been replaced, by a tensor over a mesh with other axes: then `op` stays."""
        tensor, after = before_barriers(op.input), op.sharding
        before = sharding_of(tensor) or TensorShardingAttr.fully_open(after.mesh_or_ref, after.rank)
        if after.is_fully_replicated:
            if before.is_fully_replicated:
                Rewriter.replace_op(op, [], [op.input])
                return
            after = TensorShardingAttr.fully_closed(before.mesh_or_ref, before.rank)
        mesh = lookup_mesh(before, op)
        if mesh is None or not same_axes(before, after, op):
            return
        steps = self._steps(before, after, tensor, mesh)
        collectives = [*Writer(mesh, before, after).collectives(tensor, steps)]
        Rewriter.replace_op(op, collectives, [collectives[-1].result if collectives else tensor])

    def _steps(
        self, before: TensorShardingAttr, after: TensorShardingAttr, tensor: SSAValue, mesh: MeshAttr
    ) -> Sequence[Step]:
        assert isinstance(tensor.type, ShapedType)
        route = before, after, tensor.type.get_shape()
        if (steps := self.known.get(route)) is None:
            resharding = Resharding.between(
                axes_per_dim(before, mesh),
                axes_per_dim(after, mesh),
                tensor.type.get_shape(),
                other_devices=before.mesh_or_ref != after.mesh_or_ref,
            )
            steps = self.known[route] = tuple(resharding.steps())
        return steps


@dataclass(frozen=True)
class ReshardToCollectivesPass(ModulePass):
    """
    Replace each reshard by the collectives that it takes, or by nothing if it takes none.

    With `keep_redundant_reshards`, a reshard to the sharding that the tensor has stays. A module in which a reshard
    would have to reduce is left as it was.
    """

    name = "sdy-reshard-to-collectives"
    keep_redundant_reshards: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = operations_of(op, FuncOp)
        reshards = [reshard for function in functions for reshard in operations_of(function, ReshardOp)]
        for reshard in reshards:
            check_unreduced_axes(reshard)
        # Which of them stay is settled before the first one goes, whose operand may be over another mesh than itself.
        replaced = [op for op in reshards if not stays(op, keep_redundant=self.keep_redundant_reshards)]
        replacer = ReshardReplacer()
        for reshard in replaced:
            replacer.replace(reshard)
