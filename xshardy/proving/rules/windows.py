"""
Windows that start where it is known at run time only: gathers, dynamic slices, and updates of them.

A gather of one dimension is the sum over `K` of `[K - k = start] * operand[K]`, `k` the place in the window; zero where that is
outside of the operand. The gather of a part of the operand, masked where its index is outside of that, is then a part of this
sum. A device writes this in many ways: shifted and clamped starts, masks of comparisons, slices of padded slices. Each
is `low <= k < high ? operand[k + start] : 0`, with functions `start`, `low` and `high` of an atom (`runtime`). The kernel gets the
sum in place of it, if both are the same for all values of the atom, all `k`, and on each device (`_aligned`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from xshardy.proving.index import Index, Ints, combine, identity, number, same_index, whole
from xshardy.proving.kernel import Kernel
from xshardy.proving.rules import piecewise
from xshardy.proving.rules.piecewise import Function
from xshardy.proving.rules.runtime import Value, is_of_one, joint, read_of, same_atom, value_of
from xshardy.proving.sources import Operation as Applied
from xshardy.proving.sources import Source, Term
from xshardy.proving.views import Box, Mask, Piece, View, at_devices, full_box, merged, same_in, without

LOOKUP, UPDATE, SCATTER = "lookup", "update", "scatter"
"""Operations whose details begin with a function of each atom."""
OWN_LOOKUP, OWN_UPDATE = "lookup of a device", "update of a device"
"""Operations of a device that are not known to be parts of those of the whole program."""


@dataclass(frozen=True, slots=True)
class Details:
    """What decides about an operation beside its reads: functions of atoms, or places and windows of each device."""

    functions: "tuple[Function, ...]"
    element: object
    windows: "tuple[tuple[int | None, tuple[Window, ...]], ...]" = ()
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
        low = piecewise.larger(piecewise.everywhere(0, self.low), _from(first, self.start))
        return self.meet(low, piecewise.smaller(piecewise.everywhere(size, self.high), _from(end, self.start)))

    @property
    def active(self) -> Function:
        """Where it has a place."""
        return piecewise.less(self.low, self.high)

    def has_places_of(self, other: "Window") -> bool:
        """Whether both have the same places, for all values of the atom."""
        active = self.active
        same = piecewise.smaller(piecewise.equal(self.low, other.low), piecewise.equal(self.high, other.high))
        same = piecewise.chosen(active, same, piecewise.everywhere(1, active))
        return piecewise.is_always(piecewise.smaller(same, piecewise.equal(active, other.active)))


def _from(value: int, f: Function) -> Function:
    """`value - f`"""
    return piecewise.added(piecewise.everywhere(value, f), f, -1)


@dataclass(frozen=True, eq=False, slots=True)
class Pick:
    """A dimension along which a window moves: its atom over the result, the place `k` in it, a window of each device."""

    atom: Piece
    place: int | None
    """The dimension of the result that is `k`; None where `k` is 0."""
    windows: tuple[Window, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Looked:
    """
    A look-up: `operand` is over the dimensions of the result, then one for each of `picks`.

    With `beside`, a tensor of the shape of the result, it is that where it would be zero.
    """

    operand: View
    picks: tuple[Pick, ...]
    kind: str
    """How what is looked up is summed: `add`, or `or` for truths."""
    element: object
    beside: View | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.operand.shape[: len(self.operand.shape) - len(self.picks)]

    @property
    def zero(self) -> float | bool:
        return False if self.kind == "or" else 0.0

    def size(self, pick: Pick) -> int:
        """How many places a window may have."""
        return 1 if pick.place is None else self.shape[pick.place]


def every(start: Function, size: int) -> Window:
    """The window of all places of this size."""
    return Window(start, piecewise.everywhere(0, start), piecewise.everywhere(size, start))


def looked_up(kernel: Kernel, looked: Looked) -> View:
    """The result of a look-up: a part of one of the whole program, or one of the device."""
    if kernel.is_whole:
        starts = [(pick.windows[0].start, np.zeros(1, np.int64), np.zeros(1, bool)) for pick in looked.picks]
        return _of_whole(kernel, looked, starts)
    names, rank = (LOOKUP, SCATTER) if looked.beside is None else (UPDATE,), len(looked.shape)
    found = [
        aligned(kernel, pick, *_extent(kernel, looked, rank + number_), looked.size(pick), names)
        for number_, pick in enumerate(looked.picks)
    ]
    starts = [start for start in found if start is not None]
    return _of_whole(kernel, looked, starts) if len(starts) == len(found) else _own(kernel, looked)


def _of_whole(kernel: Kernel, looked: Looked, starts: Sequence[tuple[Function, Ints, Mask]]) -> View:
    """A look-up at functions of the whole program."""
    return _as_sum(kernel, looked, starts) if looked.beside is None else _as_update(kernel, looked, starts)


def _as_sum(kernel: Kernel, looked: Looked, starts: Sequence[tuple[Function, Ints, Mask]]) -> View:
    space, rank = looked.operand.shape, len(looked.shape)
    operand = _zero_where_unread(kernel, looked, starts)
    reads = [operand]
    for dim, (pick, (_, offset, _)) in enumerate(zip(looked.picks, starts, strict=True), rank):
        digits = combine((1, whole(dim, space[dim])), (-1, _place(pick, space))).plus(offset)
        reads += [kernel.integer(digits, space), _over(kernel, pick.atom, looked.shape, space)]
    details = Details(tuple(start for start, _, _ in starts), looked.element)
    applied = Applied(LOOKUP, details, "p" * rank + "r" * len(starts), space, kind=looked.kind)
    return kernel.apply(applied, reads, range(rank), looked.zero, masks=len(reads) - 1)


def _as_update(kernel: Kernel, looked: Looked, starts: Sequence[tuple[Function, Ints, Mask]]) -> View:
    """`beside`, with what is looked up where that is something: the update is taken as a whole."""
    assert looked.beside is not None
    space, shape, rank = looked.operand.shape, looked.shape, len(looked.shape)
    reads = [looked.operand, kernel.pulled(looked.beside, identity(shape), space)]
    for pick, (_, offset, _) in zip(looked.picks, starts, strict=True):
        place = _place(pick, space).plus(-offset)
        reads += [kernel.integer(place, space), _over(kernel, pick.atom, shape, space)]
    details = Details(tuple(start for start, _, _ in starts), looked.element)
    found = kernel.apply(Applied(UPDATE, details, "p" * rank + "w" * len(starts), space), reads, range(rank))
    never = np.any([never for _, _, never in starts], axis=0)
    pieces = [replace(piece, box=piece.box.where(~never)) for piece in found.pieces]
    pieces += [replace(piece, box=piece.box.where(never)) for piece in looked.beside.pieces]
    return View(shape, merged(pieces))


def _own(kernel: Kernel, looked: Looked) -> View:
    """A term of the device, which a mask around it may make a part of one of the whole program."""
    space, rank = looked.operand.shape, len(looked.shape)
    # The windows differ by device: so does what is read, that no two devices are taken to compute the same.
    reads = [looked.operand, kernel.integer(number(np.arange(kernel.devices)), space)]
    for dim, pick in enumerate(looked.picks, rank):
        reads += [
            kernel.integer(whole(dim, space[dim]), space),
            kernel.integer(_place(pick, space), space),
            _over(kernel, pick.atom, looked.shape, space),
        ]
    details = Details((), looked.element, tuple((pick.place, pick.windows) for pick in looked.picks))
    if looked.beside is None:
        roles = "p" * rank + "r" * len(looked.picks)
        applied = Applied(OWN_LOOKUP, details, roles, space, kind=looked.kind)
        return kernel.apply(applied, reads, range(rank), looked.zero, masks=len(reads) - 1)
    reads.append(kernel.pulled(looked.beside, identity(looked.shape), space))
    applied = Applied(OWN_UPDATE, details, "p" * rank + "w" * len(looked.picks), space)
    return kernel.apply(applied, reads, range(rank))


def _place(pick: Pick, space: Sequence[int]) -> Index:
    return number(0) if pick.place is None else whole(pick.place, space[pick.place])


def _over(kernel: Kernel, piece: Piece, shape: Sequence[int], space: Sequence[int]) -> View:
    """A piece over the dimensions of a result, over a space that begins with them."""
    return kernel.pulled(View(tuple(shape), (piece,)), identity(shape), space)


def _extent(kernel: Kernel, looked: Looked, dim: int) -> tuple[Ints, Ints]:
    """Where the operand may be not zero along a dimension, on each device: `[first, end)`; all of it if zero is a value."""
    first, end = np.full(kernel.devices, looked.operand.shape[dim]), np.zeros(kernel.devices, np.int64)
    if looked.beside is not None:
        return end, first
    for piece in looked.operand.pieces:
        if not kernel.is_number(piece, looked.zero):
            active = piece.box.active
            first = np.where(active, np.minimum(first, piece.box.lo[:, dim]), first)
            end = np.where(active, np.maximum(end, piece.box.hi[:, dim]), end)
    for box in _unknown(looked.operand, kernel.devices):
        first = np.where(box.active, np.minimum(first, box.lo[:, dim]), first)
        end = np.where(box.active, np.maximum(end, box.hi[:, dim]), end)
    return first, end


def _unknown(view: View, devices: int) -> list[Box]:
    """What no piece of a view covers."""
    rest = [full_box(view.shape, devices)]
    for piece in view.pieces:
        rest = [part for box in rest for part in without(box, piece.box)]
    return rest


def _zero_where_unread(kernel: Kernel, looked: Looked, starts: Sequence[tuple[Function, Ints, Mask]]) -> View:
    """The operand, with zeros for unknown elements that no window reads, and for all on a device with no place ever."""
    operand, rank = looked.operand, len(looked.shape)
    read = full_box(operand.shape, kernel.devices)
    for dim, (pick, (start, offset, never)) in enumerate(zip(looked.picks, starts, strict=True), rank):
        end = start.greatest + looked.size(pick)
        low, high = (np.broadcast_to(bound - offset, kernel.devices) for bound in (start.least, end))
        read = read.along(dim, np.maximum(low, 0), np.minimum(high, operand.shape[dim])).where(~never)
    pieces = [replace(piece, box=piece.box.where(read.here)) for piece in operand.pieces]
    zero = kernel.universe.constant(looked.zero)
    for box in _unknown(View(operand.shape, tuple(pieces)), kernel.devices):
        pieces += [Piece(zero, (), part) for part in without(box, read)]
    return View(operand.shape, merged(pieces))


# -- Parts of windows of the whole program -----------------------------------------------------------------------------


def candidates(kernel: Kernel, atom: Piece, names: Sequence[str]) -> Iterator[Function]:
    """The functions of an atom that the whole program looks up at."""
    done = set[Function]()
    for term in kernel.universe.terms:
        if not term.is_local and term.operation.name in names and any(r.source is atom.source for r in term.reads):
            functions = term.operation.details.functions if isinstance(term.operation.details, Details) else ()
            yield from (f for f in functions if f not in done)
            done.update(functions)


def aligned(
    kernel: Kernel, pick: Pick, first: Ints, end: Ints, size: int, names: Sequence[str]
) -> tuple[Function, Ints, Mask] | None:
    """
    A function `F` of the whole program, an offset of each device, and the devices whose window never has a place.

    For all values of the atom and all places `k` of `size`, what is read is at `K` with `K + offset - k = F`, if that is in
    `[first, end)`.
    """
    for f in candidates(kernel, pick.atom, names):
        found = piecewise.on_devices(
            lambda window, low, high: offset_of(window, low, high, size, f), pick.windows, first.tolist(), end.tolist()
        )
        offsets = [offset for each in found if each is not None for offset in each]
        if len(offsets) == len(found):
            never = np.array([offset is None for offset in offsets])
            return f, np.array([offset or 0 for offset in offsets], np.int64), never
    return None


def offset_of(window: Window, first: int, end: int, size: int, f: Function) -> tuple[int | None] | None:
    """
    The `offset` with which a window, of `size` places into elements `[first, end)`, is the one that starts at `f - offset`.

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
    start = piecewise.shifted(f, -offset)
    return (offset,) if inside.has_places_of(every(start, size).inside(first, end, size)) else None


