"""Rules for custom calls whose function is known: identities of XLA, elementwise functions, top-k, factorizations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, TupleType
from xdsl.ir import Attribute, Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.chlo.custom_calls import ELEMENTWISE_CUSTOM_CALLS
from xshardy.dialects.shapes import shape_of
from xshardy.interpreters.element_types import Array, as_tensor_type, numpy_dtype
from xshardy.interpreters.numerics.conversions import convert
from xshardy.interpreters.stablehlo.chlo import largest, smallest
from xshardy.interpreters.stablehlo.control import pass_through
from xshardy.interpreters.stablehlo.gpu_libraries import GPU_LIBRARIES
from xshardy.interpreters.stablehlo.lapack import FACTORIZATIONS
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.random_bits import double_word, words
from xshardy.interpreters.stablehlo.rules import Results, Rule, Value, listed, unsupported
from xshardy.interpreters.stablehlo.scipy_lapack import BY_SCIPY
from xshardy.interpreters.stablehlo.sorting import by_block, in_order


def entries(op: stablehlo.CustomCallOp, name: str) -> Mapping[str, Attribute]:
    """The entries of the dictionary `name` among the attributes of `op`."""
    found = op.attributes.get(name)
    return found.data if isinstance(found, DictionaryAttr) else {}


def nothing(evaluator: Evaluator, op: stablehlo.CustomCallOp, *operands: Value) -> Sequence[Value]:
    """An effect that does not concern values; a result is an empty tuple."""
    return [() for _ in op.results]


def top_k(evaluator: Evaluator, op: stablehlo.CustomCallOp, x: Array) -> Sequence[Array]:
    """The largest elements, or with `largest = false` the smallest."""
    flag = entries(op, "mhlo.attributes").get("largest")
    is_smallest = isinstance(flag, IntegerAttr) and not flag.value.data
    return (smallest if is_smallest else largest)(x, shape_of(op.part_types[0])[-1])


def approximate_top_k(evaluator: Evaluator, op: stablehlo.CustomCallOp, *operands: Array) -> Sequence[Array]:
    """
    The exact first elements in the order of the called comparator; the second half of the operands is initial values.

    Raises `InterpretationError` for a call that returns more elements than it is to choose, from parts of the operand.
    """
    config = entries(op, "mhlo.backend_config")
    dimension, count = config.get("reduction_dim"), config.get("top_k")
    called = [symbol.string_value() for symbol in op.called_computations]
    if not isinstance(dimension, IntegerAttr) or not isinstance(count, IntegerAttr) or len(called) != 1:
        raise unsupported(op, "expected a reduction_dim, a top_k and one called comparator")
    comparator = evaluator.functions[called[0]].body.block
    axis, wanted = dimension.value.data, count.value.data
    if shape_of(op.part_types[0])[axis] != wanted:
        raise unsupported(op, f"it returns more than {wanted} elements: aggregate_to_topk is not set")
    values = in_order(operands[: len(operands) // 2], axis, by_block(evaluator, comparator))
    return [x.take(range(wanted), axis) for x in values]


def low_words(evaluator: Evaluator, op: stablehlo.CustomCallOp, x: Array) -> Array:
    return words(x.view(np.uint64))[0]


def high_words(evaluator: Evaluator, op: stablehlo.CustomCallOp, x: Array) -> Array:
    return words(x.view(np.uint64))[1]


def combined_words(evaluator: Evaluator, op: stablehlo.CustomCallOp, low: Array, high: Array) -> Array:
    return double_word(low, high)


IDENTITIES = (
    *("annotate_device_placement", "LayoutConstraint", "MoveToDevice", "MoveToHost", "Sharding"),
    *("xla.megascale.provide_metadata", "xla.sdy.FuncResultSharding", "xla.sdy.PropagationBarrier"),
)

CUSTOM_CALLS: Mapping[str, Rule] = {
    **FACTORIZATIONS,
    **BY_SCIPY,
    **GPU_LIBRARIES,
    **dict.fromkeys(IDENTITIES, pass_through),
    "ApproxTopK": approximate_top_k,
    "TopK": top_k,
    "X64Combine": combined_words,
    "X64SplitHigh": high_words,
    "X64SplitLow": low_words,
    "mhlo.topk": top_k,
    "xla.sdy.ShardingGroup": nothing,
}
"""The rule of each target that is no elementwise function."""

SAME_SHAPE_ONLY = ("SPMDFullToShardShape", "SPMDShardToFullShape")
"""Identities between a whole tensor and its part: only where these are one."""


def typed(value: Value, type: Attribute) -> Value:
    """`value` with the elements of a tensor `type`."""
    if isinstance(value, tuple) or as_tensor_type(type) is None:
        return value
    return convert(np.asarray(value), numpy_dtype(type))


def custom_call(evaluator: Evaluator, op: stablehlo.CustomCallOp, *operands: Array) -> Results:
    """Raises `InterpretationError` for a target that is not known."""
    name = op.call_target_name.data
    if (function := ELEMENTWISE_CUSTOM_CALLS.get(name)) is not None:
        return evaluator.rules[function](evaluator, op, *operands)
    rule = CUSTOM_CALLS.get(name)
    if name in SAME_SHAPE_ONLY and [*op.operand_types] == [*op.result_types]:
        rule = pass_through
    if rule is None:
        raise unsupported(op, f"'{name}' is not a function that is known here")
    values = listed(rule(evaluator, op, *operands))
    if [isinstance(type, TupleType) for type in op.result_types] != [True] or isinstance(values[0], tuple):
        return [typed(value, type) for value, type in zip(values, op.result_types, strict=True)]
    return [tuple(typed(value, type) for value, type in zip(values, op.part_types, strict=True))]


CUSTOM_CALL: Mapping[type[Operation], Rule] = {stablehlo.CustomCallOp: custom_call}
