"""Rules for custom calls whose function is known, such as identities, elementwise functions and factorizations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.chlo.custom_calls import ELEMENTWISE_CUSTOM_CALLS
from xshardy.dialects.stablehlo.calls import RAGGED_ALL_TO_ALL
from xshardy.dialects.stablehlo.python_callbacks import CANNOT_CALL, is_python_callback
from xshardy.interpreters.stablehlo.calls import Execution
from xshardy.interpreters.stablehlo.checks import CHECK_CALLS
from xshardy.interpreters.stablehlo.collectives import ragged_all_to_all
from xshardy.interpreters.stablehlo.control import pass_through
from xshardy.interpreters.stablehlo.dynamic_calls import DYNAMIC_CALLS
from xshardy.interpreters.stablehlo.fourier_calls import FOURIER_CALLS
from xshardy.interpreters.stablehlo.gpu_libraries import GPU_LIBRARIES
from xshardy.interpreters.stablehlo.lapack import FACTORIZATIONS
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.older_lapack import OLDER_LAPACK
from xshardy.interpreters.stablehlo.random_bits import double_word, words
from xshardy.interpreters.stablehlo.rules import Results, Rule, Value, listed, unsupported
from xshardy.interpreters.stablehlo.scipy_lapack import BY_SCIPY
from xshardy.interpreters.stablehlo.symbolic_shape_calls import WITH_SYMBOLIC_SHAPES
from xshardy.interpreters.stablehlo.top_k_calls import TOP_K_CALLS
from xshardy.numerics.conversions import convert
from xshardy.numerics.element_types import Array, as_tensor_type, numpy_dtype


def nothing(evaluator: Evaluator, op: stablehlo.CustomCallOp, *operands: Value) -> Sequence[Value]:
    """An effect that does not concern values; a result is an empty tuple."""
    return [() for _ in op.results]


def buffer_without_contents(evaluator: Evaluator, op: stablehlo.CustomCallOp) -> Sequence[Value]:
    raise unsupported(op, "CreateBuffer gives memory without contents; pin a constant to say what is in it")


def low_words(evaluator: Evaluator, op: stablehlo.CustomCallOp, x: Array) -> Array:
    return words(x.view(np.uint64))[0]


def high_words(evaluator: Evaluator, op: stablehlo.CustomCallOp, x: Array) -> Array:
    return words(x.view(np.uint64))[1]


def combined_words(evaluator: Evaluator, op: stablehlo.CustomCallOp, low: Array, high: Array) -> Array:
    return double_word(low, high)


IDENTITIES = (
    *("annotate_device_placement", "LayoutConstraint", "MoveToDevice", "MoveToHost", "Pin", "Sharding", "Unpin"),
    *("xla.megascale.provide_metadata", "xla.sdy.FuncResultSharding", "xla.sdy.PropagationBarrier"),
)

CUSTOM_CALLS: Mapping[str, Rule] = {
    **CHECK_CALLS,
    **FACTORIZATIONS,
    **BY_SCIPY,
    **OLDER_LAPACK,
    **FOURIER_CALLS,
    **GPU_LIBRARIES,
    **TOP_K_CALLS,
    **DYNAMIC_CALLS,
    **WITH_SYMBOLIC_SHAPES,
    **dict.fromkeys(IDENTITIES, pass_through),
    "CreateBuffer": buffer_without_contents,
    "X64Combine": combined_words,
    "X64SplitHigh": high_words,
    "X64SplitLow": low_words,
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


def custom_call(evaluator: Evaluator, op: stablehlo.CustomCallOp, *operands: Array) -> Results | Execution:
    """Raises `InterpretationError` for a target that is not known."""
    name = op.call_target_name.data
    if (function := ELEMENTWISE_CUSTOM_CALLS.get(name)) is not None:
        return evaluator.rules[function](evaluator, op, *operands)
    if name == RAGGED_ALL_TO_ALL:
        return ragged_all_to_all(evaluator, op, *operands)
    rule = CUSTOM_CALLS.get(name)
    if name in SAME_SHAPE_ONLY and [*op.operand_types] == [*op.result_types]:
        rule = pass_through
    if is_python_callback(op):
        raise unsupported(op, f"'{name}': {CANNOT_CALL}")
    if rule is None:
        raise unsupported(op, f"'{name}' is not a function that is known here")
    values = listed(rule(evaluator, op, *operands))
    if [isinstance(type, TupleType) for type in op.result_types] != [True] or isinstance(values[0], tuple):
        return [typed(value, type) for value, type in zip(values, op.result_types, strict=True)]
    return [tuple(typed(value, type) for value, type in zip(values, op.part_types, strict=True))]


CUSTOM_CALL: Mapping[type[Operation], Rule] = {stablehlo.CustomCallOp: custom_call}
