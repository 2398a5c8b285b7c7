"""Constants and iotas: each device makes its part."""

from xdsl.dialects.builtin import TensorType
from xdsl.rewriter import Rewriter

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import dense, is_splat
from xshardy.dialects.sdy.ops import ConstantOp
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.sdy_export.local.before import Before, Rewrite
from xshardy.transforms.sdy_export.local.writer import LocalWriter


def constant(op: ConstantOp, before: Before) -> Rewrite | None:
    """A part of a splat is a splat; of another constant it is sliced from the whole."""
    (whole,) = before.results
    value = op.value

    def rewrite(writer: LocalWriter) -> None:
        type = tensor_type(op.output)
        if whole.is_replicated:
            part = writer.constant(value)
        elif is_splat(value):
            element = value.data.data[: value.get_element_type().compile_time_size]
            part = writer.constant(dense(type, element))
        else:
            axes = [whole.axes(dim) for dim in range(type.get_num_dims())]
            part = writer.part(writer.constant(value), axes, whole.mesh, type.get_shape())
        Rewriter.replace_op(op, [], [part])

    return rewrite


def iota(op: stablehlo.IotaOp, before: Before) -> Rewrite | None:
    """`iota` -> `iota + offset` of the part, where the dimension that it counts along is sharded."""
    (whole,) = before.results
    if whole.is_replicated:
        return None

    def rewrite(writer: LocalWriter) -> None:
        type, dim = tensor_type(op.output), op.iota_dimension.value.data
        counted = writer.insert(stablehlo.IotaOp(dim, type))
        if axes := whole.axes(dim):
            offset = writer.shard_offset(axes, whole.mesh, type.get_shape()[dim])
            offset = writer.insert(stablehlo.ConvertOp(offset, TensorType(type.element_type, [])))
            offset = writer.insert(stablehlo.BroadcastInDimOp(offset, [], type))
            counted = writer.insert(stablehlo.AddOp(counted, offset))
        Rewriter.replace_op(op, [], [counted])

    return rewrite
