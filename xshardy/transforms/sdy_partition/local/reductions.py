"""Reductions over sharded dimensions: each device reduces its part, and an all-reduce combines the partial results."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType, i1

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import dense_values, zeros
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.sharding.conflicts.partial_sums import is_zero
from xshardy.sharding.conflicts.reduction_kinds import reduction_kind
from xshardy.sharding.devices import shard_indices
from xshardy.transforms.sdy_partition.local.contractions import require_reduction
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors, refuse


@dataclass(frozen=True, slots=True)
class InitialValues:
    """Which initial values only some devices start from."""

    indices: Sequence[int]
    """The operands that are initial values not known to be zero."""
    leaders: Sequence[bool]
    """For each device, whether it starts from the initial values, and not from zeros."""


def _check_kept(op: stablehlo.ReduceOp, source: WholeTensor, target: WholeTensor) -> None:
    """Raises `OperationFailedException` if a dimension that is not reduced is not sharded alike before and after."""
    reduced = op.dimensions.get_values()
    kept = [dim for dim in range(len(source.shape)) if dim not in reduced]
    for place, dim in enumerate(kept):
        if tuple(source.axes(dim)) != tuple(target.axes(place)):
            raise refuse(
                op,
                f"dimension {dim} is sharded differently in the result. This requires a reshard which should have been "
                "handled by previous passes.",
            )


class ReduceOfPart(LocalPattern[stablehlo.ReduceOp, InitialValues]):
    """
    `reduce(%x init: %c)` -> `reduce(%part init: select(is_first, %c, 0))`: sums count the initial value once.

    A maximum or minimum may start from the initial value on each device, and so may a sum that starts from zero: they
    need new types only.

    Requires: inputs and results that are sharded alike, and a reduction of the same kind behind sharded dimensions.
    """

    @staticmethod
    def decide(op: stablehlo.ReduceOp, before: WholeTensors) -> InitialValues | None:
        sources = before.operands[: len(op.inputs)]
        dims = op.dimensions.get_values()
        axes = [axis for dim in dims for axis in sources[0].axes(dim)]
        if before.is_replicated:
            return None
        for source in sources:
            for target in before.results:
                _check_kept(op, source, target)
            if any(source.axes(dim) != sources[0].axes(dim) for dim in dims):
                raise refuse(
                    op,
                    "has inputs that are sharded differently. This requires a reshard which should have been handled "
                    "by previous passes.",
                )
        if not axes:
            return None
        require_reduction(op, axes, before, "reduce")
        if reduction_kind(op) is not ReductionOp.SUM:
            return None
        count = len(op.inputs)
        indices = [count + index for index, value in enumerate(op.init_values) if not is_zero(value)]
        return InitialValues(indices, [index == 0 for index in shard_indices(axes, before.mesh)]) if indices else None

    def rewrite(self, op: stablehlo.ReduceOp, decision: InitialValues, code: DeviceCode) -> None:
        table = dense_values(TensorType(i1, [len(decision.leaders)]), decision.leaders)
        is_first = code.reshaped(code.entry(table, code.device_id()), [], i1)
        for index in decision.indices:
            value = op.operands[index]
            zero = code.constant(zeros(tensor_type(value)))
            op.operands[index] = code.insert(stablehlo.SelectOp(is_first, value, zero))
        code.rewriter.notify_op_modified(op)