# -- Look-ups of a device that are masked, sliced and written again ----------------------------------------------------


def own_of(kernel: Kernel, piece: Piece, shape: Sequence[int], at: Sequence[Index] | None = None) -> Looked | None:
    """
    The look-up of the device that a piece of this shape is; None if it is none, or not at all of its places.

    With `at`, the piece is over another shape, and those are to be its indices.
    """
    term = piece.source
    if not isinstance(term, Term) or not term.is_local:
        return None
    name, space, details = term.operation.name, term.operation.sizes, term.operation.details
    if name not in (LOOKUP, OWN_LOOKUP, OWN_UPDATE) or not isinstance(details, Details):
        return None
    rank, kind = (
        len(space) - max(len(details.functions), len(details.windows)),
        "or" if term.operation.kind == "or" else "add",
    )
    expected = identity(space[:rank]) if at is None else at
    zero = kernel.universe.constant(False if kind == "or" else 0.0)
    if (at is None and tuple(shape) != space[:rank]) or (views := _reads(kernel, piece, expected, rank, zero)) is None:
        return None
    rows, full = np.broadcast_to(piece.at[0].offset, kernel.devices), full_box(space[:rank], kernel.devices)
    picks = list[Pick]()
    for number_, dim in enumerate(range(rank, len(space))):
        if name != LOOKUP:
            place, windows = details.windows[number_]
            windows = tuple(windows[row] for row in rows)
            atom = views[3 * number_ + 4]
        else:
            difference, atom = views[2 * number_ + 1 : 2 * number_ + 3]
            found = _windows_of(difference, details.functions[number_], dim, space, kernel.devices)
            if found is None:
                return None
            place, windows = found
        picks.append(Pick(replace(atom.pieces[0], box=full), place, windows))
    beside = None
    if name == OWN_UPDATE:
        beside = kernel.pulled(views[-1], [*identity(space[:rank]), *(number(0) for _ in picks)], space[:rank])
    return Looked(views[0], tuple(picks), kind, details.element, beside)


