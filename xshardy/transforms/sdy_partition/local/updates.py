"""Updates at positions that are known at run time only: each device writes what falls into its part."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerType, TensorType, i1, i64
from xdsl.ir import SSAValue
from xdsl.utils.hints import isa

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.sdy_partition.local.device_code import INDEX, DeviceCode, integers_of
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.slices import axes_text
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors, refuse


@dataclass(frozen=True, slots=True)
class LocalUpdate:
    """How a device writes an update into its part of `source`."""

    source: WholeTensor
    dims: Sequence[int]
    """The sharded dimensions of which the update covers a part."""


def _covered_dims(op: stablehlo.DynamicUpdateSliceOp, before: WholeTensors) -> list[int]:
    """
    The sharded dimensions of which the update covers a part.

    Raises `OperationFailedException` if tensors are not sharded as they must be for each device to write its own.
    """
    (source, update, *_), (target,) = before.operands, before.results
    covered: list[int] = []
    for dim, (extent, size) in enumerate(zip(source.shape, update.shape, strict=True)):
        source_axes, update_axes, target_axes = (tuple(tensor.axes(dim)) for tensor in (source, update, target))
        expected = source_axes if size == extent else ()
        if source_axes != target_axes or update_axes != expected:
            raise refuse(
                op,
                f"dimension {dim} of the operand, update and result is sharded along {axes_text(source_axes)}, "
                f"{axes_text(update_axes)} and {axes_text(target_axes)}: shard the "
                "operand and the result alike, and the update as well if it covers all of the dimension, and not if it "
                "covers a part of it",
            )
        if size != extent and source.parts(dim) > 1:
            covered.append(dim)
    return covered


class DynamicUpdateSliceOfPart(LocalPattern[stablehlo.DynamicUpdateSliceOp, LocalUpdate]):
    """
    `dynamic_update_slice %x, %u, %i` -> `dynamic_update_slice %part, select(%inside, %u, %there), %i - offset`

    Each device replaces a window of its part as large as the update, or as the part if that is smaller. The window
    keeps what is there where the update does not reach. A device whose part the update does not reach writes back what
    it has. Only windows are copied, so a large operand can be updated in place.

    Requires: operand and result sharded alike, and the update as well along dimensions of which it covers all.
    """

    @staticmethod
    def decide(op: stablehlo.DynamicUpdateSliceOp, before: WholeTensors) -> LocalUpdate | None:
        if before.is_replicated:
            return None
        dims = _covered_dims(op, before)
        return LocalUpdate(before.operands[0], dims) if dims else None

    def rewrite(self, op: stablehlo.DynamicUpdateSliceOp, decision: LocalUpdate, code: DeviceCode) -> None:
        window = _window(op, decision, code)
        there = code.insert(stablehlo.DynamicSliceOp(op.operand, window.starts, window.sizes))
        mask_type = TensorType(i1, tensor_type(op.update).get_shape())
        everywhere = code.constant(integers_of(mask_type, [1]))
        is_inside = _shifted(everywhere, window, code)
        updated = code.insert(stablehlo.SelectOp(is_inside, _shifted(op.update, window, code), there))
        code.replace(op, code.insert(stablehlo.DynamicUpdateSliceOp(op.operand, updated, window.starts)))


@dataclass(frozen=True, slots=True)
class UpdateWindow:
    """The elements of its part that a device replaces, and where they are in the update."""

    starts: Sequence[SSAValue]
    """The first of them in the part, for each dimension."""
    sizes: Sequence[int]
    margins: Sequence[int]
    """How many elements the update is padded with on either side of each dimension."""
    shifts: Sequence[SSAValue]
    """The first of them in the padded update, for each dimension. As any start of a slice, it is clamped."""


def _window(op: stablehlo.DynamicUpdateSliceOp, local: LocalUpdate, code: DeviceCode) -> UpdateWindow:
    """
    The window as close to the update as it can be in the part.

    Where the part is all before or all behind the update, the slice of the padded update is all padding: it starts in
    the margin before the update, or is clamped to the one behind it.
    """
    source = local.source
    parts = source.local.get_shape()
    updates = tensor_type(op.update).get_shape()
    sizes = [min(size, part) for size, part in zip(updates, parts, strict=True)]
    margins = [size if dim in local.dims else 0 for dim, size in enumerate(sizes)]
    starts: list[SSAValue] = []
    shifts: list[SSAValue] = []
    for dim, index in enumerate(op.start_indices):
        if dim not in local.dims:
            starts.append(clamped(index, parts[dim] - updates[dim], code))
            shifts.append(code.integer(0))
            continue
        offset = code.shard_offset(source.axes(dim), source.mesh, parts[dim])
        wanted = clamped(index, source.shape[dim] - updates[dim], code)
        wanted = code.insert(stablehlo.SubtractOp(wanted, offset))
        last = code.integer(parts[dim] - sizes[dim])
        start = code.insert(stablehlo.ClampOp(code.integer(0), wanted, last))
        shift = code.insert(stablehlo.SubtractOp(start, wanted))
        starts.append(start)
        shifts.append(code.insert(stablehlo.AddOp(shift, code.integer(margins[dim]))))
    return UpdateWindow(starts, sizes, margins, shifts)


def clamped(index: SSAValue, last: int, code: DeviceCode) -> SSAValue:
    """`index` between 0 and `last`, as a signed number of 64 bits: a smaller type may not have `last`."""
    if last == 0:
        return code.integer(0)
    element = tensor_type(index).element_type
    if isa(element, IntegerType) and element.width.data < i64.width.data:
        index, element = code.insert(stablehlo.ConvertOp(index, INDEX)), i64
    low, high = code.integer(0, element), code.integer(last, element)
    clamped = code.insert(stablehlo.ClampOp(low, index, high))
    return clamped if element == i64 else code.insert(stablehlo.ConvertOp(clamped, INDEX))


def _shifted(tensor: SSAValue, window: UpdateWindow, code: DeviceCode) -> SSAValue:
    """The elements of `tensor`, which is of the shape of the update, in the places of the window; zeros elsewhere."""
    type = tensor_type(tensor)
    shape = [size + 2 * margin for size, margin in zip(type.get_shape(), window.margins, strict=True)]
    zero = code.zero(type.element_type)
    interior = [0] * len(shape)
    padded_type = TensorType(type.element_type, shape)
    padded = code.insert(stablehlo.PadOp(tensor, zero, window.margins, window.margins, interior, padded_type))
    return code.insert(stablehlo.DynamicSliceOp(padded, window.shifts, window.sizes))
