"""The comparison of a product whose devices sum parts, and round each part to the type of the result."""

import numpy as np
import pytest
from ml_dtypes import bfloat16

import xshardy
from xshardy.interpreters.reference import Reference
from xshardy.numerics.element_types import Array
from xshardy.transforms.sdy.main_function import main_function

TYPES = {"bf16": np.dtype(bfloat16), "f16": np.dtype(np.float16)}
ROWS, INNER, COLUMNS = 192, 40, 256


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("element", TYPES)
def test_rounded_parts_agree_and_a_missing_product_does_not(element: str, seed: int):
    """The parts are summed in float64, so that only their rounding is between them and the exact product."""
    dtype, rng = TYPES[element], np.random.default_rng(seed)
    lhs = rng.standard_normal((ROWS, INNER)).astype(dtype)
    rhs = rng.standard_normal((INNER, COLUMNS)).astype(dtype)
    module = xshardy.parse(
        f"""func.func @main(%a: tensor<{ROWS}x{INNER}x{element}>, %b: tensor<{INNER}x{COLUMNS}x{element}>)
    -> tensor<{ROWS}x{COLUMNS}x{element}> {{
  %0 = stablehlo.dot %a, %b : (tensor<{ROWS}x{INNER}x{element}>, tensor<{INNER}x{COLUMNS}x{element}>)
    -> tensor<{ROWS}x{COLUMNS}x{element}>
  return %0 : tensor<{ROWS}x{COLUMNS}x{element}>
}}"""
    )
    reference = Reference(main_function(module), [lhs, rhs], sums_in_parts=True)

    def in_parts(count: int, left_out: int = 0) -> Array:
        total = np.zeros((ROWS, COLUMNS), dtype)
        for chosen in np.split(np.arange(INNER), count):
            kept = chosen[chosen >= left_out]
            part = lhs[:, kept].astype(np.float64) @ rhs[kept].astype(np.float64)
            total = (total.astype(np.float64) + part.astype(dtype).astype(np.float64)).astype(dtype)
        return total

    for count in (2, 4):
        assert reference.compare(0, in_parts(count))
        wrong = reference.compare(0, in_parts(count, left_out=1)).wrong
        assert wrong > ROWS * COLUMNS / 2, wrong
