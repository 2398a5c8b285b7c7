"""
Views: how a value of each device is made of elements of other values.

A `Piece` says: in this box of indices, device `d` has `source[at(d, i)]`. A `View` is a list of disjoint pieces; what
no piece covers is unknown. Movements, collectives and masks only change views, so that two programs that move data in
different ways get the same views of the same sources.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from xshardy.proving.index import Digit, Index, Ints, canonical, part_at, same_index, substitute
from xshardy.proving.sources import Box, Gapped, Mask, Partial, Piece, Source, full_box


@dataclass(frozen=True, eq=False, slots=True)
class View:
    """A tensor of each device of this shape."""

    shape: tuple[int, ...]
    pieces: tuple[Piece, ...]

    def covers(self, box: Box) -> bool:
        """Whether it is known in all of `box`, on each device."""
        return bool((sum((piece.box.meet(box).volume for piece in self.pieces), np.int64(0)) == box.volume).all())

    def is_known(self, devices: int) -> bool:
        """Whether all of its elements are."""
        return self.covers(full_box(self.shape, devices))


def bounds(index: Index, box: Box) -> tuple[Ints, Ints]:
    """The least and the greatest value of `index` in `box`, on each device."""
    if box.sizes is None:
        return index.bounds(box.lo, box.hi)
    low = high = 0
    for stride, dim, div, mod in index.digits:
        last = min(mod - 1, max(box.sizes[dim] - 1, 0) // div)
        low, high = (low, high + stride * last) if stride > 0 else (low + stride * last, high)
    return index.offset + low, index.offset + high


def view_of(source: Source, at: Sequence[Index], shape: Sequence[int], devices: int) -> View:
    """`source[at(i)]` at all indices of `shape`."""
    return View(tuple(shape), (Piece(source, tuple(at), full_box(shape, devices)),))


def settled(at: Sequence[Index], box: Box, shape: Sequence[int]) -> tuple[Index, ...]:
    """
    The indices `at` in their one form in `box`: a dimension with one index is a number, and a digit whose higher digits
    are constant has no modulus.
    """
    if box.sizes is not None and all(
        digit.div * digit.mod >= box.sizes[digit.dim] > digit.div for index in at for digit in index.digits
    ):
        return tuple(at)
    active = box.active
    if not active.any():
        return tuple(at)
    settled = list[Index]()
    for index in at:
        offset, digits = index.offset, list[Digit]()
        for digit in index.digits:
            stride, dim, div, mod = digit
            lo, last = np.where(active, box.lo[:, dim], 0), np.where(active, box.hi[:, dim] - 1, 0)
            if (lo // div == last // div).all():
                offset = offset + stride * (lo // div % mod)
            elif div * mod < shape[dim] and shape[dim] % div == 0 and (lo // (div * mod) == last // (div * mod)).all():
                offset = offset - stride * mod * (lo // (div * mod))
                digits.append(Digit(stride, dim, div, shape[dim] // div))
            else:
                digits.append(digit)
        settled.append(index if digits == list(index.digits) else Index(offset, canonical(digits)))
    return tuple(settled)


def preimage(box: Box, at: Sequence[Index], shape: Sequence[int]) -> Box | None:
    """The box of the indices of `shape` whose `at` is in `box`; None if they are no box."""
    new = full_box(shape, len(box.here)).where(box.active)
    for dim, index in enumerate(at):
        lo, hi = box.lo[:, dim], box.hi[:, dim]
        for _ in range(len(index.digits) + 1):
            low, high = bounds(index, new)
            new = new.where(~((high < lo) | (low >= hi)))
            undecided = new.active & ~((low >= lo) & (high < hi))
            if not undecided.any():
                break
            narrowed = _digit_range(index, lo - index.offset, hi - index.offset, new, shape, undecided)
            if narrowed is None:
                return None
            along, first, end = narrowed
            new = new.along(along, np.where(undecided, first, 0), np.where(undecided, end, shape[along]))
        else:
            return None
    return new


def _digit_range(
    index: Index, lo: Ints, hi: Ints, box: Box, shape: Sequence[int], active: Mask
) -> tuple[int, Ints, Ints] | None:
    """
    The range of one dimension of `box` outside of which the sum of the digits of `index` is not in `[lo, hi)`:
    `(dim, first, end)`.

    It is that of the digit of the largest stride, which decides unless `[lo, hi)` is within one step of it: then the
    other digits do.
    """
    varying = list[Digit]()
    for digit in index.digits:
        stride, dim, div, mod = digit
        first, last = box.lo[:, dim] // div, np.maximum(box.hi[:, dim] - 1, 0) // div
        if ((first == last) | ~active).all():
            lo, hi = lo - stride * (first % mod), hi - stride * (first % mod)
        else:
            varying.append(digit)
    if not varying:
        return None
    stride, dim, div, mod = leading = max(varying, key=lambda digit: abs(digit.stride))
    period = div * mod
    base = np.where(active, box.lo[:, dim] // period * period, 0)
    if period != shape[dim] and ((np.maximum(box.hi[:, dim] - 1, 0) // period * period != base) & active).any():
        return None
    if len(varying) == 1:
        first, end = (
            (-(-lo // stride), -(-hi // stride)) if stride > 0 else (-((hi - 1) // -stride), -lo // -stride + 1)
        )
    else:  # the leading digit decides, if the others do not matter
        rest = sum(digit.stride * (digit.mod - 1) for digit in varying if digit is not leading)
        if any(digit.stride < 0 for digit in varying) or rest >= stride:
            return None
        lo, hi = np.clip(lo, 0, stride * mod), np.clip(hi, 0, stride * mod)
        is_exact = ((lo % stride == 0) & (hi % stride == 0)) | (lo // stride == (hi - 1) // stride)
        if (~is_exact & active).any():
            return None
        first, end = lo // stride, -(-hi // stride)
    return dim, base + np.clip(first, 0, mod) * div, base + np.clip(end, 0, mod) * div


MAX_PARTS = 16
"""How many parts a box is cut into along one dimension, at most, where the indices in it are no box."""


def _preimages(box: Box, at: Sequence[Index], shape: Sequence[int]) -> list[Box] | None:
    """The boxes of the indices of `shape` whose `at` is in `box`: one, or one for each index along one dimension."""
    if (found := preimage(box, at, shape)) is not None:
        return [found]
    for dim in range(len(at)):
        start, count = box.lo[:, dim], int((box.hi - box.lo)[box.active][:, dim].max())
        if 1 < count <= MAX_PARTS:
            parts = [preimage(box.along(dim, start + k, start + k + 1), at, shape) for k in range(count)]
            if all(part is not None for part in parts):
                return [part for part in parts if part is not None]
    return None


def pull(view: View, at: Sequence[Index], shape: Sequence[int]) -> View | None:
    """The view whose element `i` is element `at(i)` of `view`; None if it has no such form."""
    pieces = list[Piece]()
    for piece in view.pieces:
        boxes = _preimages(piece.box, at, shape)
        if boxes is None:
            return None
        for box in boxes:
            if not box.active.any():
                continue
            indices = [substitute(index, at, view.shape, box.lo, box.hi) for index in piece.at]
            if any(index is None for index in indices):
                return None
            settled_at = settled([index for index in indices if index is not None], box, shape)
            pieces.append(replace(piece, at=settled_at, box=box))
    return View(tuple(shape), merged(pieces))


def same_partial(a: Partial | None, b: Partial | None, active: Mask) -> bool:
    """Whether two parts of reductions have the same elements, on all `active` devices."""
    if a is None or b is None:
        return a is b
    if a.kind != b.kind or a.sizes != b.sizes or len(a.boxes) != len(b.boxes):
        return False
    return all(((p.contains(q) & q.contains(p)) | ~active).all() for p, q in zip(a.boxes, b.boxes, strict=True))


def same_piece(a: Piece, b: Piece, box: Box, shape: Sequence[int]) -> bool:
    """Whether two pieces are equal in `box`."""
    active = box.active
    a, b = _without_source(a, box), _without_source(b, box)
    return (
        a.source is b.source
        and a.outside is b.outside
        and same_partial(a.partial, b.partial, active)
        and all(
            same_index(x, y, active) for x, y in zip(settled(a.at, box, shape), settled(b.at, box, shape), strict=True)
        )
    )


def _without_source(piece: Piece, box: Box) -> Piece:
    """A piece that is in a gap of its source everywhere in `box` as the constant that it is."""
    source = piece.source
    is_constant = isinstance(source, Gapped) and (_is_in_gap(replace(piece, box=box)) | ~box.active).all()
    return replace(source.filling, box=piece.box) if is_constant and isinstance(source, Gapped) else piece


def same_in(a: View, b: View, box: Box) -> bool:
    """Whether two views are known and equal in `box`, on each device."""
    if not a.covers(box) or not b.covers(box):
        return False
    return all(
        same_piece(p, q, inside, a.shape)
        for common, (p, q) in refined([a.pieces, b.pieces])
        if (inside := common.meet(box)).active.any()
    )


def refined(pieces: Sequence[Sequence[Piece]]) -> Iterator[tuple[Box, tuple[Piece, ...]]]:
    """The common refinement of lists of pieces of tensors of one shape: boxes, with the piece of each list there."""
    found: list[tuple[Box, tuple[Piece, ...]]] = [(piece.box, (piece,)) for piece in pieces[0]]
    for others in pieces[1:]:
        found = [
            (common, (*chosen, piece))
            for box, chosen in found
            for piece in others
            if (common := box if piece.box is box else box.meet(piece.box)).active.any()
        ]
    yield from (each for each in found if each[0].active.any())


def merged(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Pieces that continue each other, or that are alike on different devices, as one."""
    done = list[Piece]()
    for piece in pieces:
        if not piece.box.active.any():
            continue
        joined: Piece | None = piece
        while joined is not None:
            piece, joined = joined, None
            for number, other in enumerate(done):
                if (joined := _joined(other, piece)) is not None:
                    del done[number]
                    break
        done.append(piece)
    return tuple(_with_gaps_behind(done))