def _windows_of(
    difference: View, start: Function, dim: int, space: Sequence[int], devices: int
) -> tuple[int | None, tuple[Window, ...]] | None:
    """
    The place `k`, and the window of each device, of a sum over `K`, where `K + offset - k` is `difference`.

    None if it is not `K + offset - k`, but only equal to it where the sum has elements.
    """
    index = difference.pieces[0].at[0]
    place = next((digit.dim for digit in index.digits if digit.dim != dim), None)
    expected = combine((1, whole(dim, space[dim])), (-1, number(0) if place is None else whole(place, space[place])))
    if index.digits != expected.digits:
        return None
    size = 1 if place is None else space[place]
    starts = [piecewise.shifted(start, -int(offset)) for offset in np.broadcast_to(index.offset, devices)]
    return place, tuple(every(each, size).inside(0, space[dim], size) for each in starts)


def _reads(kernel: Kernel, piece: Piece, at: Sequence[Index], rank: int, zero: Source) -> list[View] | None:
    """
    The reads of the term of a device that a piece is, over the space of that, of which the first `rank` dimensions are parallel.

    What the term left out along the others is zero. None if the piece is the term at other indices than `at`.
    """
    term = piece.source
    assert isinstance(term, Term)
    full, dims = full_box(term.operation.sizes, len(term.box.here)), list(range(rank))
    if (
        len(term.box.here) != kernel.devices
        or piece.partial is not None
        or not piece.at[0].is_known
        or not term.box.dims(dims).contains(full.dims(dims)).all()
        or not all(
            same_index(index, at[dim], piece.box.active) for index, dim in zip(piece.at[1:], term.parallel, strict=True)
        )
    ):
        return None
    rows = np.broadcast_to(piece.at[0].offset, kernel.devices)
    views = [at_devices(View(term.operation.sizes, (replace(read, box=term.box),)), rows) for read in term.reads]
    rest = [Piece(zero, (), box) for box in without(full, term.box.at_devices(rows))]
    return [View(views[0].shape, (*views[0].pieces, *rest)), *views[1:]]


