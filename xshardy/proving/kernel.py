"""
The kernel: what an application of an operation to views is, and which answers about it are believed.

Both programs are read into the same sources. The kernel never searches. Where an operation of the program of a device
may be one of the whole program, it asks an `Oracle` for a term and the index into it, and *verifies* the answer by
substitution: whatever the oracle answers, the kernel accepts what is true only. The oracle that searches is in
`search`; that of a certificate gives recorded answers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from math import isfinite, prod
from typing import Protocol, TypeAlias

import numpy as np

from xshardy.axes.grid import Grid
from xshardy.numerics.element_types import Array
from xshardy.proving.folding import folded
from xshardy.proving.index import (
    LARGEST,
    UNLIMITED,
    ZERO,
    Digit,
    Index,
    Ints,
    are_indices,
    combine,
    first_equal,
    identity,
    number,
    substitute,
    whole,
)
from xshardy.proving.sources import Constant, Gapped, Operation, Source, Table, Term
from xshardy.proving.views import (
    Box,
    Mask,
    Partial,
    Piece,
    View,
    bounds,
    full_box,
    merged,
    preimage,
    pull,
    refined,
    restricted,
    same_in,
    same_partial,
    settled,
    view_of,
    without,
)

IDEMPOTENT = frozenset({"maximum", "minimum", "and", "or"})
"""Combiners that do not notice a value that they have combined before."""


Answer: TypeAlias = "Match | tuple[Source, tuple[Index, ...]] | Sequence[tuple[Index, ...]] | None"
"""A match, an assembled source and the index into it, or an index into each value of a loop or branch."""


class Undecided(Exception):
    """The message says which value could not be read, and what is missing."""


BUDGET = 1_000_000
"""How many steps a decision takes at most. The step of a transformer takes 1,300 for each layer, some 10 a ms."""


class OutOfSteps(Exception):
    """The budget of a decision is spent."""


class Universe:
    """The sources that both programs have in common, and the answers that were accepted about them."""

    def __init__(self, budget: int | None = None):
        self.budget = budget
        self.steps = 0
        """What was done so far: pieces that operations read, boxes of results, and terms that were compared."""
        self.journal = list[Answer]()
        """One for each question of a kernel, in order: what a certificate is made of."""
        self.integers = Source("integers", (UNLIMITED,))
        self.terms = list[Term]()
        self.assumptions = set[str]()
        """What is taken to hold beside the programs, as sentences."""
        self.written = set[Source]()
        """Sources of each device that the whole program has in manual computations."""
        self.assembled = list[tuple[Source, View]]()
        self._constants = dict[object, Constant]()
        self._tables = dict[tuple[str, tuple[int, ...], bytes], Table]()
        self.gaps = dict[tuple[Source, tuple[int, ...], Constant], Gapped]()

    def spend(self, steps: int) -> None:
        """Count `steps`. Raises `OutOfSteps` if the budget is spent."""
        self.steps += steps
        if self.budget is not None and self.steps > self.budget:
            raise OutOfSteps

    def constant(self, value: float | complex | bool) -> Constant:
        """A number that is no integer. Zeros of both signs are one, and so are all real ones that are not numbers."""
        key = (isinstance(value, bool), repr(value) if value != value else value)
        if key not in self._constants:
            self._constants[key] = Constant(str(value), (), value)
        return self._constants[key]

    def table(self, values: Array) -> Table:
        """The source of these elements."""
        key = (str(values.dtype), values.shape, values.tobytes())
        if key not in self._tables:
            self._tables[key] = Table(f"table{len(self._tables)}", values.shape, values)
        return self._tables[key]

    def gapped(self, source: Source, dim: int, factor: int, fill: Constant, filling: Piece) -> Gapped:
        """`source` with `factor - 1` elements `fill`, as `filling` is, after each of its elements along `dim`."""
        factors = [1] * len(source.shape)
        if isinstance(source, Gapped) and source.fill is fill:
            source, factors = source.source, list(source.factors)
        factors[dim] *= factor
        key = source, tuple(factors), fill
        if key not in self.gaps:
            shape = tuple(size * count for size, count in zip(source.shape, factors, strict=True))
            name = f"{source.name} with gaps {factors}"
            self.gaps[key] = Gapped(name, shape, source, key[1], fill, filling, is_local=source.is_local)
        return self.gaps[key]


@dataclass(frozen=True, eq=False, slots=True)
class Match:
    """An answer: the application is `term` at `at`, an index for each dimension of the space of the term."""

    term: Term
    at: tuple[Index, ...]
    is_swapped: bool = False
    """Whether the first two reads are those of the term in the other order."""


class Oracle(Protocol):
    """Whoever answers the questions of a kernel. No answer is believed before it is verified."""

    def matches(self, operation: Operation, reads: Sequence[Piece], box: Box) -> Iterable[Match]:
        """Terms that `operation` on `reads` in `box` may be a part of."""
        ...

    def added(self, term: Term) -> None:
        """Tell of a term that no answer fitted."""
        ...

    def assembled(self, view: View, devices: int) -> tuple[Source, tuple[Index, ...]] | None:
        """The assembled source of which `view` is a part, and where."""
        ...


@dataclass(eq=False)
class Kernel:
    """Reads a program of `devices` devices. `is_whole` is the whole program, which has one."""

    universe: Universe
    oracle: Oracle
    devices: int
    is_whole: bool
    grid: Grid
    """The replicas and partitions of a program of a device."""
    lookups: dict[Source, tuple[Piece, object]] = field(default_factory=dict[Source, tuple[Piece, object]])
    """Which pieces of sources of the device are look-ups (`rules.look_up_windows.Looked`)."""

    # -- views -------------------------------------------------------------------------------------------------------

    def constant(self, value: float | complex | bool, shape: Sequence[int]) -> View:
        """A tensor of one number that is no integer."""
        return view_of(self.universe.constant(value), (), shape, self.devices)

    def integer(self, value: Index, shape: Sequence[int]) -> View:
        """A tensor of integers, `value` of its index."""
        return view_of(self.universe.integers, (value,), shape, self.devices)

    def table(self, values: Array) -> View:
        """A tensor of these elements."""
        source = self.universe.table(np.ascontiguousarray(values))
        return view_of(source, identity(values.shape), values.shape, self.devices)

    def pulled(self, view: View, at: Sequence[Index], shape: Sequence[int]) -> View:
        """`view` at the indices `at`, by a source of its own if its pieces do not allow that."""
        found = pull(view, at, shape)
        if found is None:
            found = pull(self.single(view), at, shape)
        if found is None:
            found = pull(self.single(view, is_named=True), at, shape)
        if found is None:
            raise Undecided("its index is no sum of digits")
        return self.read_tables(found)

    def read_tables(self, view: View) -> View:
        """Elements of tables at places that are known on each device, as numbers."""
        pieces = list[Piece]()
        for piece in view.pieces:
            if isinstance(piece.source, Table) and all(index.is_known for index in piece.at):
                places = tuple(np.where(piece.box.active, index.offset, 0) for index in piece.at)
                values = piece.source.values[places]
                if values.dtype.kind in "iu" and np.abs(values.astype(np.float64)).max() < LARGEST:
                    pieces.append(Piece(self.universe.integers, (number(values.astype(np.int64)),), piece.box))
                elif values.dtype.kind in "iu":
                    pieces.append(piece)
                else:
                    pieces += (
                        Piece(self.universe.constant(value.item()), (), piece.box.where(values == value))
                        for value in np.unique(values)
                    )
            else:
                pieces.append(piece)
        return View(view.shape, merged(pieces))

    def opaque(self, name: str, shape: Sequence[int]) -> View:
        """A tensor that nothing is known about: of each device another one, in the program of a device."""
        if self.is_whole:
            return view_of(Source(name, tuple(shape)), identity(shape), shape, self.devices)
        source = Source(f"{name} of a device", (self.devices, *shape), is_local=True)
        return view_of(source, (number(np.arange(self.devices)), *identity(shape)), shape, self.devices)

    def single(self, view: View, is_named: bool = False) -> View:
        """`view` as one piece, by a source that is assembled of its pieces; always by such a source if `is_named`."""
        is_single = len(view.pieces) == 1 and view.pieces[0].partial is None and not is_named
        if is_single and view.is_known(self.devices):
            return view
        if not view.is_known(self.devices):
            raise Undecided("some of its elements are unknown")
        if not is_named and (found := folded(view, self.devices)) is not None:
            return found
        if kept := self._without_repetition(view):
            inner = [kept.index(dim) if dim in kept else None for dim in range(len(view.shape))]
            sizes = [view.shape[dim] for dim in kept]
            at = [number(0) if dim is None else whole(dim, sizes[dim]) for dim in inner]
            if (smaller := pull(view, at, sizes)) is not None:
                return self.pulled(self.single(smaller), [whole(dim, view.shape[dim]) for dim in kept], view.shape)
        answer = self.oracle.assembled(view, self.devices)
        self.universe.journal.append(answer)
        if answer is not None:
            source, at = answer
            defined = next(defined for assembled, defined in self.universe.assembled if assembled is source)
            is_valid = len(at) == len(defined.shape) and are_indices(at, view.shape, self.devices)
            again = pull(restricted(defined, self.devices), at, view.shape) if is_valid else None
            if again is not None and same_in(view, again, full_box(view.shape, self.devices)):
                return view_of(source, at, view.shape, self.devices)
        if not self.is_whole:
            return self.opaque("an assembled tensor", view.shape)
        source = Source(f"assembled{len(self.universe.assembled)}", view.shape)
        self.universe.assembled.append((source, view))
        return view_of(source, identity(view.shape), view.shape, self.devices)

    @staticmethod
    def _without_repetition(view: View) -> Sequence[int]:
        """The dimensions that `view` depends on, and those of one index, if these are not all."""
        used = {digit.dim for piece in view.pieces for index in piece.at for digit in index.digits}
        for piece in view.pieces:
            is_cut = (piece.box.lo != 0) | (piece.box.hi != view.shape)
            used |= {*np.flatnonzero((is_cut & piece.box.active[:, None]).any(0)).tolist()}
        kept = [dim for dim, size in enumerate(view.shape) if dim in used or size == 1]
        return kept if len(kept) < len(view.shape) else ()

    def same(self, a: View, b: View, box: Box | None = None) -> bool:
        """Whether two tensors are equal on all devices, in `box` or everywhere."""
        return a.shape == b.shape and same_in(a, b, full_box(a.shape, self.devices) if box is None else box)

    def has(self, view: View, part: View) -> bool:
        """Whether `view` is `part` wherever that is known: elsewhere is padding."""
        return view.shape == part.shape and all(same_in(view, part, piece.box) for piece in part.pieces)

    def is_number(self, piece: Piece, value: float | bool) -> bool:
        """Whether a piece is this number everywhere."""
        if piece.partial is not None:
            return False
        if isinstance(piece.source, Constant):
            return piece.source.value == value and isinstance(piece.source.value, bool) == isinstance(value, bool)
        if isinstance(piece.source, Table):  # of integers that are too large for an index
            return not isinstance(value, bool) and bool((piece.source.values == value).all())
        return (
            piece.source is self.universe.integers
            and not isinstance(value, bool)
            and piece.at[0].is_known
            and bool(((piece.at[0].offset == value) | ~piece.box.active).all())
        )

    # -- operations that compute -------------------------------------------------------------------------------------

    def apply(
        self,
        operation: Operation,
        reads: Sequence[View],
        out: Sequence[int | None],
        neutral: float | bool | None = None,
        masks: int = 0,
    ) -> View:
        """
        The result of `operation`, whose reads are views over its space.

        `out` names for each dimension of the result that of the space; None for one that the operation makes. Reduced
        elements for which a read is the number `neutral` add nothing to the result, unless another is an infinite
        constant; but not for the last `masks` reads, which choose what is reduced.
        """
        reduced = [dim for dim, role in enumerate(operation.roles) if role == "r"]
        taken = [dim for dim, role in enumerate(operation.roles) if role == "w"]
        space = full_box(operation.sizes, self.devices)
        reads = [view if has_whole_pieces(view, taken) else self.single(view) for view in reads] if taken else reads
        boxes, nothing = list[tuple[Box, tuple[Piece, ...]]](), list[Box]()
        for box, chosen in refined([view.pieces for view in reads]) if reads else [(space, ())]:
            if neutral is not None and self._adds_nothing(chosen[: len(chosen) - masks], neutral):
                nothing.append(box)
            else:
                boxes.append((box, chosen))
        kept = [dim for dim in range(len(operation.sizes)) if dim not in reduced]
        if reduced and boxes and overlap([box.dims(kept) for box, _ in boxes]):  # of summands of one element
            reads = [self.single(view) for view in reads]
            boxes, nothing = list(refined([view.pieces for view in reads])), []
        extra = iter(operation.extra)
        shape = tuple(next(extra) if dim is None else operation.sizes[dim] for dim in out)
        pieces = list[Piece]()
        for box, chosen in boxes:
            if operation.name == "reduce" and (folded := self._reduced_number(operation, chosen[0], box, reduced)):
                pieces.append(replace(folded, box=_out_box(box, out, shape)))
            elif not reduced or _is_filled(box, nothing, reduced, space):
                pieces += self._result(operation, chosen, box, out, shape)
        if reduced and neutral is not None:
            pieces += self._neutral_pieces(neutral, nothing, reduced, space, out, shape)
        return View(shape, merged(pieces))

    def _adds_nothing(self, factors: Sequence[Piece], neutral: float | bool) -> bool:
        """Whether one of `factors` is the number `neutral`, and no other one is an infinite constant, or NaN."""
        others = [piece for piece in factors if not self.is_number(piece, neutral)]
        return len(others) < len(factors) and all(is_finite(piece) for piece in others)

    def _reduced_number(self, operation: Operation, piece: Piece, box: Box, reduced: Sequence[int]) -> Piece | None:
        """The reduction of one number over whole dimensions: a multiple, or itself; None for anything else."""
        sizes = [operation.sizes[dim] for dim in reduced]
        if (
            not isinstance(piece.source, Constant)
            or not (_is_whole_along(box, reduced, full_box(operation.sizes, self.devices)) | ~box.active).all()
        ):
            return None
        value = piece.source.value if operation.kind in IDEMPOTENT else exact_multiple(piece.source.value, prod(sizes))
        return None if value is None else Piece(self.universe.constant(value), (), box)

    def _neutral_pieces(
        self,
        neutral: float | bool,
        nothing: Sequence[Box],
        reduced: Sequence[int],
        space: Box,
        out: Sequence[int | None],
        shape: Sequence[int],
    ) -> list[Piece]:
        """Results that only neutral elements are reduced to."""
        pieces, done = list[Piece](), list[Box]()
        for box in nothing:
            wide = _widened_along(box, reduced, space)
            is_full = sum((wide.meet(other).volume for other in nothing), np.int64(0)) == wide.volume
            found = [_out_box(box.where(is_full), out, shape)]
            for other in done:
                found = [part for each in found for part in without(each, other)]
            done += found
            pieces += (Piece(self.universe.constant(neutral), (), each) for each in found if each.active.any())
        return pieces

    def _result(
        self,
        operation: Operation,
        reads: Sequence[Piece],
        box: Box,
        out: Sequence[int | None],
        shape: tuple[int, ...],
        is_rest: bool = False,
    ) -> list[Piece]:
        """
        The pieces of the result of one box of the space, which may be parts of several terms.

        Where a device computes more than the terms that it has a part of (`is_rest`), as in padding, that is unknown.
        """
        self.universe.spend(1)
        reads = [replace(piece, at=settled(piece.at, box, operation.sizes), box=box) for piece in reads]
        pieces, left, rest = list[Piece](), box, list[Box]()
        for match in self.oracle.matches(operation, reads, box):
            inside = self._inside(match, operation, left)
            accepted = self.verified(operation, reads, inside, match) if inside.active.any() else None
            if accepted is None:
                continue
            indices, partial, holds = accepted
            self.universe.journal.append(match)
            pieces.append(self._piece(operation, match.term, indices, partial, inside.where(holds), out, shape))
            rest += without(left.where(holds), inside) if inside is not left else ()
            left = left.where(~holds)
            if not left.active.any():
                break
        else:
            self.universe.journal.append(None)
            if not is_rest:
                mine = [replace(piece, at=settled(piece.at, left, operation.sizes), box=left) for piece in reads]
                term, at = self._new_term(operation, mine, left)
                pieces.append(self._piece(operation, term, at, None, left, out, shape))
        for part in rest:
            pieces += self._result(operation, reads, part, out, shape, not self.is_whole)
        return pieces

    def _inside(self, match: Match, operation: Operation, box: Box) -> Box:
        """The part of `box` in which the indices of a match are in the box of its term: of parallel dimensions only."""
        term = match.term
        if term.is_local or term.operation.is_total or not are_indices(match.at, operation.sizes, self.devices):
            return box
        parallel = [dim for dim, role in enumerate(term.operation.roles) if role == "p"]
        found = preimage(
            term.box.dims(parallel).at_devices(np.zeros(self.devices, np.int64)),
            [match.at[dim] for dim in parallel],
            operation.sizes,
        )
        if found is None or found.contains(box).all():
            return box
        return box.meet(found)

    def _piece(
        self,
        operation: Operation,
        term: Term,
        indices: Sequence[Index],
        partial: Partial | None,
        box: Box,
        out: Sequence[int | None],
        shape: tuple[int, ...],
    ) -> Piece:
        """The piece of a result that is in `term` at `indices` of the space."""
        dims = {dim: place for place, dim in enumerate(out) if dim is not None}
        renaming = [dims.get(dim, -1) for dim in range(len(operation.sizes))]
        at = [index.renamed(renaming) for index in indices]
        at += [whole(place, shape[place]) for place, dim in enumerate(out) if dim is None]
        out_box = _out_box(box, out, shape)
        return Piece(term, settled(at, out_box, shape), out_box, partial)

    def _new_term(self, operation: Operation, reads: Sequence[Piece], box: Box) -> tuple[Term, list[Index]]:
        """The term of an application that is no part of another one, and the indices of its result there."""
        used = {digit.dim for piece in reads for index in piece.at for digit in index.digits}
        parallel = [dim for dim in sorted(used) if operation.roles[dim] == "p"]
        sizes = tuple(operation.sizes[dim] for dim in parallel) + operation.extra
        name = f"{operation.name}{len(self.universe.terms)}"
        if self.is_whole:
            term = Term(name, sizes, operation, tuple(reads), box, tuple(parallel))
        else:
            devices = representatives(operation, reads, box)
            shape = (self.devices, *sizes)
            term = Term(name, shape, operation, tuple(reads), box, tuple(parallel), devices, is_local=True)
        self.universe.terms.append(term)
        self.oracle.added(term)
        at = [used_digits(reads, dim, operation.sizes[dim]) for dim in parallel]
        return term, at if term.devices is None else [number(term.devices), *at]

    def verified(
        self, operation: Operation, reads: Sequence[Piece], box: Box, match: Match
    ) -> tuple[Sequence[Index], Partial | None, Mask] | None:
        """
        The indices of the result in the term of `match`, the part of the reduction that it is, and the devices on which
        the match is right; None if there are none.

        It is right where the reads of the term at the indices of the match are `reads`, everywhere in `box`, and each
        dimension has its role there: parallel ones are parallel, reduced ones are reduced once, others are whole.
        """
        term, at = match.term, match.at
        theirs = term.operation
        if not are_indices(at, operation.sizes, self.devices):
            return None
        if match.is_swapped:
            if not operation.commutes:
                return None
            reads = [reads[1], reads[0], *reads[2:]]
        if (
            (theirs.name, theirs.details, theirs.kinds, theirs.extra, theirs.kind)
            != (operation.name, operation.details, operation.kinds, operation.extra, operation.kind)
            or len(term.reads) != len(reads)
            or len(at) != len(theirs.sizes)
            or not all(a.source is b.source and a.outside is b.outside for a, b in zip(term.reads, reads, strict=True))
            or not _agree(operation, at, box)
        ):
            return None
        holds = box.active & term.box.active
        if not theirs.is_total:
            for dim, index in enumerate(at):
                low, high = bounds(index, box)
                holds = holds & (low >= term.box.lo[:, dim]) & (high < term.box.hi[:, dim])
        box = box.where(holds)
        for mine, other in zip(reads, term.reads, strict=True):
            if not same_partial(mine.partial, other.partial, holds):
                return None
            expected = settled(mine.at, box, operation.sizes)
            for index, wanted in zip(other.at, expected, strict=True):
                found = substitute(index, at, theirs.sizes, box.lo, box.hi)
                if found is None:
                    return None
                found = settled([found], box, operation.sizes)[0]
                if found.digits != wanted.digits:
                    return None
                holds = holds & (found.offset == wanted.offset)
        if theirs.members is not None:
            holds = holds & holds[theirs.members].all(1)
        if not holds.any() or not _keeps_roles(operation, theirs, at):
            return None
        parts = _reduced_part(operation, term, at, box.where(holds))
        if parts is None:
            return None
        indices = [at[dim] for dim in term.parallel]
        return indices if term.devices is None else [number(term.devices), *indices], parts[0], holds


def has_whole_pieces(view: View, dims: Sequence[int]) -> bool:
    """Whether all pieces of a view are whole along these dimensions."""
    sizes = [view.shape[dim] for dim in dims]
    return all(
        ((box.lo == 0).all(1) & (box.hi == sizes).all(1) | ~box.active).all()
        for box in (piece.box.dims(dims) for piece in view.pieces)
    )


def representatives(operation: Operation, reads: Sequence[Piece], box: Box) -> Ints:
    """For each device, the first one that computes the same: of equal reads, for collectives on all of the group."""
    count = len(box.here)
    columns = [np.broadcast_to(index.offset, count) for piece in reads for index in piece.at]
    parts = [part for piece in reads if piece.partial is not None for part in piece.partial.boxes]
    columns += [column for part in parts for column in (part.active.astype(np.int64), *part.lo.T, *part.hi.T)]
    alike = first_equal(np.column_stack([box.here.astype(np.int64), box.lo, box.hi, *columns]))
    return alike if operation.members is None else first_equal(alike[operation.members])


def exact_multiple(value: float | complex | bool, count: int) -> float | None:
    """`count * value` of a real number, if that is a number of 64 bits."""
    if not isinstance(value, float) or not isfinite(value) or not isfinite(value * count):
        return None
    return value * count if Fraction(value) * count == Fraction(value * count) else None


def _agree(operation: Operation, at: Sequence[Index], box: Box) -> bool:
    """Whether the devices of each group of a collective are at the same indices in the same boxes."""
    if (members := operation.members) is None:
        return True
    rows = [*box.lo.T, *box.hi.T, *(np.broadcast_to(index.offset, len(members)) for index in at)]
    return all(((row[members] == row[:, None]).all(1) | ~box.active).all() for row in rows)


def used_digits(reads: Sequence[Piece], dim: int, size: int) -> Index:
    """The index of `dim`, without the digits that no read depends on."""
    used = {(d.div, d.mod) for piece in reads for index in piece.at for d in index.digits if d.dim == dim}
    ends = sorted({end for div, mod in used for end in (div, div * mod)})
    if any(after % before for before, after in pairwise(ends)):
        return whole(dim, size)
    parts = [
        (1, Index(ZERO, (Digit(low, dim, low, high // low),)))
        for low, high in pairwise(ends)
        if any(div <= low and high <= div * mod for div, mod in used)
    ]
    return combine(*parts)


def _out_box(box: Box, out: Sequence[int | None], shape: Sequence[int]) -> Box:
    """The box of the result: that of the space along its dimensions, all of those that the operation makes."""
    full = full_box(shape, len(box.here))
    if box.sizes is not None:
        return full
    for place, dim in enumerate(out):
        if dim is not None:
            full.lo[:, place], full.hi[:, place] = box.lo[:, dim], box.hi[:, dim]
    return Box(full.lo, full.hi, box.active)


def overlap(boxes: Sequence[Box]) -> bool:
    """Whether two of the boxes have an index in common, on some device."""
    lo, hi = np.stack([box.lo for box in boxes]), np.stack([box.hi for box in boxes])
    active = np.stack([box.active for box in boxes])
    for number_ in range(len(boxes) - 1):
        meets = (np.minimum(hi[number_], hi[number_ + 1 :]) > np.maximum(lo[number_], lo[number_ + 1 :])).all(2)
        if (meets & active[number_] & active[number_ + 1 :]).any():
            return True
    return False


def _widened_along(box: Box, dims: Sequence[int], space: Box) -> Box:
    lo, hi = box.lo.copy(), box.hi.copy()
    lo[:, dims], hi[:, dims] = space.lo[:, dims], space.hi[:, dims]
    return Box(lo, hi, box.active)


def is_finite(piece: Piece) -> bool:
    """Whether a piece is no constant, or one that is finite."""
    return not isinstance(piece.source, Constant) or bool(np.isfinite(piece.source.value))


def _is_filled(box: Box, nothing: Sequence[Box], reduced: Sequence[int], space: Box) -> bool:
    """Whether all that is reduced for the results of `box` is in `box` or is neutral."""
    wide = _widened_along(box, reduced, space)
    have = box.volume + sum((wide.meet(other).volume for other in nothing), np.int64(0))
    return bool((have == wide.volume).all())


def _is_whole_along(box: Box, dims: Sequence[int], space: Box) -> Mask:
    """The devices on which `box` has all indices of `dims`."""
    return box.active & ((box.lo == space.lo) & (box.hi == space.hi))[:, list(dims)].all(1)


def _keeps_roles(operation: Operation, theirs: Operation, at: Sequence[Index]) -> bool:
    """Whether indices of each role depend on dimensions of that role only, and whole dimensions are whole, in order."""
    if any(operation.roles[d.dim] != theirs.roles[dim] for dim, index in enumerate(at) for d in index.digits):
        return False
    return _takes_whole(operation, theirs, at)


def _takes_whole(operation: Operation, theirs: Operation, at: Sequence[Index]) -> bool:
    """Whether dimensions that are taken as a whole are those of the other operation, in order."""
    mine = [whole(dim, operation.sizes[dim]) for dim, role in enumerate(operation.roles) if role == "w"]
    others = [(at[dim], theirs.sizes[dim]) for dim, role in enumerate(theirs.roles) if role == "w"]
    sizes = [operation.sizes[dim] for dim, role in enumerate(operation.roles) if role == "w"]
    return sizes == [size for _, size in others] and all(
        index.digits == expected.digits and not index.offset.any()
        for (index, _), expected in zip(others, mine, strict=True)
    )


def _reduced_part(operation: Operation, term: Term, at: Sequence[Index], box: Box) -> tuple[Partial | None] | None:
    """
    The part of the reduction of `term` that a match has: `(None,)` if it is all of it, None if the match is wrong.

    Each reduced dimension of the application must be one digit of one index, so that no element is reduced twice, and
    the indices must fill a box.
    """
    active, seen, lows, highs, sizes = box.active, set[int](), list[Ints](), list[Ints](), list[int]()
    extents = np.where(active[:, None], box.hi - box.lo, 1)
    for dim, index in enumerate(at):
        if term.operation.roles[dim] != "r":
            continue
        start, counts = term.box.lo[:, dim], np.broadcast_to(term.box.hi[:, dim] - term.box.lo[:, dim], len(active))
        count = int(counts[active][0])
        if (counts[active] != count).any():
            return None
        expected = 1
        for digit in sorted(index.digits):
            is_whole = (extents[:, digit.dim] == operation.sizes[digit.dim]).all()
            if digit.dim in seen or digit.div != 1 or digit.mod != operation.sizes[digit.dim]:
                return None
            if digit.stride != expected or (not is_whole and digit is not sorted(index.digits)[-1]):
                return None
            seen.add(digit.dim)
            expected *= operation.sizes[digit.dim]
        low, high = bounds(index, box)
        lows.append(np.broadcast_to(low - start, len(active)))
        highs.append(np.broadcast_to(high + 1 - start, len(active)))
        sizes.append(count)
    for dim, role in enumerate(operation.roles):
        if role == "r" and dim not in seen and (extents[:, dim] != 1).any() and operation.kind not in IDEMPOTENT:
            return None
    if not sizes:
        return (None,)
    part = Box(np.stack(lows, 1), np.stack(highs, 1), active)
    if (part.volume == prod(sizes))[active].all():
        return (None,)
    return (Partial(operation.kind or "add", (part,), tuple(sizes)),)
