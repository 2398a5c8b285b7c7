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

OF_NUMPY: dict[str, Callable[..., Array]] = {
    "absolute": np.abs,
    "add": np.add,
    "atan2": np.arctan2,
    "copy_sign": np.copysign,
    "cos": np.cos,
    "divide": np.divide,
    "exp": np.exp,
    "expm1": np.expm1,
    "floor": np.floor,
    "is_equal": np.equal,
    "is_less": np.less,
    "log": np.log,
    "log1p": np.log1p,
    "multiply": np.multiply,
    "negate": np.negative,
    "select": np.where,
    "sin": np.sin,
    "sqrt": np.sqrt,
    "subtract": np.subtract,
}


class Numpy(Arithmetic[Array]):
    """Arithmetic on arrays of f64."""

    is_double = True

    def value(self, x: Array | float) -> Array:
        return np.asarray(x, np.float64)

    def apply(self, function: str, *operands: Array | float) -> Array:
        return OF_NUMPY[function](*operands)


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
