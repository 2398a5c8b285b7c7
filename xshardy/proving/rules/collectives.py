"""
Collectives: parts of the devices of a group put together, and partial sums completed.

Groups are known, so that each device's view is made of the views of the others by array indexing.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
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
    identity,
    number,
    part_at,
    substitute,
    whole,
)
from xshardy.proving.kernel import IDEMPOTENT, Kernel, Undecided, exact_multiple, has_whole_pieces
from xshardy.proving.rules.keys import NUMBERS, TRUTH, element_of, integer_range, kind_of_element
from xshardy.proving.rules.look_up_windows import LOOKUP, SCATTER, UPDATE, Details
from xshardy.proving.rules.movement import moved
from xshardy.proving.rules.reductions import apply_reduction, combiner_of, neutral_of, parts_together
from xshardy.proving.rules.runtime import read_at
from xshardy.proving.sources import Constant, Source, Term, is_made_of_parts
from xshardy.proving.sources import Operation as Applied
from xshardy.proving.views import Box, Mask, Partial, Piece, View, at_devices, full_box, merged, refined, same_in

MAX_CELLS = 4096
"""How many boxes of an all-reduce are looked at, at most."""


def by_device(kernel: Kernel, groups: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    """For each device the members of its group, and its own place there. Raises `Undecided` for a device in none."""
    if all(len(group) == 1 for group in groups) and len(groups) >= kernel.devices:
        alone = np.arange(kernel.devices)
        return alone.reshape(-1, 1), np.zeros_like(alone)
    if len({len(group) for group in groups}) != 1:
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
    return Reducer(kernel, kind, element_of(op.results[0]), members)


class Reducer:
    """An all-reduce of views over groups: `members[device]` are the devices of its group."""

    def __init__(self, kernel: Kernel, kind: str, element: Attribute, members: Ints):
        self.kernel, self.kind, self.members = kernel, kind, members
        self.neutral, self.kinds = neutral_of(kind, element), (kind_of_element(element),) * 2
        self._done = dict[object, View]()
        """What views are reduced to, by what they are: a sum that is doubled 40 times took 2^40 steps without it."""

    def reduced(self, view: View) -> View:
        """
        The view after the all-reduce, cell by cell of the boxes of all pieces.

        In a cell, at most one device of a group has what is not neutral, or all have parts of one reduction, or linear
        functions of such parts. What is neither is unknown.
        """
        self.kernel.universe.spend(len(view.pieces))
        if (key := _key(view)) not in self._done:
            pieces = list[Piece]()
            plain = View(view.shape, tuple(part for piece in view.pieces for part in self._without_neutral(piece)))
            for cell in self._cells(plain):
                which = np.full(self.kernel.devices, -1)
                for number_, piece in enumerate(plain.pieces):
                    which[piece.box.contains(cell) & cell.active & piece.box.active] = number_
                pieces += self._in_cell(plain, cell, which[self.members])
            self._done[key] = View(view.shape, merged(pieces))
        return self._done[key]

    def _without_neutral(self, piece: Piece) -> Iterator[Piece]:
        """A piece; if it is an integer of each device, where that is neutral, and where it is not."""
        if piece.source is not self.kernel.universe.integers or not piece.at[0].is_known:
            yield piece
            return
        is_neutral = np.broadcast_to(piece.at[0].offset == self.neutral, self.kernel.devices)
        yield from (replace(piece, box=piece.box.where(here)) for here in (is_neutral, ~is_neutral))

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
            if not mine.any():
                continue
            found = self._of_piece(view, number_, cell.where(mine), counted)
            found = found or self._of_elements(view, number_, cell.where(mine), counted)
            if found is not None:
                yield from found
                left &= ~mine
        linear = [self._linear(piece, view.shape) for piece in view.pieces]
        for operation in {each.key: each for each in linear if each is not None}.values():
            is_own = np.array([each is not None and each.key == operation.key for each in linear])
            mine = left & is_own[which].any(1)
            for piece in self._pushed(view, cell, mine, operation, is_own, which) if mine.any() else ():
                left &= ~piece.box.active
                yield piece
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
            return None
        if own.partial.kind != self.kind or not self._agrees(own, box, counted):
            return None
        joined = self._joined(own.source, own.partial, box.active, counted)
        return None if joined is None else [replace(piece, partial=joined[0])]

    def _of_elements(self, view: View, number_: int, box: Box, counted: Mask) -> Sequence[Piece] | None:
        """
        The all-reduce in `box` of elements of one tensor: a reduction of them in the whole program.

        Of devices with parts of one element, these are together all of it. None if there is no such reduction.
        """
        own, count, active = view.pieces[number_], self.kernel.devices, box.active
        if own.source.is_local or not active.all() or not box.contains(full_box(view.shape, count)).all():
            return None
        offsets = np.column_stack(
            [np.zeros(count, np.int64), *(np.broadcast_to(index.offset, count) for index in own.at)]
        )
        _, firsts, elements = np.unique(offsets, axis=0, return_index=True, return_inverse=True)
        theirs = np.where(counted, elements.reshape(-1)[self.members], -1)
        chosen = [np.sort(row[row >= 0]) if own.partial is None else np.unique(row[row >= 0]) for row in theirs]
        if len({len(each) for each in chosen}) != 1 or len(chosen[0]) == 1:
            return None
        pieces, space = list[Piece](), (*view.shape, len(chosen[0]))
        for place, element in enumerate(np.array(chosen).T):
            same, partial = theirs == element[:, None], own.partial
            if partial is not None and (
                partial.kind != self.kind or self._joined(own.source, partial, active, same) != (None,)
            ):
                return None
            found = View(view.shape, (replace(own, box=full_box(view.shape, count), partial=None),))
            (piece,) = at_devices(found, firsts[element]).pieces
            lo, hi = (np.hstack([ends, np.full((count, 1), place + n)]) for n, ends in enumerate((box.lo, box.hi)))
            pieces.append(replace(piece, box=Box(lo, hi, active)))
        stacked, kinds = View(space, merged(pieces)), self.kinds
        if isinstance(own.source, Term) and own.source.operation.name == "reduce":
            kinds = own.source.operation.kinds
        applied = Applied("reduce", None, "", (), kind=self.kind, kinds=kinds)
        results = apply_reduction(self.kernel, applied, [stacked], len(view.shape), kinds).pieces
        return None if any(piece.source.is_local for piece in results) else results

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

    def _agrees(self, piece: Piece, box: Box, counted: Mask) -> bool:
        """Whether all counted devices of each group read the same elements, on the devices of `box`."""
        devices = np.arange(self.kernel.devices)
        for index in piece.at:
            offsets = np.broadcast_to(index.offset, self.kernel.devices)[self.members]
            first = offsets[devices, counted.argmax(1)]
            if (((offsets != first[:, None]) & counted).any(1) & box.active).any():
                return False
        return True

    def _joined(self, source: Source, partial: Partial, active: Mask, counted: Mask) -> tuple[Partial | None] | None:
        """
        The parts of a reduction of the counted devices of a group together, on `active` ones: `(None,)` if that is all.

        None if a sum has a summand twice.
        """
        boxes = [
            box.at_devices(self.members[:, rank]).where(active & counted[:, rank])
            for rank in range(self.members.shape[1])
            for box in partial.boxes
        ]
        return parts_together(self.kind, partial.sizes, boxes, active, source)

    def _linear(self, piece: Piece, shape: Sequence[int]) -> "Linear | None":
        """The operation by which a piece is made of parts of reductions, over a tensor of this shape; None for none."""
        term = piece.source
        if not isinstance(term, Term) or not is_made_of_parts(piece) or piece.partial is not None or not term.is_local:
            return None
        old, sizes = term.operation, term.operation.sizes
        more = tuple(dim for dim, role in enumerate(old.roles) if role != "p")
        if (
            old.extra
            or old.members is not None
            or not has_whole_pieces(View(sizes, (Piece(term, (), term.box),)), more)
        ):
            return None
        roles = "p" * len(shape) + "".join(old.roles[dim] for dim in more)
        space = (*shape, *(sizes[dim] for dim in more))
        first_part = [*map(is_made_of_parts, term.reads)].index(True)
        return Linear(replace(old, roles=roles, sizes=space, is_total=False), more, len(term.reads), first_part)

    def _pushed(
        self, view: View, cell: Box, where: Mask, linear: "Linear", is_own: Mask, which: Ints
    ) -> Sequence[Piece]:
        """
        The all-reduce of a linear function of parts of reductions: the function of their all-reduces.

        The devices of a group have it of `is_own` pieces; on others each operand that is reduced is neutral, or what
        they have is combined with what is neutral. Operands that are not reduced have to be the same.
        """
        operation, neutral = linear.operation, self.kernel.universe.constant(self.neutral)
        rank, space, pads = len(view.shape), operation.sizes, operation.name in (*self._names, "stablehlo.subtract")
        reads, side = (
            [list[Piece]() for _ in range(linear.count)],
            linear.first_part if operation.name in self._names else 0,
        )
        for piece, mine in zip(view.pieces, is_own, strict=True):
            own = replace(piece, box=piece.box.meet(cell))
            if not own.box.active.any():
                continue
            if mine:
                found = [read_at(self.kernel, own, place, linear.more) for place in range(linear.count)]
            elif pads:
                found = [own, replace(own, source=neutral, at=(), partial=None, outside=None)]
                found = found[::-1] if side == is_made_of_parts(own) else found
            else:
                continue
            for pieces, read in zip(reads, found, strict=True):
                pieces += () if read is None else (read,)
        has_part = [any(map(is_made_of_parts, pieces)) for pieces in reads]
        is_reduced = self._reduced_reads(operation, has_part)
        if is_reduced is None:
            return ()
        counted, views = is_own[which] & where[:, None], list[View]()
        for pieces, is_summand in zip(reads, is_reduced, strict=True):
            if is_summand and not pads:
                pieces += self._neutral_beside(view, cell, space)
            made = View(space, merged(pieces))
            views.append(self.reduced(made) if is_summand else self._agreed(made, counted))
        if "r" in operation.roles:
            details, masks = operation.details, len(views) - 1 if operation.name in (LOOKUP, SCATTER) else 0
            kinds = (details.element,) if isinstance(details, Details) else operation.kinds
            results = apply_reduction(self.kernel, operation, views, rank, kinds, masks).pieces
        elif rank < len(space):
            results = self.kernel.apply(operation, views, range(rank)).pieces
        else:
            results = [*self._elementwise(operation, views, is_reduced)]
        return [replace(p, box=box) for p in results if (box := p.box.meet(cell).where(where)).active.any()]

    def _elementwise(self, operation: Applied, views: Sequence[View], is_reduced: Sequence[bool]) -> Iterator[Piece]:
        """A linear operation on views: neutral where all are that are reduced, one of two where the other one is."""
        combines = operation.name in self._names
        for box, chosen in refined([view.pieces for view in views]):
            places = [place for place, piece in enumerate(chosen) if not self.kernel.is_number(piece, self.neutral)]
            if not any(is_reduced[place] for place in places):
                yield Piece(self.kernel.universe.constant(self.neutral), (), box)
            elif places == [0] and (combines or operation.name == "stablehlo.subtract"):
                yield replace(chosen[0], box=box)
            elif places == [1] and combines:
                yield replace(chosen[1], box=box)
            else:
                parts = [View(operation.sizes, (replace(piece, box=box),)) for piece in chosen]
                yield from self.kernel.apply(operation, parts, range(len(operation.sizes))).pieces

    @property
    def _names(self) -> tuple[str, str]:
        """The names of the elementwise operations that combine as the all-reduce does: of numbers, and of truths."""
        return f"stablehlo.{self.kind}", self.kind

    def _neutral_beside(self, view: View, cell: Box, space: Sequence[int]) -> Iterator[Piece]:
        """What is neutral in a cell, over a space that begins with the dimensions of the view."""
        for piece in view.pieces:
            if self.kernel.is_number(piece, self.neutral):
                yield from self.kernel.pulled(
                    View(view.shape, (replace(piece, box=piece.box.meet(cell)),)), identity(view.shape), space
                ).pieces

    def _agreed(self, view: View, counted: Mask) -> View:
        """A view as the first counted device of each group has it; nothing of it if another one has something else."""
        devices = np.arange(self.kernel.devices)
        firsts = np.where(counted.any(1), self.members[devices, counted.argmax(1)], -1)
        found = at_devices(view, firsts)
        others = (np.where(counted[:, rank], self.members[:, rank], firsts) for rank in range(counted.shape[1]))
        is_same = all(same_in(found, at_devices(view, other), p.box) for other in others for p in found.pieces)
        return found if is_same else View(view.shape, ())

    def _reduced_reads(self, operation: Applied, has_part: Sequence[bool]) -> Sequence[bool] | None:
        """Which reads are reduced where the operation is applied to all-reduces; None if it is not linear in these."""
        name, parts, count = operation.name, [*has_part], len(has_part)
        first, is_alone = [place == 0 for place in range(count)], parts.count(True) == 1
        if name == "stablehlo.select" and not parts[0]:
            return [False, True, True]
        if not _keeps(self.kind, operation.kinds):
            return None
        if name in self._names or (self.kind, name) in SUMS:
            return [True] * count
        if name == UPDATE and not any(parts[2:]):
            return [place < 2 for place in range(count)]
        if name in (LOOKUP, SCATTER, "reduce") and operation.kind == self.kind and parts == first:
            return first
        if self.kind == "add" and (
            name == "stablehlo.convert"
            or (name in ("stablehlo.multiply", "product") and is_alone)
            or (name == "stablehlo.divide" and parts == first and {*operation.kinds} <= NUMBERS)
        ):
            return parts
        return None


SUMS = frozenset({("add", "stablehlo.subtract"), ("add", "stablehlo.negate")})
"""Operations of which sums are sums."""


@dataclass(frozen=True, eq=False, slots=True)
class Linear:
    """An operation over a tensor: its space has the dimensions of that, then those of a term that are `more`."""

    operation: Applied
    more: tuple[int, ...]
    count: int
    """How many reads it has."""
    first_part: int
    """The first of these that is made of parts of reductions."""

    @property
    def key(self) -> object:
        """Equal for equal operations."""
        op = self.operation
        return op.name, op.details, op.kinds, op.kind, op.roles, op.sizes, self.count


def _key(view: View) -> object:
    """What a view is, as a value that is equal for equal ones."""
    return view.shape, tuple(
        (
            piece.source,
            piece.outside,
            *((index.digits, index.offset.tobytes()) for index in piece.at),
            *_ends(piece.box),
            *(() if piece.partial is None else (piece.partial.kind, *map(_ends, piece.partial.boxes))),
        )
        for piece in view.pieces
    )


def _ends(box: Box) -> tuple[bytes, bytes, bytes]:
    return box.lo.tobytes(), box.hi.tobytes(), box.here.tobytes()


def _keeps(kind: str, kinds: Sequence[Attribute]) -> bool:
    """
    Whether elements of the first kinds are those of the last one in a reduction: also sums of real or complex numbers,
    and of integers of which only bits are dropped, since what wraps around wraps around then too.
    """
    ranges = [integer_range(element) for element in kinds]
    last = ranges[-1] if ranges else None
    return {*kinds} <= NUMBERS or all(
        element == kinds[-1]
        or (kind == "add" and limits is not None and last is not None and last[1] - last[0] <= limits[1] - limits[0])
        for element, limits in zip(kinds, ranges, strict=True)
    )
