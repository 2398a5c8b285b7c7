"""Turn reductions of what users left unreduced into collectives in manual computations, which a partitioner keeps."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from xdsl.builder import Builder
from xdsl.dialects.builtin import AnyFloat, IntegerType, ModuleOp, TensorType, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import dense_values
from xshardy.dialects.sdy.attributes.axes import AxisRefs
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import local_shape, padding, sharded_size
from xshardy.dialects.sdy.collectives import (
    AllReduceOp,
    Collective,
    ReduceScatterOp,
    ReplicatedToUnreducedOp,
    ShardedToUnreducedOp,
)
from xshardy.dialects.sdy.ops import ManualComputationOp, ReturnOp
from xshardy.dialects.sdy.value_shardings import get_sharding, lookup_mesh
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.building import Tensors, element_type
from xshardy.rewriting import DecisionPattern, PatternPass, Step
from xshardy.rewriting.walk import operations_of
from xshardy.sharding.devices import shard_indices
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_partition.local.convert_global_to_local import next_channel
from xshardy.transforms.sdy_partition.local.device_code import Channels, groups_table, reduction
from xshardy.transforms.xla_sdy.unreduced_values import (
    PassOnUnreduced,
    UnreduceConstant,
    shardings_to_pass_on,
    unreduced_constants,
)


@dataclass(frozen=True, slots=True)
class LocalCode:
    """The body of a manual computation over all axes of `mesh`, as it is built."""

    build: Tensors
    mesh: MeshAttr
    channels: Channels

    def of_device(self, table: Sequence[int]) -> SSAValue:
        """A scalar: the entry of `table` for the executing device."""
        entries = self.build(stablehlo.ConstantOp(dense_values(TensorType(i64, [len(table)]), table)))
        device = self.build.convert(self.build(stablehlo.PartitionIdOp()), i64)
        return self.build.reshape(self.build(stablehlo.DynamicSliceOp(entries, [device], [1])), ())


# What each device does with its part, and what it returns


def reduced(op: AllReduceOp, part: SSAValue, code: LocalCode) -> SSAValue:
    """The parts of the devices along the reduction axes, combined."""
    groups = groups_table(op.reduction_axes.axes.data, code.mesh)
    body = reduction(op.reduction, element_type(part))
    return code.build(stablehlo.AllReduceOp([part], groups, body, code.channels.take(), True))


def scattered(op: ReduceScatterOp, part: SSAValue, code: LocalCode) -> SSAValue:
    """The same, of which each device keeps its part: one collective for each dimension."""
    for dim, axes in enumerate(op.reduce_scatter_axes.lists):
        if not axes.axes.data:
            continue
        groups = groups_table(axes.axes.data, code.mesh)
        shape = list(shape_of(part))
        shape[dim] //= sharded_size(axes.axes.data, code.mesh)
        type = TensorType(element_type(part), shape)
        body = reduction(op.reduction, element_type(part))
        part = code.build(stablehlo.ReduceScatterOp(part, dim, groups, body, type, code.channels.take(), True))
    return part


def padded(op: ShardedToUnreducedOp, part: SSAValue, code: LocalCode) -> SSAValue:
    """The part of a device in zeros of the size of the whole, so that the sum of all is the whole."""
    shape = local_shape(shape_of(op.result), op.out_sharding, code.mesh)
    zeros = code.build.constant(0, cast(IntegerType | AnyFloat, element_type(part)), shape)

    def start(axes: AxisRefs, extent: int) -> SSAValue:
        return code.of_device([index * extent for index in shard_indices(axes, code.mesh)])

    starts = [
        start(axes.axes.data, extent) if axes.axes.data else code.build.constant(0, i64)
        for axes, extent in zip(op.axes.lists, shape_of(part), strict=True)
    ]
    return code.build(stablehlo.DynamicUpdateSliceOp(zeros, part, starts))


def zero_but_for_first(op: ReplicatedToUnreducedOp, part: SSAValue, code: LocalCode) -> SSAValue:
    """The part of the first device along the axes; zeros on the others, so that the sum of all is the part."""
    index = code.of_device(shard_indices(op.axes.axes.data, code.mesh))
    zero = code.build.constant(0, i64)
    is_first = code.build(stablehlo.CompareOp(index, zero, stablehlo.ComparisonDirection.EQ))
    return code.build.select(is_first, part, code.build.like(0, part))


LOCAL: Mapping[type[Operation], Callable[[Any, SSAValue, LocalCode], SSAValue]] = {
    AllReduceOp: reduced,
    ReduceScatterOp: scattered,
    ShardedToUnreducedOp: padded,
    ReplicatedToUnreducedOp: zero_but_for_first,
}
"""By collective: what each device does."""


def unreducing_collectives(module: ModuleOp) -> Mapping[Collective, TensorShardingAttr]:
    """
    The collectives of `module` that reduce what is unreduced, or leave something unreduced; the operand's sharding.

    Raises `OperationFailedException` at one whose operand or result is not divided into equal parts.
    """
    found: dict[Collective, TensorShardingAttr] = {}
    for op in operations_of(module, *cast("tuple[type[Collective], ...]", tuple(LOCAL))):
        before = get_sharding(op.tensor)
        if isinstance(op, AllReduceOp | ReduceScatterOp) and (before is None or not before.unreduced_axes.data):
            continue
        mesh = lookup_mesh(op.out_sharding, op)
        shape = shape_of(op.result)
        before = before or TensorShardingAttr.fully_open(op.out_sharding.mesh_or_ref, len(shape))
        for sharding in (before, op.out_sharding):
            if mesh is None or any(padding(shape, sharding, mesh)):
                raise OperationFailedException(
                    op, f"'{op.name}' is unreduced, and a dimension is not divided into equal parts: pad it before"
                )
        found[op] = before
    return found


@dataclass(frozen=True)
class ReduceManually(DecisionPattern[Collective, TensorShardingAttr]):
    """
    `sdy.all_reduce {"a"} x s` -> `sdy.manual_computation(x) out_shardings=[s] (y) { stablehlo.all_reduce y }`

    The decision is the sharding of `x`; all axes of its mesh are manual. So the other rows of `LOCAL`.
    """

    channels: Channels

    def rewrite(self, op: Collective, decision: TensorShardingAttr, rewriter: PatternRewriter, /) -> None:
        mesh = lookup_mesh(op.out_sharding, op)
        assert mesh is not None
        block = Block(arg_types=[_local_type(op.tensor, decision, mesh)])
        code = LocalCode(Tensors(Builder(InsertPoint.at_end(block))), mesh, self.channels)
        block.add_op(ReturnOp(LOCAL[type(op)](op, block.args[0], code)))
        computation = ManualComputationOp(
            [op.tensor], [decision], [op.out_sharding], mesh.sizes, Region(block), op.result_types
        )
        rewriter.replace(op, computation)


def _local_type(value: SSAValue, sharding: TensorShardingAttr, mesh: MeshAttr) -> TensorType:
    return TensorType(element_type(value), local_shape(shape_of(value), sharding, mesh))


class StablehloExportManualReductionCollectivesPass(PatternPass):
    """
    Replace reductions of values that users left unreduced, and what makes values unreduced, by manual computations.

    Before that, constants that are unreduced are made so by an operation, and operands of operations that only move
    data are unreduced where their results are.
    """

    name = "xla-sdy-stablehlo-export-manual-reduction-collectives"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-stablehlo-export-manual-reduction-collectives"

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        yield Step((UnreduceConstant(unreduced_constants(module)),))
        yield Step((PassOnUnreduced(shardings_to_pass_on(module)),))
        yield Step((ReduceManually(unreducing_collectives(module), Channels(next_channel(module))),))
