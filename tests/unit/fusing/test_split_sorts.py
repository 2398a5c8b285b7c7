"""Sorts of long rows by many kernels: what they compute, and that the kernels of a whole program do too."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import integers, lists, sampled_from, tuples

from xshardy.dialects.hlo import FusionOp
from xshardy.dialects.stablehlo import SortOp
from xshardy.fusing.split_sorts import SplitSortsPass
from xshardy.interpreters.stablehlo import evaluate
from xshardy.numerics.element_types import Array
from xshardy.rewriting.walk import operations_of
from xshardy.syntax import parse_module

DTYPES = {"f32": np.float32, "i8": np.int8, "ui16": np.uint16, "i1": np.bool_, "f64": np.float64}
COMPARE = {"f32": "FLOAT", "i8": "SIGNED", "ui16": "UNSIGNED", "i1": "UNSIGNED", "f64": "TOTALORDER"}


def sort_of(types: Sequence[str], shape: Sequence[int], dimension: int, direction: str) -> str:
    """A function that sorts tensors of these element types by the first one."""
    tensors = [f"tensor<{'x'.join(map(str, shape))}x{type}>" for type in types]
    names = [f"%x{i}" for i in range(len(types))]
    scalars = ", ".join(f"%a{i}: tensor<{type}>, %b{i}: tensor<{type}>" for i, type in enumerate(types))
    listed, key = ", ".join(tensors), f"tensor<{types[0]}>"
    results = [f"%s#{i}" if len(types) > 1 else "%s" for i in range(len(types))]
    count = f":{len(types)}" if len(types) > 1 else ""
    return f"""func.func @main({", ".join(map("{}: {}".format, names, tensors))}) -> ({listed}) {{
      %s{count} = "stablehlo.sort"({", ".join(names)}) <{{dimension = {dimension} : i64}}> ({{
      ^bb0({scalars}):
        %p = stablehlo.compare {direction}, %a0, %b0, {COMPARE[types[0]]} : ({key}, {key}) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }}) : ({listed}) -> ({listed})
      return {", ".join(results)} : {listed}
    }}"""


def drawn(types: Sequence[str], shape: Sequence[int], seed: int) -> list[Array]:
    """Few different numbers, so that many elements are equal; the second tensor tells equal ones apart."""
    random = np.random.default_rng(seed)
    return [random.integers(0, 2 if type == "i1" else 5, shape).astype(DTYPES[type]) for type in types]


@given(
    types=lists(sampled_from(list(DTYPES)), min_size=1, max_size=3),
    shape=tuples(integers(1, 3), integers(1, 40), integers(1, 2)),
    direction=sampled_from(["LT", "GT"]),
    dimension=integers(0, 2),
    shared_memory=sampled_from([32, 64, 100, 256]),
    seed=integers(0, 99),
)
def test_splitting_changes_no_result(
    types: Sequence[str], shape: Sequence[int], direction: str, dimension: int, shared_memory: int, seed: int
):
    module = parse_module(sort_of(types, shape, dimension, direction))
    arguments = drawn(types, shape, seed)
    expected = evaluate(module, arguments)
    SplitSortsPass(shared_memory).rewrite_module(module)
    module.verify()
    for found, wanted in zip(evaluate(module, arguments), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    ("size", "shared_memory", "sorts", "exchanges"),
    [
        (4, 4 * 8, 1, 0),  # a row fits: an element and its index
        (7, 4 * 12, 2, 1),  # a chunk of 4 with another index, two of them
        (8, 4 * 12, 2, 1),
        (9, 4 * 12, 3, 3),  # 4 chunks
        (17, 4 * 12, 4, 6),
        (5, 11, 1, 0),  # not even one element fits
    ],
)
def test_the_number_of_kernels(size: int, shared_memory: int, sorts: int, exchanges: int):
    module = parse_module(sort_of(["f32"], (2, size), 1, "LT"))
    SplitSortsPass(shared_memory).rewrite_module(module)
    assert len(operations_of(module, SortOp)) == sorts
    assert len(operations_of(module, FusionOp)) == exchanges


def test_not_a_number_is_last_and_the_order_of_equal_elements_stays():
    module = parse_module(sort_of(["f32", "ui16"], (11,), 0, "LT").replace("FLOAT", "TOTALORDER"))
    keys = np.array([np.nan, 1, 0, -0.0, 1, np.inf, 1, -np.inf, 0, 1, 1], np.float32)
    SplitSortsPass(2 * 14).rewrite_module(module)
    found, places = evaluate(module, [keys, np.arange(11, dtype=np.uint16)])
    np.testing.assert_array_equal(places, [7, 3, 2, 8, 1, 4, 6, 9, 10, 5, 0])
    np.testing.assert_array_equal(found, keys[places])
