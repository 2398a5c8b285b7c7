"""The calls by which XLA goes between tensors with dynamic dimensions and tensors of their largest sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import TupleType

from xshardy.dialects import stablehlo
from xshardy.dialects.hlo.instruction import elements
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.calls import PAD_TO_STATIC, SLICE_TO_DYNAMIC
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, Value, unsupported
from xshardy.numerics.element_types import Array


def pad_to_static(evaluator: Evaluator, op: stablehlo.CustomCallOp, x: Array) -> Sequence[Value]:
    """`x` with zeros up to the sizes of the result, and the sizes of `x`: several results, or a tuple of them."""
    type = op.results[0].type
    whole = np.zeros(shape_of(elements(type)[0]), x.dtype)
    whole[tuple(map(slice, x.shape))] = x
    parts = (whole, *(np.array(size, np.int32) for size in x.shape))
    return [parts] if isinstance(type, TupleType) else parts


def slice_to_dynamic(evaluator: Evaluator, op: stablehlo.CustomCallOp, x: Array, *sizes: Array) -> Array:
    """The first elements of `x`. Raises `InterpretationError` for a size that `x` does not have."""
    wanted = tuple(map(int, sizes))
    if len(wanted) != x.ndim or not all(0 <= size <= most for size, most in zip(wanted, x.shape, strict=True)):
        raise unsupported(op, f"an operand of shape {x.shape} has no part of shape {wanted} at its beginning")
    return x[tuple(map(slice, wanted))]


DYNAMIC_CALLS: Mapping[str, Rule] = {PAD_TO_STATIC: pad_to_static, SLICE_TO_DYNAMIC: slice_to_dynamic}
