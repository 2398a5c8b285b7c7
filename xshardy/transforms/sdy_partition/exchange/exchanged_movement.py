"""Slices, pads and reverses along sharded dimensions: parts get the elements that they need."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.dialects.stablehlo.windows import dilated
from xshardy.transforms.sdy_partition.exchange.pattern import (
    Other,
    divisible_shape,
    has_same_axes,
    is_movable,
    manual_computation,
    padded_high,
    part_size,
    sharded_along,
    sharded_dims,
    without_padding,
    zero,
)
from xshardy.transforms.sdy_partition.exchange.readings import Movement, Reading, dilated_windows
from xshardy.transforms.sdy_partition.exchange.rotations import is_part_of_rotation
from xshardy.transforms.sdy_partition.exchange.slices_and_pads import (
    padded_along_whole_dims,
    slice_stays,
    sliced_along_whole_dims,
)
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors


def replace_by_exchange(
    op: Operation,
    operands: Sequence[SSAValue],
    padding: SSAValue | None,
    target: WholeTensor,
    body: Callable[[Sequence[SSAValue], SSAValue], SSAValue],
    code: DeviceCode,
) -> None:
    """
    Replace `op` by a manual computation.

    All `operands` are sharded as the result, `target`. They are padded with `padding`, or zeros, so that they divide.
    `body` gets the parts of a device, and the padding.
    """
    sharding, mesh = target.sharding, target.mesh
    assert sharding is not None
    element = tensor_type(operands[0]).element_type
    wholes = [WholeTensor(operand.type, sharding, op) for operand in operands]
    inputs = [
        (padded_high(operand, divisible_shape(whole), sharding, code, padding), sharding)
        for operand, whole in zip(operands, wholes, strict=True)
    ]
    scalar = TensorShardingAttr.fully_closed(sharding.mesh_or_ref, 0)
    inputs.append((padding or zero(element, code), scalar))
    results = [(TensorType(element, divisible_shape(target)), sharding)]

    def parts(arguments: Sequence[SSAValue]) -> Sequence[SSAValue]:
        *own, inner_padding = arguments
        return [body(own, inner_padding)]

    (whole,) = manual_computation(inputs, results, sharded_along(target), mesh, parts, code)
    code.replace(op, without_padding(whole, target.shape, sharding, code))


# -- Slices -----------------------------------------------------------------------------------------------------------


def _takes_all(op: stablehlo.SliceOp, dim: int, source: WholeTensor) -> bool:
    """Whether the slice along `dim` is one of every so many elements of each part."""
    extent, parts = source.shape[dim], source.parts(dim)
    is_from_end_to_end = not op.start_indices.get_values()[dim] and op.limit_indices.get_values()[dim] == extent
    return is_from_end_to_end and extent % (parts * op.strides.get_values()[dim]) == 0


@dataclass(frozen=True)
class ExchangeOfSlice(LocalPattern[stablehlo.SliceOp, Movement]):
    """`slice %x` -> `manual_computation(%x)`: each device gets the elements of its part of the slice."""

    @staticmethod
    def decide(op: stablehlo.SliceOp, before: WholeTensors) -> Movement | Other:
        (source,), (target,) = before.operands, before.results
        if not is_movable(before) or not has_same_axes(source, target):
            return Other.STAY
        if is_part_of_rotation(op):
            return Other.STAY
        starts, strides = op.start_indices.get_values(), op.strides.get_values()
        readings: dict[int, Reading] = {}
        for dim in sharded_dims(source):
            if not (slice_stays(op, dim, source, target) or _takes_all(op, dim, source)):
                size, stride = part_size(target, dim), strides[dim]
                limit = starts[dim] + dilated(target.shape[dim], stride)
                readings[dim] = dilated_windows(
                    source.parts(dim), size * stride, starts[dim], dilated(size, stride), limit=limit
                )
        return Movement.of(source, readings) if readings else Other.STAY

    def rewrite(self, op: stablehlo.SliceOp, decision: Movement, code: DeviceCode) -> None:
        def body(parts: Sequence[SSAValue], padding: SSAValue) -> SSAValue:
            part = decision.windows(parts[0], padding, code)
            return sliced_along_whole_dims(op, part, decision.source, code)

        (target,) = WholeTensors.of(op).results
        replace_by_exchange(op, [op.operand], None, target, body, code)


# -- Pads -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExchangeOfPad(LocalPattern[stablehlo.PadOp, Movement]):
    """`pad %x` -> `manual_computation(%x)`: each device gets the elements of its part of the padded tensor."""

    @staticmethod
    def decide(op: stablehlo.PadOp, before: WholeTensors) -> Movement | Other:
        source, (target,) = before.operands[0], before.results
        if not is_movable(before) or not has_same_axes(source, target):
            return Other.STAY
        rows = [*zip(op.edge_padding_low.get_values(), op.interior_padding.get_values(), strict=True)]
        readings: dict[int, Reading] = {}
        for dim in sharded_dims(source):
            (low, interior), size = rows[dim], part_size(target, dim)
            if low or interior or part_size(source, dim) != size:
                limit = target.shape[dim] - low
                readings[dim] = dilated_windows(source.parts(dim), size, -low, size, interior + 1, limit=limit)
        if not readings:
            return Other.STAY
        movement = Movement.of(source, readings)
        divides = divisible_shape(source) == tuple(source.shape) and divisible_shape(target) == tuple(target.shape)
        if divides and isinstance(movement, Movement) and not movement.moves:
            return Other.STAY
        return movement

    def rewrite(self, op: stablehlo.PadOp, decision: Movement, code: DeviceCode) -> None:
        (target,) = WholeTensors.of(op).results

        def body(parts: Sequence[SSAValue], padding: SSAValue) -> SSAValue:
            part = decision.windows(parts[0], padding, code)
            return padded_along_whole_dims(op, part, padding, target, code)

        replace_by_exchange(op, [op.operand], op.padding_value, target, body, code)


# -- Reverses ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExchangeOfReverse(LocalPattern[stablehlo.ReverseOp, Movement]):
    """`reverse %x` -> `manual_computation(%x)`: each device reverses the elements of the opposite part."""

    @staticmethod
    def decide(op: stablehlo.ReverseOp, before: WholeTensors) -> Movement | Other:
        (source,), (target,) = before.operands, before.results
        if not is_movable(before) or not has_same_axes(source, target):
            return Other.STAY
        readings: dict[int, Reading] = {}
        for dim in sharded_dims(source):
            if dim in op.dimensions.get_values():
                size = part_size(target, dim)
                readings[dim] = dilated_windows(source.parts(dim), -size, source.shape[dim] - size, size)
        return Movement.of(source, readings) if readings else Other.STAY

    def rewrite(self, op: stablehlo.ReverseOp, decision: Movement, code: DeviceCode) -> None:
        def body(parts: Sequence[SSAValue], padding: SSAValue) -> SSAValue:
            part = decision.windows(parts[0], padding, code)
            return code.insert(stablehlo.ReverseOp(part, op.dimensions.get_values()))

        (target,) = WholeTensors.of(op).results
        replace_by_exchange(op, [op.operand], None, target, body, code)
