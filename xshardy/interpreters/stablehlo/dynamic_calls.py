"""The calls by which XLA goes between tensors with dynamic dimensions and tensors of their largest sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.interpreters.element_types import Array
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, unsupported


def pad_to_static(evaluator: Evaluator, op: stablehlo.CustomCallOp, x: Array) -> Sequence[Array]:
    """`x` with zeros up to the sizes of the result, and the sizes of `x`."""
    whole = np.zeros(shape_of(op.results[0]), x.dtype)
    whole[tuple(map(slice, x.shape))] = x
    return [whole, *(np.array(size, np.int32) for size in x.shape)]


def slice_to_dynamic(evaluator: Evaluator, op: stablehlo.CustomCallOp, x: Array, *sizes: Array) -> Array:
    """The first elements of `x`. Raises `InterpretationError` for a size that `x` does not have."""
    wanted = tuple(map(int, sizes))
    if len(wanted) != x.ndim or not all(0 <= size <= most for size, most in zip(wanted, x.shape, strict=True)):
        raise unsupported(op, f"an operand of shape {x.shape} has no part of shape {wanted} at its beginning")
    return x[tuple(map(slice, wanted))]


DYNAMIC_CALLS: Mapping[str, Rule] = {"PadToStatic": pad_to_static, "SliceToDynamic": slice_to_dynamic}
