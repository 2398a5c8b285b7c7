"""
Approximate functions, and how far their results may be from the exact ones.

The machine computes the nearest number of the type. A GPU may give another one within the error that is documented;
on request, the machine does so too. Source: PTX ISA, the table of each instruction, and for `div` the
text on `.full` and `.approx`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.numerics.floats import narrowed


@dataclass(frozen=True, slots=True)
class Approximation:
    """A function of f64 numbers, and the documented error of the instruction."""

    function: Callable[..., Array]
    relative: float = 0.0
    """The largest error relative to the result."""
    absolute: float = 0.0
    """The largest absolute error; the larger of both errors counts."""


def reciprocal(x: Array) -> Array:
    return 1 / x


def reciprocal_root(x: Array) -> Array:
    return 1 / np.sqrt(x)


ULP = 2.0**-23
"""A unit in the last place of f32, relative to the power of two below."""

APPROXIMATE: Mapping[tuple[str, str, str], Approximation] = {
    ("div", "approx", "f32"): Approximation(np.divide, 2 * ULP),
    ("div", "full", "f32"): Approximation(np.divide, 2 * ULP),
    ("rcp", "approx", "f32"): Approximation(reciprocal, ULP),
    ("rcp", "approx", "f64"): Approximation(reciprocal, 2.0**-20),
    ("sqrt", "approx", "f32"): Approximation(np.sqrt, 2.0**-23),
    ("rsqrt", "approx", "f32"): Approximation(reciprocal_root, 2.0**-22.9),
    ("rsqrt", "approx", "f64"): Approximation(reciprocal_root, 2.0**-20),
    ("ex2", "approx", "f32"): Approximation(np.exp2, 2.0**-22),
    ("ex2", "approx", "f16"): Approximation(np.exp2, 2.0**-9.9),
    ("ex2", "approx", "bf16"): Approximation(np.exp2, 2.0**-7),
    ("lg2", "approx", "f32"): Approximation(np.log2, 2.0**-22, 2.0**-22),
    ("sin", "approx", "f32"): Approximation(np.sin, 0.0, 2.0**-20.5),
    ("cos", "approx", "f32"): Approximation(np.cos, 0.0, 2.0**-20.5),
    ("tanh", "approx", "f32"): Approximation(np.tanh, 2.0**-11),
    ("tanh", "approx", "f16"): Approximation(np.tanh, 2.0**-10.987),
    ("tanh", "approx", "bf16"): Approximation(np.tanh, 2.0**-8),
}
"""By opcode, accuracy and type."""


def approximated(by: Approximation, errors: np.random.Generator | None) -> Callable[..., Array]:
    """The instruction on numbers of any float type. With `errors`, results differ by a random part of the error."""

    def function(*operands: Array) -> Array:
        exact = by.function(*(operand.astype(np.float64) for operand in operands))
        return narrowed(exact if errors is None else _moved(exact, by, errors), operands[0].dtype)

    return function


def _moved(exact: Array, by: Approximation, errors: np.random.Generator) -> Array:
    """`exact`, with errors below the documented ones; infinities and zeros stay."""
    moved = exact + errors.uniform(-1, 1, exact.shape) * np.maximum(np.abs(exact) * by.relative, by.absolute)
    return np.where(np.isfinite(exact) & (exact != 0), moved, exact)
