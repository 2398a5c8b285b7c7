"""Sizes of dimensions: those of the whole tensor, which a part does not have."""

from xshardy.dialects import stablehlo
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode, integers_of
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensors


class SizeOfWhole(LocalPattern[stablehlo.GetDimensionSizeOp, int]):
    """`get_dimension_size %part, dim = 0` -> `constant 8`, if the dimension is sharded."""

    @staticmethod
    def decide(op: stablehlo.GetDimensionSizeOp, before: WholeTensors) -> int | None:
        """The size, in elements; that of a sharded tensor is static."""
        (source,), dim = before.operands, op.dimension.value.data
        return source.shape[dim] if source.parts(dim) > 1 else None

    def rewrite(self, op: stablehlo.GetDimensionSizeOp, decision: int, code: DeviceCode) -> None:
        code.replace(op, code.constant(integers_of(op.result.type, [decision])))