def again(kernel: Kernel, piece: Piece, shape: Sequence[int]) -> list[Piece]:
    """A look-up of a device on those devices only where a piece of it is: only there it may be one of the whole program."""
    term = piece.source
    if not isinstance(term, Term) or not term.is_local or term.operation.name != LOOKUP:
        return [piece]
    operation, rank = term.operation, len(shape)
    zero = False if operation.kind == "or" else 0.0
    views = _reads(kernel, piece, identity(shape), rank, kernel.universe.constant(zero))
    if views is None or operation.sizes[:rank] != tuple(shape):
        return [piece]
    here = [View(v.shape, tuple(replace(p, box=p.box.where(piece.box.active)) for p in v.pieces)) for v in views]
    return _within(kernel.apply(operation, here, range(rank), zero, masks=len(here) - 1), piece.box) or [piece]


def _within(view: View, box: Box) -> list[Piece] | None:
    """The pieces of a view in a box; None if something is unknown there."""
    return (
        [replace(piece, box=part) for piece in view.pieces if (part := piece.box.meet(box)).active.any()]
        if view.covers(box)
        else None
    )


def selected(kernel: Kernel, reads: Sequence[Piece], box: Box, shape: Sequence[int]) -> list[Piece] | None:
    """A look-up of the device where a mask is true, and something else where it is false; or the other way round."""
    mask, *sides = reads
    if (value := value_of(kernel, mask, "truth")) is not None:
        for is_negated, answer in enumerate(sides):
            if all(
                f == piecewise.everywhere(1 - is_negated, f)
                for f, here in zip(value.functions, box.active, strict=True)
                if here
            ):
                return again(kernel, answer, shape)
    for is_negated, (inner, other) in ((False, sides), (True, sides[::-1])):
        looked = own_of(kernel, inner, shape)
        if looked is None:
            continue
        if looked.beside is None and not kernel.is_number(other, looked.zero):
            found = _written(kernel, looked, mask, is_negated, other)
        else:
            is_same = looked.beside is None or same_in(looked.beside, View(looked.shape, (other,)), box)
            found = _masked(kernel, looked, mask, is_negated) if is_same else None
        if found is not None:
            return _within(looked_up(kernel, found), box)
    return None


