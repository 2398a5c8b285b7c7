"""The formulas of complex functions against numpy, whose functions are accurate to a few units in the last place."""

from collections.abc import Callable
from operator import neg

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xshardy.facts.decompositions import complex_formulas
from xshardy.facts.decompositions.formulas import Arithmetic
from xshardy.numerics.element_types import Array


class Numpy(Arithmetic[Array]):
    """Arithmetic on arrays of f64."""

    is_double = True

    def value(self, x: Array | float) -> Array:
        return np.asarray(x, np.float64)

    def add(self, x: Array | float, y: Array | float) -> Array:
        return np.add(x, y)

    def subtract(self, x: Array | float, y: Array | float) -> Array:
        return np.subtract(x, y)

    def multiply(self, x: Array | float, y: Array | float) -> Array:
        return np.multiply(x, y)

    def divide(self, x: Array | float, y: Array | float) -> Array:
        return np.divide(x, y)

    def select(self, condition: Array, then: Array | float, otherwise: Array | float) -> Array:
        return np.where(condition, then, otherwise)

    def is_less(self, x: Array | float, y: Array | float) -> Array:
        return np.less(x, y)

    def is_equal(self, x: Array, y: Array | float) -> Array:
        return np.equal(x, y)

    def negate(self, x: Array) -> Array:
        return np.negative(x)

    def absolute(self, x: Array) -> Array:
        return np.abs(x)

    def floor(self, x: Array) -> Array:
        return np.floor(x)

    def sqrt(self, x: Array) -> Array:
        return np.sqrt(x)

    def exp(self, x: Array) -> Array:
        return np.exp(x)

    def expm1(self, x: Array) -> Array:
        return np.expm1(x)

    def log(self, x: Array) -> Array:
        return np.log(x)

    def log1p(self, x: Array) -> Array:
        return np.log1p(x)

    def sin(self, x: Array) -> Array:
        return np.sin(x)

    def cos(self, x: Array) -> Array:
        return np.cos(x)

    def atan2(self, y: Array, x: Array) -> Array:
        return np.arctan2(y, x)

    def erf(self, x: Array) -> Array:
        raise NotImplementedError

    def erfc(self, x: Array) -> Array:
        raise NotImplementedError

    def copy_sign(self, x: Array | float, y: Array) -> Array:
        return np.copysign(x, y)


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "cosh": np.cosh,
    "sinh": np.sinh,
}
sizes = (
    st.sampled_from([0.0, 1.0, 0.5, 2.0, 1 - 2.0**-53, 1 + 2.0**-52])
    | st.floats(-300, 300).map(lambda power: 10.0**power)
    | st.floats(-15, 0).map(lambda power: 1 + 10.0**power)
    | st.floats(-15, 0).map(lambda power: 1 - 10.0**power)
)
numbers = sizes | sizes.map(neg)


@pytest.mark.parametrize("name", FUNCTIONS)
@given(re=numbers, im=numbers)
def test_formulas(name: str, re: float, im: float):
    """Both parts to some units in the last place, denormal ones to a tiny number, zeros with their signs."""
    if name in ("sinh", "cosh") and max(abs(re), abs(im)) > 700:
        return
    with np.errstate(all="ignore"):
        found = getattr(complex_formulas, name)(Numpy(), np.array(re), np.array(im))
        expected = FUNCTIONS[name](np.array(complex(re, im)))
    for ours, theirs in zip(found, (np.real(expected), np.imag(expected)), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=2e-15, atol=1e-306)
        np.testing.assert_array_equal(np.signbit(ours), np.signbit(theirs))
