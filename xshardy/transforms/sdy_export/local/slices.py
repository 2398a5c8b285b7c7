"""Slices, pads and concatenations: what stays on a device, and what each device does differently."""

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.rewriter import Rewriter

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.sdy_export.local.before import Before, Rewrite, Whole, refuse, types_only
from xshardy.transforms.sdy_export.local.devices import shard_indices
from xshardy.transforms.sdy_export.local.writer import LocalWriter


def axes_text(axes: Sequence[AxisRefAttr]) -> str:
    """`{"x", "y":(1)2}`"""
    return "{" + ", ".join(axis.text for axis in axes) + "}"


def require_same_axes(
    op: stablehlo.SliceOp | stablehlo.PadOp | stablehlo.ConcatenateOp, source: Whole, target: Whole, dim: int
) -> None:
    """Raises `OperationFailedException` if `dim` is not sharded alike before and after."""
    before, after = source.axes(dim), target.axes(dim)
    if tuple(before) != tuple(after):
        raise refuse(
            op,
            f"dimension {dim} has mismatched sharding axes ({axes_text(before)} vs {axes_text(after)}). This requires "
            "a reshard which should have been handled by previous passes.",
        )


def concatenate(op: stablehlo.ConcatenateOp, before: Before) -> Rewrite | None:
    """Each device concatenates its parts, along a dimension that it has all of."""
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
    return types_only(op, before)


def slice_(op: stablehlo.SliceOp, before: Before) -> Rewrite | None:
    """
    The same slice of what each device has all of, and all of each part of a sharded dimension, if in steps.
    """
    (source,), (target,) = before.operands, before.results
    if before.is_replicated:
        return None
    starts, limits, strides = (list(a.get_values()) for a in (op.start_indices, op.limit_indices, op.strides))
    for dim, extent in enumerate(source.shape):
        require_same_axes(op, source, target, dim)
        if source.parts(dim) == 1:
            continue
        kept, part = target.local.get_shape()[dim], source.local.get_shape()[dim]
        keeps_all = limits[dim] == extent and part % strides[dim] == 0
        if starts[dim] or not (keeps_all or (strides[dim] == 1 and kept == part)):
            raise refuse(
                op,
                f"dimension {dim} is sharded but the slice is not a full slice and requires device communication.",
            )
        limits[dim] = part

    def rewrite(writer: LocalWriter) -> None:
        Rewriter.replace_op(op, stablehlo.SliceOp(op.operand, starts, limits, strides))

    return rewrite


def dynamic_slice(op: stablehlo.DynamicSliceOp, before: Before) -> Rewrite | None:
    """The same of each part. A sharded dimension is taken whole, so that no device needs what another one has."""
    source, (target,) = before.operands[0], before.results
    for dim, (extent, kept) in enumerate(zip(source.shape, target.shape, strict=True)):
        if source.axes(dim) and kept != extent:
            raise refuse(
                op,
                f"dimension {dim} is sharded but the slice is not a full slice and requires device communication.",
            )
    if target.is_replicated:
        return None

    def rewrite(writer: LocalWriter) -> None:
        op.slice_sizes = integers(tensor_type(op.result).get_shape())

    return rewrite


def _expanded(extent: int, interior: int) -> int:
    """The size of `extent` elements with padding between them."""
    return extent + max(extent - 1, 0) * interior


def _stays(low: int, step: int, extent: int, result: int, parts: int) -> bool:
    """
    Whether each of `parts` parts of `extent` elements lies in its part, of size `result`, of what is padded.

    Elements are `step` apart there, the first one at `low`. Those that are cut off do not count.
    """
    total = result * parts
    for part in range(parts):
        first = low + part * extent * step
        last = first + (extent - 1) * step
        if first < 0:
            first %= step
        if last >= total:
            last -= -(-(last - total + 1) // step) * step
        if first <= last and not part * result <= first <= last < (part + 1) * result:
            return False
    return True


def _offsets(op: stablehlo.PadOp, source: Whole, target: Whole) -> list[list[int]]:
    """For each dimension and device, where the part of the operand begins in the part of the result, in elements."""
    mesh, offsets = source.mesh, list[list[int]]()
    rows = zip(op.edge_padding_low.get_values(), op.interior_padding.get_values(), strict=True)
    for dim, (low, interior) in enumerate(rows):
        before, after = source.local.get_shape()[dim], target.local.get_shape()[dim]
        apart = before * (interior + 1) - after
        offsets.append([index * apart + low for index in shard_indices(source.axes(dim), mesh)])
    return offsets


def pad(op: stablehlo.PadOp, before: Before) -> Rewrite | None:
    """
    A pad of each part; or, where devices pad differently, one that is large enough for all, and a slice of it.

    In no case does an element go to another device: where one would have to, `OperationFailedException` is raised.
    """
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
        if parts > 1 and not _stays(low, interior[dim] + 1, extents[dim], result[dim], parts):
            raise refuse(
                op,
                f"dimension {dim} is sharded and its padding moves elements to other devices. This requires "
                "device communication which should have been handled by previous passes.",
            )
    offsets = _offsets(op, source, target)
    expanded = [_expanded(extent, amount) for extent, amount in zip(extents, interior, strict=True)]

    def uniform(writer: LocalWriter) -> None:
        low = [of_dim[0] for of_dim in offsets]
        high = [size - start - length for size, start, length in zip(result, low, expanded, strict=True)]
        padded = stablehlo.PadOp(op.operand, op.padding_value, low, high, interior, op.result.type)
        Rewriter.replace_op(op, padded)

    def different(writer: LocalWriter) -> None:
        low = [max(0, *of_dim) for of_dim in offsets]
        high = [
            max(0, size - min(of_dim) - length) for size, of_dim, length in zip(result, offsets, expanded, strict=True)
        ]
        shape = [sum(sizes) for sizes in zip(low, expanded, high, strict=True)]
        type = TensorType(tensor_type(op.operand).element_type, shape)
        padded = writer.insert(stablehlo.PadOp(op.operand, op.padding_value, low, high, interior, type))
        device = writer.device_id()
        starts = [
            writer.integer(most - of_dim[0])
            if len(set(of_dim)) == 1
            else writer.index([most - start for start in of_dim], device)
            for most, of_dim in zip(low, offsets, strict=True)
        ]
        Rewriter.replace_op(op, [], [writer.insert(stablehlo.DynamicSliceOp(padded, starts, result))])

    return uniform if all(len(set(of_dim)) == 1 for of_dim in offsets) else different