def _masked(kernel: Kernel, looked: Looked, mask: Piece, is_negated: bool) -> Looked | None:
    """A look-up where a mask is true; None if the mask is no window of its picks."""
    picks = list(looked.picks)
    for conjunct in _conjuncts(kernel, mask, is_negated, looked.shape):
        if conjunct is None:
            return None
        for number_, pick in enumerate(picks):
            if isinstance(conjunct, Pick):
                same = pick.place == conjunct.place and same_atom(pick.atom, conjunct.atom, mask)
                windows = [(window.low, window.high) for window in conjunct.windows] if same else None
            else:
                windows = _all_or_nothing(conjunct, pick, mask, looked.size(pick))
            if windows is not None:
                met = tuple(window.meet(*each) for window, each in zip(pick.windows, windows, strict=True))
                picks[number_] = replace(pick, windows=met)
                break
        else:
            return None
    return replace(looked, picks=tuple(picks))


def _conjuncts(kernel: Kernel, mask: Piece, is_negated: bool, shape: Sequence[int]) -> Iterator[Value | Pick | None]:
    """A mask of this shape, or the negation of one, as truths and windows that all must be; None for something else."""
    if isinstance(mask.source, Term) and is_of_one(mask.source) and (read := read_of(kernel, mask, 0)) is not None:
        mask = read
    operation = mask.source.operation if isinstance(mask.source, Term) else None
    if operation is not None and operation.name in (OWN_LOOKUP, "and", "or", "stablehlo.not"):
        if operation.name == OWN_LOOKUP:
            looked = own_of(kernel, mask, shape)
            is_window = looked is not None and len(looked.picks) == 1 and not is_negated
            yield _true_window(kernel, looked) if looked is not None and is_window else None
            return
        if operation.name == "stablehlo.not" or operation.name == ("or" if is_negated else "and"):
            for place in range(len(mask.source.reads) if isinstance(mask.source, Term) else 0):
                read = read_of(kernel, mask, place)
                if read is None:
                    yield None
                else:
                    yield from _conjuncts(kernel, read, is_negated ^ (operation.name == "stablehlo.not"), shape)
            return
    value = value_of(kernel, mask, "truth")
    yield value.mapped(piecewise.inverted) if value is not None and is_negated else value


