"""Slices and pads along sharded dimensions, with whole parts of neighbours, as upstream."""

from xdsl.ir import SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import all_bytes, has_elements
from xshardy.dialects.sdy import ops as sdy
from xshardy.transforms.sdy_partition.exchange.exchanged_movement import ExchangeOfPad, ExchangeOfSlice
from xshardy.transforms.sdy_partition.exchange.neighbours import Reads, neighbours
from xshardy.transforms.sdy_partition.exchange.pattern import (
    Gathered,
    has_same_axes,
    is_movable,
    part_size,
    sharded_dims,
)
from xshardy.transforms.sdy_partition.exchange.whole_parts import WholeParts
from xshardy.transforms.sdy_partition.local.slices import slice_stays
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensors


def is_zero(value: SSAValue) -> bool:
    """Whether `value` is a constant of which all bits are zero."""
    if not isinstance(value.owner, stablehlo.ConstantOp | sdy.ConstantOp) or not has_elements(value.owner.value):
        return False
    return not any(all_bytes(value.owner.value))


def plain_slice_stays(op: stablehlo.SliceOp, dim: int, before: WholeTensors) -> bool:
    """Whether the slice along `dim`, a sharded one, takes all of each part: upstream disregards strides."""
    return op.strides.get_values()[dim] == 1 and slice_stays(op, dim, before.operands[0], before.results[0])


def pad_stays(op: stablehlo.PadOp, dim: int, before: WholeTensors) -> bool:
    """Whether no part of the result along `dim`, which is sharded, has elements, or their padding, of another part."""
    source, target = before.operands[0], before.results[0]
    reads = Reads(part_size(target, dim), op.edge_padding_low.get_values()[dim])
    near = neighbours(source.divisible_shape[dim], source.parts(dim), reads)
    return not (op.interior_padding.get_values()[dim] or near.left or near.right)


class SliceOfWholeParts(ExchangeOfSlice):
    """
    `slice %x [1:8]` -> `manual_computation(%x) { dynamic_slice (concatenate %part, (collective_permute %part)) }`

    Requires: operand and result sharded alike; parts that need neighbours only.

    Refuses: strides.
    """

    @staticmethod
    def decide(op: stablehlo.SliceOp, before: WholeTensors) -> WholeParts | Gathered | None:
        (source,), (target,) = before.operands, before.results
        if not is_movable(before) or not has_same_axes(source, target):
            return None
        dims = [dim for dim in sharded_dims(source) if not plain_slice_stays(op, dim, before)]
        starts, strides = op.start_indices.get_values(), op.strides.get_values()
        if not dims:
            return None
        if any(strides[dim] > 1 for dim in dims):
            return Gathered("the slice has strides")
        return WholeParts.of({dim: Reads(part_size(target, dim), -starts[dim]) for dim in dims}, source)


class PadOfWholeParts(ExchangeOfPad):
    """
    `pad %x, low = [1]` -> `manual_computation(%x) { dynamic_slice (pad (concatenate (permute %part), %part)) }`

    Requires: operand and result sharded alike; parts that need neighbours only.

    Refuses: other padding than zeros where there are neighbours, since what the first and the last device get of their
    missing ones is zero.
    """

    @staticmethod
    def decide(op: stablehlo.PadOp, before: WholeTensors) -> WholeParts | Gathered | None:
        source, (target,) = before.operands[0], before.results
        if not is_movable(before) or not has_same_axes(source, target):
            return None
        rows = [*zip(op.edge_padding_low.get_values(), op.interior_padding.get_values(), strict=True)]
        reads = {dim: Reads(part_size(target, dim), rows[dim][0], rows[dim][1] + 1) for dim in sharded_dims(source)}
        parts = WholeParts.of(reads, source)
        if isinstance(parts, Gathered):
            return parts
        if all(pad_stays(op, dim, before) for dim in parts.dims):
            return None
        has_neighbours = any(along.near.left or along.near.right for along in parts.dims.values())
        if has_neighbours and not is_zero(op.padding_value):
            return Gathered("the padding is not zero")
        dims = {
            dim: along
            for dim, along in parts.dims.items()
            if along.near.are_needed or along.size != part_size(source, dim) or rows[dim][1]
        }
        return WholeParts(source, dims)
