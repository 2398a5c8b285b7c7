"""Constants and iotas: each device creates its part."""

from xdsl.dialects.builtin import TensorType

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.dense_elements import dense, is_splat
from xshardy.dialects.sdy.ops import ConstantOp
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors


class ConstantOfPart(LocalPattern[ConstantOp, WholeTensor]):
    """`sdy.constant dense<2> : 8` -> `stablehlo.constant dense<2> : 4`; if it is no splat, a slice of the whole."""

    checks_shardings = True

    @staticmethod
    def decide(op: ConstantOp, before: WholeTensors) -> WholeTensor:
        return before.results[0]

    def rewrite(self, op: ConstantOp, decision: WholeTensor, code: DeviceCode) -> None:
        type, value = tensor_type(op.output), op.value
        if decision.is_replicated:
            part = code.constant(value)
        elif is_splat(value):
            element = value.data.data[: value.get_element_type().compile_time_size]
            part = code.constant(dense(type, element))
        else:
            part = code.own_part(code.constant(value), decision)
        code.replace(op, part)


class ElidedConstantOfPart(LocalPattern[hlo.ElidedConstantOp, WholeTensor]):
    """`hlo.elided_constant : 8` -> a slice of it: the value, which the text leaves out, stays that of the whole."""

    checks_shardings = True

    @staticmethod
    def decide(op: hlo.ElidedConstantOp, before: WholeTensors) -> WholeTensor:
        return before.results[0]

    def rewrite(self, op: hlo.ElidedConstantOp, decision: WholeTensor, code: DeviceCode) -> None:
        if not decision.is_replicated:
            whole = code.insert(hlo.ElidedConstantOp.create(result_types=[decision.type]))
            code.replace(op, code.own_part(whole, decision))


class IotaOfPart(LocalPattern[stablehlo.IotaOp, WholeTensor]):
    """`iota : 8` -> `iota : 4`, plus the offset of the part if the iota dimension is sharded."""

    @staticmethod
    def decide(op: stablehlo.IotaOp, before: WholeTensors) -> WholeTensor | None:
        return None if before.results[0].is_replicated else before.results[0]

    def rewrite(self, op: stablehlo.IotaOp, decision: WholeTensor, code: DeviceCode) -> None:
        type, dim = tensor_type(op.output), op.iota_dimension.value.data
        counted = code.insert(stablehlo.IotaOp(dim, type))
        if axes := decision.axes(dim):
            offset = code.shard_offset(axes, decision.mesh, type.get_shape()[dim])
            offset = code.insert(stablehlo.ConvertOp(offset, TensorType(type.element_type, [])))
            offset = code.insert(stablehlo.BroadcastInDimOp(offset, [], type))
            counted = code.insert(stablehlo.AddOp(counted, offset))
        code.replace(op, counted)
