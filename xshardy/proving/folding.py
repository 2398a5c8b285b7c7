"""Pieces that are alike along a dimension as one: what a collective brings from the devices of a group."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from xshardy.proving.index import Digit, Index, canonical, digits_of_steps, identity
from xshardy.proving.views import Box, Piece, View, full_box, merged, pull, same_in, same_partial


def folded(view: View, devices: int) -> View | None:
    """
    `view` as one piece of one source, where its pieces are equal parts whose places there are steps; None if not.

    What is found is compared with `view`, so that the search for it may be wrong.
    """
    pieces = view.pieces
    for dim in range(len(view.shape)):
        lines = defaultdict[object, list[Piece]](list)
        for piece in pieces:
            lo, hi = (np.delete(each, dim, axis=1).tobytes() for each in (piece.box.lo, piece.box.hi))
            lines[piece.source, piece.outside, lo, hi].append(piece)
        pieces = [each for line in lines.values() for each in _along(line, dim, view.shape, devices) or line]
    found = View(view.shape, merged(pieces))
    if len(found.pieces) > 1 or not same_in(view, found, full_box(view.shape, devices)):
        return None
    return found


def _along(line: Sequence[Piece], dim: int, shape: Sequence[int], devices: int) -> list[Piece] | None:
    """The only piece of a line of them along `dim`, which ends at both ends of the tensor."""
    line = sorted(line, key=lambda piece: int(piece.box.lo[0, dim]))
    count = len(line)
    extent = shape[dim] // count
    active = line[0].box.active
    if count == 1 or shape[dim] % count or not all(piece.box.active.all() for piece in line):
        return None
    if not all(same_partial(piece.partial, line[0].partial, active) for piece in line):
        return None
    part = (*shape[:dim], extent, *shape[dim + 1 :])
    parts = list[tuple[Index, ...]]()
    for number, piece in enumerate(line):
        if (piece.box.lo[:, dim] != number * extent).any() or (piece.box.hi[:, dim] != (number + 1) * extent).any():
            return None
        at = [*identity(part)]
        at[dim] = at[dim].plus(number * extent)
        inner = pull(View(tuple(shape), (piece,)), at, part)
        if inner is None or len(inner.pieces) != 1:
            return None
        parts.append(inner.pieces[0].at)
    at = list[Index]()
    for indices in zip(*parts, strict=True):
        offsets = np.stack([np.broadcast_to(index.offset, devices) for index in indices])
        steps = offsets - offsets[0]
        digits = digits_of_steps(steps[:, 0]) if (steps == steps[:, :1]).all() else None
        if digits is None or any(index.digits != indices[0].digits for index in indices):
            return None
        more = (Digit(stride, dim, extent * div, mod) for stride, _, div, mod in digits)
        at.append(Index(offsets[0], canonical((*indices[0].digits, *more))))
    box = full_box(shape, devices)
    lo, hi = line[0].box.lo.copy(), line[0].box.hi.copy()
    lo[:, dim], hi[:, dim] = box.lo[:, dim], box.hi[:, dim]
    return [Piece(line[0].source, tuple(at), Box(lo, hi, box.here), line[0].partial, line[0].outside)]
