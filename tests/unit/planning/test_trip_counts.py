"""How often loops run, beside counting their iterations one by one."""

import operator

import pytest
from hypothesis import given
from hypothesis.strategies import booleans, integers, sampled_from

import xshardy
from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.trip_counts import trip_count
from xshardy.rewriting.walk import operations_of

COMPARISONS = {"LT": operator.lt, "LE": operator.le, "GT": operator.gt, "GE": operator.ge}
MIRRORED = {"LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE"}
MOST = 1000


def loop(first: int, step: str, limit: str, compare: str) -> stablehlo.WhileOp:
    module = xshardy.parse(f"""
func.func @main(%n: tensor<i32>) -> tensor<i32> {{
  %first = stablehlo.constant dense<{first}> : tensor<i32>
  %limit = {limit}
  %0:2 = stablehlo.while(%i = %first, %l = %limit) : tensor<i32>, tensor<i32>
  cond {{
    %more = stablehlo.compare {compare} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  }} do {{
    {step}
    stablehlo.return %j, %l : tensor<i32>, tensor<i32>
  }}
  func.return %0#0 : tensor<i32>
}}""")
    (found,) = operations_of(module, stablehlo.WhileOp)
    return found


def stepping(step: int, operation: str = "add") -> str:
    constant = f"%step = stablehlo.constant dense<{step}> : tensor<i32>"
    return f"{constant}\n %j = stablehlo.{operation} %i, %step : tensor<i32>"


@given(integers(-8, 8), integers(-9, 9), integers(-3, 3), sampled_from(sorted(COMPARISONS)), booleans())
def test_loops_run_as_often_as_when_they_are_executed(first: int, limit: int, step: int, direction: str, swap: bool):
    value, trips = first, 0
    while COMPARISONS[direction](value, limit) and trips < MOST:
        value, trips = value + step, trips + 1
    compare = f"{MIRRORED[direction]}, %l, %i" if swap else f"{direction}, %i, %l"
    constant = f"stablehlo.constant dense<{limit}> : tensor<i32>"
    assert trip_count(loop(first, stepping(step), constant, compare)) == (None if trips == MOST else trips)


@pytest.mark.parametrize(
    ("step", "limit", "expected"),
    [
        (stepping(-2, "subtract"), "stablehlo.constant dense<5> : tensor<i32>", 3),
        (stepping(2, "multiply"), "stablehlo.constant dense<5> : tensor<i32>", None),
        (stepping(1), "stablehlo.add %n, %n : tensor<i32>", None),
    ],
)
def test_other_forms(step: str, limit: str, expected: int | None):
    assert trip_count(loop(0, step, limit, "LT, %i, %l")) == expected
