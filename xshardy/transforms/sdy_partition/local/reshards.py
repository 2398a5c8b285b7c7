"""Reshards that `sdy-reshard-to-collectives` leaves: those to a mesh with other axes, or to a single device."""

from xshardy.dialects.sdy.ops import ReshardOp
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors


class TakePartOverOtherMesh(LocalPattern[ReshardOp, WholeTensor]):
    """
    `sdy.reshard %x <@other, [{"x"}, {}]>` -> `dynamic_slice %x`, over a mesh with other axes; `%x` to a replicated one.

    Requires: that each device has all of `%x`.
    """

    checks_shardings = True

    @staticmethod
    def decide(op: ReshardOp, before: WholeTensors) -> WholeTensor:
        """
        The result.

        Raises `OperationFailedException` if the operand is sharded, or over a mesh with the same axes.
        """
        (operand,), (result,) = before.operands, before.results
        is_elsewhere = operand.sharding is not None and operand.mesh.axes != result.mesh.axes
        if not operand.is_replicated or not (is_elsewhere or result.mesh.is_maximal):
            raise OperationFailedException(
                op,
                f"failed to legalize operation '{op.name}' that was explicitly marked illegal: run "
                "sdy-gather-between-meshes and sdy-reshard-to-collectives first",
            )
        return result

    def rewrite(self, op: ReshardOp, decision: WholeTensor, code: DeviceCode) -> None:
        code.replace(op, op.input if decision.is_replicated else code.own_part(op.input, decision))
