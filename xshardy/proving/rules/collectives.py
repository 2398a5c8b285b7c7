"""
Collectives: parts of the devices of a group put together, and partial sums completed.

Groups are known, so that each device's view is made of the views of the others by array indexing.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from xdsl.ir import Attribute, Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.replica_groups import integer_table
from xshardy.interpreters.stablehlo.collectives import channel_of, groups_over_all, groups_over_one
from xshardy.proving.index import (
    Digit,
    Index,
    Ints,
    canonical,
    digits_of_steps,
    number,
    part_at,
    same_index,
    substitute,
    whole,
)
from xshardy.proving.kernel import IDEMPOTENT, Kernel, Undecided, exact_multiple
from xshardy.proving.rules.keys import NUMBERS, TRUTH, element_of, integer_range
from xshardy.proving.rules.movement import moved
from xshardy.proving.rules.reductions import combiner_of, joined, neutral_of, parts_together
from xshardy.proving.sources import Constant, Term, is_made_of_parts
from xshardy.proving.sources import Operation as Applied
from xshardy.proving.views import Box, Mask, Partial, Piece, View, at_devices, full_box, merged, pull

MAX_CELLS = 4096
"""How many boxes of an all-reduce are looked at, at most."""


def by_device(kernel: Kernel, groups: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    """For each device the members of its group, and its own place there. Raises `Undecided` for a device in none."""
    if all(len(group) == 1 for group in groups):
        alone = np.arange(kernel.devices)
        return alone.reshape(-1, 1), np.zeros_like(alone)
    if not groups or len({len(group) for group in groups}) != 1:
        raise Undecided("its groups have several sizes")
    _check_devices(kernel, (device for group in groups for device in group))
    members = np.full((kernel.devices, len(groups[0])), -1)
    ranks = np.zeros(kernel.devices, np.int64)
    for group in groups:
        members[list(group)] = group
        ranks[list(group)] = np.arange(len(group))
    if (members < 0).any():
        raise Undecided("a device is in none of its groups")
    return members, ranks


def _check_devices(kernel: Kernel, devices: Iterable[int]) -> None:
    """Raises `Undecided` for the number of a device that the program does not have."""
    if any(device >= kernel.devices for device in devices):
        raise Undecided(f"it names devices, but is in a program of {kernel.devices}")


def partition_id(kernel: Kernel, op: Operation, operands: Sequence[View]) -> Sequence[View]:
    if kernel.is_whole:
        raise Undecided("the number of a device is none of the whole program")
    devices = np.arange(kernel.devices)
    is_partition = isinstance(op, stablehlo.PartitionIdOp)
    value = devices % kernel.grid.partitions if is_partition else devices // kernel.grid.partitions
    return [kernel.integer(number(value), ())]


def all_gather(kernel: Kernel, op: stablehlo.AllGatherOp, operands: Sequence[View]) -> Sequence[View]:
    members, _ = by_device(kernel, groups_over_all(op, kernel.grid))
    return [_gathered(kernel, view, op.all_gather_dim.value.data, members) for view in operands]


def _gathered(kernel: Kernel, view: View, dim: int, members: Ints) -> View:
    """The views of the devices of each group one after another along `dim`."""
    shape = tuple(size * members.shape[1] if d == dim else size for d, size in enumerate(view.shape))
    pieces = list[Piece]()
    for piece in view.pieces:
        found = _gathered_in_steps(piece, view.shape, dim, members)
        pieces += _gathered_one_by_one(kernel, piece, view.shape, dim, members, shape) if found is None else [found]
    return View(shape, merged(pieces))


def _gathered_one_by_one(
    kernel: Kernel, piece: Piece, part: tuple[int, ...], dim: int, members: Ints, shape: tuple[int, ...]
) -> Iterator[Piece]:
    """A piece of each device of a group, at the place of its rank."""
    for rank in range(members.shape[1]):
        starts = [rank * part[dim] if d == dim else 0 for d in range(len(shape))]
        yield from moved(kernel, at_devices(View(part, (piece,)), members[:, rank]), starts, shape).pieces


def _gathered_in_steps(piece: Piece, part: tuple[int, ...], dim: int, members: Ints) -> Piece | None:
    """
    The same as one piece, where the offsets are sums of digits of the rank in the group.

    The piece must be whole along `dim`, and the same box on all devices of a group.
    """
    box, size, devices = piece.box, part[dim], len(members)
    ends = np.concatenate([box.lo, box.hi, box.here[:, None]], axis=1)
    is_whole = (box.lo[:, dim] == 0) & (box.hi[:, dim] == size) | ~box.here
    if is_made_of_parts(piece) or not is_whole.all() or (ends[members] != ends[:, None]).any():
        return None
    at = list[Index]()
    inner = [whole(d, extent) for d, extent in enumerate(part)]
    for index in piece.at:
        offsets = np.broadcast_to(index.offset, devices)[members]
        steps = offsets - offsets[:, :1]
        digits = digits_of_steps(steps[0]) if (steps == steps[0]).all() else None
        lifted = substitute(index, inner, part)
        if digits is None or lifted is None:
            return None
        ranks = [Digit(stride, dim, size * div, mod) for stride, _, div, mod in digits]
        at.append(Index(offsets[:, 0].copy(), canonical([*lifted.digits, *ranks])))
    hi = box.hi.copy()
    hi[:, dim] *= members.shape[1]
    return replace(piece, at=tuple(at), box=Box(box.lo, hi, box.here))


def all_to_all(kernel: Kernel, op: stablehlo.AllToAllOp, operands: Sequence[View]) -> Sequence[View]:
    members, ranks = by_device(kernel, groups_over_one(op, kernel.grid))
    split, concat = op.split_dimension.value.data, op.concat_dimension.value.data
    results = list[View]()
    for view, result in zip(operands, op.results, strict=True):
        shape, size = shape_of(result), view.shape[split] // members.shape[1]
        part = tuple(size if d == split else extent for d, extent in enumerate(view.shape))
        starts = [ranks * size if d == split else 0 for d in range(len(part))]
        at = part_at(starts, part)
        if split != concat:
            gathered = _gathered(kernel, view, concat, members)
            wide = part_at(starts, shape)
            results.append(kernel.pulled(gathered, wide, shape))
            continue
        pieces = list[Piece]()
        for rank in range(members.shape[1]):
            mine = kernel.pulled(at_devices(view, members[:, rank]), at, part)
            starts = [rank * size if d == concat else 0 for d in range(len(shape))]
            pieces += moved(kernel, mine, starts, shape).pieces
        results.append(View(shape, merged(pieces)))
    return results


def collective_permute(kernel: Kernel, op: stablehlo.CollectivePermuteOp, operands: Sequence[View]) -> Sequence[View]:
    """The view of the source of each device; zeros on devices without one."""
    _, numbers = integer_table("source_target_pairs", op.source_target_pairs)
    pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    rows = kernel.grid.cross_partition(pairs) if channel_of(op) > 0 else kernel.grid.cross_replica(pairs)
    if all(source == target for source, target in rows) and len(rows) >= kernel.devices:
        return operands
    _check_devices(kernel, (device for row in rows for device in row))
    sources = np.full(kernel.devices, -1)
    for source, target in rows:
        sources[target] = source
    shape = shape_of(op.results[0])
    element = element_of(op.results[0])
    zero = (
        kernel.integer(number(0), shape)
        if integer_range(element) is not None
        else kernel.constant(False if element == TRUTH else 0.0, shape)
    )
    received = at_devices(operands[0], sources).pieces
    idle = [replace(piece, box=piece.box.where(sources < 0)) for piece in zero.pieces]
    return [View(shape, merged([*received, *idle]))]


def collective_broadcast(
    kernel: Kernel, op: stablehlo.CollectiveBroadcastOp, operands: Sequence[View]
) -> Sequence[View]:
    if len(operands) != 1 or op.has_dynamic_root is not None:
        raise Undecided("its roots are known at run time only")
    members, _ = by_device(kernel, groups_over_one(op, kernel.grid))
    return [at_devices(operands[0], members[:, 0])]


def all_reduce(kernel: Kernel, op: stablehlo.AllReduceOp, operands: Sequence[View]) -> Sequence[View]:
    members, _ = by_device(kernel, groups_over_all(op, kernel.grid))
    return [_reducer(kernel, op, members).reduced(view) for view in operands]


def reduce_scatter(kernel: Kernel, op: stablehlo.ReduceScatterOp, operands: Sequence[View]) -> Sequence[View]:
    members, ranks = by_device(kernel, groups_over_all(op, kernel.grid))
    dim, shape = op.scatter_dimension.value.data, shape_of(op.result)
    starts = [ranks * size if d == dim else 0 for d, size in enumerate(shape)]
    return [kernel.pulled(_reducer(kernel, op, members).reduced(operands[0]), part_at(starts, shape), shape)]


def _reducer(kernel: Kernel, op: stablehlo.AllReduceOp | stablehlo.ReduceScatterOp, members: Ints) -> "Reducer":
    """The reducer of the body of `op`. Raises `Undecided` for one that is no single operation."""
    if (kind := combiner_of(op.computation.block)) is None:
        raise Undecided("its body is no sum, maximum, minimum, conjunction or disjunction")
    return Reducer(kernel, kind, neutral_of(kind, element_of(op.results[0])), members)


class Reducer:
    """An all-reduce of views over groups: `members[device]` are the devices of its group."""

    def __init__(self, kernel: Kernel, kind: str, neutral: float | bool, members: Ints):
        self.kernel, self.kind, self.neutral, self.members = kernel, kind, neutral, members
        self._reads = dict[Term, list[View] | None]()
        """The reduced reads of terms, which share theirs: a sum that is doubled 40 times took 2^40 steps without it."""
        self._others = dict[bytes, Reducer]()
        """Those over other devices, by these."""

    def reduced(self, view: View) -> View:
        """
        The view after the all-reduce, cell by cell of the boxes of all pieces.

        In a cell, at most one device of a group has what is not neutral, or all have parts of one reduction, or sums of
        such parts. What is neither is unknown.
        """
        self.kernel.universe.spend(len(view.pieces))
        if (separated := self._separated(view)) is not None:
            element, parts, rest = separated
            return joined(self.kernel, self.kind, element, self.reduced(parts), self.reduced(rest))
        pieces = list[Piece]()
        view = View(view.shape, tuple(part for piece in view.pieces for part in self._without_neutral(piece)))
        for cell in self._cells(view):
            which = np.full(self.kernel.devices, -1)
            for number_, piece in enumerate(view.pieces):
                which[piece.box.contains(cell) & cell.active & piece.box.active] = number_
            pieces += self._in_cell(view, cell, which[self.members])
        return View(view.shape, merged(pieces))

    def _without_neutral(self, piece: Piece) -> Iterator[Piece]:
        """A piece; if it is an integer of each device, where that is neutral, and where it is not."""
        if piece.source is not self.kernel.universe.integers or not piece.at[0].is_known:
            yield piece
            return
        is_neutral = np.broadcast_to(piece.at[0].offset == self.neutral, self.kernel.devices)
        yield from (replace(piece, box=piece.box.where(here)) for here in (is_neutral, ~is_neutral))

    def _separated(self, view: View) -> tuple[Attribute, View, View] | None:
        """
        The parts of reductions and the rest, where some of these are combined; None where none are.

        The view is both combined, and so is its all-reduce.
        """
        element: Attribute | None = None
        parts, rest, neutral = list[Piece](), list[Piece](), self.kernel.universe.constant(self.neutral)
        for piece in view.pieces:
            reads = [piece, Piece(neutral, (), piece.box)]
            term = piece.source
            if (
                isinstance(term, Term)
                and term.is_local
                and term.operation.name == self.kind
                and self._is_of_devices(piece)
            ):
                element = term.operation.kinds[-1]
                reads = [replace(read, box=piece.box) for read in term.reads]
            first = [is_made_of_parts(read) for read in reads].index(True) if any(map(is_made_of_parts, reads)) else 1
            parts.append(reads[first])
            rest.append(reads[1 - first])
        return None if element is None else (element, View(view.shape, merged(parts)), View(view.shape, merged(rest)))

    def _is_of_devices(self, piece: Piece) -> bool:
        """Whether a piece of a term of two reads is that at the same indices, and of the device itself."""
        term, active = piece.source, piece.box.active
        assert isinstance(term, Term) and term.devices is not None
        at = [number(term.devices), *(whole(dim, term.operation.sizes[dim]) for dim in term.parallel)]
        return (
            len(term.reads) == 2
            and any(map(is_made_of_parts, term.reads))
            and bool(term.box.contains(piece.box).all())
            and all(same_index(a, b, active) for a, b in zip(piece.at, at, strict=True))
        )

    def _in_cell(self, view: View, cell: Box, which: Ints) -> Iterator[Piece]:
        """
        What the all-reduce is in a cell, on the devices on which something is known of it.

        `which[device]` are the numbers of the pieces that the devices of its group have there, -1 for none.
        """
        left: Mask = np.asarray((which >= 0).all(1))
        if not left.any():
            return
        is_neutral: Mask = np.array([self.kernel.is_number(piece, self.neutral) for piece in view.pieces])
        others = ~is_neutral[which]
        alone = left & (others.sum(1) <= 1)
        if alone.any():
            columns = np.where(others.any(1), others.argmax(1), 0)
            sources = np.where(alone, self.members[np.arange(self.kernel.devices), columns], -1)
            here = [replace(piece, box=piece.box.meet(cell)) for piece in view.pieces]
            yield from at_devices(View(view.shape, tuple(here)), sources).pieces
            left &= ~alone
        for number_ in sorted(set(which[left].reshape(-1).tolist())):
            counted = which == number_
            mine: Mask = left & (counted | is_neutral[which]).all(1) & counted.any(1)
            found = self._of_piece(view, number_, cell.where(mine), counted) if mine.any() else None
            if found is not None:
                yield from found
                left &= ~mine
        if left.any():
            yield from self._applied(view, cell.where(left))

    def _of_piece(self, view: View, number_: int, box: Box, counted: Mask) -> Sequence[Piece] | None:
        """
        The all-reduce in `box`, where devices of a group have one piece, `counted[device, rank]`, or what is neutral.

        None if nothing is known about it.
        """
        sources = self.members[np.arange(self.kernel.devices), counted.argmax(1)]
        own = replace(view.pieces[number_], box=full_box(view.shape, self.kernel.devices))
        (piece,) = at_devices(View(view.shape, (own,)), sources).pieces
        piece = replace(piece, box=box)
        if own.partial is None:
            if self.kind in IDEMPOTENT and self._agrees(own, box, counted):
                return [piece]
            if self.kind == "add" and isinstance(own.source, Constant) and counted[box.active].all():
                value = exact_multiple(own.source.value, self.members.shape[1])
                return None if value is None else [replace(piece, source=self.kernel.universe.constant(value))]
            return self._pushed(own, piece, counted)
        if own.partial.kind != self.kind or not self._agrees(own, box, counted):
            return None
        joined = self._joined(own.partial, box.active, counted)
        return None if joined is None else [replace(piece, partial=joined[0])]

    def _applied(self, view: View, cell: Box) -> Sequence[Piece]:
        """The all-reduce of values of the program of a device that are no parts of sums: a term of its own."""
        details = self.kind, self.members.tobytes()
        roles = "p" * len(view.shape)
        applied = Applied("all_reduce", details, roles, view.shape, members=self.members)
        inside = View(view.shape, tuple(replace(piece, box=piece.box.meet(cell)) for piece in view.pieces))
        return self.kernel.apply(applied, [inside], range(len(roles))).pieces

    def _cells(self, view: View) -> list[Box]:
        """The boxes, the same on all devices, that no end of a piece cuts."""
        cells: list[tuple[list[int], list[int]]] = [([], [])]
        for dim, size in enumerate(view.shape):
            ends = {0, size}
            for piece in view.pieces:
                active = piece.box.active
                ends |= {*piece.box.lo[active, dim].tolist(), *piece.box.hi[active, dim].tolist()}
            cuts = sorted(end for end in ends if 0 <= end <= size)
            cells = [([*lo, first], [*hi, end]) for lo, hi in cells for first, end in pairwise(cuts)]
        if len(cells) > MAX_CELLS:
            raise Undecided("it has too many parts")
        count = self.kernel.devices
        rank = len(view.shape)
        return [
            Box(
                np.tile(np.array(lo, np.int64).reshape(1, rank), (count, 1)),
                np.tile(np.array(hi, np.int64).reshape(1, rank), (count, 1)),
                np.ones(count, bool),
            )
            for lo, hi in cells
        ]

    def _agrees(self, piece: Piece, box: Box, counted: Mask | None = None) -> bool:
        """Whether all counted devices of each group read the same elements, on the devices of `box`."""
        devices = np.arange(self.kernel.devices)
        chosen = np.ones(self.members.shape, bool) if counted is None else counted
        for index in piece.at:
            offsets = np.broadcast_to(index.offset, self.kernel.devices)[self.members]
            first = offsets[devices, chosen.argmax(1)]
            if (((offsets != first[:, None]) & chosen).any(1) & box.active).any():
                return False
        return True

    def _joined(self, partial: Partial, active: Mask, counted: Mask) -> tuple[Partial | None] | None:
        """
        The parts of a reduction of the counted devices of a group together, on `active` ones: `(None,)` if that is all.

        None if a sum has a summand twice.
        """
        boxes = [
            box.at_devices(self.members[:, rank]).where(active & counted[:, rank])
            for rank in range(self.members.shape[1])
            for box in partial.boxes
        ]
        return parts_together(self.kind, partial.sizes, boxes, active)

    def _pushed(self, own: Piece, piece: Piece, counted: Mask) -> list[Piece] | None:
        """
        The all-reduce of a linear function of parts of sums: the function of their all-reduces.

        `piece` is `own` as the first counted device of each group has it.
        """
        term, active = own.source, piece.box.active
        if self.kind != "add" or not isinstance(term, Term) or not term.is_local or not is_made_of_parts(own):
            return None
        counts = counted.sum(1)
        count = int(counts[active][0])
        if (counts[active] != count).any() or not self._agrees(replace(own, at=own.at[1:]), piece.box, counted):
            return None
        if not own.at[0].is_known:
            return None
        order = np.argsort(~counted, axis=1, kind="stable")[:, :count]
        computing = np.broadcast_to(own.at[0].offset, self.kernel.devices)
        reducer = self._over(computing[np.take_along_axis(self.members, order, axis=1)])
        if term not in reducer._reads:
            reducer._reads[term] = reducer._linear_reads(term)
        reads = reducer._reads[term]
        if reads is None:
            return None
        operation = term.operation
        out: list[int | None] = [*term.parallel, *(None for _ in operation.extra)]
        again = self.kernel.apply(operation, reads, out, 0.0 if "r" in operation.roles else None)
        found = pull(again, piece.at[1:], [int(end) for end in piece.box.hi.max(0)])
        return None if found is None else [replace(p, box=p.box.meet(piece.box)) for p in found.pieces]

    def _over(self, members: Ints) -> "Reducer":
        """That over other devices."""
        if np.array_equal(members, self.members):
            return self
        key = members.tobytes()
        if key not in self._others:
            self._others[key] = Reducer(self.kernel, self.kind, self.neutral, members)
        return self._others[key]

    def _linear_reads(self, term: Term) -> list[View] | None:
        """
        The reads of a term with those reduced in which together it is linear; None if others are parts of sums.

        The others have to be the same on all devices of a group.
        """
        operation = term.operation
        has_part = [is_made_of_parts(piece) for piece in term.reads]
        is_summed: Sequence[bool]
        match operation.name, has_part:
            case "stablehlo.add" | "stablehlo.subtract" | "stablehlo.negate", _:
                is_summed = [True] * len(has_part)
            case "stablehlo.convert", _ if _is_of_numbers(operation) or _wraps_around(operation):
                is_summed = has_part
            case "reduce", _ if operation.kind == "add":
                is_summed = has_part
            case "stablehlo.multiply" | "product", [True, False] | [False, True]:
                is_summed = has_part
            case "stablehlo.divide", [True, False] if _is_of_numbers(operation):
                is_summed = has_part
            case "stablehlo.select", [False, _, _]:
                is_summed = [False, True, True]
            case _:
                return None
        reads = list[View]()
        for piece, is_summand in zip(term.reads, is_summed, strict=True):
            view = View(operation.sizes, (replace(piece, box=term.box),))
            if is_summand:
                view = self.reduced(view)
            elif self._agrees(piece, term.box):
                view = at_devices(view, self.members[:, 0])
            else:
                return None
            reads.append(view)
        return reads


def _is_of_numbers(operation: Applied) -> bool:
    """Whether an elementwise operation is between real or complex numbers: integers round, and wrap around."""
    return bool(operation.kinds) and {*operation.kinds} <= NUMBERS


def _wraps_around(operation: Applied) -> bool:
    """Whether a conversion of integers only drops bits, so that sums that wrap around are sums that wrap around."""
    source, target = map(integer_range, operation.kinds)
    return source is not None and target is not None and target[1] - target[0] <= source[1] - source[0]
