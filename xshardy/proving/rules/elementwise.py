"""
Operations that compute each element from those at the same index, and what they are for known numbers.

Integers are exact: a result is a view of the integers only if it is in the range of its type everywhere in its box.
Comparisons of known integers cut boxes in two, so that masks of padding, edges and halos vanish where they are used.
"""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Operation

from xshardy.dialects import chlo, stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.selection import ComparisonDirection as Direction
from xshardy.proving.index import (
    LARGEST,
    UNLIMITED,
    Digit,
    Index,
    Ints,
    combine,
    digit_of,
    is_uniform,
    number,
)
from xshardy.proving.kernel import Kernel, Undecided, is_finite
from xshardy.proving.rules.keys import (
    BOOLEAN_NAMES,
    NUMBERS,
    REAL,
    TRUTH,
    details_of,
    element_of,
    integer_range,
    kind_of_element,
    kinds_of,
)
from xshardy.proving.rules.look_up_windows import selected
from xshardy.proving.sources import Constant, Source, Term
from xshardy.proving.sources import Operation as Applied
from xshardy.proving.views import Box, Piece, View, bounds, merged, refined, same_piece, settled

COMMUTATIVE = frozenset(
    {
        stablehlo.AddOp,
        stablehlo.AndOp,
        stablehlo.MaxOp,
        stablehlo.MinOp,
        stablehlo.MulOp,
        stablehlo.OrOp,
        stablehlo.XorOp,
    }
)


def elementwise(kernel: Kernel, op: Operation, operands: Sequence[View]) -> Sequence[View]:
    """The numbers that are known, and terms for the rest."""
    shape = shape_of(op.results[0])
    operands = [
        _with_integers(kernel, view if view.shape == shape else kernel.pulled(view, (), shape), element_of(value))
        for view, value in zip(operands, op.operands, strict=True)
    ]
    if isinstance(op, chlo.SquareOp):
        operands = [operands[0], operands[0]]
    pieces, rest = list[Piece](), list[tuple[Box, tuple[Piece, ...]]]()
    if isinstance(op, stablehlo.SelectOp):
        pieces, operands[0] = selected_where_known(kernel, *operands)
    for box, chosen in refined([view.pieces for view in operands]):
        reads = tuple(replace(piece, at=settled(piece.at, box, shape), box=box) for piece in chosen)
        known = _known(kernel, op, reads, box)
        if known is None:
            rest.append((box, reads))
        else:
            pieces += known
    if rest:
        applied = _applied(op, shape)
        for _, reads in rest:
            is_total = all(_is_total(kernel, piece) for piece in reads)
            each = replace(applied, is_total=is_total)
            views = [View(shape, (piece,)) for piece in reads]
            pieces += kernel.apply(each, views, range(len(shape))).pieces
    return [View(shape, merged(pieces))]


def _with_integers(kernel: Kernel, view: View, element: Attribute) -> View:
    """
    A tensor of integers, with what is neutral in a reduction as the integer that it is.

    A truth stays: as what is neutral for `and` of integers, it stands for all of their bits, and not for 1.
    """
    if integer_range(element) is None or not any(isinstance(piece.source, Constant) for piece in view.pieces):
        return view
    pieces = list[Piece]()
    for piece in view.pieces:
        value = piece.source.value if isinstance(piece.source, Constant) else None
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST:
            piece = Piece(kernel.universe.integers, (number(int(value)),), piece.box)
        pieces.append(piece)
    return View(view.shape, merged(pieces))


def selected_where_known(kernel: Kernel, mask: View, on_true: View, on_false: View) -> tuple[list[Piece], View]:
    """A selection where its mask is known, whatever the other side is there; and the mask where it is not known."""
    pieces, rest = list[Piece](), list[Piece]()
    for piece in mask.pieces:
        sides = [side for truth, side in ((True, on_true), (False, on_false)) if kernel.is_number(piece, truth)]
        rest += () if sides else (piece,)
        pieces += (
            replace(chosen, at=settled(chosen.at, box, mask.shape), box=box)
            for side in sides
            for box, (_, chosen) in refined([[piece], side.pieces])
        )
    return pieces, View(mask.shape, tuple(rest))


def _is_total(kernel: Kernel, piece: Piece) -> bool:
    """Whether a piece is a number, an integer, or computed from such ones."""
    source = piece.source
    is_made_of_integers = isinstance(source, Term) and source.operation.is_total and not source.is_local
    return isinstance(source, Constant) or source is kernel.universe.integers or is_made_of_integers