def _true_window(kernel: Kernel, looked: Looked) -> Pick | None:
    """The window of a look-up in a tensor that is true, and false around that."""
    (pick,), rank = looked.picks, len(looked.shape)
    if looked.beside is not None or any(
        not kernel.is_number(p, True) and not kernel.is_number(p, False) for p in looked.operand.pieces
    ):
        return None
    first, end = _extent(kernel, looked, rank)
    trues = [piece.box for piece in looked.operand.pieces if kernel.is_number(piece, True)]
    whole_box = full_box(looked.operand.shape, kernel.devices).along(rank, first, end)
    if len(trues) != 1 or not trues[0].contains(whole_box).all():
        return None
    size = looked.size(pick)
    windows = [w.inside(int(a), int(b), size) for w, a, b in zip(pick.windows, first, end, strict=True)]
    return replace(pick, windows=tuple(windows))


def _all_or_nothing(value: Value, pick: Pick, mask: Piece, size: int) -> list[tuple[Function, Function]] | None:
    """The window of all places where a truth is true, if it is a function of the atom of a pick."""
    starts = Value(pick.atom, tuple(window.start for window in pick.windows))
    if (joined := joint([starts, value], mask)) is None:
        return None
    return [
        (
            piecewise.everywhere(0, truth),
            piecewise.chosen(truth, piecewise.everywhere(size, truth), piecewise.everywhere(0, truth)),
        )
        for truth in joined[1][1]
    ]


def _written(kernel: Kernel, looked: Looked, mask: Piece, is_negated: bool, other: Piece) -> Looked | None:
    """A look-up where a mask is true with `other` elsewhere, if it reads an element wherever the mask is true."""
    shape, space, at, picks = looked.shape, list(looked.operand.shape), [*identity(looked.operand.shape)], list[Pick]()
    everywhere = [
        replace(pick, windows=tuple(every(window.start, looked.size(pick)) for window in pick.windows))
        for pick in looked.picks
    ]
    masked = _masked(kernel, replace(looked, picks=tuple(everywhere)), mask, is_negated)
    if masked is None or not other.box.contains(full_box(shape, kernel.devices)).all():
        return None
    for dim, (pick, narrow) in enumerate(zip(looked.picks, masked.picks, strict=True), len(shape)):
        first, end = _extent(kernel, looked, dim)
        if (first != first[0]).any() or (end != end[0]).any() or end[0] <= first[0]:
            return None
        start, windows = int(first[0]), list[Window]()
        for window, wanted in zip(pick.windows, narrow.windows, strict=True):
            inside = window.inside(start, int(end[0]), looked.size(pick))
            if not inside.meet(wanted.low, wanted.high).has_places_of(wanted):
                return None
            windows.append(replace(wanted, start=piecewise.shifted(window.start, -start)))
        picks.append(replace(pick, windows=tuple(windows)))
        space[dim] = int(end[0]) - start
        at[dim] = whole(dim, space[dim]).plus(start)
    operand = kernel.pulled(looked.operand, at, space)
    return Looked(operand, tuple(picks), looked.kind, looked.element, View(shape, (other,)))


