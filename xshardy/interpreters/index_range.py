"""The values of the elements of a tensor for which the indices that depend on them are in bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.ir import SSAValue

from xshardy.dialects import stablehlo
from xshardy.numerics.element_types import Array

NONE = (2**62, -(2**62))
"""The bounds of an element that is not used as an index. The hull of it and a range is that range."""


@dataclass(frozen=True, slots=True)
class IndexRange:
    """The values of each element of a tensor for which an index that depends on it is in bounds: i64, both included."""

    lower: Array
    upper: Array
    is_compared: bool = False
    """Whether the bounds are those of a comparison: other values are as interesting."""
    scatter: stablehlo.ScatterOp | None = None
    """The scatter whose indices these are."""
    is_size: bool = False
    """Whether these are sizes of dynamic dimensions: others mean nothing."""

    def map(self, move: Callable[[Array], Array]) -> IndexRange:
        """Both bounds moved by a function that does not compute."""
        return replace(self, lower=move(self.lower), upper=move(self.upper))

    def hull(self, shape: Sequence[int]) -> IndexRange:
        """For a tensor of which any element may be the index: the smallest range that holds all."""
        lower, upper = self.lower.min(initial=NONE[0]), self.upper.max(initial=NONE[1])
        return replace(self, lower=np.broadcast_to(lower, shape), upper=np.broadcast_to(upper, shape))

    def within(self, other: IndexRange) -> IndexRange:
        """The values that are in both ranges."""
        return replace(self, lower=np.maximum(self.lower, other.lower), upper=np.minimum(self.upper, other.upper))

    def is_empty(self) -> bool:
        return not (self.lower <= self.upper).any()

    def equals(self, other: IndexRange) -> bool:
        alike = (self.is_compared, self.is_size) == (other.is_compared, other.is_size) and self.scatter is other.scatter
        return alike and bool((self.lower == other.lower).all() and (self.upper == other.upper).all())


def bounded(shape: Sequence[int], lower: int, upper: int, scatter: stablehlo.ScatterOp | None = None) -> IndexRange:
    low, high = (np.broadcast_to(np.int64(bound), shape) for bound in (lower, upper))
    return IndexRange(low, high, scatter=scatter)


Ranges = Iterator[tuple[SSAValue, IndexRange]]
