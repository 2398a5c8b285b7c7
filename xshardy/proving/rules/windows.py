"""
Windows: convolutions, reductions of windows, and what selects in windows.

What a window reads beside a tensor is neutral. Where the source of a piece has nothing beside the piece and the view is
neutral there, the piece continues: inside and beside the view it is one read, that is neutral outside of its source. So
padding of a window, padding before it, and halos are the same reads.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, product
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import I64, DenseArrayBase
from xdsl.utils.hints import isa

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.windows import WindowDimension
from xshardy.indexing.contractions import convolution_of, operands_of_convolution
from xshardy.indexing.reductions import elements_of_windows
from xshardy.indexing.tensor_maps import values_of
from xshardy.interpreters.constants import constant_array
from xshardy.proving.index import Index, Ints, combine, number, substitute, whole
from xshardy.proving.kernel import Kernel, Undecided, exact_multiple
from xshardy.proving.rules.gaps import has_no_end, is_vacant, with_gaps
from xshardy.proving.rules.keys import element_of, fingerprint, kind_of_element
from xshardy.proving.rules.maps import indices_of, sizes_of
from xshardy.proving.rules.reductions import (
    combined_with_initial,
    combiner_of,
    is_neutral,
    neutral_of,
    sum_of_products,
)
from xshardy.proving.rules.whole import applied_to_whole
from xshardy.proving.sources import Constant
from xshardy.proving.sources import Operation as Applied
from xshardy.proving.views import Box, Piece, View, bounds, full_box, merged, without

Interval: TypeAlias = tuple[Ints, Ints]
"""The first of a range of positions, and its end or its last one, on each device."""

# -- Reads -------------------------------------------------------------------------------------------------------------


def extended(kernel: Kernel, view: View, at: Sequence[Index], space: Sequence[int], neutral: float | bool) -> View:
    """
    `view` at indices that may be outside of it, where it is `neutral`.

    What has no such form is unknown. Raises `Undecided` if nothing has, or if something has not in the whole program.
    """
    found = _extended(kernel, view, at, space, neutral)
    if not found.is_known(kernel.devices) and view.is_known(kernel.devices):
        joined = kernel.single(view)
        again = _extended(kernel, joined, at, space, neutral)
        if again.is_known(kernel.devices) and (kernel.is_whole or not joined.pieces[0].source.is_local):
            return again
    if not found.pieces or (kernel.is_whole and not found.is_known(kernel.devices)):
        raise Undecided("a window reads padding where the whole program has elements, or elements of several tensors")
    return found


def _extended(kernel: Kernel, view: View, at: Sequence[Index], space: Sequence[int], neutral: float | bool) -> View:
    """One piece of the space for each piece of the view, and neutral ones for devices without another piece."""
    constant = kernel.universe.constant(neutral)
    numbers = [piece for piece in view.pieces if kernel.is_number(piece, neutral)]
    others = [piece for piece in view.pieces if not kernel.is_number(piece, neutral)]
    is_alone = len(others) == 1 and view.is_known(kernel.devices)
    pieces, taken = list[Piece](), list[Box]()
    everywhere, beside = full_box(space, kernel.devices), None if is_alone else numbers
    if is_alone or not others:
        idle = everywhere.where(~others[0].box.active) if others else everywhere
        if idle.active.any() and view.is_known(kernel.devices):
            pieces.append(Piece(constant, (), idle))
            taken.append(idle)
    for piece in [*others, *numbers]:
        reach = [bounds(index, everywhere) for index in at]
        intervals = [_interval(piece, dim, view.shape, reach[dim], constant, beside) for dim in range(len(at))]
        box = _reading(intervals, at, space, everywhere.where(piece.box.active))
        if box is None or not box.active.any() or piece.outside not in (None, constant):
            continue
        indices = [substitute(index, at, view.shape, box.lo, box.hi) for index in piece.at]
        if any(index is None for index in indices):
            continue
        is_bounded = bool(piece.at) and not has_no_end(piece.source)
        at_there = tuple(index for index in indices if index is not None)
        made = replace(piece, at=at_there, outside=constant if is_bounded else None)
        boxes = [box]
        for other in taken:
            boxes = [rest for each in boxes for rest in without(each, other)]
        pieces += (replace(made, box=each) for each in boxes)
        taken += boxes
    return View(tuple(space), tuple(pieces))


def _interval(
    piece: Piece, dim: int, shape: Sequence[int], reach: Interval, neutral: Constant, beside: list[Piece] | None
) -> Interval:
    """
    The positions along `dim`, of those in `reach`, at which the view or what is beside it is `piece`.

    Beyond the box of the piece its source has nothing there, and the view is neutral at all indices of the other
    dimensions: outside of the view, where a piece of `beside` is, or everywhere if `beside` is None.
    """
    lo, hi = piece.box.lo[:, dim], piece.box.hi[:, dim]
    found = [(place, digit) for place, index in enumerate(piece.at) for digit in index.digits if digit.dim == dim]
    if len(found) != 1 or piece.partial is not None or has_no_end(piece.source):
        return lo, hi
    (place, digit), offset = found[0], piece.at[found[0][0]].offset
    if len(piece.at[place].digits) != 1 or (digit.div, digit.mod) != (1, shape[dim]):
        return lo, hi
    runs = list[Ints]()
    for start, step, count in ((lo - 1, -1, lo - reach[0]), (hi, 1, reach[1] - hi + 1)):
        positions = start[:, None] + step * np.arange(max(int(count.max()), 0))
        vacant = is_vacant(piece, place, offset[:, None] + digit.stride * positions, neutral)
        if beside is not None:
            vacant &= _is_neutral_at(positions, dim, shape, beside)
        runs.append(np.logical_and.accumulate(vacant, 1).sum(1))
    return lo - runs[0], hi + runs[1]


def _is_neutral_at(positions: Ints, dim: int, shape: Sequence[int], numbers: Sequence[Piece]) -> NDArray[np.bool_]:
    """Whether a view is neutral at positions of `dim` and all indices of the other dimensions: `[device, position]`."""
    found = (positions < 0) | (positions >= shape[dim])
    for piece in numbers:
        others = [d for d in range(len(shape)) if d != dim]
        is_whole = (piece.box.lo == 0)[:, others].all(1) & (piece.box.hi == shape)[:, others].all(1) & piece.box.active
        lo, hi = piece.box.lo[:, dim, None], piece.box.hi[:, dim, None]
        found |= is_whole[:, None] & (positions >= lo) & (positions < hi)
    return found


def _reading(intervals: Sequence[Interval], at: Sequence[Index], space: Sequence[int], box: Box) -> Box | None:
    """The part of `box` in which the indices `at` are within `intervals`, as far as it is found; None if it is not."""
    for (lo, hi), index in zip(intervals, at, strict=True):
        low, high = bounds(index, box)
        if ((low >= lo) & (high < hi) | ~box.active).all():
            continue
        digits = [digit for digit in index.digits if (digit.div, digit.mod) == (1, space[digit.dim])]
        if not index.digits:
            box = box.where((low >= lo) & (high < hi))
            continue
        if not digits or digits[0].stride < 0:
            return None
        stride, dim, _, _ = min(digits, key=lambda digit: digit.dim)
        rest_low, rest_high = low - stride * box.lo[:, dim], high - stride * (box.hi[:, dim] - 1)
        box = box.along(dim, -((rest_low - lo) // stride), (hi - 1 - rest_high) // stride + 1)
    reads = [(bounds(index, box), interval) for index, interval in zip(at, intervals, strict=True)]
    return box if all(((low >= lo) & (high < hi) | ~box.active).all() for (low, high), (lo, hi) in reads) else None


def _without_gaps(window: Sequence[WindowDimension]) -> tuple[WindowDimension, ...]:
    return tuple(replace(dimension, base_dilation=1) for dimension in window)


def _dilated(kernel: Kernel, view: View, factors: Sequence[int], neutral: float | bool) -> View:
    """`view` with neutral elements between its elements."""
    if all(factor == 1 for factor in factors):
        return view
    found = with_gaps(kernel, view, factors, kernel.constant(neutral, ()))
    if found is None:
        raise Undecided("its gaps are in a tensor of several parts")
    return found


# -- Rules -------------------------------------------------------------------------------------------------------------


def single_elements(op: stablehlo.ReduceWindowOp | stablehlo.SelectAndScatterOp, rank: int) -> list[int | None]:
    """The dimensions along which the windows are the elements one after another, without padding; None for others."""
    padding = [(0, 0)] * rank if op.padding is None else constant_array(op.padding).reshape(rank, 2).tolist()
    names = ("window_dimensions", "window_strides", "base_dilations", "window_dilations")
    written = [values for name in names if (values := op.properties.get(name)) is not None]
    others = [values_of(values) for values in written if isa(values, DenseArrayBase[I64])]
    is_single = [all(values[dim] == 1 for values in others) and not any(padding[dim]) for dim in range(rank)]
    return [dim if is_single[dim] else None for dim in range(rank)]


def reduce_window(kernel: Kernel, op: stablehlo.ReduceWindowOp, operands: Sequence[View]) -> Sequence[View]:
    """Windows over one tensor by one operation; others take the dimensions that windows slide along as a whole."""
    count, kind = len(op.inputs), combiner_of(op.body.block)
    neutral = None if kind is None else neutral_of(kind, element_of(op.results[0]))
    if count == 1 and kind is not None and neutral is not None and is_neutral(kernel, operands[1], neutral):
        try:
            return [_reduced_window(kernel, op, kind, neutral, operands)]
        except Undecided:
            pass
    dims = single_elements(op, len(operands[0].shape))
    return applied_to_whole(kernel, op, operands, [*([dims] * count), *([[]] * count)], [dims] * count)


def _reduced_window(
    kernel: Kernel, op: stablehlo.ReduceWindowOp, kind: str, neutral: float | bool, operands: Sequence[View]
) -> View:
    window = op.window()
    if kind == "add" and (counted := _counted(kernel, window, operands[0], shape_of(op.results[0]))) is not None:
        return counted
    base = _dilated(kernel, operands[0], [dimension.base_dilation for dimension in window], neutral)
    map = elements_of_windows(_without_gaps(window), base.shape, shape_of(op.results[0]))
    space, rank = sizes_of(map), len(map.dimensions)
    read = extended(kernel, base, indices_of(map), space, neutral)
    return combined_with_initial(
        kernel, kind, (element_of(op.inputs[0]), element_of(op.results[0])), read, rank, operands[1]
    )


MAX_CELLS = 256
"""How many parts the counts of windows over one number are given in, at most."""


def _counted(kernel: Kernel, window: Sequence[WindowDimension], view: View, shape: Sequence[int]) -> View | None:
    """
    Sums of windows over one number with zeros beside it: the number times how often it is in each window.

    None if the view is something else, if a product is not exact, or if there are more than `MAX_CELLS` parts.
    """
    others = [piece for piece in view.pieces if not kernel.is_number(piece, 0.0)]
    if len(others) != 1 or not view.is_known(kernel.devices) or 0 in (len(shape), *shape):
        return None
    if not isinstance(others[0].source, Constant) or others[0].partial is not None:
        return None
    value, box = others[0].source.value, others[0].box
    if not isinstance(value, float) or not np.isfinite(value) or any(each.base_dilation > 1 for each in window):
        return None
    counts, cuts = list[Ints](), list[list[int]]()
    for dim, (each, size) in enumerate(zip(window, shape, strict=True)):
        places = np.add.outer(np.arange(size) * each.stride, np.arange(each.size) * each.window_dilation) - each.low
        lo, hi = box.lo[:, dim, None, None], box.hi[:, dim, None, None]
        counts.append(((places >= lo) & (places < hi)).sum(2) * box.active[:, None])
        cuts.append([0, *(np.flatnonzero((np.diff(counts[-1], axis=1) != 0).any(0)) + 1).tolist(), size])
    pieces, devices = list[Piece](), np.ones(kernel.devices, bool)
    if prod(len(ends) - 1 for ends in cuts) > MAX_CELLS:
        return None
    for cell in product(*(pairwise(ends) for ends in cuts)):
        lo, hi = (np.tile(np.array(ends, np.int64), (kernel.devices, 1)) for ends in zip(*cell, strict=True))
        often = np.prod([count[:, first] for count, (first, _) in zip(counts, cell, strict=True)], axis=0)
        for number_ in np.unique(often).tolist():
            if (multiple := exact_multiple(value, number_)) is None:
                return None
            source = kernel.universe.constant(multiple)
            pieces.append(Piece(source, (), Box(lo, hi, devices & (often == number_))))
    return View(tuple(shape), merged(pieces))


def convolution(kernel: Kernel, op: stablehlo.ConvolutionOp, operands: Sequence[View]) -> Sequence[View]:
    """The sum of products over the window and the input features of a group."""
    c = convolution_of(op)
    factors = [1] * len(c.lhs)
    for (source, _, _), dimension in zip(c.spatial, c.window, strict=True):
        factors[source] = dimension.base_dilation
    try:
        lhs = _dilated(kernel, operands[0], factors, 0.0)
        maps = operands_of_convolution(replace(c, lhs=lhs.shape, window=_without_gaps(c.window)))
        space = sizes_of(maps[0][0])
        reads = [
            extended(kernel, lhs, indices_of(maps[0][0]), space, 0.0),
            kernel.pulled(operands[1], indices_of(maps[1][0]), space),
        ]
    except Undecided:
        return applied_to_whole(kernel, op, operands)
    return [sum_of_products(kernel, op, reads, len(c.result))]


def select_and_scatter(kernel: Kernel, op: stablehlo.SelectAndScatterOp, operands: Sequence[View]) -> Sequence[View]:
    """
    Each window places its element of the second operand, and what windows place on an element is combined.

    The first application takes windows as a whole: its result is the element of the second operand at the position that
    is selected and neutral at the others. With padding, dimensions of windows of several elements are taken as a whole.
    """
    kind = combiner_of(op.scatter.block)
    if kind is not None and (op.padding is None or not any(op.padding.get_values())):
        try:
            return [_scattered(kernel, op, kind, operands)]
        except Undecided:
            pass
    dims = single_elements(op, len(operands[0].shape))
    return applied_to_whole(kernel, op, operands, [dims, dims, []], [dims])


def _scattered(kernel: Kernel, op: stablehlo.SelectAndScatterOp, kind: str, operands: Sequence[View]) -> View:
    (operand, source, initial), rank = operands, len(operands[0].shape)
    element = element_of(op.result)
    strides = values_of(op.window_strides) if op.window_strides is not None else (1,) * rank
    sizes = values_of(op.window_dimensions) if op.window_dimensions is not None else (1,) * rank
    wide = [dim for dim, size in enumerate(sizes) if size > 1]
    taps = {dim: whole(rank + number_, sizes[dim]) for number_, dim in enumerate(wide)}
    widths = tuple(sizes[dim] for dim in wide)
    space = (*source.shape, *widths)
    at = [combine((strides[d], whole(d, n)), (1, taps.get(d, number(0)))) for d, n in enumerate(source.shape)]
    details = fingerprint(op.select), kind, kind_of_element(element), widths
    applied = Applied("select_and_place", details, "p" * rank + "w" * len(wide), space, widths)
    reads = [
        extended(kernel, operand, at, space, neutral_of("maximum", element)),
        kernel.pulled(source, [whole(d, n) for d, n in enumerate(source.shape)], space),
    ]
    neutral = neutral_of(kind, element)
    out = [*range(rank), *[None] * len(wide)]
    nothing = [piece for piece in reads[1].pieces if kernel.is_number(piece, neutral)]
    reads[1] = View(space, tuple(piece for piece in reads[1].pieces if not kernel.is_number(piece, neutral)))
    placed = kernel.apply(applied, reads, out)
    placed = View(space, merged([*placed.pieces, *nothing]))
    placed = _dilated(kernel, placed, [*strides, *[1] * len(wide)], neutral)
    space = (*operand.shape, *widths)
    at = [combine((1, whole(d, n)), (-1, taps.get(d, number(0)))) for d, n in enumerate(operand.shape)]
    read = extended(kernel, placed, [*at, *taps.values()], space, neutral)
    return combined_with_initial(kernel, kind, (element_of(op.source), element), read, rank, initial)
