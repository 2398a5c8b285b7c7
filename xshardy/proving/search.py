"""
The oracle that searches: it solves for the index at which an operation of the program of a device is one of the whole.

The reads of a term, `source_k[a_k(m)]`, are to be those of an application, `source_k[b_k(i)]`: equations of indices
between the digits of `m`, which are unknown, and the digits of `i`. Nothing here need be right: the kernel verifies.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from xshardy.proving.index import (
    ZERO,
    Digit,
    Index,
    canonical,
    combine,
    divided,
    identity,
    number,
    whole,
)
from xshardy.proving.kernel import Match, Universe
from xshardy.proving.sources import Operation, Source, Term
from xshardy.proving.views import Box, Mask, Piece, View, full_box, pull, restricted, same_in

Equation: TypeAlias = tuple[Index, Index]


class Search:
    """An `Oracle`."""

    def __init__(self, universe: Universe):
        self._universe = universe
        self._terms = defaultdict[object, list[Term]](list)

    def matches(self, operation: Operation, reads: Sequence[Piece], box: Box) -> Iterator[Match]:
        """Terms whose equations have a solution."""
        for term in list(self._terms[_key(operation, reads)]):
            self._universe.spend(1)
            for is_swapped in (False, True) if operation.commutes else (False,):
                ordered = [reads[1], reads[0], *reads[2:]] if is_swapped else reads
                if any(a.source is not b.source for a, b in zip(term.reads, ordered, strict=True)):
                    continue
                for is_paired in (False, True):
                    if (found := _match(term, operation, ordered, box, is_swapped, is_paired)) is not None:
                        yield found

    def added(self, term: Term) -> None:
        """Index a new term."""
        self._terms[_key(term.operation, term.reads)].append(term)

    def assembled(self, view: View, devices: int) -> tuple[Source, tuple[Index, ...]] | None:
        """The first assembled source whose pieces give one index for the pieces of `view`."""
        for source, defined in self._universe.assembled:
            if {piece.source for piece in defined.pieces} >= {piece.source for piece in view.pieces}:
                for at in _guesses(view, defined, devices):
                    found = pull(restricted(defined, devices), at, view.shape)
                    if found is not None and same_in(view, found, full_box(view.shape, devices)):
                        return source, at
        return None


def _key(operation: Operation, reads: Sequence[Piece]) -> object:
    sources = tuple(piece.source for piece in reads)
    either = frozenset(sources[:2]) if operation.commutes else sources[:2]
    return operation.name, operation.details, operation.kinds, operation.extra, operation.kind, either, sources[2:]


def _match(
    term: Term, operation: Operation, reads: Sequence[Piece], box: Box, is_swapped: bool, is_paired: bool
) -> Match | None:
    """A solution; if `is_paired`, one in which reduced dimensions of one size are those of the term in their order."""
    theirs = term.operation
    is_alike = term.is_local and theirs.sizes == operation.sizes and theirs.roles == operation.roles
    if is_alike and all(map(_reads_alike, term.reads, reads)):
        return Match(term, identity(operation.sizes), is_swapped)
    equations = [pair for a, b in zip(term.reads, reads, strict=True) for pair in zip(a.at, b.at, strict=True)]
    taken = [dim for dim, role in enumerate(operation.roles) if role == "w"]
    given = dict(zip((dim for dim, role in enumerate(theirs.roles) if role == "w"), taken, strict=False))
    if is_paired:
        first, second = (
            [dim for dim, role in enumerate(roles) if role == "r"] for roles in (theirs.roles, operation.roles)
        )
        pairs = [(d, mine) for d, mine in zip(first, second, strict=False) if theirs.sizes[d] == operation.sizes[mine]]
        if not pairs:
            return None
        given.update(pairs)
    known = {dim: whole(mine, operation.sizes[mine]) for dim, mine in given.items()}
    found = solve(equations, theirs.sizes, box.active, operation.sizes, known)
    if found is None:
        return None
    spare = [
        dim
        for dim, role in enumerate(operation.roles)
        if role == "r" and not any(d.dim == dim for index in found if index is not None for d in index.digits)
    ]
    at = list[Index]()
    for dim, index in enumerate(found):
        if index is None and theirs.roles[dim] == "r" and theirs.sizes[dim] > 1 and spare:
            mine = spare.pop(0)
            at.append(whole(mine, operation.sizes[mine]))
        else:
            at.append(index or number(int(term.box.lo[0, dim])))
    return Match(term, tuple(at), is_swapped)


def _reads_alike(a: Piece, b: Piece) -> bool:
    """Whether two reads differ at most in the offsets of devices."""
    return [index.digits for index in a.at] == [index.digits for index in b.at]


ZERO_INDEX = number(0)


def solve(
    equations: Sequence[Equation],
    sizes: Sequence[int],
    active: Mask,
    space: Sequence[int],
    known: dict[int, Index] | None = None,
) -> list[Index | None] | None:
    """
    An index for each dimension of `sizes`, so that the first side of each equation at them is the second.

    None if there is none, or none is found; a dimension that no equation has is None. Second sides are over `space`.
    """
    digits = _Digits(equations, known or {})
    pending = [(digits.parts(index), index.offset, value) for index, value in equations]
    while True:
        progress = False
        for parts, offset, value in pending:
            unknown = [part for part in parts if part not in digits]
            if not unknown:
                continue
            rest = digits.rest(parts, offset, value)
            if len(unknown) == 1:
                quotient = divided(rest, unknown[0].stride, active)
                if quotient is None:
                    return None
                digits[unknown[0]] = quotient
                progress = True
        if progress:
            continue
        several = next(
            ((parts, offset, value) for parts, offset, value in pending if any(p not in digits for p in parts)), None
        )
        if several is None:
            return digits.indices(sizes)
        parts, offset, value = several
        unknown = [part for part in parts if part not in digits]
        if not _split(unknown, digits.rest(parts, offset, value), active, digits):
            same = [p for p in unknown if p.div == 1 and p.dim < len(space) and p.mod == sizes[p.dim] == space[p.dim]]
            if not same:
                return None
            digits[same[-1]] = whole(same[-1].dim, sizes[same[-1].dim])


class _Digits:
    """What is known of the digits of the unknown indices, cut so that no two overlap."""

    def __init__(self, equations: Sequence[Equation], known: dict[int, Index]):
        ends = defaultdict[int, set[int]](set)
        for index, _ in equations:
            for digit in index.digits:
                ends[digit.dim].update((digit.div, digit.div * digit.mod))
        self._ends = {dim: sorted(values) for dim, values in ends.items()}
        self._known = dict[tuple[int, int], Index]()
        self._whole = known

    def parts(self, index: Index) -> list[Digit]:
        """The digits of `index`, cut."""
        parts = list[Digit]()
        for stride, dim, div, mod in index.digits:
            at = div
            for end in self._ends[dim]:
                if div < end <= div * mod and end % at == 0 and (div * mod) % end == 0:
                    parts.append(Digit(stride * (at // div), dim, at, end // at))
                    at = end
        return parts

    def __contains__(self, digit: Digit) -> bool:
        return digit.dim in self._whole or (digit.dim, digit.div) in self._known

    def __getitem__(self, digit: Digit) -> Index:
        given = self._whole.get(digit.dim)
        if given is None:
            return self._known[digit.dim, digit.div]
        return Index(ZERO, tuple(Digit(1, each.dim, digit.div, digit.mod) for each in given.digits))

    def __setitem__(self, digit: Digit, value: Index) -> None:
        self._known[digit.dim, digit.div] = value

    def rest(self, parts: Sequence[Digit], offset: np.ndarray, value: Index) -> Index:
        """What the unknown digits add up to."""
        known = [(-part.stride, self[part]) for part in parts if part in self]
        return combine((1, value), (-1, Index(offset)), *known)

    def indices(self, sizes: Sequence[int]) -> list[Index | None]:
        """The index of each dimension, of its digits."""
        found = list[Index | None]()
        for dim in range(len(sizes)):
            parts = [(div, index) for (d, div), index in self._known.items() if d == dim]
            found.append(self._whole[dim] if dim in self._whole else combine(*parts) if parts else None)
        return found


def _split(unknown: Sequence[Digit], rest: Index, active: Mask, digits: _Digits) -> bool:
    """Find several digits whose sum is `rest`, from the largest stride to the smallest."""
    ordered = sorted(unknown, reverse=True)
    if ordered[-1].stride <= 0 or any(digit.stride < 0 for digit in rest.digits):
        return False
    if len({digit.stride for digit in ordered}) < len(ordered):
        return False
    found = dict[Digit, Index]()
    for digit in ordered:
        high, low = list[Digit](), list[Digit]()
        for part in rest.digits:
            if part.stride % digit.stride == 0 or part.stride * part.mod <= digit.stride:
                cut = [part]
            elif digit.stride % part.stride == 0 and (pair := part.cut(digit.stride // part.stride)) is not None:
                cut = list(pair)
            else:
                return False
            for each in cut:
                (high if each.stride % digit.stride == 0 else low).append(each)
        offset = np.where(active, rest.offset, 0)
        quotient = offset // digit.stride
        if digit is ordered[-1] and (low or (offset % digit.stride).any()):
            return False
        found[digit] = Index(quotient, canonical(p._replace(stride=p.stride // digit.stride) for p in high))
        rest = Index(offset - quotient * digit.stride, canonical(low))
    for digit, index in found.items():
        digits[digit] = index
    return True


def _guesses(view: View, defined: View, devices: int) -> Iterator[tuple[Index, ...]]:
    """Indices that make `defined` equal to `view` in its pieces of one source, put together over the devices."""
    digits: list[tuple[Digit, ...]] | None = None
    offsets = [np.zeros(devices, np.int64) for _ in defined.shape]
    known = np.zeros(devices, bool)
    for piece in view.pieces:
        for other in defined.pieces:
            if other.source is not piece.source or not other.at:
                continue
            found = solve([*zip(other.at, piece.at, strict=True)], defined.shape, piece.box.active, view.shape)
            if found is None:
                continue
            at = [_or_same(index, dim, view, defined) for dim, index in enumerate(found)]
            digits = [index.digits for index in at] if digits is None else digits
            if [index.digits for index in at] == digits:
                new = piece.box.active & ~known
                offsets = [np.where(new, index.offset, old) for index, old in zip(at, offsets, strict=True)]
                known |= new
                break
    if digits is not None and known.all():
        yield tuple(map(Index, offsets, [_completed(each, dim, view) for dim, each in enumerate(digits)]))
        yield tuple(map(Index, offsets, digits))


def _completed(digits: tuple[Digit, ...], dim: int, view: View) -> tuple[Digit, ...]:
    """All digits of a dimension in place of some, where the source may not depend on the others."""
    is_part = dim < len(view.shape) and all(each.dim == dim and each.stride == each.div for each in digits)
    return whole(dim, view.shape[dim]).digits if is_part else digits


def _or_same(index: Index | None, dim: int, view: View, defined: View) -> Index:
    """`index`, or where nothing is known about it the same one."""
    if index is not None:
        return index
    is_same = len(view.shape) == len(defined.shape) and view.shape[dim] == defined.shape[dim]
    return whole(dim, view.shape[dim]) if is_same else ZERO_INDEX