def _with_gaps_behind(pieces: list[Piece]) -> list[Piece]:
    """Pieces of sources with gaps, with the constants beside them that are in a gap between two elements."""
    for one, piece in enumerate(pieces):
        for other, beside in enumerate(pieces):
            if not isinstance(piece.source, Gapped) or not _is_filling(beside, piece.source.filling):
                continue
            moved = replace(piece, box=beside.box)
            differs = (piece.box.lo != beside.box.lo) | (piece.box.hi != beside.box.hi)
            here = piece.box.active & beside.box.active & (differs.sum(1) == 1)
            here &= (~differs | (piece.box.hi == beside.box.lo) | (piece.box.lo == beside.box.hi)).all(1)
            for index, size, factor in zip(piece.at, piece.source.shape, piece.source.factors, strict=True):
                low, high = bounds(index, beside.box)
                here &= (low >= 0) & (high <= size - factor)
            here &= _is_in_gap(moved)
            if here.any():
                lo, hi = (
                    np.where(here[:, None], f(x, y), x)
                    for f, x, y in (
                        (np.minimum, piece.box.lo, beside.box.lo),
                        (np.maximum, piece.box.hi, beside.box.hi),
                    )
                )
                piece = pieces[one] = replace(piece, box=Box(lo, hi, piece.box.here))
                pieces[other] = replace(beside, box=beside.box.where(~here))
    return [piece for piece in pieces if piece.box.active.any()]


