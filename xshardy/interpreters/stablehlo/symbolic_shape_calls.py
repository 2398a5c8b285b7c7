"""
Custom calls of programs that JAX exports with symbolic shapes: their shapes are operands.

Source: `jax.export`, whose artifacts keep these calls; XLA replaces them by operations when it knows the shapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import starmap

from xdsl.dialects.builtin import StringAttr
from xdsl.utils.exceptions import InterpretationError

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.random_numbers import RngAlgorithmAttr
from xshardy.dialects.stablehlo.windows import WindowDimension
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.random_bits import generated
from xshardy.interpreters.stablehlo.rules import Rule, Value, unsupported
from xshardy.interpreters.stablehlo.top_k_calls import called
from xshardy.interpreters.stablehlo.windows import reduced_windows
from xshardy.numerics.element_types import Array, numpy_dtype


def shape_assertion(
    evaluator: Evaluator, op: stablehlo.CustomCallOp, condition: Array, *sizes: Array
) -> Sequence[Value]:
    """Raises `InterpretationError` with the message of the call, and `sizes` in it, if `condition` is false."""
    if not condition:
        message = op.attributes.get("error_message")
        text = message.data if isinstance(message, StringAttr) else "a shape is not as expected"
        raise InterpretationError(text.format(*map(int, sizes)))
    return []


def rng_bit_generator(evaluator: Evaluator, op: stablehlo.CustomCallOp, state: Array, shape: Array) -> Sequence[Array]:
    """The state after `state`, and random bits of `shape`."""
    algorithm = op.attributes.get("rng_algorithm")
    if not isinstance(algorithm, RngAlgorithmAttr):
        raise unsupported(op, "expected an rng_algorithm")
    return generated(op, algorithm.data, state, shape.tolist(), numpy_dtype(op.result_types[1]))


def reduce_window(evaluator: Evaluator, op: stablehlo.CustomCallOp, *operands: Array) -> Sequence[Array]:
    """Arrays, an initial value for each, then sizes, strides, base dilations, window dilations and padding."""
    *arrays, sizes, strides, base_dilations, window_dilations, padding = operands
    columns = (sizes, strides, base_dilations, window_dilations, *padding.T)
    window = list(starmap(WindowDimension, zip(*(column.tolist() for column in columns), strict=True)))
    return reduced_windows(evaluator, called(evaluator, op), window, arrays)


WITH_SYMBOLIC_SHAPES: Mapping[str, Rule] = {
    "shape_assertion": shape_assertion,
    "stablehlo.dynamic_reduce_window": reduce_window,
    "stablehlo.dynamic_rng_bit_generator": rng_bit_generator,
}
"""The rule of each target."""