def sliced(kernel: Kernel, view: View, outer: Pick, shape: Sequence[int]) -> Looked | None:
    """
    A dynamic slice of a look-up of the device among zeros, along the window of that: one look-up.

    None if it is none, or of another atom.
    """
    parts, dim = [piece for piece in view.pieces if not kernel.is_number(piece, 0.0)], outer.place
    if len(parts) != 1 or dim is None or not view.is_known(kernel.devices):
        return None
    first, end = parts[0].box.lo[:, dim], parts[0].box.hi[:, dim]
    at = [whole(d, size).plus(-first if d == dim else 0) for d, size in enumerate(view.shape)]
    looked = own_of(kernel, parts[0], shape, at)
    if looked is None or looked.shape != tuple(shape) or looked.beside is not None or (end - first != shape[dim]).any():
        return None
    # Along the other dimensions the look-up is all there is.
    if not parts[0].box.contains(full_box(view.shape, kernel.devices).along(dim, first, end)).all():
        return None
    picks, size = list(looked.picks), shape[dim]
    for number_, inner in enumerate(looked.picks):
        if inner.place == dim and same_atom(inner.atom, outer.atom, outer.atom):
            count, windows = looked.operand.shape[len(shape) + number_], list[Window]()
            for window, by, offset in zip(inner.windows, outer.windows, first, strict=True):
                moved = window.inside(0, count, size).moved(piecewise.shifted(by.start, -int(offset)))
                windows.append(moved.inside(0, count, size))
            picks[number_] = replace(inner, windows=tuple(windows))
            return replace(looked, picks=tuple(picks))
    if any(inner.place == dim for inner in looked.picks):
        return None
    windows = [
        every(piecewise.shifted(by.start, -int(offset)), size).inside(0, size, size)
        for by, offset in zip(outer.windows, first, strict=True)
    ]
    return _with_pick(kernel, looked, replace(outer, windows=tuple(windows)))


def _in_order(picks: Sequence[Pick]) -> list[Pick]:
    """Picks in the order of their places."""
    return sorted(picks, key=lambda pick: -1 if pick.place is None else pick.place)


def _from_zero(pick: Pick, size: int) -> Pick:
    """It with windows of this size that start at 0."""
    return replace(pick, windows=tuple(every(piecewise.everywhere(0, w.start), size) for w in pick.windows))


def _with_pick(kernel: Kernel, looked: Looked, pick: Pick) -> Looked:
    """A look-up with a window along a place of which it has all; its picks are in the order of their places."""
    shape, rank = looked.shape, len(looked.shape)
    picks = _in_order([*looked.picks, pick])
    new = rank + picks.index(pick)
    at = [whole(new if dim == pick.place else dim, size) for dim, size in enumerate(shape)]
    sizes = dict[int, int]({new: looked.size(pick)})
    for number_, old in enumerate(looked.picks, rank):
        sizes[rank + picks.index(old)] = looked.operand.shape[number_]
        at.append(whole(rank + picks.index(old), looked.operand.shape[number_]))
    space = (*shape, *(sizes[dim] for dim in sorted(sizes)))
    return replace(looked, operand=kernel.pulled(looked.operand, at, space), picks=tuple(picks))


