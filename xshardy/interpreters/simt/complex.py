"""Rules for the ops of `complex`."""

from collections.abc import Callable, Mapping

import numpy as np
from xdsl.dialects import complex

from xshardy.interpreters.constants import constant_array
from xshardy.interpreters.simt.arith import bitcast
from xshardy.interpreters.simt.machine import Lanes, Rule, elementwise
from xshardy.numerics import complexes, floats
from xshardy.numerics.element_types import Array, numpy_dtype


def constant(lanes: Lanes, op: complex.ConstantOp) -> Array:
    """The attribute has the form `[real, imaginary]`."""
    real, imaginary = map(constant_array, op.value)
    return complexes.create(real, imaginary).astype(numpy_dtype(op.complex.type))[None, None]


FUNCTIONS: Mapping[str, Callable[..., Array]] = {
    "abs": np.abs,
    "add": np.add,
    "angle": np.angle,
    "atan2": complexes.atan2,
    "conj": np.conj,
    "cos": floats.cos,
    "create": complexes.create,
    "div": complexes.divide,
    "eq": np.equal,
    "exp": floats.exp,
    "expm1": floats.expm1,
    "im": np.imag,
    "log": floats.log,
    "log1p": complexes.log1p,
    "mul": complexes.multiply,
    "neg": np.negative,
    "neq": np.not_equal,
    "pow": floats.power,
    "re": np.real,
    "rsqrt": floats.rsqrt,
    "sign": complexes.sign,
    "sin": floats.sin,
    "sqrt": floats.sqrt,
    "sub": np.subtract,
    "tan": floats.tan,
    "tanh": floats.tanh,
}

COMPLEX: Mapping[str, Rule] = {
    **{f"complex.{name}": elementwise(function) for name, function in FUNCTIONS.items()},
    "complex.bitcast": bitcast,
    "complex.constant": constant,
}
