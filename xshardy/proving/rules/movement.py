"""Operations that move elements: only their views change."""

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.indexing.operations import operand_maps
from xshardy.indexing.tensor_maps import values_of
from xshardy.interpreters.constants import constant_array
from xshardy.proving.folding import folded
from xshardy.proving.index import LARGEST, Index, Ints, digits_of_steps, number, reshaped, whole
from xshardy.proving.kernel import Kernel, Undecided
from xshardy.proving.rules.elementwise import converted_from_integers
from xshardy.proving.rules.gaps import with_gaps
from xshardy.proving.rules.maps import indices_of
from xshardy.proving.rules.whole import applied_to_whole
from xshardy.proving.views import View, full_box, merged, overlaid, placed


def rearranged(kernel: Kernel, op: Operation, operands: Sequence[View]) -> Sequence[View]:
    """Each element of the result is one element of the operand."""
    return [kernel.pulled(operands[0], indices_of(operand_maps(op)[0][0]), shape_of(op.results[0]))]


def reshape(kernel: Kernel, op: stablehlo.ReshapeOp, operands: Sequence[View]) -> Sequence[View]:
    at = reshaped(shape_of(op.operand), shape_of(op.result))
    if at is None:
        return applied_to_whole(kernel, op, operands)
    return [kernel.pulled(operands[0], at, shape_of(op.result))]


def same(kernel: Kernel, op: Operation, operands: Sequence[View]) -> Sequence[View]:
    """Operations that do not change values."""
    return operands


def concatenate(kernel: Kernel, op: stablehlo.ConcatenateOp, operands: Sequence[View]) -> Sequence[View]:
    shape, dim, start = shape_of(op.result), op.dimension.value.data, 0
    pieces = list[View]()
    for view in operands:
        pieces.append(moved(kernel, view, [start if d == dim else 0 for d in range(len(shape))], shape))
        start += view.shape[dim]
    found = View(shape, merged(piece for view in pieces for piece in view.pieces))
    return [folded(found, kernel.devices) or found]


def moved(kernel: Kernel, view: View, starts: Sequence[Ints | int], shape: Sequence[int]) -> View:
    """`placed`, as one piece if need be. Raises `Undecided` if it is no view."""
    found = placed(view, starts, shape)
    if found is None:
        found = placed(kernel.single(view), starts, shape)
    if found is None:
        raise Undecided("its index is no sum of digits when it is moved")
    return found


def pad(kernel: Kernel, op: stablehlo.PadOp, operands: Sequence[View]) -> Sequence[View]:
    """The operand where it is, with gaps for interior padding, and the padding value elsewhere."""
    shape, (operand, value) = shape_of(op.result), operands
    low, interior = values_of(op.edge_padding_low), values_of(op.interior_padding)
    if any(interior):
        spread = with_gaps(kernel, operand, [count + 1 for count in interior], value)
        if spread is None:
            return applied_to_whole(kernel, op, operands)
        operand = spread
    covered = full_box(shape, kernel.devices)
    for dim, start in enumerate(low):
        size = operand.shape[dim]
        covered = covered.along(dim, np.full(kernel.devices, start), np.full(kernel.devices, start + size))
    return [overlaid(moved(kernel, operand, low, shape), covered, kernel.pulled(value, (), shape))]


def known_integers(kernel: Kernel, view: View) -> Ints | None:
    """The integer that each device has in a scalar; None if one is not known."""
    if view.shape or not view.is_known(kernel.devices):
        return None
    values = np.zeros(kernel.devices, np.int64)
    for piece in view.pieces:
        if piece.source is not kernel.universe.integers or not piece.at[0].is_known:
            return None
        values = np.where(piece.box.active, piece.at[0].offset, values)
    return values


def updated_at(kernel: Kernel, operand: View, update: View, starts: Sequence[Ints]) -> View:
    """`operand` with `update` at a place that is known on each device."""
    covered = full_box(operand.shape, kernel.devices)
    for dim, start in enumerate(starts):
        covered = covered.along(dim, start, start + update.shape[dim])
    return overlaid(moved(kernel, update, starts, operand.shape), covered, operand)


def constant(kernel: Kernel, op: stablehlo.ConstantOp, operands: Sequence[View]) -> Sequence[View]:
    """Equal elements as a number; integers in steps as a view of the integers; a table otherwise."""
    values, shape = constant_array(op.properties["value"]), shape_of(op.results[0])
    flat = values.reshape(-1)
    is_integer = values.dtype.kind in "iu" or str(values.dtype) in ("int4", "uint4", "int2", "uint2")
    if is_integer and flat.size and max(abs(int(flat.min())), abs(int(flat.max()))) >= LARGEST:
        return [kernel.table(values)]
    if (flat.size and (flat[0:1] == flat).all()) or flat.size == 1:
        if is_integer:
            return [kernel.integer(number(int(flat[0])), shape)]
        value = flat[0].item()
        return [kernel.constant(value if isinstance(value, bool | complex) else float(value), shape)]
    if is_integer and flat.size and len(shape) == 1:
        integers = values.astype(np.int64)
        if (digits := digits_of_steps(integers)) is not None:
            return [kernel.integer(Index(integers[:1], digits), shape)]
    return [kernel.table(values)]


def iota(kernel: Kernel, op: stablehlo.IotaOp, operands: Sequence[View]) -> Sequence[View]:
    shape, dim = shape_of(op.results[0]), op.iota_dimension.value.data
    positions = kernel.integer(whole(dim, shape[dim]), shape)
    return [converted_from_integers(kernel, op, positions)]
