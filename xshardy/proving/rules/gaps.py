"""
Gaps between elements, of interior padding and dilated windows.

A tensor with gaps is a view of a source with gaps (`Gapped`), so that a part of it is a view of that at an offset.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import gcd

import numpy as np

from xshardy.proving.index import UNLIMITED, Digit, Index, Ints, canonical
from xshardy.proving.kernel import Kernel
from xshardy.proving.sources import Constant, Gapped, Source, Term
from xshardy.proving.views import Box, Piece, View, bounds, merged, without


def number_of(kernel: Kernel, view: View) -> float | complex | bool | None:
    """The number that a tensor is, the same on all devices and everywhere; None if it is none."""
    if len(view.pieces) != 1 or not view.is_known(kernel.devices):
        return None
    piece = view.pieces[0]
    if isinstance(piece.source, Constant):
        return piece.source.value if piece.partial is None else None
    if piece.source is not kernel.universe.integers or not piece.at[0].is_known:
        return None
    value = int(piece.at[0].offset[0])
    return value if (piece.at[0].offset == value).all() else None


def has_no_end(source: Source) -> bool:
    """Whether a source has elements at any index, so that none is outside of it."""
    return source.shape == (UNLIMITED,) or (isinstance(source, Term) and source.operation.is_total)


def with_gaps(kernel: Kernel, view: View, factors: Sequence[int], fill: View) -> View | None:
    """
    The elements of `view` at multiples of `factors`, the number `fill` between them; None if it has no such form.

    A dimension of `size` elements has `(size - 1) * factor + 1`. What is unknown stays so, with the gap after it.
    """
    value = number_of(kernel, fill)
    if value is None or 0 in view.shape:
        return None
    constant = fill.pieces[0].source
    constant = constant if isinstance(constant, Constant) else kernel.universe.constant(value)
    for dim, factor in enumerate(factors):
        if factor > 1:
            found = _with_gaps(kernel, view, dim, factor, fill.pieces[0], constant)
            for is_named in (False, True) if view.is_known(kernel.devices) else ():
                if found is None:
                    found = _with_gaps(kernel, kernel.single(view, is_named), dim, factor, fill.pieces[0], constant)
            if found is None:
                return None
            view = found
    return view


def _with_gaps(kernel: Kernel, view: View, dim: int, factor: int, fill: Piece, constant: Constant) -> View | None:
    shape = tuple((size - 1) * factor + 1 if d == dim else size for d, size in enumerate(view.shape))
    pieces = list[Piece]()
    for piece in view.pieces:
        lo, hi = piece.box.lo.copy(), piece.box.hi.copy()
        lo[:, dim], hi[:, dim] = lo[:, dim] * factor, np.minimum(hi[:, dim] * factor, shape[dim])
        region = Box(lo, hi, piece.box.active)
        if _is(kernel, piece, fill, constant):
            pieces.append(replace(fill, box=region))
            continue
        is_plain = piece.partial is None and piece.outside is None and not has_no_end(piece.source)
        spread = None if not is_plain else _spread(kernel, piece, dim, factor, constant, fill, view, shape)
        if spread is None:
            return None
        pieces += [spread, *(replace(fill, box=rest) for rest in without(region, spread.box))]
    return View(shape, merged(pieces))


def _is(kernel: Kernel, piece: Piece, fill: Piece, constant: Constant) -> bool:
    """Whether a piece is the number that is between elements."""
    return piece.source is constant or (piece.source is fill.source and kernel.is_number(piece, constant.value))  # type: ignore[arg-type]


def _spread(
    kernel: Kernel,
    piece: Piece,
    dim: int,
    factor: int,
    fill: Constant,
    filling: Piece,
    view: View,
    shape: Sequence[int],
) -> Piece | None:
    """
    A piece with gaps along `dim`, and the gap behind its last element if that is one between elements of its source.

    Index `f * offset + stride * i` of the source with gaps is an element where `f` divides `i`, as `f` and `stride`
    have no common divisor: that at `offset + stride * (i / f)` of the source.
    """
    active = piece.box.active
    first, last = piece.box.lo[:, dim] * factor, (piece.box.hi[:, dim] - 1) * factor + 1
    place = next((k for k, index in enumerate(piece.at) if any(digit.dim == dim for digit in index.digits)), None)
    box = piece.box.along(dim, piece.box.lo[:, dim], piece.box.hi[:, dim])
    box.lo[:, dim], box.hi[:, dim] = first, last
    if place is None:
        if ((piece.box.hi - piece.box.lo)[active][:, dim] != 1).any():
            return None
        place = next(_known_places(kernel, piece, factor, fill), None)
        if place is None:
            return replace(piece, box=box)
        start: Ints | int = piece.box.lo[:, dim]
        mine, others = Digit(1, dim, 1, shape[dim]), piece.at[place].digits
    else:
        found = [(k, digit) for k, index in enumerate(piece.at) for digit in index.digits if digit.dim == dim]
        (_, old), start = found[0], 0
        if len(found) != 1 or (old.div, old.mod) != (1, view.shape[dim]) or gcd(abs(old.stride), factor) != 1:
            return None
        mine, others = Digit(old.stride, dim, 1, shape[dim]), [d for d in piece.at[place].digits if d != old]
    scaled = [digit._replace(stride=digit.stride * factor) for digit in others]
    index = Index((piece.at[place].offset - start) * factor, canonical([*scaled, mine]))
    source = kernel.universe.gapped(piece.source, place, factor, fill, filling)
    wide = Box(box.lo, np.minimum(box.hi + factor - 1, shape), active)
    wide.hi[:, [d for d in range(len(shape)) if d != dim]] = box.hi[:, [d for d in range(len(shape)) if d != dim]]
    low, high = bounds(index, wide)
    fits = (low >= 0) & (high <= source.shape[place] - factor)
    at = tuple(index if k == place else other for k, other in enumerate(piece.at))
    return Piece(source, at, Box(box.lo, np.where(fits[:, None], wide.hi, box.hi), active))


def _known_places(kernel: Kernel, piece: Piece, factor: int, fill: Constant) -> Iterator[int]:
    """The dimensions at one index of its source along which the whole program has gaps."""
    for source in kernel.universe.gaps.values():
        if source.source is piece.source and source.fill is fill:
            yield from (k for k, index in enumerate(piece.at) if index.is_known and source.factors[k] == factor)


def is_vacant(piece: Piece, place: int, at: Ints, neutral: Constant) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Whether a source has `neutral` or nothing at these indices of dimension `place`: outside of it, or in a gap."""
    source = piece.source
    vacant = (at < 0) | (at >= source.shape[place])
    if isinstance(source, Gapped) and source.fill is neutral:
        vacant |= at % source.factors[place] != 0
    return vacant
