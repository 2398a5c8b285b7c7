"""
Windows that start where it is known at run time only: gathers, dynamic slices, and updates of them.

A gather of one dimension is the sum over `K` of `[K - k = start] * operand[K]`, with `k` the place in the window; zero
where that is outside of the operand. The gather of a part of the operand, masked where its index is outside of that, is
then a part of this sum. A device writes this in many ways: starts that are shifted and clamped, masks of comparisons,
slices of padded slices. Each is `low <= k < high ? operand[k + start] : 0`, with functions `start`, `low` and `high` of
an atom (`runtime`).

Soundness: the kernel gets the sum in place of that only if both are the same for all values of the atom, all places and
on each device. `offset_of` decides this; which functions are tried does not matter.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from xdsl.ir import Attribute

from xshardy.proving.index import UNLIMITED, Index, Ints, combine, identity, number, same_index, substitute, whole
from xshardy.proving.kernel import Kernel, has_whole_pieces
from xshardy.proving.rules import piecewise
from xshardy.proving.rules.keys import TRUTH
from xshardy.proving.rules.piecewise import A, Function, everywhere
from xshardy.proving.rules.reductions import apply_reduction, roles_of
from xshardy.proving.rules.runtime import Value, joint, read_of, same_atom, value_of
from xshardy.proving.sources import Operation as Applied
from xshardy.proving.sources import Term
from xshardy.proving.views import Box, Mask, Piece, View, full_box, merged, same_in, settled, without

LOOKUP, UPDATE, SCATTER = "lookup", "update", "scatter"
"""Operations whose details are `Details`."""


@dataclass(frozen=True, slots=True)
class Details:
    """What decides about an operation beside its reads: the function of each atom, and how it computes."""

    functions: tuple[Function, ...]
    element: Attribute
    body: str = ""


@dataclass(frozen=True, slots=True)
class Window:
    """On one device: the places `low <= k < high` are those of `operand[k + start]`, functions of the atom."""

    start: Function
    low: Function
    high: Function

    def meet(self, low: Function, high: Function) -> "Window":
        return Window(self.start, piecewise.larger(self.low, low), piecewise.smaller(self.high, high))

    def moved(self, by: Function) -> "Window":
        """The window whose place `k` is the place `k + by` of this one."""
        low, high = piecewise.added(self.low, by, -1), piecewise.added(self.high, by, -1)
        return Window(piecewise.added(self.start, by), low, high)

    def inside(self, first: int, end: int, size: int) -> "Window":
        """Its places in `[0, size)` that read elements in `[first, end)`."""
        first_place, end_place = (piecewise.added(element, self.start, -1) for element in (first, end))
        return self.meet(piecewise.larger(first_place, 0), piecewise.smaller(end_place, size))

    @property
    def active(self) -> Function:
        """Where it has a place."""
        return piecewise.less(self.low, self.high)

    def has_places_of(self, other: "Window") -> bool:
        """Whether both have the same places, for all values of the atom."""
        active = self.active
        same = piecewise.smaller(piecewise.equal(self.low, other.low), piecewise.equal(self.high, other.high))
        same = piecewise.chosen(active, same, 1)
        return piecewise.is_always(piecewise.smaller(same, piecewise.equal(active, other.active)))


def every(start: Function, size: int, truth: Function | None = None) -> Window:
    """The window of all places of this size; of none where a truth is false."""
    high = everywhere(size, start) if truth is None else piecewise.chosen(truth, size, 0)
    return Window(start, everywhere(0, start), high)


@dataclass(frozen=True, eq=False, slots=True)
class Pick:
    """A dimension along which a window moves: its atom over the result, the place `k`, a window of each device."""

    atom: Piece
    place: int | None
    """The dimension of the result that is `k`; None where `k` is 0."""
    windows: tuple[Window, ...]

    def mapped(self, change: Callable[[Window], Window]) -> "Pick":
        """It with another window on each device."""
        return replace(self, windows=piecewise.on_devices(change, self.windows))

    def mapped_by(self, change: Callable[[Window, A], Window], others: Iterable[A]) -> "Pick":
        """It with another window on each device, by a value of that."""
        pairs = zip(self.windows, others, strict=True)
        return replace(self, windows=piecewise.on_devices(lambda pair: change(*pair), pairs))

    def inside(self, ends: Iterable[tuple[int, int]], size: int) -> "Pick":
        """It at places in `[0, size)` that read elements between the ends of each device only."""
        return self.mapped_by(lambda window, each: window.inside(*each, size), ends)

    def wide(self, size: int) -> "Pick":
        """It with all places of this size."""
        return self.mapped(lambda window: every(window.start, size))

    def shifted(self, by: Iterable[int]) -> "Pick":
        """It with starts that are larger, by a number of each device, at the same places."""
        return self.mapped_by(lambda window, more: replace(window, start=piecewise.added(window.start, more)), by)

    def from_zero(self, size: int) -> "Pick":
        """It with windows of this size that start at 0."""
        return self.mapped(lambda window: every(everywhere(0, window.start), size))


@dataclass(frozen=True, eq=False, slots=True)
class Looked:
    """
    A look-up: `operand` is over the dimensions of the result, then one for each of `picks`.

    With `beside`, a tensor of the shape of the result, it is that where it would be zero.
    """

    operand: View
    picks: tuple[Pick, ...]
    element: Attribute
    beside: View | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.operand.shape[: len(self.operand.shape) - len(self.picks)]

    @property
    def zero(self) -> float | bool:
        return False if self.element == TRUTH else 0.0

    def size(self, pick: Pick) -> int:
        """How many places a window may have."""
        return 1 if pick.place is None else self.shape[pick.place]

    def numbered(self) -> Iterator[tuple[int, Pick]]:
        """The picks, with their dimensions of the operand."""
        return enumerate(self.picks, len(self.shape))


Start: TypeAlias = tuple[Function, Ints, Mask]
"""A function `F`, an offset of each device, and the devices that read nothing: `K + offset - k = F` is read."""


def looked_up(kernel: Kernel, looked: Looked) -> View:
    """
    The result of a look-up: a sum or an update that may be one of the whole program.

    What it is on a device is remembered: a mask around it may make it a part of one of the whole program.
    """
    names = (LOOKUP, SCATTER) if looked.beside is None else (UPDATE,)
    found = [
        aligned(kernel, pick, *_extent(kernel, looked, dim), looked.size(pick), names)
        for dim, pick in looked.numbered()
    ]
    starts = [start for start in found if start is not None]
    if len(starts) < len(found):
        view = kernel.opaque("a look-up", looked.shape)
    else:
        view = _as_sum(kernel, looked, starts) if looked.beside is None else _as_update(kernel, looked, starts)
    for piece in view.pieces if not kernel.is_whole else ():
        if piece.source.is_local and piece.partial is None:
            kernel.lookups.setdefault(piece.source, (piece, looked))
    return view


def _as_sum(kernel: Kernel, looked: Looked, starts: Sequence[Start]) -> View:
    space, rank = looked.operand.shape, len(looked.shape)
    reads = [_zero_where_unread(kernel, looked, starts)]
    for (dim, pick), (_, offset, _) in zip(looked.numbered(), starts, strict=True):
        digits = combine((1, whole(dim, space[dim])), (-1, _place(pick, space))).plus(offset)
        reads += [kernel.integer(digits, space), _over(kernel, pick.atom, looked.shape, space)]
    details, kind = (
        Details(tuple(f for f, _, _ in starts), looked.element),
        "or" if looked.element == TRUTH else "add",
    )
    applied = Applied(LOOKUP, details, roles_of(space, rank), space, kind=kind)
    return apply_reduction(kernel, applied, reads, rank, (looked.element,), len(reads) - 1)


def _as_update(kernel: Kernel, looked: Looked, starts: Sequence[Start]) -> View:
    """`beside`, with what is looked up where that is something: the update is taken as a whole."""
    assert looked.beside is not None
    space, shape, rank = looked.operand.shape, looked.shape, len(looked.shape)
    reads = [looked.operand, kernel.pulled(looked.beside, identity(shape), space)]
    for pick, (_, offset, _) in zip(looked.picks, starts, strict=True):
        place = _place(pick, space).plus(-offset)
        reads += [kernel.integer(place, space), _over(kernel, pick.atom, shape, space)]
    details = Details(tuple(f for f, _, _ in starts), looked.element)
    found = kernel.apply(Applied(UPDATE, details, "p" * rank + "w" * len(starts), space), reads, range(rank))
    never = np.any([never for _, _, never in starts], axis=0)
    pieces = [replace(piece, box=piece.box.where(~never)) for piece in found.pieces]
    pieces += [replace(piece, box=piece.box.where(never)) for piece in looked.beside.pieces]
    return View(shape, merged(pieces))


def _place(pick: Pick, space: Sequence[int]) -> Index:
    return number(0) if pick.place is None else whole(pick.place, space[pick.place])


def _over(kernel: Kernel, piece: Piece, shape: Sequence[int], space: Sequence[int]) -> View:
    """A piece over the dimensions of a result, over a space that begins with them."""
    return kernel.pulled(View(tuple(shape), (piece,)), identity(shape), space)


def _extent(kernel: Kernel, looked: Looked, dim: int) -> tuple[Ints, Ints]:
    """Where the operand may be not zero along a dimension, on each device; all of it where zero is a value."""
    size, none = np.full(kernel.devices, looked.operand.shape[dim]), np.zeros(kernel.devices, np.int64)
    if looked.beside is not None:
        return none, size
    boxes = [piece.box for piece in looked.operand.pieces if not kernel.is_number(piece, looked.zero)]
    first, end = size, none
    for box in [*boxes, *_unknown(looked.operand, kernel.devices)]:
        first = np.where(box.active, np.minimum(first, box.lo[:, dim]), first)
        end = np.where(box.active, np.maximum(end, box.hi[:, dim]), end)
    return first, end


def _unknown(view: View, devices: int) -> list[Box]:
    """What no piece of a view covers."""
    rest = [full_box(view.shape, devices)]
    for piece in view.pieces:
        rest = [part for box in rest for part in without(box, piece.box)]
    return rest


def _zero_where_unread(kernel: Kernel, looked: Looked, starts: Sequence[Start]) -> View:
    """The operand, with zeros for unknown elements that no window reads, and for all on a device with no place ever."""
    operand = looked.operand
    read = full_box(operand.shape, kernel.devices)
    for (dim, pick), (start, offset, never) in zip(looked.numbered(), starts, strict=True):
        end = start.greatest + looked.size(pick)
        low, high = (np.broadcast_to(bound - offset, kernel.devices) for bound in (start.least, end))
        read = read.along(dim, np.maximum(low, 0), np.minimum(high, operand.shape[dim])).where(~never)
    pieces = [replace(piece, box=piece.box.where(read.here)) for piece in operand.pieces]
    zero = kernel.universe.constant(looked.zero)
    for box in _unknown(View(operand.shape, tuple(pieces)), kernel.devices):
        pieces += [Piece(zero, (), part) for part in without(box, read)]
    return View(operand.shape, merged(pieces))


# -- Parts of windows of the whole program -----------------------------------------------------------------------------


def aligned(kernel: Kernel, pick: Pick, first: Ints, end: Ints, size: int, names: Sequence[str]) -> Start | None:
    """
    The start at which a pick reads elements in `[first, end)`, for all values of its atom and all places `k` of `size`.

    The function is one of the whole program if that looks up at it, or that of the first device.
    """
    for f in dict.fromkeys([*_functions(kernel, pick.atom, names), pick.windows[0].start]):
        found = piecewise.on_devices(
            lambda each, f=f: offset_of(*each, size, f), zip(pick.windows, first.tolist(), end.tolist(), strict=True)
        )
        offsets = [offset for each in found if each is not None for offset in each]
        if len(offsets) == len(found) and all(abs(offset or 0) < UNLIMITED for offset in offsets):
            never = np.array([offset is None for offset in offsets])
            return f, np.array([offset or 0 for offset in offsets], np.int64), never
    return None


def _functions(kernel: Kernel, atom: Piece, names: Sequence[str]) -> Iterator[Function]:
    """The functions at which the whole program looks up, of elements of the tensor of an atom, among others."""
    for term in kernel.universe.terms:
        details = term.operation.details
        if not term.is_local and term.operation.name in names and isinstance(details, Details):
            yield from details.functions if any(read.source is atom.source for read in term.reads) else ()


def offset_of(window: Window, first: int, end: int, size: int, f: Function) -> tuple[int | None] | None:
    """
    The `offset` with which a window, of `size` places into `[first, end)`, is the one that starts at `f - offset`.

    `(None,)` if it never has a place; None if there is no such offset.
    """
    if f.lines[0].first != window.start.lines[0].first or f.lines[-1].last != window.start.lines[-1].last:
        return None
    inside = window.inside(first, end, size)
    offsets = set[int]()
    for is_active, line in piecewise.together(inside.active, piecewise.added(f, window.start, -1)):
        if is_active.constant:
            offsets.update(line.ends)
            if len(offsets) > 1:
                return None
    if not offsets:
        return (None,)
    offset = offsets.pop()
    start = piecewise.added(f, -offset)
    return (offset,) if inside.has_places_of(every(start, size).inside(first, end, size)) else None


# -- Look-ups of a device that are masked, sliced and written again ----------------------------------------------------


def own_of(kernel: Kernel, piece: Piece, shape: Sequence[int], shift: Sequence[Index] | None = None) -> Looked | None:
    """The look-up of this shape that a piece is, at the same places, or at `shift` of them; None if it is none."""
    whole_piece, looked = kernel.lookups.get(piece.source, (piece, None))
    if not isinstance(looked, Looked) or looked.shape != tuple(shape) or piece.partial is not None:
        return None
    lo, hi, active = piece.box.lo, piece.box.hi, piece.box.active
    moved = [each if shift is None else substitute(each, shift, shape, lo, hi) for each in whole_piece.at]
    expected = [index for index in moved if index is not None]
    here = [settled(at, piece.box, [int(end) for end in hi.max(0, initial=1)]) for at in (piece.at, expected)]
    is_same = len(moved) == len(expected) and all(same_index(a, b, active) for a, b in zip(*here, strict=True))
    box = piece.box if shift is None else full_box(shape, kernel.devices).where(active)
    return looked if is_same and whole_piece.box.contains(box).all() else None


def selected(
    kernel: Kernel, reads: Sequence[Piece], box: Box, shape: Sequence[int], element: Attribute
) -> list[Piece] | None:
    """
    A look-up of the device where a mask is true, and something else where it is false; or the other way round.

    Where the mask is one of an index, and zero is beside it, anything is a look-up in a part of one element.
    """
    mask, *sides = reads
    if (value := value_of(kernel, mask, TRUTH)) is not None:
        for answer, truth in zip(sides, (1, 0), strict=True):
            here = [f for f, is_active in zip(value.functions, box.active, strict=True) if is_active]
            if all(f == everywhere(truth, f) for f in here):
                return [answer]
    for is_negated, (inner, other) in ((False, sides), (True, sides[::-1])):
        looked = own = own_of(kernel, inner, shape)
        if looked is None:
            looked = Looked(View(tuple(shape), (inner,)), (), element)
            if kernel.is_whole or not kernel.is_number(other, looked.zero):
                continue
        if looked.beside is None and not kernel.is_number(other, looked.zero):
            found = _written(kernel, looked, mask, is_negated, other)
        else:
            is_same = looked.beside is None or same_in(looked.beside, View(looked.shape, (other,)), box)
            found = _masked(kernel, looked, mask, is_negated) if is_same else None
        view = None if found is None else looked_up(kernel, found)
        is_known = own is not None or (
            found is not None and all(any(_functions(kernel, pick.atom, (LOOKUP,))) for pick in found.picks)
        )
        if view is not None and view.covers(box) and is_known:
            return [replace(piece, box=part) for piece in view.pieces if (part := piece.box.meet(box)).active.any()]
    return None


def _masked(kernel: Kernel, looked: Looked, mask: Piece, is_negated: bool) -> Looked | None:
    """
    A look-up where a mask is true; None if the mask is no conjunction of windows of its picks and truths of indices.

    A truth of another index is one of whether this is the only element of a part.
    """
    picks = list(looked.picks)
    for conjunct in _conjuncts(kernel, mask, is_negated, looked.shape):
        for number_, pick in enumerate(picks):
            if isinstance(conjunct, Pick):
                is_same = pick.place == conjunct.place and same_atom(pick.atom, conjunct.atom, mask)
                narrow = conjunct if is_same else None
            else:
                narrow = None if conjunct is None else _all_or_nothing(conjunct, pick, mask, looked.size(pick))
            if narrow is not None:
                picks[number_] = pick.mapped_by(lambda window, by: window.meet(by.low, by.high), narrow.windows)
                break
        else:
            if not isinstance(conjunct, Value) or conjunct.atom is None:
                return None
            windows = piecewise.on_devices(lambda truth: every(everywhere(0, truth), 1, truth), conjunct.functions)
            picks.append(Pick(conjunct.atom, None, windows))
            space = (*looked.operand.shape, 1)
            looked = replace(looked, operand=kernel.pulled(looked.operand, identity(space)[:-1], space))
    return replace(looked, picks=tuple(picks))


def _conjuncts(kernel: Kernel, mask: Piece, is_negated: bool, shape: Sequence[int]) -> Iterator[Value | Pick | None]:
    """A mask of this shape, or the negation of one, as truths and windows that all must be; None for something else."""
    if (looked := own_of(kernel, mask, shape)) is not None:
        yield None if is_negated else _true_window(kernel, looked)
        return
    name = mask.source.operation.name if isinstance(mask.source, Term) else None
    if isinstance(mask.source, Term) and name in ("stablehlo.not", "or" if is_negated else "and"):
        for place in range(len(mask.source.reads)):
            read = read_of(kernel, mask, place)
            inner = is_negated ^ (name == "stablehlo.not")
            yield from (None,) if read is None else _conjuncts(kernel, read, inner, shape)
        return
    value = value_of(kernel, mask, TRUTH)
    yield value.mapped(piecewise.inverted) if value is not None and is_negated else value


def _true_window(kernel: Kernel, looked: Looked) -> Pick | None:
    """The window of a look-up in a tensor that is true, and false around that."""
    trues = [piece.box for piece in looked.operand.pieces if not kernel.is_number(piece, False)]
    are_true = all(kernel.is_number(p, True) or kernel.is_number(p, False) for p in looked.operand.pieces)
    if looked.beside is not None or len(looked.picks) != 1 or len(trues) != 1 or not are_true:
        return None
    rank, (pick,) = len(looked.shape), looked.picks
    first, end = _extent(kernel, looked, rank)
    if not trues[0].contains(full_box(looked.operand.shape, kernel.devices).along(rank, first, end)).all():
        return None
    size = looked.size(pick)
    return pick.inside(zip(first.tolist(), end.tolist(), strict=True), size)


def _all_or_nothing(value: Value, pick: Pick, mask: Piece, size: int) -> Pick | None:
    """The window of all places where a truth is true, if it is a function of the atom of a pick."""
    starts = Value(pick.atom, tuple(window.start for window in pick.windows))
    found = joint([starts, value], mask)
    return (
        None if found is None else pick.mapped_by(lambda window, truth: every(window.start, size, truth), found[1][1])
    )


def _written(kernel: Kernel, looked: Looked, mask: Piece, is_negated: bool, other: Piece) -> Looked | None:
    """A look-up where a mask is true with `other` elsewhere, if it reads an element wherever the mask is true."""
    shape, space, at, picks = looked.shape, list(looked.operand.shape), [*identity(looked.operand.shape)], list[Pick]()
    wide = [pick.wide(looked.size(pick)) for pick in looked.picks]
    masked = _masked(kernel, replace(looked, picks=tuple(wide)), mask, is_negated)
    if masked is None or not other.box.contains(full_box(shape, kernel.devices)).all():
        return None
    for (dim, pick), narrow in zip(looked.numbered(), masked.picks, strict=True):
        firsts, ends = (set(each.tolist()) for each in _extent(kernel, looked, dim))
        first, end, size = min(firsts), max(ends), looked.size(pick)
        if (
            len(firsts) > 1
            or len(ends) > 1
            or first >= end
            or not all(
                mine.inside(first, end, size).meet(wanted.low, wanted.high).has_places_of(wanted)
                for mine, wanted in set(zip(pick.windows, narrow.windows, strict=True))
            )
        ):
            return None
        picks.append(narrow.shifted([-first] * kernel.devices))
        space[dim] = end - first
        at[dim] = whole(dim, end - first).plus(first)
    return Looked(kernel.pulled(looked.operand, at, space), tuple(picks), looked.element, View(shape, (other,)))


def sliced(kernel: Kernel, view: View, outer: Pick, shape: Sequence[int]) -> Looked | None:
    """A dynamic slice of a look-up of the device among zeros: one look-up. None if it is none, or of another atom."""
    parts, dim = [piece for piece in view.pieces if not kernel.is_number(piece, 0.0)], outer.place
    if len(parts) != 1 or dim is None or not view.is_known(kernel.devices):
        return None
    first, end = parts[0].box.lo[:, dim], parts[0].box.hi[:, dim]
    shift = [whole(d, size).plus(-first if d == dim else 0) for d, size in enumerate(view.shape)]
    inner = [int(end[0] - first[0]) if d == dim else size for d, size in enumerate(shape)]
    looked = own_of(kernel, parts[0], inner, shift)
    # Along the other dimensions the look-up is all there is.
    is_all = parts[0].box.contains(full_box(view.shape, kernel.devices).along(dim, first, end)).all()
    if looked is None or looked.beside is not None or (end - first != inner[dim]).any() or not is_all:
        return None
    looked = _moved(_with_picks(kernel, looked, [outer]), [outer.shifted((-first).tolist())])
    return None if looked is None else _resized(kernel, looked, [dim], shape)


def _resized(kernel: Kernel, looked: Looked, places: Collection[int], shape: Sequence[int]) -> Looked | None:
    """A look-up of another shape along `places` of its windows; None if it depends on these otherwise."""
    pieces = [*looked.operand.pieces, *(pick.atom for pick in looked.picks)]
    varies = any(digit.dim in places for piece in pieces for index in piece.at for digit in index.digits)
    are_whole = all(
        any(has_whole_pieces(View(each, (pick.atom,)), range(len(shape))) for each in (looked.shape, tuple(shape)))
        for pick in looked.picks
    )
    if varies or not are_whole or not has_whole_pieces(looked.operand, sorted(places)):
        return None
    space, full = (*shape, *looked.operand.shape[len(shape) :]), full_box(shape, kernel.devices)
    at = [number(0) if d in places else whole(d, size) for d, size in enumerate(space)]
    picks = [replace(p, atom=replace(p.atom, box=full.where(p.atom.box.active))) for p in looked.picks]
    return replace(looked, operand=kernel.pulled(looked.operand, at, space), picks=tuple(picks))


def _with_picks(kernel: Kernel, looked: Looked, more: Sequence[Pick]) -> Looked:
    """A look-up with windows also along the places of `more`, of which it has all; in the order of their places."""
    known = [pick.place for pick in looked.picks]
    for pick in more:
        if pick.place not in known:
            shape, rank, new = looked.shape, len(looked.shape), pick.from_zero(looked.size(pick))
            picks = list[Pick]((*looked.picks, new))
            picks.sort(key=lambda each: -1 if each.place is None else each.place)
            order = [*((old, looked.operand.shape[dim]) for dim, old in looked.numbered()), (new, looked.size(pick))]
            dims = {rank + picks.index(each): size for each, size in order}
            at = [whole(rank + picks.index(new) if dim == pick.place else dim, size) for dim, size in enumerate(shape)]
            at += [whole(rank + picks.index(old), looked.operand.shape[dim]) for dim, old in looked.numbered()]
            operand = kernel.pulled(looked.operand, at, (*shape, *(dims[dim] for dim in sorted(dims))))
            looked = replace(looked, operand=operand, picks=tuple(picks))
    return looked


def _moved(looked: Looked, by: Sequence[Pick]) -> Looked | None:
    """A look-up whose place `k` is the place `k + start` of this one, for the starts of some of its picks."""
    picks = list[Pick]()
    starts = {pick.place: pick for pick in by}
    for dim, pick in looked.numbered():
        outer, count, size = starts.get(pick.place), looked.operand.shape[dim], looked.size(pick)
        if outer is None:
            picks.append(pick)
            continue
        if not same_atom(pick.atom, replace(outer.atom, box=pick.atom.box), pick.atom):
            return None
        picks.append(pick.inside([(0, count)] * len(pick.windows), size).mapped_by(_moved_window, outer.windows))
    return replace(looked, picks=tuple(picks))


def _moved_window(window: Window, by: Window) -> Window:
    return window.moved(by.start)


def updated(kernel: Kernel, operand: View, update: View, picks: Sequence[Pick], element: Attribute) -> View:
    """
    A dynamic update, whose window starts at `picks`.

    Where the update is beside a window of its own what a slice at the same starts has, the operand does not change.
    """
    own = own_of(kernel, update.pieces[0], update.shape) if len(update.pieces) == 1 else None
    if own is None or own.beside is None or not _keeps(kernel, operand, own, picks):
        own = Looked(update, (), element)
    back = [pick.mapped(lambda w: replace(w, start=piecewise.added(0, w.start, -1))) for pick in picks]
    moved = _moved(_with_picks(kernel, own, picks), back)
    places = [] if moved is None else [pick.place for pick in moved.picks if pick.place is not None]
    looked = None if moved is None else _resized(kernel, replace(moved, beside=None), places, operand.shape)
    if looked is None:
        return kernel.opaque("an update", operand.shape)
    return looked_up(kernel, replace(looked, element=element, beside=operand))


def _keeps(kernel: Kernel, operand: View, own: Looked, picks: Sequence[Pick]) -> bool:
    """Whether an update is beside its window what a dynamic slice of the operand at `picks` has."""
    assert own.beside is not None
    shape = own.shape
    read = own_of(kernel, own.beside.pieces[0], shape) if len(own.beside.pieces) == 1 else None
    if read is None or read.beside is not None:
        return False
    starts, places = {pick.place: pick for pick in picks}, [pick.place for pick in read.picks]
    rank = len(shape)
    for dim, theirs in read.numbered():
        outer, count, size = starts.get(theirs.place), read.operand.shape[dim], read.size(theirs)
        if outer is None or not same_atom(theirs.atom, replace(outer.atom, box=theirs.atom.box), theirs.atom):
            return False
        for window, start in set(zip(theirs.windows, outer.windows, strict=True)):
            is_same = piecewise.is_always(piecewise.equal(window.start, start.start))
            if not is_same or not window.inside(0, count, size).has_places_of(every(start.start, size)):
                return False
    at = [
        whole(rank + places.index(d), size) if d in places else whole(d, size) for d, size in enumerate(operand.shape)
    ]
    whole_otherwise = all(size == shape[d] for d, size in enumerate(operand.shape) if d not in places)
    return (
        whole_otherwise
        and len(places) == len(picks)
        and kernel.same(kernel.pulled(operand, at, read.operand.shape), read.operand)
    )
