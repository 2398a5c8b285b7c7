"""
Reshards that repeat an earlier one of the same tensor, or of the tensor in another shape.

A reshape keeps the row-major order of the elements. So two shardings of two shapes of one tensor are equivalent if each
axis has the same stride in that order.
"""

from math import prod

from typing_extensions import TypeIs
from xdsl.dialects.builtin import NoneAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import can_merge, merge, size
from xshardy.dialects.sdy.ops import ReshardOp
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.dialects.shapes import is_tensor
from xshardy.dialects.stablehlo import ReshapeOp, TransposeOp
from xshardy.rewriting import match_op_type


def axis_strides(
    sharding: TensorShardingAttr, type: TensorType[Attribute], mesh: MeshAttr
) -> list[tuple[int, AxisRefAttr]]:
    """
    The distance in elements, in row-major order, between neighbours along each axis that shards a dimension.

    From the smallest stride to the largest; adjacent sub-axes whose strides follow each other are merged.
    """
    strides: list[tuple[int, AxisRefAttr]] = []
    elements = 1
    for extent, dimension in zip(reversed(type.get_shape()), reversed(sharding.dim_shardings.data), strict=True):
        stride = elements * -(-extent // prod(size(axis, mesh) for axis in dimension.axes))
        for axis in reversed(dimension.axes.data):
            strides.append((stride, axis))
            stride *= size(axis, mesh)
        elements *= extent
    strides.sort(key=lambda entry: entry[0])
    merged: list[tuple[int, AxisRefAttr]] = []
    for stride, axis in strides:
        if merged and can_merge(axis, merged[-1][1]) and stride == merged[-1][0] * size(merged[-1][1], mesh):
            merged[-1] = (merged[-1][0], merge(axis, merged[-1][1], mesh))
        else:
            merged.append((stride, axis))
    return merged


def same_across_reshapes(a: ReshardOp, sharding: TensorShardingAttr, type: Attribute) -> bool:
    """Whether `a` gives each device the same elements as `sharding` of the same tensor in the shape of `type`."""
    if (a.sharding, a.result.type) == (sharding, type):
        return True
    shardings = a.sharding, sharding
    if (
        shardings[0].mesh_or_ref != shardings[1].mesh_or_ref
        or shardings[0].replicated_axes != shardings[1].replicated_axes
    ):
        return False
    mesh = lookup_mesh(sharding, a)
    if mesh is None or not (_is_row_major(a.result.type) and _is_row_major(type)):
        return False
    return axis_strides(a.sharding, a.result.type, mesh) == axis_strides(sharding, type, mesh)


def _is_row_major(type: Attribute) -> TypeIs[TensorType[Attribute]]:
    """Whether `type` is a tensor of static shape without an encoding."""
    return is_tensor(type) and isinstance(type.encoding, NoneAttr) and type.has_static_shape()


def source(value: SSAValue) -> SSAValue:
    """The tensor that `value` is made of by reshapes and transposes."""
    while isinstance(value.owner, ReshapeOp | TransposeOp):
        value = value.owner.operand
    return value


def sharding_at_source(sharding: TensorShardingAttr, value: SSAValue) -> TensorShardingAttr:
    """`sharding` of `value`, with its dimensions in the order before the transposes that made `value`."""
    while isinstance(value.owner, ReshapeOp | TransposeOp):
        if isinstance(value.owner, TransposeOp):
            dims = list(sharding.dim_shardings)
            for result_dim, operand_dim in enumerate(value.owner.permutation.get_values()):
                dims[operand_dim] = sharding.dim_shardings.data[result_dim]
            sharding = TensorShardingAttr(sharding.mesh_or_ref, dims, sharding.replicated_axes, sharding.unreduced_axes)
        elif _rank(value.owner.operand) != _rank(value):
            break
        value = value.owner.operand
    return sharding


def _rank(value: SSAValue) -> int:
    assert is_tensor(value.type)
    return value.type.get_num_dims()


def earlier_reshard(op: ReshardOp, sharding: TensorShardingAttr, root: SSAValue) -> ReshardOp | None:
    """A reshard of `root`, or of a reshape of it, to an equivalent sharding, before `op` in the same block."""
    pending = [root]
    while pending:
        for use in pending.pop().uses:
            user = use.operation
            if isinstance(user, ReshapeOp):
                pending.append(user.result)
            elif (
                isinstance(user, ReshardOp)
                and user is not op
                and same_across_reshapes(user, sharding, op.result.type)
                and user.parent is op.parent
                and user.is_before_in_block(op)
            ):
                return user
    return None


class ReuseEquivalentReshard(RewritePattern):
    """`reshard(reshape(x), b)` -> `reshape(reshard(x, a))`, if an equivalent `reshard(x, a)` comes before."""

    @match_op_type
    def match_and_rewrite(self, op: ReshardOp, rewriter: PatternRewriter, /):
        root = source(op.input)
        found = earlier_reshard(op, sharding_at_source(op.sharding, op.input), root)
        if found is None:
            return
        value: SSAValue = found.result
        if value.type != root.type:
            reshape = ReshapeOp(value, root.type)
            rewriter.insert(reshape, InsertPoint.after(found))
            value = reshape.result
        rewriter.replace(op, [], [_again(op.input, root, value, rewriter)])


def _again(target: SSAValue, root: SSAValue, value: SSAValue, rewriter: PatternRewriter) -> SSAValue:
    """The reshapes and transposes that make `target` of `root`, applied to `value`."""
    steps: list[Operation] = []
    while target is not root:
        step = target.owner
        assert isinstance(step, ReshapeOp | TransposeOp)
        steps.append(step)
        target = step.operand
    for step in reversed(steps):
        clone = step.clone()
        clone.operands[0] = value
        assert isinstance(value.owner, Operation)
        rewriter.insert(clone, InsertPoint.after(value.owner))
        value = clone.results[0]
    return value
