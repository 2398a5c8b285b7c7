"""Rules for the ops of CHLO and MHLO other than elementwise functions that HLO has too."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from xdsl.dialects.builtin import FloatAttr, FloatData, IntAttr, IntegerAttr
from xdsl.ir import Operation

from xshardy.dialects import chlo, mhlo
from xshardy.dialects.chlo.broadcasting import BroadcastBinaryOp
from xshardy.dialects.chlo.broadcasting import broadcast as broadcast_shape
from xshardy.facts.broadcasts import ELEMENTWISE_OF
from xshardy.interpreters.constants import constant_array
from xshardy.interpreters.stablehlo.control import pass_through
from xshardy.interpreters.stablehlo.elementwise import ELEMENTWISE, Elementwise, compare, on_floats_and_complex
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Results, Rule, unsupported
from xshardy.numerics import complexes, floats, integers
from xshardy.numerics import special_functions as special
from xshardy.numerics.element_types import BITS, KINDS, Array, Kind, numpy_dtype


def of_two_floats(function: Callable[[float, float], float]) -> Callable[[Array, Array], Array]:
    """Make a function of two Python floats one of arrays of any float type, computed in f64."""

    def on_any(x: Array, y: Array) -> Array:
        pairs = zip(x.ravel().tolist(), y.ravel().tolist(), strict=True)
        return np.fromiter((function(a, b) for a, b in pairs), np.float64, x.size).reshape(x.shape).astype(x.dtype)

    return on_any


def high_product(x: Array, y: Array) -> Array:
    """
    The upper half of the bits of the product.

    For signed numbers, the unsigned result minus corrections for the signs. Fewer than 8 bits have products of 16.
    """
    if x.dtype in integers.NARROW:
        product = integers.native(x).astype(np.int16) * integers.native(y).astype(np.int16)
        return integers.wrapped(product >> BITS[x.dtype], x.dtype)
    if not integers.is_signed(x):
        return integers.high_half(x, y)
    bits_x, bits_y = integers.unsigned(x), integers.unsigned(y)
    high = integers.high_half(bits_x, bits_y)
    high = high - np.where(x < 0, bits_y, 0).astype(high.dtype) - np.where(y < 0, bits_x, 0).astype(high.dtype)
    return high.view(x.dtype)


def square(x: Array) -> Array:
    return np.multiply(x, x)


def constant(evaluator: Evaluator, op: chlo.ConstantOp) -> Array:
    return constant_array(op.value)


def constant_like(evaluator: Evaluator, op: chlo.ConstantLikeOp, x: Array) -> Array:
    match op.value:
        case IntegerAttr(value=IntAttr(data=number)) | FloatAttr(value=FloatData(data=number)):
            return np.full(x.shape, number, numpy_dtype(op.result.type))
        case _:
            raise unsupported(op, f"{op.value} is not a number")


def largest(x: Array, count: int) -> tuple[Array, Array]:
    """
    The `count` largest elements along the last dimension, and their indices.

    NaN is larger than any other number, and 0 than -0; equal numbers are ordered by index.
    """
    key = floats.total_order(x) if KINDS[x.dtype] is Kind.FLOAT else integers.native(x)
    from_the_right = np.argsort(key[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    order = (x.shape[-1] - 1 - from_the_right)[..., :count]
    return np.take_along_axis(x, order, axis=-1), order


def smallest(x: Array, count: int) -> tuple[Array, Array]:
    """The `count` smallest elements along the last dimension, in the order of `largest`, and their indices."""
    key = floats.total_order(x) if KINDS[x.dtype] is Kind.FLOAT else integers.native(x)
    order = np.argsort(key, axis=-1, kind="stable")[..., :count]
    return np.take_along_axis(x, order, axis=-1), order


def top_k(evaluator: Evaluator, op: chlo.TopKOp | mhlo.TopKOp, x: Array) -> tuple[Array, Array]:
    chosen = smallest if isinstance(op, mhlo.TopKOp) and not op.largest.value.data else largest
    values, indices = chosen(x, op.k.value.data)
    return values, indices.astype(numpy_dtype(op.indices.type))


def broadcast_pair(op: BroadcastBinaryOp, x: Array, y: Array) -> tuple[Array, ...]:
    """Both operands, in the shape of the result."""
    if op.broadcast_dimensions is None or x.ndim == y.ndim:
        return np.broadcast_arrays(x, y)
    small, large = (x, y) if x.ndim < y.ndim else (y, x)
    shape = [1] * large.ndim
    for size, dimension in zip(small.shape, op.broadcast_dimensions.get_values(), strict=True):
        shape[dimension] = size
    placed = small.reshape(shape)
    return np.broadcast_arrays(*((placed, large) if small is x else (large, placed)))


def broadcast(rule: Rule) -> Rule:
    """Apply `rule` to operands that are first broadcast to each other."""

    def rule_of_broadcast(evaluator: Evaluator, op: BroadcastBinaryOp, x: Array, y: Array) -> Results:
        dimensions = None if op.broadcast_dimensions is None else op.broadcast_dimensions.get_values()
        if broadcast_shape([x.shape, y.shape], dimensions) is None:
            along = "" if dimensions is None else f" along {list(dimensions)}"
            raise unsupported(op, f"cannot broadcast {x.shape} and {y.shape}{along}")
        return rule(evaluator, op, *broadcast_pair(op, x, y))

    return rule_of_broadcast


def broadcast_select(
    evaluator: Evaluator, op: chlo.BroadcastSelectOp, pred: Array, on_true: Array, on_false: Array
) -> Array:
    return np.where(*np.broadcast_arrays(pred, on_true, on_false))


_WITHOUT_BROADCASTS: Mapping[type[Operation], Rule] = {
    chlo.BesselI1eOp: Elementwise(floating=floats.scalar_function(special.bessel_i1e)),
    chlo.ConjOp: Elementwise(floating=np.copy, complex=np.conj),
    chlo.ConstantLikeOp: constant_like,
    chlo.ConstantOp: constant,
    chlo.DigammaOp: Elementwise(floating=floats.scalar_function(special.digamma)),
    chlo.IsInfOp: Elementwise(floating=np.isinf),
    chlo.IsNegInfOp: Elementwise(floating=np.isneginf),
    chlo.IsPosInfOp: Elementwise(floating=np.isposinf),
    chlo.LgammaOp: Elementwise(floating=floats.scalar_function(special.lgamma)),
    chlo.MulhiOp: Elementwise(integer=high_product),
    chlo.NextAfterOp: Elementwise(floating=floats.next_after),
    chlo.PolygammaOp: Elementwise(floating=of_two_floats(special.polygamma)),
    chlo.SquareOp: Elementwise(floating=square, complex=complexes.square),
    chlo.TanOp: on_floats_and_complex(floats.tan),
    chlo.TopKOp: top_k,
    chlo.ZetaOp: Elementwise(floating=of_two_floats(special.zeta)),
    mhlo.CopyOp: pass_through,
    mhlo.TopKOp: top_k,
}

_ON_ONE_SHAPE: Mapping[type[Operation], Rule] = {**ELEMENTWISE, **_WITHOUT_BROADCASTS}

CHLO: Mapping[type[Operation], Rule] = {
    **_WITHOUT_BROADCASTS,
    **{op: broadcast(_ON_ONE_SHAPE[kind]) for op, kind in ELEMENTWISE_OF.items()},
    chlo.BroadcastCompareOp: broadcast(compare),
    chlo.BroadcastSelectOp: broadcast_select,
}
