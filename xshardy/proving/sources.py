"""
Sources: the tensors that views read. Both programs have them in common: arguments, numbers, and results of operations of
the whole program; what a device computes and the whole program does not is a source of the program of each device.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from xshardy.numerics.element_types import Array

if TYPE_CHECKING:
    from xshardy.proving.views import Box, Piece


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
    is_total: bool = False
    """Whether it is a function of integers and numbers that may be read at any index: a mask, a position."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Term(Source):
    """The result of an operation: dimensions that the reads depend on, first the device if it is of each device."""

    operation: Operation
    reads: "tuple[Piece, ...]"
    box: "Box"
    parallel: tuple[int, ...]
    """The dimension of the space behind each dimension of the term, but the device and those that are made."""
    devices: NDArray[np.int64] | None = None
    """For each device, the first one that has the same result; None for a term of the whole program."""


UNLIMITED = 1 << 62
"""The number of integers that the source of integers counts: no index gets there."""