def _is_filling(piece: Piece, filling: Piece) -> bool:
    """Whether a piece is the number that is in gaps."""
    return piece.source is filling.source and all(
        index.is_known and bool((index.offset == other.offset[0]).all())
        for index, other in zip(piece.at, filling.at, strict=True)
    )


def _is_in_gap(piece: Piece) -> Mask:
    """The devices on which a piece of a source with gaps is in a gap everywhere."""
    source, found = piece.source, np.zeros(len(piece.box.here), bool)
    if isinstance(source, Gapped) and piece.partial is None and piece.outside in (None, source.fill):
        for index, factor in zip(piece.at, source.factors, strict=True):
            low, high = bounds(index, piece.box)
            found |= (factor > 1) & (-low % factor > high - low)
    return found


def _joined(a: Piece, b: Piece) -> Piece | None:
    """Two pieces as one; None if they are no box of one view."""
    if a.source is not b.source or a.outside is not b.outside or len(a.box.lo[0]) != len(b.box.lo[0]):
        return None
    here, there = a.box.active, b.box.active
    common = here & there
    a, b = _widened(a, b, here), _widened(b, a, there)
    if not all(
        x.digits == y.digits and not ((x.offset != y.offset) & common).any() for x, y in zip(a.at, b.at, strict=True)
    ):
        return None
    if not same_partial(a.partial, b.partial, here | there):
        return None
    lo, hi = np.where(here[:, None], a.box.lo, b.box.lo), np.where(here[:, None], a.box.hi, b.box.hi)
    if common.any():
        differs = ((a.box.lo != b.box.lo) | (a.box.hi != b.box.hi)) & common[:, None]
        dims = np.flatnonzero(differs.any(0))
        if len(dims) != 1:
            return None
        dim = dims[0]
        touches = (a.box.hi[:, dim] == b.box.lo[:, dim]) | (b.box.hi[:, dim] == a.box.lo[:, dim])
        if (common & ~touches).any():
            return None
        lo[:, dim] = np.where(common, np.minimum(a.box.lo[:, dim], b.box.lo[:, dim]), lo[:, dim])
        hi[:, dim] = np.where(common, np.maximum(a.box.hi[:, dim], b.box.hi[:, dim]), hi[:, dim])
    at = tuple(Index(np.where(here, x.offset, y.offset), x.digits) for x, y in zip(a.at, b.at, strict=True))
    return Piece(a.source, at, Box(lo, hi, here | there), a.partial, a.outside)


