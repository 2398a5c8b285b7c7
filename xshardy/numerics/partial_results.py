"""Parts of a tensor that are combined to it element by element: of a sum, a maximum or a minimum."""

import functools
from collections.abc import Sequence

import numpy as np

from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.numerics.element_types import KINDS, Array, Kind


def summands(whole: Array) -> tuple[Array, Array]:
    """Two different arrays whose sum is exactly `whole`: its double and its negative, or itself and zero."""
    type = whole.dtype
    if KINDS[type] is Kind.PRED:
        return whole, np.zeros_like(whole)
    wide = whole.astype(np.int64) if KINDS[type] is Kind.INTEGER and type.itemsize == 1 else whole
    with np.errstate(all="ignore"):
        double, negative = (wide + wide).astype(type), (np.zeros_like(wide) - wide).astype(type)
        if KINDS[type] is Kind.INTEGER:
            return double, negative
        is_exact = double + negative == whole
    return np.where(is_exact, double, whole), np.where(is_exact, negative, np.zeros_like(whole))


def combined(parts: Sequence[Array], kind: ReductionOp) -> Array:
    """The sum, maximum or minimum of `parts`, of their type. Sums of narrow types are rounded once."""
    if kind is not ReductionOp.SUM:
        return functools.reduce(np.maximum if kind is ReductionOp.MAX else np.minimum, parts)
    type = parts[0].dtype
    is_narrow = KINDS[type] is Kind.FLOAT and type.itemsize < 4
    return functools.reduce(np.add, [part.astype(np.float32) if is_narrow else part for part in parts]).astype(type)
