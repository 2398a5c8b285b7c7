"""
The canonicalization patterns of sdy.

Upstream has the patterns that remove communication. Source: Shardy's `canonicalization.td`, which names them.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import takewhile

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.sdy.attributes.axes import (
    AllToAllParamListAttr,
    AxisRefAttr,
    AxisRefListAttr,
    ListOfAxisRefListsAttr,
)
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import sharded_size
from xshardy.dialects.sdy.collectives import (
    AllGatherOp,
    AllReduceOp,
    AllSliceOp,
    AllToAllOp,
    CollectivePermuteOp,
    ReduceScatterOp,
    ReplicatedToUnreducedOp,
    ShardedToUnreducedOp,
    is_equivalent,
    sliced,
    sorted_and_merged,
)
from xshardy.dialects.sdy.ops import ManualComputationOp, ReshardOp
from xshardy.dialects.sdy.redundant_reshards import ReuseEquivalentReshard
from xshardy.dialects.sdy.value_shardings import common_mesh, local_sharding
from xshardy.ir.blocks import erase_arguments
from xshardy.rewriting import match_op_type

# -- Reshards ---------------------------------------------------------------------------------------------------------


class ReshardOfReshard(RewritePattern):
    """`reshard(reshard(x, a), b)` -> `reshard(x, b)`, if the inner reshard has no other use."""

    @match_op_type
    def match_and_rewrite(self, op: ReshardOp, rewriter: PatternRewriter, /):
        inner = op.input.owner
        if not isinstance(inner, ReshardOp) or not inner.result.has_one_use():
            return
        op.operands[0] = inner.input
        rewriter.notify_op_modified(op)
        rewriter.erase(inner)


# -- Manual computations ----------------------------------------------------------------------------------------------


class DropUnusedInputs(RewritePattern):
    """`manual_computation(x, y) (a, b) { f(b) }` -> `manual_computation(y) (b) { f(b) }`"""

    @match_op_type
    def match_and_rewrite(self, op: ManualComputationOp, rewriter: PatternRewriter, /):
        args = op.body.block.args
        used = [index for index, arg in enumerate(args) if arg.first_use is not None]
        if len(used) == len(args):
            return
        erase_arguments(op.body.block, [arg for arg in args if arg.first_use is None])
        shardings = op.in_shardings.shardings.data
        body = rewriter.move_region_contents_to_new_regions(op.body)
        smaller = ManualComputationOp(
            [op.inputs[index] for index in used],
            [shardings[index] for index in used],
            op.out_shardings.shardings,
            op.manual_axes.names,
            body,
            op.result_types,
        )
        smaller.attributes |= op.attributes
        rewriter.replace(op, smaller)


class InlineRedundantManualComputation(RewritePattern):
    """`manual_computation(x) manual_axes={"a"} (y) { f(y) }` -> `f(x)`, if all manual axes together have one device."""

    @match_op_type
    def match_and_rewrite(self, op: ManualComputationOp, rewriter: PatternRewriter, /):
        shardings = [*op.in_shardings.shardings, *op.out_shardings.shardings]
        if shardings:
            mesh = common_mesh(shardings, op)
            if mesh is None or sharded_size(map(AxisRefAttr, op.manual_axes.names), mesh) != 1:
                return
        terminator = op.terminator
        rewriter.inline_block(op.body.block, InsertPoint.before(op), op.inputs)
        rewriter.replace(op, [], terminator.operands)
        rewriter.erase(terminator)


# -- Collectives ------------------------------------------------------------------------------------------------------


def _names_no_axis(lists: ListOfAxisRefListsAttr) -> bool:
    return not any(axes.axes.data for axes in lists.lists)


def _permutes_nothing(op: CollectivePermuteOp) -> bool:
    before = local_sharding(op.tensor)
    return before is not None and is_equivalent(before, op.out_sharding)


class DropIdleAllGather(RewritePattern):
    """`all_gather [{}, {}] x` -> `x`"""

    @match_op_type
    def match_and_rewrite(self, op: AllGatherOp, rewriter: PatternRewriter, /):
        if _names_no_axis(op.gathering_axes):
            rewriter.replace(op, [], [op.tensor])


class DropIdleAllSlice(RewritePattern):
    """`all_slice [{}, {}] x` -> `x`"""

    @match_op_type
    def match_and_rewrite(self, op: AllSliceOp, rewriter: PatternRewriter, /):
        if _names_no_axis(op.slicing_axes):
            rewriter.replace(op, [], [op.tensor])


class DropIdleAllReduce(RewritePattern):
    """`all_reduce {} x` -> `x`"""

    @match_op_type
    def match_and_rewrite(self, op: AllReduceOp, rewriter: PatternRewriter, /):
        if not op.reduction_axes.axes.data:
            rewriter.replace(op, [], [op.tensor])


class DropIdleReduceScatter(RewritePattern):
    """`reduce_scatter [{}, {}] x` -> `x`"""

    @match_op_type
    def match_and_rewrite(self, op: ReduceScatterOp, rewriter: PatternRewriter, /):
        if _names_no_axis(op.reduce_scatter_axes):
            rewriter.replace(op, [], [op.tensor])


class DropIdleCollectivePermute(RewritePattern):
    """`collective_permute x` -> `x`, if the operand and the result have equivalent shardings."""

    @match_op_type
    def match_and_rewrite(self, op: CollectivePermuteOp, rewriter: PatternRewriter, /):
        if _permutes_nothing(op):
            rewriter.replace(op, [], [op.tensor])


class AllSliceOfAllGather(RewritePattern):
    """`all_slice AXES (all_gather AXES x)` -> `x`"""

    @match_op_type
    def match_and_rewrite(self, op: AllSliceOp, rewriter: PatternRewriter, /):
        gather = op.tensor.owner
        if isinstance(gather, AllGatherOp) and gather.gathering_axes == op.slicing_axes:
            rewriter.replace(op, [], [gather.tensor])


class AllReduceOfReplicatedToUnreduced(RewritePattern):
    """`all_reduce AXES (replicated_to_unreduced AXES x)` -> `x`"""

    @match_op_type
    def match_and_rewrite(self, op: AllReduceOp, rewriter: PatternRewriter, /):
        inner = op.tensor.owner
        if isinstance(inner, ReplicatedToUnreducedOp) and inner.axes == op.reduction_axes:
            rewriter.replace(op, [], [inner.tensor])


class AllReduceOfShardedToUnreduced(RewritePattern):
    """`all_reduce {"x", "y"} (sharded_to_unreduced [{"y"}, {"x"}] x)` -> `all_gather [{"y"}, {"x"}] x`"""

    @match_op_type
    def match_and_rewrite(self, op: AllReduceOp, rewriter: PatternRewriter, /):
        inner = op.tensor.owner
        if not isinstance(inner, ShardedToUnreducedOp):
            return
        axes = [axis for per_dim in inner.axes.lists for axis in per_dim.axes]
        if sorted_and_merged(axes, inner.mesh) == op.reduction_axes.axes.data:
            rewriter.replace(op, AllGatherOp(inner.tensor, inner.axes, op.out_sharding))


@dataclass(frozen=True)
class FuseAllReduceIntoAllSlice(RewritePattern):
    """
    `all_slice [{"x", "z"}] (all_reduce {"x"} t)` -> `all_slice [{"z"}] (reduce_scatter [{"x"}] t)`

    Preconditions: reduced axes that are sliced precede the other sliced axes of their dimension; all users of the
    reduction are slices along the same axes. The last `all_slice` is left out if it has no axes.

    Upstream's precondition is that all reduced axes are sliced. With `some_axes`, one is enough, and
    `all_reduce {"x", "y"} t` leaves `all_reduce {"y"} (reduce_scatter [{"x"}] t)` before the last `all_slice`.
    """

    some_axes: bool = False

    @match_op_type
    def match_and_rewrite(self, op: AllSliceOp, rewriter: PatternRewriter, /):
        reduce = op.tensor.owner
        if not isinstance(reduce, AllReduceOp):
            return
        users = [use.operation for use in reduce.result.uses]
        slices = [user for user in users if isinstance(user, AllSliceOp) and user.slicing_axes == op.slicing_axes]
        if len(slices) != len(users) or any(user.is_before_in_block(op) for user in slices if user is not op):
            return
        scattered, remaining = _prefixes(op.slicing_axes.lists, {*reduce.reduction_axes.axes})
        left = [axis for axis in reduce.reduction_axes.axes if not any(axis in per_dim.axes for per_dim in scattered)]
        if left and not (self.some_axes and any(per_dim.axes for per_dim in scattered)):
            return
        dims = [
            DimensionShardingAttr(sliced(dimension, per_dim.axes.data, reduce.mesh), is_closed=True)
            for dimension, per_dim in zip(reduce.in_sharding.dim_shardings, scattered, strict=True)
        ]
        out, before = op.out_sharding, reduce.in_sharding

        def sharding(unreduced: Iterable[AxisRefAttr], reduction: ReductionOp) -> TensorShardingAttr:
            mesh_or_ref = reduce.out_sharding.mesh_or_ref
            return TensorShardingAttr(mesh_or_ref, dims, out.replicated_axes, unreduced, reduction)

        reduced = scattered_out = sharding(out.unreduced_axes, out.reduction_op.data)
        if unreduced := [axis for axis in left if axis in before.unreduced_axes]:
            unreduced = sorted_and_merged([*out.unreduced_axes, *unreduced], reduce.mesh)
            scattered_out = sharding(unreduced, before.reduction_op.data)
        scatter = ReduceScatterOp(reduce.tensor, ListOfAxisRefListsAttr(scattered), scattered_out, reduce.reduction)
        value = rewriter.insert(scatter, InsertPoint.before(op)).result
        if left:
            rest = AllReduceOp(value, AxisRefListAttr(left), reduced, reduce.reduction)
            value = rewriter.insert(rest, InsertPoint.before(op)).result
        if any(per_dim.axes for per_dim in remaining):
            rest = AllSliceOp(value, ListOfAxisRefListsAttr(remaining), out)
            value = rewriter.insert(rest, InsertPoint.before(op)).result
        for user in slices:
            rewriter.replace(user, [], [value])
        rewriter.erase(reduce)


def _prefixes(
    per_dims: Iterable[AxisRefListAttr], axes: Set[AxisRefAttr]
) -> tuple[Sequence[AxisRefListAttr], Sequence[AxisRefListAttr]]:
    """The longest prefix of each list of which all are in `axes`, and the rest of each list."""
    counts = [(of_dim.axes.data, len([*takewhile(axes.__contains__, of_dim.axes)])) for of_dim in per_dims]
    return (
        [AxisRefListAttr(of_dim[:count]) for of_dim, count in counts],
        [AxisRefListAttr(of_dim[count:]) for of_dim, count in counts],
    )


class DropUnusedAllToAll(RewritePattern):
    """`all_to_all x` without a use -> nothing"""

    @match_op_type
    def match_and_rewrite(self, op: AllToAllOp, rewriter: PatternRewriter, /):
        if op.result.first_use is None:
            rewriter.erase(op)


class FuseAllToAlls(RewritePattern):
    """`all_to_all P (all_to_all Q x)` -> `all_to_all P+Q x`, if P and Q share no dimension, and Q has no other use."""

    @match_op_type
    def match_and_rewrite(self, op: AllToAllOp, rewriter: PatternRewriter, /):
        inner = op.tensor.owner
        if not isinstance(inner, AllToAllOp) or not inner.result.has_one_use():
            return
        if _dims(inner) & _dims(op):
            return
        params = sorted((*inner.params.params, *op.params.params), key=lambda param: param.src_dim.data)
        rewriter.replace(op, AllToAllOp(inner.tensor, AllToAllParamListAttr(params), op.out_sharding))
        rewriter.erase(inner)


def _dims(op: AllToAllOp) -> set[int]:
    """The dimensions that `op` moves axes from or to."""
    return {dim.data for param in op.params.params for dim in (param.src_dim, param.tgt_dim)}


COLLECTIVE_PATTERNS: Mapping[type[Operation], tuple[RewritePattern, ...]] = {
    AllGatherOp: (DropIdleAllGather(),),
    AllReduceOp: (DropIdleAllReduce(), AllReduceOfReplicatedToUnreduced(), AllReduceOfShardedToUnreduced()),
    AllSliceOp: (DropIdleAllSlice(), AllSliceOfAllGather(), FuseAllReduceIntoAllSlice()),
    AllToAllOp: (FuseAllToAlls(), DropUnusedAllToAll()),
    CollectivePermuteOp: (DropIdleCollectivePermute(),),
    ReduceScatterOp: (DropIdleReduceScatter(),),
}
"""What `sdy-canonicalize-collectives` applies."""

PATTERNS: Mapping[type[Operation], tuple[RewritePattern, ...]] = {
    ManualComputationOp: (DropUnusedInputs(), InlineRedundantManualComputation()),
    ReshardOp: (ReuseEquivalentReshard(), ReshardOfReshard()),
    **COLLECTIVE_PATTERNS,
}
"""What `canonicalize` applies. The operations name this table by `CanonicalizedBy`."""
