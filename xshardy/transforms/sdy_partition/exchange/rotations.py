"""Rotations: the last elements of a dimension, and the first ones behind them. They are one exchange, not three."""

from xdsl.ir import SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.value_shardings import local_sharding
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.sdy_partition.exchange.exchanges import ExchangeStep, rotation, why_gather
from xshardy.transforms.sdy_partition.exchange.pattern import has_same_axes, part_size
from xshardy.transforms.sdy_partition.exchange.readings import stored
from xshardy.transforms.sdy_partition.exchange.runs import Runs
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors


def rotation_of(op: stablehlo.ConcatenateOp) -> ExchangeStep | None:
    """
    The exchange of `%x` for `concatenate (slice %x [3:8]), (slice %x [0:3])`, if both are sharded alike.

    None for another operation, if something else reads a slice, and if a gather moves fewer elements.
    """
    dim, (target,) = op.dimension.value.data, WholeTensors.of(op).results
    found = rotated(op)
    if found is None or target.is_replicated or target.parts(dim) == 1 or not target.is_static:
        return None
    value, first = found
    source, extent = WholeTensor(value.type, local_sharding(value), op), target.shape[dim]
    if source.is_replicated or source.mesh != target.mesh or source.mesh.is_maximal:
        return None
    if not has_same_axes(source, target):
        return None
    size, parts = part_size(target, dim), target.parts(dim)
    starts = tuple(first + part * size for part in range(parts))
    counts = tuple(max(0, min(size, extent - part * size)) for part in range(parts))
    exchange = rotation(stored(source, dim), Runs(starts, counts, size), extent)
    if exchange is None:
        return None
    step = ExchangeStep(dim, parts, (exchange,))
    shape = [part_size(source, other) for other in range(len(source.shape))]
    return step if why_gather(shape, [step]) is None else None


def rotated(op: stablehlo.ConcatenateOp) -> tuple[SSAValue, int] | None:
    """The tensor whose two slices `op` joins, and which of its elements comes first; None if it does no such thing."""
    if len(op.inputs) != 2:
        return None
    last, first = (value.owner for value in op.inputs)
    if not (isinstance(last, stablehlo.SliceOp) and isinstance(first, stablehlo.SliceOp)):
        return None
    # A slice that something else reads is exchanged itself, and then has another operand.
    if last.operand != first.operand or not (last.result.has_one_use() and first.result.has_one_use()):
        return None
    dim, shape = op.dimension.value.data, tensor_type(last.operand).get_shape()
    middle = last.start_indices.get_values()[dim]
    expected = (middle, shape[dim]), (0, middle)
    for part, (start, limit) in zip((last, first), expected, strict=True):
        starts, limits = [0] * len(shape), [*shape]
        starts[dim], limits[dim] = start, limit
        bounds = [*part.start_indices.get_values()], [*part.limit_indices.get_values()]
        if bounds != (starts, limits) or any(stride != 1 for stride in part.strides.get_values()):
            return None
    return last.operand, middle


def is_part_of_rotation(op: stablehlo.SliceOp) -> bool:
    """Whether only a rotation reads `op`: it exchanges the operand of `op`."""
    reader = op.result.get_user_of_unique_use()
    return isinstance(reader, stablehlo.ConcatenateOp) and rotation_of(reader) is not None
