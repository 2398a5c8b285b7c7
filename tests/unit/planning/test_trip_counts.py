"""How often loops run, beside counting their iterations one by one."""

import operator

import pytest
from hypothesis import given
from hypothesis.strategies import booleans, integers, sampled_from

import xshardy
from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.trip_counts import counting, trip_count
from xshardy.hlo_text.dissolve_tuples import dissolve_tuples
from xshardy.rewriting.walk import operations_of

COMPARISONS = {"LT": operator.lt, "LE": operator.le, "GT": operator.gt, "GE": operator.ge, "NE": operator.ne}
MIRRORED = {"LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE", "NE": "NE"}
MOST = 1000


def loop(first: int, step: str, limit: str, compare: str, functions: str = "") -> stablehlo.WhileOp:
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
}}
{functions}""")
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
    found = loop(first, stepping(step), constant, compare)
    assert trip_count(found) == (None if trips == MOST else trips)
    if 0 < trips < MOST:
        limit, value = counting(found).limit_after(trips), first  # pyright: ignore[reportOptionalMemberAccess]
        assert [COMPARISONS[direction](first + step * count, limit) for count in (trips - 1, trips)] == [True, False]


CALLED = """HloModule m
fused_add {
  i = s32[] parameter(0)
  m = s32[] constant(2)
  ROOT j = s32[] add(m, i)
}
fused_compare {
  n = s32[] parameter(1)
  i = s32[] parameter(0)
  ROOT p = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  j = s32[] fusion(i), kind=kLoop, calls=fused_add
  k = s32[] copy(j)
  ROOT t = (s32[], s32[]) tuple(k, n)
}
condition {
  s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  ROOT p = pred[] fusion(i, n), kind=kLoop, calls=fused_compare
}
ENTRY main {
  zero = s32[] constant(0)
  limit = s32[] constant(7)
  s = (s32[], s32[]) tuple(zero, limit)
  ROOT w = (s32[], s32[]) while(s), condition=condition, body=body
}
"""


def test_a_loop_counts_through_calls_and_fusions():
    module = xshardy.read_hlo(CALLED)
    dissolve_tuples(module)
    (found,) = operations_of(module, stablehlo.WhileOp)
    assert trip_count(found) == 4


def test_a_function_that_calls_itself():
    call = "%j = func.call @again(%i) : (tensor<i32>) -> tensor<i32>"
    again = """
func.func private @again(%i: tensor<i32>) -> tensor<i32> {
  %0 = func.call @again(%i) : (tensor<i32>) -> tensor<i32>
  func.return %0 : tensor<i32>
}"""
    assert trip_count(loop(0, call, "stablehlo.constant dense<5> : tensor<i32>", "LT, %i, %l", again)) is None


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
