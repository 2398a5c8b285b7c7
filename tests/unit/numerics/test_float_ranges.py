"""The ranges of float types against those of numpy and ml_dtypes."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import AnyFloat

from xshardy.numerics.element_types import FLOATS, numpy_dtype
from xshardy.numerics.float_ranges import has_infinities, is_finite_in, largest_finite, smallest_finite

TYPES: list[AnyFloat] = [kind() for kind in FLOATS]


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_extremes(type: AnyFloat):
    dtype = numpy_dtype(type)
    info = ml_dtypes.finfo(dtype)
    assert (smallest_finite(type), largest_finite(type)) == (float(info.min), float(info.max))
    assert has_infinities(type) == bool(np.isinf(np.array([np.inf]).astype(dtype).astype(np.float64))[0])


@given(st.sampled_from(TYPES), st.floats(allow_nan=False, allow_infinity=False))
def test_what_rounds_to_a_finite_number(type: AnyFloat, value: float):
    with np.errstate(over="ignore"):
        rounded = np.array([value]).astype(numpy_dtype(type)).astype(np.float64)[0]
    assert is_finite_in(value, type) == np.isfinite(rounded)