def _widened(piece: Piece, neighbour: Piece, active: Mask) -> Piece:
    """A piece with one index along a dimension, with the digits that its neighbour has along that."""
    if all(a.digits == b.digits for a, b in zip(piece.at, neighbour.at, strict=True)):
        return piece
    at = list[Index]()
    for mine, other in zip(piece.at, neighbour.at, strict=True):
        more = [digit for digit in other.digits if digit not in mine.digits]
        offset = mine.offset
        for stride, dim, div, mod in more:
            if ((piece.box.hi - piece.box.lo)[active][:, dim] != 1).any():
                return piece
            offset = offset - stride * (piece.box.lo[:, dim] // div % mod)
        if not set(mine.digits) <= set(other.digits):
            return piece
        at.append(Index(offset, other.digits))
    return replace(piece, at=tuple(at))


def placed(view: View, starts: Sequence[Ints | int], shape: Sequence[int]) -> View | None:
    """The view at an offset of a larger tensor, the rest of which is unknown; parts outside of that are cut off."""
    return pull(view, part_at([-np.asarray(start) for start in starts], shape), shape)


def overlaid(inner: View, covered: Box, outer: View) -> View:
    """`inner` in the box `covered`, `outer` elsewhere."""
    pieces = [replace(piece, box=box) for piece in inner.pieces if (box := piece.box.meet(covered)).active.any()]
    for piece in outer.pieces:
        pieces += (
            replace(piece, at=settled(piece.at, box, inner.shape), box=box) for box in without(piece.box, covered)
        )
    return View(inner.shape, merged(pieces))


def without(box: Box, hole: Box) -> Iterator[Box]:
    """The indices of `box` that are not in `hole`, as disjoint boxes."""
    meets = box.meet(hole).active
    if (apart := box.where(~meets)).active.any():
        yield apart
    rest = box.where(meets)
    for dim in range(box.lo.shape[1]):
        below = rest.along(dim, rest.lo[:, dim], hole.lo[:, dim])
        above = rest.along(dim, hole.hi[:, dim], rest.hi[:, dim])
        yield from (part for part in (below, above) if part.active.any())
        rest = rest.along(dim, hole.lo[:, dim], hole.hi[:, dim])


def at_devices(view: View, sources: Ints) -> View:
    """The view that device `sources[d]` has, on device `d`; unknown where the number is negative."""
    known, count = np.maximum(sources, 0), len(sources)
    pieces = list[Piece]()
    for piece in view.pieces:
        at = tuple(Index(np.broadcast_to(index.offset, count)[known], index.digits) for index in piece.at)
        partial = piece.partial
        if partial is not None:
            partial = replace(partial, boxes=tuple(box.at_devices(known) for box in partial.boxes))
        pieces.append(replace(piece, at=at, box=piece.box.at_devices(sources), partial=partial))
    return View(view.shape, tuple(piece for piece in pieces if piece.box.active.any()))


def restricted(view: View, devices: int) -> View:
    """A view of the only device of the whole program, as one of `devices` devices."""
    return (
        view
        if len(view.pieces) and len(view.pieces[0].box.here) == devices
        else at_devices(view, np.zeros(devices, np.int64))
    )
