"""A sample of `edge_values.py`: elementwise operations at the edges of their types, beside XLA."""

import random

import pytest
from edge_values import (
    NOT_COMPARED,
    NOT_IN_KERNELS,
    OPERATIONS,
    TYPES,
    cases,
    difference,
    difference_of_kernel,
    row_of,
)
from jaxlib_versions import needs

SAMPLE = 1
"""Operations of each type."""


@pytest.mark.parametrize("type", TYPES)
def test_operations_compute_what_xla_computes(type: str):
    for case in random.Random(type).sample([*cases([type])], SAMPLE):
        assert difference(*case, pairs=4096) is None, difference(*case, pairs=4096)


@pytest.mark.parametrize("type", TYPES)
def test_kernels_compute_what_the_evaluator_computes(type: str):
    for case in random.Random(type).sample([*cases([type], NOT_IN_KERNELS)], SAMPLE):
        assert difference_of_kernel(*case) is None, difference_of_kernel(*case)


@pytest.mark.parametrize(
    ("function", "type"), [("erf_inv", "f64"), ("next_after", "f8E5M2"), ("next_after", "f4E2M1FN"), ("digamma", "f64")]
)
def test_kernels_beside_poles_and_of_neighbours(function: str, type: str):
    assert difference_of_kernel(f"chlo.{function}", type) is None


def test_rows_of_the_table_are_used():
    found = {row_of({row: row for row in NOT_COMPARED}, operation, type) for operation in OPERATIONS for type in TYPES}
    assert found > set(NOT_COMPARED)


@pytest.mark.parametrize(
    "function",
    ["bessel_i1e", "erf_inv", "next_after", pytest.param("digamma", marks=needs("digamma(0) is -inf"))],
)
@pytest.mark.parametrize("type", ["f64", "f16"])
def test_functions_beside_poles_and_at_the_largest_numbers(function: str, type: str):
    assert difference(f"chlo.{function}", type) is None
