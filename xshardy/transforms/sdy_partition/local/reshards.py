"""Reshards that `sdy-reshard-to-collectives` leaves: those to a mesh with other axes."""

from collections.abc import Sequence
from dataclasses import dataclass

from xshardy.dialects.sdy.attributes.axes import AxisRefs
from xshardy.dialects.sdy.ops import ReshardOp
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensors


@dataclass(frozen=True)
class TakePartOverOtherMesh(LocalPattern[ReshardOp, Sequence[AxisRefs]]):
    """
    `sdy.reshard %x <@other, [{"x"}, {}]>` -> `dynamic_slice %x`, over a mesh with other axes.

    Requires: that each device has all of `%x`.
    """

    checks_shardings = True

    @staticmethod
    def decide(op: ReshardOp, before: WholeTensors) -> Sequence[AxisRefs]:
        """
        The axes of each dimension of the result.

        Raises `OperationFailedException` if the operand is sharded, or over a mesh with the same axes.
        """
        (operand,), (result,) = before.operands, before.results
        if operand.sharding is None or not operand.is_replicated or operand.mesh.axes == result.mesh.axes:
            raise OperationFailedException(
                op,
                f"failed to legalize operation '{op.name}' that was explicitly marked illegal: run "
                "sdy-gather-between-meshes and sdy-reshard-to-collectives first",
            )
        return [of_dim.axes.data for of_dim in op.sharding.dim_shardings]

    def rewrite(self, op: ReshardOp, decision: Sequence[AxisRefs], code: DeviceCode) -> None:
        mesh = lookup_mesh(op.sharding, op)
        assert mesh is not None  # the type of the result is that of a part
        code.replace(op, code.part(op.input, decision, mesh, tensor_type(op.result).get_shape()))