def _applied(op: Operation, shape: Sequence[int]) -> Applied:
    name, commutes, kinds = op.name, type(op) in COMMUTATIVE, kinds_of(op)
    if element_of(op.results[0]) == i1 and type(op) in BOOLEAN_NAMES:
        name = BOOLEAN_NAMES[type(op)]
    if isinstance(op, chlo.SquareOp):
        name, commutes, kinds = "stablehlo.multiply", True, (kinds[0], *kinds)
    return Applied(name, details_of(op), "p" * len(shape), tuple(shape), commutes=commutes, kinds=kinds)


def converted_from_integers(kernel: Kernel, op: Operation, positions: View) -> View:
    """Integers as elements of the result of `op`."""
    element = element_of(op.results[0])
    if (limits := integer_range(element)) is not None:
        if max(positions.shape, default=0) - 1 > limits[1]:
            raise Undecided(f"its positions are no numbers of {element}")
        return positions
    applied = Applied(
        "stablehlo.convert",
        ("positions", kind_of_element(element)),
        "p" * len(positions.shape),
        positions.shape,
        is_total=True,
    )
    return kernel.apply(applied, [positions], range(len(positions.shape)))


# -- Numbers that are known --------------------------------------------------------------------------------------------


def _known(kernel: Kernel, op: Operation, reads: Sequence[Piece], box: Box) -> list[Piece] | None:
    """The result in `box` if it is a number, an integer or one of the operands; None if a term has to stand for it."""
    if (number_ := _exact(op, [piece.source for piece in reads])) is not None:
        return [Piece(kernel.universe.constant(number_), (), box)]
    rule = KNOWN.get(type(op))
    return None if rule is None else rule(kernel, op, reads, box)


EXACT: Mapping[type[Operation], Callable[..., Any]] = {
    stablehlo.AddOp: operator.add,
    stablehlo.MulOp: operator.mul,
    stablehlo.NegOp: operator.neg,
    stablehlo.SubtractOp: operator.sub,
}
"""Operations that give exact numbers of exact ones."""


def _exact(op: Operation, sources: Sequence[Source]) -> float | None:
    """What `op` is for real numbers, if that is a number of 64 bits."""
    compute = EXACT.get(type(op))
    values = [source.value for source in sources if isinstance(source, Constant)]
    if compute is None or len(values) < len(sources):
        return None
    numbers = [Fraction(value) for value in values if isinstance(value, float) and isfinite(value)]
    if len(numbers) < len(values):
        return None
    exact: Fraction = compute(*numbers)
    return float(exact) if abs(exact) < 1e300 and Fraction(float(exact)) == exact else None


def _integers(kernel: Kernel, reads: Sequence[Piece]) -> list[Index] | None:
    """The integers that all operands are; None if one of them is none."""
    return (
        [piece.at[0] for piece in reads] if all(piece.source is kernel.universe.integers for piece in reads) else None
    )


def _in_range(kernel: Kernel, op: Operation, value: Index | None, box: Box) -> list[Piece] | None:
    """The piece of an integer, if it is one of its type everywhere; one that is known wraps around."""
    limits = integer_range(element_of(op.results[0]))
    if value is None or limits is None or not value.is_small:
        return None
    if value.is_known and limits[1] - limits[0] < LARGEST:
        value = number((value.offset - limits[0]) % (limits[1] - limits[0] + 1) + limits[0])
    low, high = bounds(value, box)
    fits = (low >= max(limits[0], -LARGEST)) & (high <= min(limits[1], LARGEST)) | ~box.active
    return [Piece(kernel.universe.integers, (value,), box)] if fits.all() else None


def _sum(kernel: Kernel, op: Operation, reads: Sequence[Piece], box: Box) -> list[Piece] | None:
    if (values := _integers(kernel, reads)) is not None:
        return _in_range(kernel, op, combine((1, values[0]), (1, values[1])), box)
    return _neutral(kernel, op, reads, 0.0) or _logical(kernel, op, reads, box)


def _difference(kernel: Kernel, op: Operation, reads: Sequence[Piece], box: Box) -> list[Piece] | None:
    if (values := _integers(kernel, reads)) is not None:
        return _in_range(kernel, op, combine((1, values[0]), (-1, values[1])), box)
    return [reads[0]] if kernel.is_number(reads[1], 0.0) else None


def _negated(kernel: Kernel, op: Operation, reads: Sequence[Piece], box: Box) -> list[Piece] | None:
    values = _integers(kernel, reads)
    return None if values is None else _in_range(kernel, op, combine((-1, values[0])), box)


def _product(kernel: Kernel, op: Operation, reads: Sequence[Piece], box: Box) -> list[Piece] | None:
    if (values := _integers(kernel, reads)) is not None:
        for factor, value in (values, values[::-1]):
            if factor.is_known and is_uniform(factor.offset):
                return _in_range(kernel, op, combine((int(factor.offset[0]), value)), box)
        return None
    for one, other in (reads, reads[::-1]):
        if kernel.is_number(one, 0.0) and is_finite(other):
            return [one]
    return _neutral(kernel, op, reads, 1.0) or _logical(kernel, op, reads, box)


