"""Products, convolutions and reductions: one application over the indices of the result and of what is summed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce as reduce_pairs
from itertools import product as product_of
from math import lcm, prod

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Block, Operation

from xshardy.dialects import stablehlo
from xshardy.indexing.operations import operand_maps
from xshardy.indexing.tensor_maps import values_of
from xshardy.proving.index import combine, identity, number, whole
from xshardy.proving.kernel import IDEMPOTENT, Kernel, has_whole_pieces, overlap
from xshardy.proving.rules.extremes import pair_kind_of
from xshardy.proving.rules.keys import (
    BOOLEAN_NAMES,
    NO_DETAILS,
    TRUTH,
    element_of,
    integer_range,
    kind_of_element,
    kinds_of,
)
from xshardy.proving.rules.maps import indices_of, sizes_of
from xshardy.proving.rules.runtime import read_at
from xshardy.proving.rules.whole import applied_to_whole
from xshardy.proving.sources import Operation as Applied
from xshardy.proving.sources import Source, Term
from xshardy.proving.views import Box, Mask, Partial, Piece, View, merged, pull, refined, same_partial, same_piece

MAX_TRUTHS = 8
"""How many truths of several tensors, as of the components of an index vector, are combined one after another."""

MAX_PARTS = 256
"""How many parts of a reduction that are elements of one tensor are put together, at most."""

COMBINERS: Mapping[type[Operation], str] = {
    stablehlo.AddOp: "add",
    stablehlo.AndOp: "and",
    stablehlo.MaxOp: "maximum",
    stablehlo.MinOp: "minimum",
    stablehlo.OrOp: "or",
}


def combiner_of(block: Block) -> str | None:
    """How a body combines its two arguments; None if it is not one operation on them."""
    first, end = block.first_op, block.last_op
    if first is None or end is None or first.next_op is not end or len(block.args) != 2:
        return None
    if set(first.operands) != set(block.args) or end.operands[0] is not first.results[0]:
        return None
    if element_of(block.args[0]) == i1:
        return BOOLEAN_NAMES.get(type(first))
    return COMBINERS.get(type(first))


def neutral_of(kind: str, element: Attribute) -> float | bool:
    """The element that a combiner does not notice. An infinity for integers is their last one."""
    if kind in ("and", "or"):
        return kind == "and"
    if kind == "add":
        return 0.0
    limits = integer_range(element)
    if limits is not None:
        return limits[0] if kind == "maximum" else limits[1]
    return -np.inf if kind == "maximum" else np.inf


def reduce(kernel: Kernel, op: stablehlo.ReduceOp, operands: Sequence[View]) -> Sequence[View]:
    """Reductions by one operation, or to the best pair. Others take reduced dimensions as a whole."""
    count, kind = len(op.inputs), combiner_of(op.body.block) or pair_kind_of(op.body.block)
    if kind is None:
        reduced = values_of(op.dimensions)
        dims = [None if dim in reduced else dim for dim in range(len(operands[0].shape))]
        kept = [dim for dim in dims if dim is not None]
        return applied_to_whole(kernel, op, operands, [*([dims] * count), *([[]] * count)], [kept] * count)
    map = operand_maps(op)[0][0]
    rank, at, space = len(map.dimensions), indices_of(map), sizes_of(map)
    reads, shape = [kernel.pulled(view, at, space) for view in operands[:count]], space[:rank]
    if count == 1:
        elements = element_of(op.inputs[0]), element_of(op.results[0])
        return [combined_with_initial(kernel, kind, elements, reads[0], rank, operands[1])]
    initial = [kernel.pulled(view, (), space) for view in operands[count:]]
    if (parts := _of_parts(kernel, kind, reads, rank)) is not None and _starts_alike(kernel, parts[0], initial):
        return parts
    applied = Applied("pair", (kind, kinds_of(op)), roles_of(space, rank), space, (count,), kind)
    pairs = kernel.apply(applied, [*reads, *initial], [*range(rank), None])
    return [kernel.pulled(pairs, [*identity(shape), number(place)], shape) for place in range(count)]


def combined_with_initial(
    kernel: Kernel, kind: str, elements: tuple[Attribute, Attribute], read: View, rank: int, initial: View
) -> View:
    """
    A reduction over all dimensions of `read` but the first `rank`, then the initial value.

    `elements` are the types of what is read and of the result. A reduction of one element of one type is that element;
    on a device, unless it is a part of a larger one. A reduction of reductions of one kind is one of all that these
    reduce.
    """
    kinds = (kind_of_element(elements[0]), kind_of_element(elements[1]))
    space, shape = read.shape, read.shape[:rank]
    start, is_of_one_type = kernel.pulled(initial, (), shape), kinds[0] == kinds[1]
    if (
        kind in ("and", "or")
        and 1 < prod(space[rank:]) <= MAX_TRUTHS
        and not has_whole_pieces(read, range(rank, len(space)))
    ):
        places = [[number(at) for at in place] for place in product_of(*(range(size) for size in space[rank:]))]
        parts = [kernel.pulled(read, [*identity(shape), *place], shape) for place in places]
        return reduce_pairs(lambda a, b: joined(kernel, kind, elements[1], a, b), [start, *parts])
    is_single = is_of_one_type and prod(space[rank:]) == 1
    found = _of_parts(kernel, kind, [read], rank) if is_of_one_type and not is_single else None
    if found is None and not (is_single and kernel.is_whole):
        applied = Applied("reduce", None, roles_of(space, rank), space, kind=kind, kinds=kinds)
        found = [apply_reduction(kernel, applied, [read], rank, kinds)]
    if found is None or (is_single and any(piece.source.is_local for piece in found[0].pieces)):
        found = [kernel.pulled(read, [*identity(shape), *[number(0)] * (len(space) - rank)], shape)]
    return joined(kernel, kind, elements[1], found[0], start)


def apply_reduction(
    kernel: Kernel, operation: Applied, reads: Sequence[View], rank: int, kinds: Sequence[Attribute], masks: int = 0
) -> View:
    """
    A reduction over all dimensions but the first `rank`, that is linear in each read but the last `masks`.

    Where one of these is a reduction of the same kind, it is one of what that reduces. `kinds` are those of the
    elements of operands and results.
    """
    kind = operation.kind
    assert kind is not None
    for place in range(len(reads) - masks) if len({*kinds}) == 1 else ():
        if (inner := _reduced_by(kernel, kind, reads[place], kinds[-1])) is not None:
            shape = reads[place].shape
            reads = [
                inner if n == place else kernel.pulled(v, identity(shape), inner.shape) for n, v in enumerate(reads)
            ]
    sizes, neutral = reads[0].shape, neutral_of(kind, kinds[-1])
    return kernel.apply(
        replace(operation, roles=roles_of(sizes, rank), sizes=sizes), reads, range(rank), neutral, masks
    )


def _reduced_by(kernel: Kernel, kind: str, view: View, element: Attribute) -> View | None:
    """What reductions of one kind, or parts of them, reduce: dimensions behind those of `view`. None if it is none."""
    neutral, kinds = neutral_of(kind, element), (element, element)
    pieces, idle, sizes = list[Piece](), list[Piece](), list[int]()
    for piece in view.pieces:
        term, partial = piece.source, piece.partial
        if kernel.is_number(piece, neutral):
            idle.append(piece)
            continue
        if not isinstance(term, Term) or piece.outside is not None:
            return None
        operation = term.operation
        more = [dim for dim, role in enumerate(operation.roles) if role == "r"]
        counts = [operation.sizes[dim] for dim in more]
        is_whole = has_whole_pieces(View(operation.sizes, (Piece(term, (), term.box),)), more)
        if (operation.name, operation.kind, operation.kinds) != ("reduce", kind, kinds) or not is_whole:
            return None
        first = [number(0)] * len(more)
        if partial is not None:
            box, active = _box_of(partial.boxes), piece.box.active
            extents = None if box is None else (box.hi - box.lo)[active]
            if box is None or extents is None or not box.active[active].all() or (extents != extents[0]).any():
                return None
            counts, first = extents[0].tolist(), [number(np.where(active, lo, 0)) for lo in box.lo.T]
        read, shape = read_at(kernel, piece, 0, more), (*view.shape, *counts)
        if read is None or (sizes and sizes != counts):
            return None
        at = [
            combine((1, index), (1, start))
            for index, start in zip(identity(shape)[len(view.shape) :], first, strict=True)
        ]
        full = (*view.shape, *(operation.sizes[dim] for dim in more))
        found = pull(View(full, (read,)), [*identity(shape)[: len(view.shape)], *at], shape)
        if found is None:
            return None
        pieces += found.pieces
        sizes = counts
    if not pieces:
        return None
    for piece in idle:
        shape = (*view.shape, *sizes)
        pieces += kernel.pulled(View(view.shape, (piece,)), identity(shape)[: len(view.shape)], shape).pieces
    return View((*view.shape, *sizes), merged(pieces))


def _box_of(boxes: Sequence[Box]) -> Box | None:
    """Disjoint boxes as one, on each device; None if they are none."""
    there = np.stack([box.active for box in boxes])[:, :, None]
    lo = np.where(there, np.stack([box.lo for box in boxes]), np.iinfo(np.int64).max).min(0)
    hi = np.where(there, np.stack([box.hi for box in boxes]), 0).max(0)
    found = Box(np.minimum(lo, hi), hi, np.asarray(there[:, :, 0].any(0)))
    is_filled = (sum((box.volume for box in boxes), np.int64(0)) == found.volume).all()
    return found if is_filled and not overlap(boxes) else None


def _of_parts(kernel: Kernel, kind: str, reads: Sequence[View], rank: int) -> list[View] | None:
    """
    A reduction, over all dimensions but the first `rank`, of parts of one reduction: a larger part of that.

    `reads` are one tensor, or the components of pairs. None if some are no such parts.
    """
    space, count = reads[0].shape, len(reads)
    shape, places = space[:rank], [*product_of(*map(range, space[rank:]))]
    if not 0 < len(places) <= MAX_PARTS or any(piece.partial is None for view in reads for piece in view.pieces):
        return None
    slices = [
        kernel.pulled(view, [*identity(shape), *map(number, place)], shape).pieces for place in places for view in reads
    ]
    results = [list[Piece]() for _ in reads]
    for box, pieces in refined(slices):
        first, boxes = pieces[0], list[Box]()
        wanted = [
            replace(first, at=(*first.at[:-1], number(place)) if count > 1 else first.at, partial=None)
            for place in range(count)
        ]
        for number_, piece in enumerate(pieces):
            partial, beside = piece.partial, pieces[number_ - number_ % count].partial
            if (
                first.partial is None
                or partial is None
                or (partial.kind, partial.sizes) != (kind, first.partial.sizes)
                or not same_partial(partial, beside, box.active)
                or not same_piece(replace(piece, partial=None), wanted[number_ % count], box, shape)
            ):
                return None
            boxes += [each.where(box.active) for each in partial.boxes] if partial is beside else ()
        sizes = () if first.partial is None else first.partial.sizes
        joined = parts_together(kind, sizes, boxes, box.active, first.source)
        if joined is None:
            return None
        for found, piece in zip(results, wanted, strict=True):
            found.append(replace(piece, box=box, partial=joined[0]))
    return [View(shape, merged(pieces)) for pieces in results]


def parts_together(
    kind: str, sizes: tuple[int, ...], boxes: Sequence[Box], active: Mask, source: Source
) -> tuple[Partial | None] | None:
    """
    Parts of the reduction `source` together, on `active` devices: `(None,)` if that is all.

    None if a sum has one twice.
    """
    boxes = _distinct(boxes) if kind in IDEMPOTENT else boxes
    if overlap(boxes):
        boxes = _apart(boxes, sizes, source)
    if overlap(boxes):
        return None
    volume = sum((box.volume for box in boxes), np.int64(0))
    return (None,) if (volume == prod(sizes))[active].all() else (Partial(kind, tuple(boxes), sizes),)


def _apart(boxes: Sequence[Box], sizes: tuple[int, ...], source: Source) -> Sequence[Box]:
    """
    Boxes of a reduction, moved by periods of what it reads so that they are disjoint, as far as that is found.

    What is read repeats along a dimension with the digits of it that indices depend on, and so do its sums.
    """
    operation = source.operation if isinstance(source, Term) else None
    if not isinstance(source, Term) or operation is None or source.is_local:
        return boxes
    dims = [dim for dim, role in enumerate(operation.roles) if role == "r"]
    if tuple(operation.sizes[dim] for dim in dims) != sizes:
        return boxes
    digits = [digit for read in source.reads for index in read.at for digit in index.digits]
    periods = [lcm(*(div * mod for _, d, div, mod in digits if d == dim)) for dim in dims]
    turns = [size // period for size, period in zip(sizes, periods, strict=True)]
    kept = list[Box]()
    for box in boxes if prod(turns) <= MAX_PARTS else ():
        extents, lo, left = box.hi - box.lo, box.lo, box.active
        for turn in product_of(*map(range, turns)):
            moved = box.lo % periods + np.array(turn, np.int64) * periods
            there = Box(moved, moved + extents, box.here)
            is_free = ~np.any([there.meet(other).active for other in kept], axis=0) if kept else box.here
            fits = left & is_free & (there.hi <= sizes).all(1)
            lo, left = np.where(fits[:, None], moved, lo), left & ~fits
        kept.append(Box(lo, lo + extents, box.here))
    return kept or boxes


def _distinct(boxes: Sequence[Box]) -> list[Box]:
    """The boxes without those that an earlier one has on the same device."""
    kept = list[Box]()
    for box in boxes:
        is_known = np.zeros(len(box.here), bool)
        for other in kept:
            is_known |= other.contains(box) & other.active
        if (rest := box.where(~is_known)).active.any():
            kept.append(rest)
    return kept


def _starts_alike(kernel: Kernel, part: View, initial: Sequence[View]) -> bool:
    """Whether a part of pairs began with these initial values, so that they change nothing."""
    terms = {piece.source for piece in part.pieces}
    return all(view.is_known(kernel.devices) for view in initial) and all(
        isinstance(term, Term)
        and not term.is_local
        and all(
            same_piece(piece, read, piece.box, view.shape)
            for view, read in zip(initial, term.reads[len(initial) :], strict=True)
            for piece in view.pieces
        )
        for term in terms
    )


def combining(kind: str, element: Attribute, shape: Sequence[int]) -> Applied:
    """The elementwise operation that combines as a reduction of this kind does."""
    kind_of = kind_of_element(element)
    name = kind if kind_of == TRUTH else f"stablehlo.{kind}"
    return Applied(name, NO_DETAILS, "p" * len(shape), tuple(shape), commutes=True, kinds=(kind_of,) * 3)


def joined(kernel: Kernel, kind: str, element: Attribute, found: View, initial: View) -> View:
    """A reduction combined with initial values that it does not have."""
    applied, neutral, pieces = combining(kind, element, found.shape), neutral_of(kind, element), list[Piece]()
    for box, chosen in refined([found.pieces, initial.pieces]):
        parts = [View(found.shape, (replace(each, box=box),)) for each in chosen if not kernel.is_number(each, neutral)]
        if len(parts) == 2:
            parts = [kernel.apply(applied, parts, range(len(found.shape)))]
        pieces += parts[0].pieces if parts else (replace(chosen[1], box=box),)
    return View(found.shape, merged(pieces))


def is_neutral(kernel: Kernel, initial: View, neutral: float | bool) -> bool:
    """Whether a scalar is the number `neutral`."""
    return initial.is_known(kernel.devices) and all(kernel.is_number(piece, neutral) for piece in initial.pieces)


def roles_of(space: Sequence[int], rank: int) -> str:
    """The first `rank` dimensions are parallel, the others reduced."""
    return "p" * rank + "r" * (len(space) - rank)


def product(kernel: Kernel, op: stablehlo.DotGeneralOp, operands: Sequence[View]) -> Sequence[View]:
    """A dot product: the sum of products over the range variables of both maps."""
    maps = [maps[0] for maps in operand_maps(op)]
    space = sizes_of(maps[0])
    reads = [kernel.pulled(view, indices_of(map), space) for view, map in zip(operands, maps, strict=True)]
    return [sum_of_products(kernel, op, reads, len(maps[0].dimensions))]


def dot(kernel: Kernel, op: stablehlo.DotOp, operands: Sequence[View]) -> Sequence[View]:
    """The sum of products over the last dimension of the first operand and the first one of the second."""
    lhs, rhs = (view.shape for view in operands)
    space = (*lhs[:-1], *rhs[1:], lhs[-1])
    rank = len(space) - 1
    places = [[*range(len(lhs) - 1), rank], [rank, *range(len(lhs) - 1, rank)]]
    reads = [
        kernel.pulled(view, [whole(dim, space[dim]) for dim in dims], space)
        for view, dims in zip(operands, places, strict=True)
    ]
    return [sum_of_products(kernel, op, reads, rank)]


def sum_of_products(kernel: Kernel, op: Operation, reads: Sequence[View], rank: int) -> View:
    """The result of `op`: the sum, over all dimensions of two reads but the first `rank`, of their products."""
    space, kinds = reads[0].shape, kinds_of(op)
    applied = Applied("product", None, roles_of(space, rank), space, kind="add", commutes=True, kinds=kinds)
    return apply_reduction(kernel, applied, reads, rank, kinds)
