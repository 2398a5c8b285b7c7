"""
Integers and truths that are known at run time only, as functions of one integer that both programs read: of an atom.

An index that is clamped, shifted by the offset of a device, or chosen by a comparison is such a function, and so is a
mask around it. What is said of functions is said of all values of the type of the atom, in bounds or not.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.ir import Attribute

from xshardy.proving.index import number, substitute, whole
from xshardy.proving.kernel import Kernel
from xshardy.proving.rules import piecewise
from xshardy.proving.rules.keys import TRUTH, integer_range
from xshardy.proving.rules.piecewise import Function
from xshardy.proving.sources import Constant, Term
from xshardy.proving.views import Box, Piece, View, at_devices, full_box, same_piece

TRUTHS = 0, 1
MAX_DEPTH = 40
"""How many operations from an index to its atom are looked at, at most."""


@dataclass(frozen=True, eq=False, slots=True)
class Value:
    """On each device a function of the elements of `atom`; a number, which is a function of nothing, without one."""

    atom: Piece | None
    functions: tuple[Function, ...]

    def mapped(self, change: Callable[[Function], Function]) -> "Value":
        """It with another function on each device."""
        return Value(self.atom, piecewise.on_devices(change, self.functions))


def range_of_kind(kind: Attribute) -> tuple[int, int] | None:
    """The least and the greatest integer of a kind of elements; a truth is 0 or 1. None if it has no integers."""
    return TRUTHS if kind == TRUTH else integer_range(kind)


def value_of(kernel: Kernel, piece: Piece, kind: Attribute, depth: int = 0) -> Value | None:
    """What a piece of elements of a kind is: a number, a function of an atom, or an atom. None for no integers."""
    bounds = range_of_kind(kind)
    if bounds is None or piece.partial is not None or piece.outside is not None:
        return None
    source = piece.source
    if isinstance(source, Constant):
        return _numbers(kernel, np.array([int(source.value)])) if isinstance(source.value, bool) else None
    if source is kernel.universe.integers and piece.at[0].is_known:
        return _numbers(kernel, piece.at[0].offset)
    if isinstance(source, Term) and depth < MAX_DEPTH and (found := _applied(kernel, piece, source, depth)) is not None:
        return found
    return Value(piece, (piecewise.identity(*bounds),) * kernel.devices)


def _numbers(kernel: Kernel, values: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> Value:
    at_nothing = piecewise.identity(0, 0)
    return Value(
        None, tuple(piecewise.everywhere(int(value), at_nothing) for value in np.broadcast_to(values, kernel.devices))
    )


def _applied(kernel: Kernel, piece: Piece, term: Term, depth: int) -> Value | None:
    """The function that a term is of the atom of its reads; None if that is none, or if these are of several atoms."""
    rule, kinds = RULES.get(term.operation.name), term.operation.kinds
    if rule is None or len(kinds) != len(term.reads) + 1 or term.operation.roles.strip("p"):
        return None
    bounds = range_of_kind(kinds[-1])
    if bounds is None:
        return None
    values = list[Value]()
    for place, kind in enumerate(kinds[:-1]):
        read = read_of(kernel, piece, place)
        value = None if read is None else value_of(kernel, read, kind, depth + 1)
        if value is None:
            return None
        values.append(value)
    joined = joint(values, piece)
    if joined is None:
        return None
    atom, functions = joined
    results = piecewise.on_devices(
        lambda operands: rule(operands, str(term.operation.details), bounds), zip(*functions, strict=True)
    )
    known = tuple(result for result in results if result is not None)
    return Value(atom, known) if len(known) == len(results) else None


def read_of(kernel: Kernel, piece: Piece, place: int) -> Piece | None:
    """The read of an elementwise term at the indices of a piece of it; None if that is no view of plain elements."""
    read = read_at(kernel, piece, place)
    return None if read is None or read.partial is not None or read.outside is not None else read


def read_at(kernel: Kernel, piece: Piece, place: int, more: Sequence[int] = ()) -> Piece | None:
    """
    The read of a term at the indices of a piece of it, on the device that computes it; None if that is no view.

    It is over the dimensions of the piece, then over those of the space of the term that are `more`.
    """
    term, at, rank = piece.source, piece.at, piece.box.lo.shape[1]
    assert isinstance(term, Term)
    read, space = term.reads[place], term.operation.sizes
    if term.is_local:
        if not at[0].is_known or len(term.box.here) != kernel.devices:
            return None
        rows, at = np.broadcast_to(at[0].offset, kernel.devices), at[1:]
        (read,) = at_devices(View(space, (replace(read, box=full_box(space, kernel.devices)),)), rows).pieces
    if len(at) != len(term.parallel):
        return None
    places = {**dict(zip(term.parallel, at, strict=True)), **{d: whole(rank + n, space[d]) for n, d in enumerate(more)}}
    ends = np.tile(np.array([space[dim] for dim in more], np.int64), (len(piece.box.here), 1))
    box = Box(np.hstack([piece.box.lo, 0 * ends]), np.hstack([piece.box.hi, ends]), piece.box.here)
    full = [places.get(dim, number(0)) for dim in range(len(space))]
    found = [substitute(index, full, space, box.lo, box.hi) for index in read.at]
    if any(index is None for index in found):
        return None
    return replace(read, at=tuple(index for index in found if index is not None), box=box)


def joint(values: Sequence[Value], piece: Piece) -> tuple[Piece | None, list[tuple[Function, ...]]] | None:
    """The one atom of values in the box of `piece`, and their functions of it; None if they have several."""
    atoms = [value for value in values if value.atom is not None]
    if not atoms:
        return None, [value.functions for value in values]
    atom = atoms[0].atom
    assert atom is not None
    if not all(value.atom is not None and same_atom(value.atom, atom, piece) for value in atoms):
        return None
    like = atoms[0].functions[0]
    if any(piecewise.everything(value.functions[0]) != piecewise.everything(like) for value in atoms):
        return None
    return atom, [
        value.functions
        if value.atom is not None
        else piecewise.on_devices(lambda f: piecewise.everywhere(f.lines[0].constant, like), value.functions)
        for value in values
    ]


def same_atom(a: Piece, b: Piece, piece: Piece) -> bool:
    """Whether two atoms are the same elements in the box of `piece`."""
    shape = [int(end) for end in piece.box.hi.max(0, initial=1)]
    return same_piece(a, b, piece.box, shape)


# -- Operations --------------------------------------------------------------------------------------------------------

Bounds = tuple[int, int]


def _compared(operands: Sequence[Function], properties: str, bounds: Bounds) -> Function | None:
    a, b = operands
    for direction, rule in DIRECTIONS.items():
        if f"comparison_direction {direction}>" in properties:
            return rule(a, b)
    return None


def _converted(operands: Sequence[Function], properties: str, bounds: Bounds) -> Function | None:
    """An integer that is one of both types."""
    (value,) = operands
    return value if bounds[0] <= value.least and value.greatest <= bounds[1] and bounds != TRUTHS else None


DIRECTIONS: Mapping[str, Callable[[Function, Function], Function]] = {
    "EQ": piecewise.equal,
    "GE": lambda a, b: piecewise.inverted(piecewise.less(a, b)),
    "GT": lambda a, b: piecewise.less(b, a),
    "LE": lambda a, b: piecewise.inverted(piecewise.less(b, a)),
    "LT": piecewise.less,
    "NE": lambda a, b: piecewise.inverted(piecewise.equal(a, b)),
}

RULES: Mapping[str, Callable[[Sequence[Function], str, Bounds], Function | None]] = {
    "and": lambda f, _, bounds: piecewise.smaller(f[0], f[1]) if bounds == TRUTHS else None,
    "or": lambda f, _, bounds: piecewise.larger(f[0], f[1]) if bounds == TRUTHS else None,
    "stablehlo.add": lambda f, _, bounds: piecewise.wrapped(piecewise.added(f[0], f[1]), *bounds),
    "stablehlo.clamp": lambda f, _, bounds: piecewise.smaller(piecewise.larger(f[0], f[1]), f[2]),
    "stablehlo.compare": _compared,
    "stablehlo.convert": _converted,
    "stablehlo.maximum": lambda f, _, bounds: piecewise.larger(f[0], f[1]),
    "stablehlo.minimum": lambda f, _, bounds: piecewise.smaller(f[0], f[1]),
    "stablehlo.not": lambda f, _, bounds: piecewise.inverted(f[0]) if bounds == TRUTHS else None,
    "stablehlo.select": lambda f, _, bounds: piecewise.chosen(f[0], f[1], f[2]),
    "stablehlo.subtract": lambda f, _, bounds: piecewise.wrapped(piecewise.added(f[0], f[1], -1), *bounds),
}
"""Of the operands and the bounds of the result; only where these decide. None for too many lines."""