def _quotient(kernel: Kernel, op: Operation, reads: Sequence[Piece], box: Box) -> list[Piece] | None:
    """Also of remainders: of integers that are not negative, by one number."""
    if isinstance(op, stablehlo.RemOp) and kernel.is_number(reads[1], 1):
        return _in_range(kernel, op, number(0), box)
    values = _integers(kernel, reads)
    if values is None:
        is_one = isinstance(op, stablehlo.DivOp) and kernel.is_number(reads[1], 1.0)
        return [reads[0]] if is_one and kinds_of(op)[-1] == REAL else None
    value, divisor = values
    if not divisor.is_known or not is_uniform(divisor.offset) or divisor.offset[0] <= 0:
        return None
    if ((bounds(value, box)[0] < 0) & box.active).any():
        return None
    count = int(divisor.offset[0])
    is_quotient = isinstance(op, stablehlo.DivOp)
    found = digit_of(value, count, UNLIMITED) if is_quotient else digit_of(value, 1, count, box.lo, box.hi)
    return _in_range(kernel, op, found, box)


def _neutral(kernel: Kernel, op: Operation, reads: Sequence[Piece], value: float) -> list[Piece] | None:
    """The other operand, where one does not change it."""
    for one, other in (reads, reads[::-1]):
        if kernel.is_number(one, value):
            return [other]
    return None


def _logical(kernel: Kernel, op: Operation, reads: Sequence[Piece], box: Box) -> list[Piece] | None:
    """What `and` and `or` of a known truth are."""
    if element_of(op.results[0]) != i1 or (name := BOOLEAN_NAMES.get(type(op))) is None:
        return None
    absorbing = name == "or"
    for one, other in (reads, reads[::-1]):
        if kernel.is_number(one, absorbing):
            return [one]
        if kernel.is_number(one, not absorbing):
            return [other]
    return None


def _inverted(kernel: Kernel, op: Operation, reads: Sequence[Piece], box: Box) -> list[Piece] | None:
    for value in (True, False):
        if kernel.is_number(reads[0], value):
            return [Piece(kernel.universe.constant(not value), (), box)]
    return None


def _extreme(kernel: Kernel, op: Operation, reads: Sequence[Piece], box: Box) -> list[Piece] | None:
    if (values := _integers(kernel, reads)) is None:
        return _logical(kernel, op, reads, box)
    direction = Direction.LT if isinstance(op, stablehlo.MinOp) else Direction.GE
    return _decided(direction, values, box, reads)


def _clamped(kernel: Kernel, op: Operation, reads: Sequence[Piece], box: Box) -> list[Piece] | None:
    """A known integer that is within known bounds."""
    values = _integers(kernel, reads)
    if values is None:
        return None
    least, value, greatest = values
    low, high = bounds(value, box)
    floor, ceiling = bounds(least, box)[1], bounds(greatest, box)[0]
    if ((low >= floor) & (high <= ceiling) | ~box.active).all():
        return [reads[1]]
    if all(index.is_known for index in values):
        clamped = np.minimum(np.maximum(value.offset, least.offset), greatest.offset)
        return [Piece(kernel.universe.integers, (Index(clamped),), box)]
    return None


def _compared(kernel: Kernel, op: stablehlo.CompareOp, reads: Sequence[Piece], box: Box) -> list[Piece] | None:
    values = _integers(kernel, reads)
    return None if values is None else _decided(op.comparison_direction.data, values, box, _truths(kernel, box))


def _truths(kernel: Kernel, box: Box) -> list[Piece]:
    return [Piece(kernel.universe.constant(truth), (), box) for truth in (True, False)]