def updated(kernel: Kernel, operand: View, update: View, picks: Sequence[Pick], element: object) -> Looked:
    """
    A dynamic update, whose window starts at `picks`.

    Where the update is beside a window of its own what a slice at the same starts has, the operand does not change.
    """
    shape, rank = operand.shape, len(operand.shape)
    looked = own_of(kernel, update.pieces[0], update.shape) if len(update.pieces) == 1 else None
    if looked is not None:
        places = {inner.place for inner in looked.picks}
        for pick in picks:
            if pick.place not in places:
                looked = _with_pick(kernel, looked, _from_zero(pick, looked.size(pick)))
        places = {pick.place for pick in picks}
        rest = [_from_zero(inner, looked.size(inner)) for inner in looked.picks if inner.place not in places]
        if _keeps(kernel, operand, looked, ordered := _in_order([*picks, *rest])):
            picks = ordered
        else:
            looked = None
    dims = [pick.place for pick in picks]
    if looked is None:
        sizes = [1 if dim is None else update.shape[dim] for dim in dims]
        at = [whole(rank + dims.index(d), size) if d in dims else whole(d, size) for d, size in enumerate(update.shape)]
        values = kernel.pulled(update, at, (*shape, *sizes))
        inner = [_from_zero(pick, size) for pick, size in zip(picks, sizes, strict=True)]
        looked = Looked(values, tuple(inner), "add", element)
    moved = list[Pick]()
    for number_, (pick, inner) in enumerate(zip(picks, looked.picks, strict=True)):
        count, size = looked.operand.shape[rank + number_], 1 if pick.place is None else update.shape[pick.place]
        windows = [
            window.inside(0, count, size).moved(negated(outer.start))
            for window, outer in zip(inner.windows, pick.windows, strict=True)
        ]
        moved.append(replace(pick, windows=tuple(windows)))
    space = (*shape, *looked.operand.shape[rank:])
    at = [number(0) if d in dims else whole(d, size) for d, size in enumerate(space)]
    return Looked(kernel.pulled(looked.operand, at, space), tuple(moved), looked.kind, element, operand)


def _keeps(kernel: Kernel, operand: View, looked: Looked, picks: Sequence[Pick]) -> bool:
    """Whether an update is beside its window what a dynamic slice of the operand at `picks` has."""
    shape, places = looked.shape, [pick.place for pick in picks]
    beside = looked.beside.pieces if looked.beside is not None else ()
    read = own_of(kernel, beside[0], shape) if len(beside) == 1 else None
    for pick in picks if read is not None else ():
        if all(theirs.place != pick.place for theirs in read.picks):
            read = _with_pick(kernel, read, _from_zero(pick, read.size(pick)))
    if (
        read is None
        or read.beside is not None
        or not [p.place for p in read.picks] == places == [p.place for p in looked.picks]
    ):
        return False
    if any(d.dim in places for piece in looked.operand.pieces for index in piece.at for d in index.digits):
        return False
    rank, space = len(shape), (*shape, *(1 if dim is None else operand.shape[dim] for dim in places))
    at = [
        whole(rank + places.index(d), size) if d in places else whole(d, size) for d, size in enumerate(operand.shape)
    ]
    for dim, (mine, theirs, outer) in enumerate(zip(looked.picks, read.picks, picks, strict=True), rank):
        atom = replace(outer.atom, box=mine.atom.box)
        if not same_atom(mine.atom, atom, atom) or not same_atom(theirs.atom, atom, atom):
            return False
        for window, start in zip(theirs.windows, outer.windows, strict=True):
            inside = window.inside(0, space[dim], read.size(theirs))
            is_same = piecewise.is_always(piecewise.equal(window.start, start.start))
            if not is_same or not inside.has_places_of(every(start.start, read.size(theirs))):
                return False
    return kernel.same(kernel.pulled(operand, at, space), read.operand)


def negated(f: Function) -> Function:
    return piecewise.added(piecewise.everywhere(0, f), f, -1)
