"""Dot products and convolutions: a sum over a sharded dimension is partial on each device, and reduced afterwards."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import first_values, is_splat
from xshardy.dialects.sdy.attributes.axes import AxisRefs
from xshardy.dialects.sdy.collectives import AllReduceOp, ReduceScatterOp, sorted_and_merged
from xshardy.dialects.sdy.ops import ConstantOp
from xshardy.transforms.sdy_export.local.device_code import DeviceCode
from xshardy.transforms.sdy_export.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_export.local.whole_tensors import WholeTensor, WholeTensors, refuse


def require_reduction(op: Operation, axes: AxisRefs, before: WholeTensors, what: str) -> None:
    """Raises `OperationFailedException` unless all users of `op` reduce its partial sums along `axes`."""
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
    """Whether `value` is no pad, or is padded with zeros, so that the padding does not change a sum."""
    if not isinstance(value.owner, stablehlo.PadOp):
        return True
    padding = value.owner.padding_value.owner
    if not isinstance(padding, stablehlo.ConstantOp | ConstantOp) or not is_splat(padding.value):
        return False
    return not any(first_values(padding.value, 1)[:1])


def _summed(
    op: stablehlo.DotOp | stablehlo.DotGeneralOp, lhs: WholeTensor, dims: Sequence[int], before: WholeTensors
) -> None:
    """Check that sums over the dimensions `dims` of `lhs`, if these are sharded, are followed by a reduction."""
    axes = [axis for dim in dims for axis in lhs.axes(dim)]
    if not axes:
        return
    what = op.name.removeprefix("stablehlo.")
    if not all(map(_pads_with_zeros, op.operands)):
        raise refuse(op, f"Padding value must be zero for sharded contracting {what}.")
    require_reduction(op, axes, before, f"contracting {what}")


def check_dot(op: stablehlo.DotOp, before: WholeTensors) -> None:
    """Raises `OperationFailedException` unless the sum of the dot products of the parts is completed."""
    lhs = before.operands[0]
    _summed(op, lhs, [len(lhs.shape) - 1], before)


def check_dot_general(op: stablehlo.DotGeneralOp, before: WholeTensors) -> None:
    """Raises `OperationFailedException` unless the sum of the dot products of the parts is completed."""
    numbers = op.dot_dimension_numbers
    _summed(op, before.operands[0], numbers.lhs_contracting_dimensions.get_values(), before)


def _local_groups(op: stablehlo.ConvolutionOp, count: int, whole: WholeTensor, dim: int) -> int:
    """The number of groups on each device, if `count` groups divide dimension `dim` of `whole`."""
    if count <= 1:
        return count
    parts = min(count, whole.parts(dim))
    if count % parts:
        raise refuse(op, "global group count is not divisible by total axes size")
    return count // parts


@dataclass(frozen=True)
class ConvolutionOfParts(LocalPattern[stablehlo.ConvolutionOp, tuple[int, int]]):
    """`convolution, groups = 8` -> `convolution, groups = 4`: the number of groups in each part."""

    op_types = (stablehlo.ConvolutionOp,)

    @staticmethod
    def decide(op: stablehlo.ConvolutionOp, before: WholeTensors) -> tuple[int, int] | None:
        """The numbers of groups of features and of batches."""
        if before.is_replicated:
            return None
        lhs, rhs = before.operands
        numbers = op.dimension_numbers
        summed = numbers.kernel_input_feature_dimension.data, *numbers.kernel_spatial_dimensions.get_values()
        if axes := [axis for dim in summed for axis in rhs.axes(dim)]:
            require_reduction(op, axes, before, "contracting convolution")
        output_features = numbers.kernel_output_feature_dimension.data
        features = _local_groups(op, op.feature_group_count.value.data, rhs, output_features)
        return features, _local_groups(op, op.batch_group_count.value.data, lhs, numbers.input_batch_dimension.data)

    def rewrite(self, op: stablehlo.ConvolutionOp, decision: tuple[int, int], code: DeviceCode) -> None:
        features, batches = decision
        groups = {"feature_group_count": IntegerAttr(features, i64), "batch_group_count": IntegerAttr(batches, i64)}
        local = stablehlo.ConvolutionOp.create(
            operands=op.operands, result_types=op.result_types, properties={**op.properties, **groups}
        )
        code.rewriter.replace(op, local)
