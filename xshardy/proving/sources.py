"""
Sources: the tensors that views read. Both programs have arguments, numbers and results of operations of the whole
program in common; what a device computes and the whole program does not is a source of the program of each device.
A term reads pieces of other sources, so both are here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Attribute

from xshardy.numerics.element_types import Array
from xshardy.proving.index import Index, Ints

Mask: TypeAlias = NDArray[np.bool_]
"""A truth of each device, of shape `[devices]`."""


@dataclass(frozen=True, eq=False, slots=True)
class Source:
    """A tensor of `shape`; two are equal if they are the same object."""

    name: str
    shape: tuple[int, ...]
    is_local: bool = field(default=False, kw_only=True)
    """Whether it is one of the program of each device; its first dimension is the number of the device."""

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Constant(Source):
    """A number that is not known to be an index: a float, a complex number or a truth, in exact arithmetic."""

    value: float | complex | bool


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Table(Source):
    """Constant elements that are neither equal nor a sequence."""

    values: Array


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Gapped(Source):
    """
    `source` with gaps: its element `i / factors` where all these divisions are exact, `fill` elsewhere.

    Its dimensions are those of `source` times `factors`, so that a gap follows each element.
    """

    source: Source
    factors: tuple[int, ...]
    fill: Constant
    filling: "Piece"
    """What a gap is, somewhere: the constant `fill`, or for integers that integer."""


@dataclass(frozen=True, eq=False, slots=True)
class Operation:
    """
    What is applied to reads over an iteration space.

    A dimension of the space is `p` parallel, `r` reduced, or `w` taken as a whole by the operation.
    """

    name: str
    details: object
    """What else decides about the result: hashable, equal for equal functions."""
    roles: str
    sizes: tuple[int, ...]
    extra: tuple[int, ...] = ()
    """The sizes of dimensions of the result that are none of the space."""
    kind: str | None = None
    """How reduced dimensions are combined."""
    commutes: bool = False
    """Whether its first two reads may be swapped."""
    members: NDArray[np.int64] | None = None
    """Of a collective: for each device those of its group, whose reads are combined. `[device, rank]`"""
    kinds: tuple[Attribute, ...] = ()
    """The kinds of the elements of operands and result of an elementwise operation (`rules.keys`)."""
    is_total: bool = False
    """Whether it is a function of integers and numbers that may be read at any index: a mask, a position."""


@dataclass(frozen=True, eq=False)
class Box:
    """The indices `lo <= i < hi`, of each device; none on devices that are not `here`."""

    lo: Ints
    """`[devices, rank]`"""
    hi: Ints
    here: Mask
    sizes: tuple[int, ...] | None = None
    """The shape of the tensor all of whose indices it has, on all devices; None for other boxes."""

    @cached_property
    def active(self) -> Mask:
        """The devices on which it has an index."""
        return self.here & (self.hi > self.lo).all(1)

    @property
    def volume(self) -> Ints:
        """How many indices it has, on each device."""
        return np.where(self.active, np.prod(self.hi - self.lo, axis=1), 0)

    def meet(self, other: "Box") -> "Box":
        """The indices that are in both."""
        if self.sizes is not None and self.sizes == other.sizes:
            return self
        return Box(np.maximum(self.lo, other.lo), np.minimum(self.hi, other.hi), self.here & other.here)

    def where(self, devices: Mask) -> "Box":
        """It on these devices only."""
        if devices.all():
            return self
        return Box(self.lo, self.hi, self.here & devices)

    def along(self, dim: int, lo: Ints, hi: Ints) -> "Box":
        """Its indices that are in `[lo, hi)` along `dim`."""
        new_lo, new_hi = self.lo.copy(), self.hi.copy()
        new_lo[:, dim], new_hi[:, dim] = np.maximum(lo, self.lo[:, dim]), np.minimum(hi, self.hi[:, dim])
        return Box(new_lo, new_hi, self.here)

    def dims(self, dims: Sequence[int]) -> "Box":
        """Its indices along `dims`."""
        return Box(self.lo[:, list(dims)], self.hi[:, list(dims)], self.active)

    def at_devices(self, devices: Ints) -> "Box":
        """That of `devices[d]`, on device `d`; none where the number is negative."""
        if self.sizes is not None and (devices >= 0).all():
            return full_box(self.sizes, len(devices))
        known = np.maximum(devices, 0)
        return Box(self.lo[known], self.hi[known], self.here[known] & (devices >= 0))

    def contains(self, other: "Box") -> Mask:
        """The devices on which all indices of `other` are in it."""
        return ~other.active | (self.active & (self.lo <= other.lo).all(1) & (self.hi >= other.hi).all(1))


def full_box(shape: Sequence[int], devices: int) -> Box:
    """All indices of a tensor of this shape."""
    hi = np.tile(np.array(shape, np.int64).reshape(1, -1), (devices, 1))
    return Box(np.zeros_like(hi), hi, np.ones(devices, bool), tuple(shape))


@dataclass(frozen=True, eq=False, slots=True)
class Partial:
    """
    A part of a reduction: its elements in these boxes only, of the whole box of `sizes`.

    Boxes may overlap for a `kind` that does not notice a value that it has combined before.
    """

    kind: str
    boxes: tuple[Box, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Piece:
    """In `box`, device `d` has `source[at(d, i)]`, or a part of a reduction of it."""

    source: Source
    at: tuple[Index, ...]
    box: Box
    partial: Partial | None = None
    outside: Source | None = None
    """The constant that it is where `at` is not in the source; None if `at` is in the source everywhere."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Term(Source):
    """The result of an operation: dimensions that the reads depend on, first the device if it is of each device."""

    operation: Operation
    reads: tuple[Piece, ...]
    box: Box
    parallel: tuple[int, ...]
    """The dimension of the space behind each dimension of the term, but the device and those that are made."""
    devices: NDArray[np.int64] | None = None
    """For each device, the first one that has the same result; None for a term of the whole program."""
    has_parts: bool = field(init=False, default=False)
    """Whether a read is a part of a reduction, or made of one. Kept, since terms share their reads: no tree to walk."""

    def __post_init__(self):
        has_parts = self.is_local and any(map(is_made_of_parts, self.reads))
        object.__setattr__(self, "has_parts", has_parts)


def is_made_of_parts(piece: Piece) -> bool:
    """Whether a piece is a part of a reduction, or made of one."""
    return piece.partial is not None or (isinstance(piece.source, Term) and piece.source.has_parts)