def _decided(direction: Direction, values: Sequence[Index], box: Box, answers: Sequence[Piece]) -> list[Piece] | None:
    """
    `answers[0]` where the comparison of two integers holds, `answers[1]` elsewhere, if these are boxes.

    An order is decided by the sign of the difference: in the whole box, or on both sides of one index.
    """
    difference = combine((1, values[0]), (-1, values[1]))
    low, high = bounds(difference, box)
    low, high = np.broadcast_to(low, len(box.here)), np.broadcast_to(high, len(box.here))
    if direction in (Direction.EQ, Direction.NE):
        holds, fails = (low == 0) & (high == 0), (low > 0) | (high < 0)
        if direction is Direction.NE:
            holds, fails = fails, holds
        if (holds | fails | ~box.active).all():
            return _on_devices(answers, box, holds)
        if direction is Direction.EQ and (at := _zero_of(difference, box)) is not None:
            dim, place = at
            inner = box.along(dim, place, place + 1)
            sides = [box.along(dim, box.lo[:, dim], place), box.along(dim, place + 1, box.hi[:, dim])]
            return [*_cut(answers[0], [inner]), *_cut(answers[1], sides)]
        return None
    bound = 0 if direction in (Direction.LT, Direction.GE) else 1
    is_less = direction in (Direction.LT, Direction.LE)
    first, second = answers if is_less else (answers[1], answers[0])
    below, above = high < bound, low >= bound
    if (below | above | ~box.active).all():
        return _on_devices((first, second), box, below)
    if (digit := _position(difference, box)) is None:
        return None
    sign, dim, _, _ = digit
    place = bound - difference.offset if sign > 0 else difference.offset - bound + 1
    place = np.clip(np.broadcast_to(place, len(box.here)), box.lo[:, dim], box.hi[:, dim])
    before, after = box.along(dim, box.lo[:, dim], place), box.along(dim, place, box.hi[:, dim])
    return _cut(first, [before if sign > 0 else after]) + _cut(second, [after if sign > 0 else before])


def _position(value: Index, box: Box) -> Digit | None:
    """The digit of a value that is the index of one dimension in all of `box`, or its negative, but for an offset."""
    if len(value.digits) != 1:
        return None
    digit = value.digits[0]
    repeats = (box.hi[:, digit.dim] > digit.mod) & box.active
    return digit if digit.div == 1 and abs(digit.stride) == 1 and not repeats.any() else None


def _zero_of(difference: Index, box: Box) -> tuple[int, Ints] | None:
    """The dimension and the place of the one index at which a difference of one dimension is zero."""
    if (digit := _position(difference, box)) is None:
        return None
    sign, dim, _, _ = digit
    place = np.broadcast_to(-difference.offset * sign, len(box.here))
    return dim, np.clip(place, box.lo[:, dim] - 1, box.hi[:, dim])


def _on_devices(answers: Sequence[Piece], box: Box, holds: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> list[Piece]:
    return _cut(answers[0], [box.where(holds)]) + _cut(answers[1], [box.where(~holds)])


def _cut(piece: Piece, boxes: Iterable[Box]) -> list[Piece]:
    """A piece in each of these parts of its box that has an index."""
    return [replace(piece, box=box) for box in boxes if box.active.any()]


def _selected(kernel: Kernel, op: Operation, reads: Sequence[Piece], box: Box) -> list[Piece] | None:
    on_true, on_false = reads[1:]
    if same_piece(on_true, on_false, box, shape_of(op.results[0])):
        return [on_true]
    result = op.results[0]
    return selected(kernel, reads, box, shape_of(result), kind_of_element(element_of(result)))


def _converted(kernel: Kernel, op: Operation, reads: Sequence[Piece], box: Box) -> list[Piece] | None:
    """Conversions between floats change nothing in exact arithmetic; nor do those of integers that fit."""
    source, target = kinds_of(op)
    if source == target:
        return [reads[0]]
    values = _integers(kernel, reads)
    if values is not None:
        if target == TRUTH:
            return _decided(Direction.NE, [values[0], number(0)], box, _truths(kernel, box))
        if target in NUMBERS and values[0].is_known and is_uniform(values[0].offset):
            return [Piece(kernel.universe.constant(float(values[0].offset[0])), (), box)]
        return _in_range(kernel, op, values[0], box)
    if source == TRUTH:
        for truth in (True, False):
            if kernel.is_number(reads[0], truth):
                if target in NUMBERS:
                    return [Piece(kernel.universe.constant(float(truth)), (), box)]
                return [Piece(kernel.universe.integers, (Index(np.array([int(truth)], np.int64)),), box)]
    return None


KNOWN: Mapping[type[Operation], Callable[..., list[Piece] | None]] = {
    stablehlo.AddOp: _sum,
    stablehlo.AndOp: _logical,
    stablehlo.ClampOp: _clamped,
    stablehlo.CompareOp: _compared,
    stablehlo.ConvertOp: _converted,
    stablehlo.DivOp: _quotient,
    stablehlo.MaxOp: _extreme,
    stablehlo.MinOp: _extreme,
    stablehlo.MulOp: _product,
    stablehlo.NegOp: _negated,
    stablehlo.NotOp: _inverted,
    stablehlo.OrOp: _logical,
    stablehlo.RemOp: _quotient,
    stablehlo.SelectOp: _selected,
    stablehlo.SubtractOp: _difference,
}
"""What operations are for known numbers. A row returns None where it knows nothing."""
