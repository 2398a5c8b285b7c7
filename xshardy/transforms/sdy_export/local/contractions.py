"""Dot products and convolutions: sums over a sharded dimension are partial on each device, and added up afterwards."""

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import first_values, is_splat
from xshardy.dialects.sdy.attributes.axes import AxisRefs
from xshardy.dialects.sdy.collectives import AllReduceOp, ReduceScatterOp, sorted_and_merged
from xshardy.dialects.sdy.ops import ConstantOp
from xshardy.transforms.sdy_export.local.before import Before, Rewrite, Whole, refuse
from xshardy.transforms.sdy_export.local.writer import LocalWriter


def require_reduction(op: Operation, axes: AxisRefs, before: Before, what: str) -> None:
    """Raises `OperationFailedException` unless what reads `op` combines the parts that devices have along `axes`."""
    for result in op.results:
        if result.first_use is None:
            continue
        reader = result.get_user_of_unique_use()
        match reader:
            case AllReduceOp():
                reduced = reader.reduction_axes.axes.data
            case ReduceScatterOp():
                reduced = [axis for of_dim in reader.reduce_scatter_axes.lists for axis in of_dim.axes]
            case _:
                raise refuse(op, f"Expected sharded {what} to have one user and the user is an sdy.all_reduce.")
        if sorted_and_merged(axes, before.mesh) != sorted_and_merged(reduced, before.mesh):
            raise refuse(op, f"The axes of the sdy.all_reduce should match the sharded dimensions of the {what}.")


def _pads_with_zeros(value: SSAValue) -> bool:
    """Whether `value` is no pad, or one whose padding adds nothing to a sum."""
    if not isinstance(value.owner, stablehlo.PadOp):
        return True
    padding = value.owner.padding_value.owner
    if not isinstance(padding, stablehlo.ConstantOp | ConstantOp) or not is_splat(padding.value):
        return False
    return not any(first_values(padding.value, 1)[:1])


def _summed(op: stablehlo.DotOp | stablehlo.DotGeneralOp, lhs: Whole, dims: Sequence[int], before: Before) -> None:
    """Check that sums over the dimensions `dims` of `lhs` are completed, if they are sharded."""
    axes = [axis for dim in dims for axis in lhs.axes(dim)]
    if not axes:
        return
    what = op.name.removeprefix("stablehlo.")
    if not all(map(_pads_with_zeros, op.operands)):
        raise refuse(op, f"Padding value must be zero for sharded contracting {what}.")
    require_reduction(op, axes, before, f"contracting {what}")


def dot(op: stablehlo.DotOp, before: Before) -> Rewrite | None:
    """The dot product of the parts."""
    lhs = before.operands[0]
    _summed(op, lhs, [len(lhs.shape) - 1], before)


def dot_general(op: stablehlo.DotGeneralOp, before: Before) -> Rewrite | None:
    """The dot product of the parts."""
    numbers = op.dot_dimension_numbers
    _summed(op, before.operands[0], numbers.lhs_contracting_dimensions.get_values(), before)


def _local_groups(op: stablehlo.ConvolutionOp, count: int, whole: Whole, dim: int) -> int:
    """How many of `count` groups, which divide dimension `dim` of `whole`, a device has."""
    if count <= 1:
        return count
    parts = min(count, whole.parts(dim))
    if count % parts:
        raise refuse(op, "global group count is not divisible by total axes size")
    return count // parts


def convolution(op: stablehlo.ConvolutionOp, before: Before) -> Rewrite | None:
    """The convolution of the parts, with the groups that are in them."""
    if before.is_replicated:
        return None
    lhs, rhs = before.operands
    numbers = op.dimension_numbers
    summed = numbers.kernel_input_feature_dimension.data, *numbers.kernel_spatial_dimensions.get_values()
    if axes := [axis for dim in summed for axis in rhs.axes(dim)]:
        require_reduction(op, axes, before, "contracting convolution")
    features = _local_groups(op, op.feature_group_count.value.data, rhs, numbers.kernel_output_feature_dimension.data)
    batches = _local_groups(op, op.batch_group_count.value.data, lhs, numbers.input_batch_dimension.data)

    def rewrite(writer: LocalWriter) -> None:
        groups = {
            "feature_group_count": IntegerAttr(features, i64),
            "batch_group_count": IntegerAttr(batches, i64),
        }
        Rewriter.replace_op(
            op,
            stablehlo.ConvolutionOp.create(
                operands=op.operands, result_types=op.result_types, properties={**op.properties, **groups}
            ),
        )

    return rewrite
