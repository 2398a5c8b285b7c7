"""Dot products: sums over a sharded dimension are partial on each device, and added up afterwards."""

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.axes import AxisRefs
from xshardy.dialects.sdy.collectives import AllReduceOp, ReduceScatterOp, Reduction, sorted_and_merged
from xshardy.sharding.conflicts.partial_sums import is_zero
from xshardy.sharding.conflicts.reduction_kinds import reduction_kind
from xshardy.transforms.sdy_export.unreduced_axes import axes_without, unreduced_axes
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors, refuse


def require_reduction(op: Operation, axes: AxisRefs, before: WholeTensors, what: str) -> None:
    """
    Check that partial results along `axes` are combined as `op` combines elements: by the reader of each result, or
    later along axes along which it is unreduced.

    Raises `OperationFailedException` otherwise.
    """
    later = unreduced_axes(before.results[0].sharding)
    if not (axes := axes_without(axes, later, before.mesh)):
        return
    kind = reduction_kind(op)
    if kind is None:
        raise refuse(
            op,
            f"reduces the sharded dimensions of the {what} in a way that no sdy.all_reduce does (they know sum, max "
            "and min): replicate these dimensions",
        )
    for result in op.results:
        if result.first_use is None:
            continue
        reader = result.get_user_of_unique_use()
        if not isinstance(reader, Reduction):
            raise refuse(op, f"Expected sharded {what} to have one user and the user is an sdy.all_reduce.")
        reduced = axes_without(reduced_in_turn(reader), later, before.mesh)
        is_same = [*axes] == [*reduced]  # nearly always
        if not is_same and sorted_and_merged(axes, before.mesh) != sorted_and_merged(reduced, before.mesh):
            raise refuse(op, f"The axes of the sdy.all_reduce should match the sharded dimensions of the {what}.")
        if reader.reduction is not kind:
            raise refuse(
                op,
                f"The reduction of the sdy.all_reduce should be {kind.value}, as that of the {what}, and is "
                f"{reader.reduction.value}.",
            )


def reduced_in_turn(reduction: Reduction) -> AxisRefs:
    """The axes of `reduction`, and of an all-reduce of the same kind that alone reads a reduce-scatter."""
    if type(reduction) is not ReduceScatterOp:
        return reduction.reduced_axes
    reader = reduction.result.get_user_of_unique_use()
    if not isinstance(reader, AllReduceOp):
        return reduction.reduced_axes
    rest = reader.reduced_axes if reader.reduction is reduction.reduction else ()
    return *reduction.reduced_axes, *rest


def pads_with_zeros(value: SSAValue) -> bool:
    """Whether `value` is no pad, or is padded with zeros, so that the padding does not change a sum."""
    return type(value.owner) is not stablehlo.PadOp or is_zero(value.owner.padding_value)


def _summed(
    op: stablehlo.DotOp | stablehlo.DotGeneralOp, lhs: WholeTensor, dims: Sequence[int], before: WholeTensors
) -> None:
    """Check that sums over the dimensions `dims` of `lhs`, if these are sharded, are followed by a reduction."""
    axes = [axis for dim in dims for axis in lhs.axes(dim)]
    if not axes:
        return
    what = op.name.removeprefix("stablehlo.")
    if not all(map(pads_with_zeros, op.operands)):
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
