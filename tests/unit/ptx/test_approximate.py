"""Each approximate function moves by errors up to the documented one. Source of the bounds: PTX ISA, "Max error"."""

from collections.abc import Callable

import numpy as np
import pytest

from xshardy.numerics.element_types import Array
from xshardy.ptx.instructions.scalar.approximate import APPROXIMATE, approximated

RELATIVE: dict[tuple[str, str, str], tuple[Callable[..., Array], float]] = {
    ("div", "approx", "f32"): (np.divide, 2.0**-22),
    ("div", "full", "f32"): (np.divide, 2.0**-22),
    ("rcp", "approx", "f32"): (lambda x: x**-1, 2.0**-23),
    ("rcp", "approx", "f64"): (lambda x: x**-1, 2.0**-20),
    ("sqrt", "approx", "f32"): (np.sqrt, 2.0**-23),
    ("rsqrt", "approx", "f32"): (lambda x: x**-0.5, 2.0**-22.9),
    ("rsqrt", "approx", "f64"): (lambda x: x**-0.5, 2.0**-20),
    ("ex2", "approx", "f32"): (np.exp2, 2.0**-22),
    ("ex2", "approx", "f16"): (np.exp2, 2.0**-9.9),
    ("ex2", "approx", "bf16"): (np.exp2, 2.0**-7),
    ("tanh", "approx", "f32"): (np.tanh, 2.0**-11),
    ("tanh", "approx", "f16"): (np.tanh, 2.0**-10.987),
    ("tanh", "approx", "bf16"): (np.tanh, 2.0**-8),
}
ABSOLUTE: dict[tuple[str, str, str], tuple[Callable[..., Array], float]] = {
    ("lg2", "approx", "f32"): (np.log2, 2.0**-22),
    ("sin", "approx", "f32"): (np.sin, 2.0**-20.5),
    ("cos", "approx", "f32"): (np.cos, 2.0**-20.5),
}
NUMBERS = np.linspace(0.6, 1.4, 2000)


def test_all_functions_have_a_documented_error():
    assert {*RELATIVE, *ABSOLUTE} == {*APPROXIMATE}


@pytest.mark.parametrize("name", APPROXIMATE)
def test_errors_reach_the_documented_one(name: tuple[str, str, str]):
    function, bound = {**RELATIVE, **ABSOLUTE}[name]
    operands = [NUMBERS, NUMBERS[::-1]] if name[0] == "div" else [NUMBERS]
    exact = function(*operands)
    np.testing.assert_allclose(approximated(APPROXIMATE[name], None)(*operands), exact, rtol=1e-15)
    moved = approximated(APPROXIMATE[name], np.random.default_rng(0))(*operands)
    error = np.max(np.abs(moved - exact) / (np.abs(exact) if name in RELATIVE else 1))
    assert 0.9 * bound < error < 1.01 * bound
