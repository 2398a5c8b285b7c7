"""Slices, pads and concatenations, if no element moves to another device."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.sharding.devices import mirrored, shard_indices
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors, refuse


def axes_text(axes: Sequence[AxisRefAttr]) -> str:
    """`{"x", "y":(1)2}`"""
    return "{" + ", ".join(axis.text for axis in axes) + "}"


def require_same_axes(
    op: Operation,
    source: WholeTensor,
    target: WholeTensor,
    dim: int,
) -> None:
    """Raises `OperationFailedException` if operand and result have different axes in `dim`."""
    before, after = source.axes(dim), target.axes(dim)
    if tuple(before) != tuple(after):
        raise refuse(
            op,
            f"dimension {dim} has mismatched sharding axes ({axes_text(before)} vs {axes_text(after)}). This requires "
            "a reshard which should have been handled by previous passes.",
        )


def check_concatenate(op: stablehlo.ConcatenateOp, before: WholeTensors) -> None:
    """Raises `OperationFailedException` if the concatenated dimension is sharded."""
    (target,), dimension = before.results, op.dimension.value.data
    if target.axes(dimension):
        raise refuse(op, f"dimension {dimension} is sharded but the concatenation is on this dimension.")
    for index, source in enumerate(before.operands):
        if source.axes(dimension):
            raise refuse(
                op,
                f"operand {index} is sharded on concatenation dimension {dimension}. This is not supported.",
            )
        for dim in range(len(target.shape)):
            require_same_axes(op, source, target, dim)


class ReverseOfPart(LocalPattern[stablehlo.ReverseOp, None]):
    """
    `reverse %x` -> `reverse %part`: along a sharded dimension, the result is over a mesh in the opposite order.

    Refuses: a result over the same mesh, of which each part would belong to another device.
    """

    checks_shardings = True

    @staticmethod
    def decide(op: stablehlo.ReverseOp, before: WholeTensors) -> None:
        """Raises `OperationFailedException` unless each device has the part that its own becomes when reversed."""
        (source,), (target,) = before.operands, before.results
        if before.is_replicated:
            return
        reversed_dims = op.dimensions.get_values()
        for dim in range(len(source.shape)):
            require_same_axes(op, source, target, dim)
        if target.mesh == mirrored(source.mesh, _axes(source, reversed_dims)):
            return
        for dim in reversed_dims:
            if source.parts(dim) > 1:
                raise refuse(
                    op,
                    f"dimension {dim} is sharded along {axes_text(source.axes(dim))} and is reversed, so that each "
                    "part belongs to another device: reshard the operand so that the dimension is not sharded, and "
                    "the result to what it is to be",
                )
        raise refuse(op, "operands and results are sharded over different meshes: let a reshard move the operand")

    def rewrite(self, op: stablehlo.ReverseOp, decision: None, code: DeviceCode) -> None: ...


def _axes(tensor: WholeTensor, dims: Sequence[int]) -> list[AxisRefAttr]:
    return [axis for dim in dims for axis in tensor.axes(dim)]


def slice_stays(op: stablehlo.SliceOp, dim: int, source: WholeTensor, target: WholeTensor) -> bool:
    """Whether the slice along `dim`, which is sharded, takes every so many elements of each part, from the first on."""
    stride = op.strides.get_values()[dim]
    return not op.start_indices.get_values()[dim] and target.part_shape[dim] * stride == source.part_shape[dim]


class SliceOfPart(LocalPattern[stablehlo.SliceOp, Sequence[int]]):
    """
    `slice %x [0:8:2]` -> `slice %part [0:4:2]`: along a sharded dimension, every so many elements of each part.

    Requires: operand and result sharded alike.

    Refuses: a sharded dimension along which a part of the result has elements of another part.
    """

    @staticmethod
    def decide(op: stablehlo.SliceOp, before: WholeTensors) -> Sequence[int] | None:
        """The limits of the slice of a part."""
        (source,), (target,) = before.operands, before.results
        if before.is_replicated:
            return None
        limits = [*op.limit_indices.get_values()]
        for dim in range(len(source.shape)):
            require_same_axes(op, source, target, dim)
            if source.parts(dim) == 1:
                continue
            if not slice_stays(op, dim, source, target):
                raise refuse(
                    op,
                    f"dimension {dim} is sharded but the slice is not a full slice and requires device communication.",
                )
            limits[dim] = source.local.get_shape()[dim]
        return limits

    def rewrite(self, op: stablehlo.SliceOp, decision: Sequence[int], code: DeviceCode) -> None:
        starts, strides = op.start_indices.get_values(), op.strides.get_values()
        code.rewriter.replace(op, stablehlo.SliceOp(op.operand, starts, decision, strides))


class DynamicSliceOfPart(LocalPattern[stablehlo.DynamicSliceOp, WholeTensors]):
    """
    `dynamic_slice %x, %i, sizes = [8]` -> `dynamic_slice %part, %i, sizes = [4]`: a sharded dimension is taken whole.

    Requires: operand and result sharded alike.

    Refuses: a slice of some elements of a sharded dimension.
    """

    @staticmethod
    def decide(op: stablehlo.DynamicSliceOp, before: WholeTensors) -> WholeTensors | None:
        source, (target,) = before.operands[0], before.results
        for dim, (extent, kept) in enumerate(zip(source.shape, target.shape, strict=True)):
            if source.axes(dim) and kept != extent:
                raise refuse(
                    op,
                    f"dimension {dim} is sharded but the slice is not a full slice and requires device communication.",
                )
            require_same_axes(op, source, target, dim)
        return None if target.is_replicated else before

    def rewrite(self, op: stablehlo.DynamicSliceOp, decision: WholeTensors, code: DeviceCode) -> None:
        op.slice_sizes = integers(tensor_type(op.result).get_shape())
        code.rewriter.notify_op_modified(op)


def _expanded(extent: int, interior: int) -> int:
    """The size of `extent` elements with padding between them."""
    return extent + max(extent - 1, 0) * interior


def parts_stay_local(low: int, step: int, extent: int, result: int, parts: int) -> bool:
    """
    Whether each of `parts` parts of a padded dimension, of `result` elements, reads elements of its own part only.

    Parts of the operand have `extent` elements. The first one is at `low` of the padded dimension, and elements are
    `step` apart.
    """
    for part in range(parts):
        first = max(-(-(part * result - low) // step), 0)
        end = min(((part + 1) * result - low - 1) // step + 1, extent * parts)
        if first < end and not part * extent <= first < end <= (part + 1) * extent:
            return False
    return True


def _offsets(op: stablehlo.PadOp, source: WholeTensor, target: WholeTensor) -> list[list[int]]:
    """For each dimension and device, the offset of the operand part within the result part, in elements."""
    mesh, offsets = source.mesh, list[list[int]]()
    rows = zip(op.edge_padding_low.get_values(), op.interior_padding.get_values(), strict=True)
    for dim, (low, interior) in enumerate(rows):
        before, after = source.local.get_shape()[dim], target.local.get_shape()[dim]
        apart = before * (interior + 1) - after
        offsets.append([index * apart + low for index in shard_indices(source.axes(dim), mesh)])
    return offsets


@dataclass(frozen=True, slots=True)
class LocalPad:
    """How a device pads its part."""

    interior: Sequence[int]
    offsets: Sequence[Sequence[int]]
    """For each dimension and device, the offset of the operand part within the result part, in elements."""
    expanded: Sequence[int]
    """The sizes of the part of the operand, with padding between elements."""
    result: Sequence[int]
    """The sizes of the part of the result."""

    @property
    def is_uniform(self) -> bool:
        """Whether all devices pad by the same amounts."""
        return all(len(set(of_dim)) == 1 for of_dim in self.offsets)


class PadOfPart(LocalPattern[stablehlo.PadOp, LocalPad]):
    """
    `pad %x` -> `pad %part`; if devices pad by different amounts, `dynamic_slice (pad %part)`, of a pad large enough for
    all.

    Requires: operand and result sharded alike.

    Refuses: padding that moves elements to other devices.
    """

    @staticmethod
    def decide(op: stablehlo.PadOp, before: WholeTensors) -> LocalPad | None:
        source, (target,) = before.operands[0], before.results
        if source.is_replicated:
            if not target.is_replicated:
                raise refuse(
                    op,
                    "has a sharded result and a replicated operand. This requires a reshard which should "
                    "have been handled by previous passes.",
                )
            return None
        for dim in range(len(source.shape)):
            require_same_axes(op, source, target, dim)
        interior, lows = op.interior_padding.get_values(), op.edge_padding_low.get_values()
        extents, result = source.local.get_shape(), target.local.get_shape()
        for dim, low in enumerate(lows):
            parts = source.parts(dim)
            if parts > 1 and not parts_stay_local(low, interior[dim] + 1, extents[dim], result[dim], parts):
                raise refuse(
                    op,
                    f"dimension {dim} is sharded and its padding moves elements to other devices. This requires "
                    "device communication which should have been handled by previous passes.",
                )
        expanded = [_expanded(extent, amount) for extent, amount in zip(extents, interior, strict=True)]
        return LocalPad(interior, _offsets(op, source, target), expanded, result)

    def rewrite(self, op: stablehlo.PadOp, decision: LocalPad, code: DeviceCode) -> None:
        if decision.is_uniform:
            _pad_alike(op, decision, code)
        else:
            _pad_differently(op, decision, code)


def _pad_alike(op: stablehlo.PadOp, pad: LocalPad, code: DeviceCode) -> None:
    low = [of_dim[0] for of_dim in pad.offsets]
    high = [size - start - length for size, start, length in zip(pad.result, low, pad.expanded, strict=True)]
    padded = stablehlo.PadOp(op.operand, op.padding_value, low, high, pad.interior, op.result.type)
    code.rewriter.replace(op, padded)


def _pad_differently(op: stablehlo.PadOp, pad: LocalPad, code: DeviceCode) -> None:
    low = [max(0, *of_dim) for of_dim in pad.offsets]
    high = [
        max(0, size - min(of_dim) - length)
        for size, of_dim, length in zip(pad.result, pad.offsets, pad.expanded, strict=True)
    ]
    shape = [sum(sizes) for sizes in zip(low, pad.expanded, high, strict=True)]
    type = TensorType(tensor_type(op.operand).element_type, shape)
    padded = code.insert(stablehlo.PadOp(op.operand, op.padding_value, low, high, pad.interior, type))
    device = code.device_id()
    starts = [
        code.integer(most - of_dim[0])
        if len(set(of_dim)) == 1
        else code.index([most - start for start in of_dim], device)
        for most, of_dim in zip(low, pad.offsets, strict=True)
    ]
    code.replace(op, code.insert(stablehlo.DynamicSliceOp(padded, starts, pad.result)))
