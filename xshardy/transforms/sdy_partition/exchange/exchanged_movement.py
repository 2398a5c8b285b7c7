"""Slices, pads and reverses along sharded dimensions: parts get the elements that they need."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.dialects.stablehlo.windows import dilated
from xshardy.transforms.sdy_partition.exchange.pattern import (
    Gathered,
    has_same_axes,
    is_movable,
    manual_results,
    padded_input,
    part_size,
    sharded_dims,
)
from xshardy.transforms.sdy_partition.exchange.readings import Movement, Reading, dilated_windows
from xshardy.transforms.sdy_partition.exchange.rotations import is_part_of_rotation
from xshardy.transforms.sdy_partition.exchange.whole_parts import WholeParts
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.slices import slice_stays
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors

OpT = TypeVar("OpT", bound=Operation)


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
    wholes = [WholeTensor(operand.type, target.sharding, op) for operand in operands]
    inputs = [padded_input(*each, code, padding) for each in zip(operands, wholes, strict=True)]
    filling = padding or code.zero(tensor_type(operands[0]).element_type)

    def parts(arguments: Sequence[SSAValue]) -> Sequence[SSAValue]:
        *own, inner_padding = arguments
        return [body(own, inner_padding)]

    code.replace(op, *manual_results([*inputs, (filling, None)], [target], parts, code))


@dataclass(frozen=True, slots=True)
class ReadPart:
    """What a device needs of the operand along sharded dimensions, and what to make of it: its part of `target`."""

    part: SSAValue
    padding: SSAValue
    target: WholeTensor
    sharding: TensorShardingAttr | None
    """Of values in the manual computation."""
    code: DeviceCode


class MovementPattern(LocalPattern[OpT, Movement | WholeParts], Generic[OpT]):
    """
    `f %x` -> `manual_computation(%x) (%part) { f (exchanged %part) }`: `f` of what a device needs of all parts.

    Requires: operand and result sharded alike.
    """

    def rewrite(self, op: OpT, decision: Movement | WholeParts, code: DeviceCode) -> None:
        (target,) = WholeTensors.of(op).results

        def body(parts: Sequence[SSAValue], padding: SSAValue) -> SSAValue:
            part = decision.windows(parts[0], padding, code)
            return self.rest(op, ReadPart(part, padding, target, decision.local_sharding, code))

        replace_by_exchange(op, op.operands[:1], next(iter(op.operands[1:]), None), target, body, code)

    @staticmethod
    @abstractmethod
    def rest(op: Any, read: ReadPart) -> SSAValue:
        """What `op` does to what a device needs: the rest of `op`, along other dimensions than the exchanged ones."""


class ExchangeOfSlice(MovementPattern[stablehlo.SliceOp]):
    """
    `slice %x [1:8]` -> `manual_computation(%x) { %part[1:4], collective_permute %part[0:1] }`

    Each device gets the elements of its part of the slice; along other dimensions, it slices what it has. Slices of a
    rotation are left to its concatenation.

    Requires: operand and result sharded alike.

    Refuses: exchanges that move no fewer elements than a gather.
    """

    @staticmethod
    def decide(op: stablehlo.SliceOp, before: WholeTensors) -> Movement | WholeParts | Gathered | None:
        (source,), (target,) = before.operands, before.results
        if not is_movable(before) or not has_same_axes(source, target):
            return None
        if is_part_of_rotation(op):
            return None
        starts, strides = op.start_indices.get_values(), op.strides.get_values()
        readings: dict[int, Reading] = {}
        for dim in sharded_dims(source):
            if not slice_stays(op, dim, source, target):
                size, stride = part_size(target, dim), strides[dim]
                limit = starts[dim] + dilated(target.shape[dim], stride)
                readings[dim] = dilated_windows(
                    source.parts(dim), size * stride, starts[dim], dilated(size, stride), limit=limit
                )
        return Movement.of(source, readings) if readings else None

    @staticmethod
    def rest(op: stablehlo.SliceOp, read: ReadPart) -> SSAValue:
        """It begins and ends where it should along sharded dimensions: there, only strides are left."""
        shape = tensor_type(read.part).get_shape()
        columns = (a.get_values() for a in (op.start_indices, op.limit_indices, op.strides))
        rows = [
            row if read.target.parts(dim) == 1 else (0, shape[dim], row[2])
            for dim, row in enumerate(zip(*columns, strict=True))
        ]
        if rows == [(0, extent, 1) for extent in shape]:
            return read.part
        return read.code.insert(stablehlo.SliceOp(read.part, *zip(*rows, strict=True)), read.sharding)


class ExchangeOfPad(MovementPattern[stablehlo.PadOp]):
    """
    `pad %x, low = [1]` -> `manual_computation(%x) { collective_permute %part[3:4], %part[0:3] }`

    Each device gets the elements of its part of the padded tensor; along other dimensions, it pads what it has.

    Requires: operand and result sharded alike.

    Refuses: exchanges that move no fewer elements than a gather.
    """

    @staticmethod
    def decide(op: stablehlo.PadOp, before: WholeTensors) -> Movement | WholeParts | Gathered | None:
        source, (target,) = before.operands[0], before.results
        if not is_movable(before) or not has_same_axes(source, target):
            return None
        rows = [*zip(op.edge_padding_low.get_values(), op.interior_padding.get_values(), strict=True)]
        readings: dict[int, Reading] = {}
        for dim in sharded_dims(source):
            (low, interior), size = rows[dim], part_size(target, dim)
            if low or interior or part_size(source, dim) != size:
                limit = target.shape[dim] - low
                readings[dim] = dilated_windows(source.parts(dim), size, -low, size, interior + 1, limit=limit)
        if not readings:
            return None
        movement = Movement.of(source, readings)
        divides = source.divisible_shape == tuple(source.shape) and target.divisible_shape == tuple(target.shape)
        if divides and isinstance(movement, Movement) and not movement.moves:
            return None
        return movement

    @staticmethod
    def rest(op: stablehlo.PadOp, read: ReadPart) -> SSAValue:
        """It has its padding along sharded dimensions."""
        part, target = read.part, read.target
        columns = (a.get_values() for a in (op.edge_padding_low, op.edge_padding_high, op.interior_padding))
        rows = [row if target.parts(dim) == 1 else (0, 0, 0) for dim, row in enumerate(zip(*columns, strict=True))]
        if not any(map(any, rows)):
            return part
        own = tensor_type(part)
        shape = [target.shape[dim] if target.parts(dim) == 1 else extent for dim, extent in enumerate(own.get_shape())]
        low, high, interior = zip(*rows, strict=True)
        padded = stablehlo.PadOp(part, read.padding, low, high, interior, TensorType(own.element_type, shape))
        return read.code.insert(padded, read.sharding)


class ExchangeOfReverse(MovementPattern[stablehlo.ReverseOp]):
    """
    `reverse %x` -> `manual_computation(%x) { reverse (collective_permute %part) }`: of the opposite part.

    Requires: operand and result sharded alike.
    """

    @staticmethod
    def decide(op: stablehlo.ReverseOp, before: WholeTensors) -> Movement | Gathered | None:
        (source,), (target,) = before.operands, before.results
        if not is_movable(before) or not has_same_axes(source, target):
            return None
        readings: dict[int, Reading] = {}
        for dim in sharded_dims(source):
            if dim in op.dimensions.get_values():
                size = part_size(target, dim)
                readings[dim] = dilated_windows(source.parts(dim), -size, source.shape[dim] - size, size)
        return Movement.of(source, readings) if readings else None

    @staticmethod
    def rest(op: stablehlo.ReverseOp, read: ReadPart) -> SSAValue:
        return read.code.insert(stablehlo.ReverseOp(read.part, op.dimensions.get_values()), read.sharding)
