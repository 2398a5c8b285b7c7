# ruff: noqa: E501 - programs have long lines
"""Parts of reductions that each device puts together by itself: sums, and pairs as those of argmax."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from proof_pairs import trial_of

from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.interpreters.stablehlo import evaluate
from xshardy.interpreters.stablehlo.evaluator import entry_of
from xshardy.proving.rules.extremes import ORDERS, pair_kind_of
from xshardy.syntax import parse_module

REDUCER = """  reducer(%p: tensor<f32>, %q: tensor<f32>) (%s: tensor<i32>, %t: tensor<i32>) {
  %1 = stablehlo.compare GT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %4 = stablehlo.compare EQ, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %5 = stablehlo.compare LT, %s, %t : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %6 = stablehlo.and %4, %5 : tensor<i1>
  %7 = stablehlo.or %1, %6 : tensor<i1>
  %8 = stablehlo.select %1, %p, %q : tensor<i1>, tensor<f32>
  %9 = stablehlo.select %7, %s, %t : tensor<i1>, tensor<i32>
  stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
}"""

WHOLE = """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<3x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %i = stablehlo.iota dim = 1 : tensor<3x8xi32>
  %a = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %b = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.reduce(%x init: %a), (%i init: %b) across dimensions = [1] : (tensor<3x8xf32>, tensor<3x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
REDUCER
  return %r#0, %r#1 : tensor<3xf32>, tensor<3xi32>
}
""".replace("REDUCER", REDUCER)

LOCAL = """
func.func @main(%x: tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %id = stablehlo.partition_id : tensor<ui32>
  %d = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %offset = stablehlo.multiply %d, %four : tensor<i32>
  %offsets = stablehlo.broadcast_in_dim %offset, dims = [] : (tensor<i32>) -> tensor<3x4xi32>
  %mine = stablehlo.iota dim = 1 : tensor<3x4xi32>
  %i = stablehlo.add %mine, %offsets : tensor<3x4xi32>
  %a = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %b = stablehlo.constant dense<0> : tensor<i32>
  %a2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %b2 = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.reduce(%x init: %a), (%i init: %b) across dimensions = [1] : (tensor<3x4xf32>, tensor<3x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
REDUCER
  %v = stablehlo.reshape %r#0 : (tensor<3xf32>) -> tensor<3x1xf32>
  %w = stablehlo.reshape %r#1 : (tensor<3xi32>) -> tensor<3x1xi32>
  %vs = "stablehlo.all_gather"(%v) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<3x1xf32>) -> tensor<3x2xf32>
  %ws = "stablehlo.all_gather"(%w) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<3x1xi32>) -> tensor<3x2xi32>
  %z:2 = stablehlo.reduce(%vs init: %a2), (%ws init: %b2) across dimensions = [1] : (tensor<3x2xf32>, tensor<3x2xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
REDUCER
  return %z#0, %z#1 : tensor<3xf32>, tensor<3xi32>
}
""".replace("REDUCER", REDUCER)

SUM = """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<3xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""

SUM_OF_PARTS = """
func.func @main(%x: tensor<3x2xf32>) -> tensor<3xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = stablehlo.reshape %0 : (tensor<3xf32>) -> tensor<1x3xf32>
  %2 = "stablehlo.all_gather"(%1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<1x3xf32>) -> tensor<2x3xf32>
  %3 = stablehlo.reduce(%2 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %3 : tensor<3xf32>
}
"""
KINDS = {
    "greatest value, first index": ("GT", "LT", "0xFF800000"),
    "greatest value, last index": ("GT", "GT", "0xFF800000"),
    "least value, first index": ("LT", "LT", "0x7F800000"),
    "an initial value": ("GT", "LT", "0.5"),
}


def test_gathered_parts_of_a_sum_are_the_sum():
    assert trial_of(SUM, SUM_OF_PARTS).decision.is_proved


@pytest.mark.parametrize(("value", "index", "initial"), KINDS.values(), ids=KINDS)
def test_gathered_best_pairs_of_parts_are_the_best_pair(value: str, index: str, initial: str):
    whole, local = (
        text.replace("GT, %p", f"{value}, %p").replace("LT, %s", f"{index}, %s").replace("0xFF800000", initial)
        for text in (WHOLE, LOCAL)
    )
    trial = trial_of(whole, local)
    assert trial.decision.is_proved
    assert not trial.differs()


def test_pairs_of_which_some_are_combined_otherwise_are_not_proved():
    """The last body keeps the last index: parts whose values are equal."""
    head, _, tail = LOCAL.rpartition("LT, %s")
    assert not trial_of(WHOLE, f"{head}GT, %s{tail}").decision.is_proved


# -- bodies ------------------------------------------------------------------------------------------------------------

DIRECTIONS = ("EQ", "NE", "LT", "LE", "GT", "GE")
BODY = """
func.func @main(%p: tensor<i32>, %s: tensor<i32>, %q: tensor<i32>, %t: tensor<i32>) -> (tensor<i32>, tensor<i32>) {{
  %0 = stablehlo.compare {}, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %1 = stablehlo.compare {}, {} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %2 = stablehlo.compare {}, {} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %3 = stablehlo.{} %1, %2 : tensor<i1>
  %4 = stablehlo.{} %0, %3 : tensor<i1>
  %5 = stablehlo.not %4 : tensor<i1>
  %6 = stablehlo.select %0, {} : tensor<i1>, tensor<i32>
  %7 = stablehlo.select %{}, {} : tensor<i1>, tensor<i32>
  return %6, %7 : tensor<i32>, tensor<i32>
}}
"""
DIRECTION, VALUES, INDICES, LOGIC = map(
    st.sampled_from, (DIRECTIONS, ["%p, %q", "%q, %p"], ["%s, %t", "%t, %s"], ["and", "or"])
)
BODIES = st.tuples(DIRECTION, DIRECTION, VALUES, DIRECTION, INDICES, LOGIC, LOGIC, VALUES, st.integers(4, 5), INDICES)
"""What such bodies are made of. One in 80 keeps the better pair."""


def is_best(text: str, kind: str) -> bool:
    """Whether a body keeps the better pair, of all pairs of two pairs of small numbers."""
    value, index = ORDERS[kind]
    for p, s, q, t in product(range(2), repeat=4):
        found = evaluate(entry_of(parse_module(text)), [np.array(x, np.int32) for x in (p, s, q, t)])
        best = max((p, s), (q, t), key=lambda pair: (pair[0] * value, pair[1] * index))
        if tuple(map(int, found)) != best:
            return False
    return True


@example(("GT", "EQ", "%p, %q", "LT", "%s, %t", "and", "or", "%p, %q", 4, "%s, %t"))
@given(BODIES)
def test_the_kind_of_a_body_is_what_it_keeps(parts: tuple[object, ...]):
    text = BODY.format(*parts)
    kind = pair_kind_of(entry_of(parse_module(text)).body.block)
    kinds = [each for each in ORDERS if is_best(text, each)]
    assert kind == (kinds[0] if kinds else None)


def test_the_body_of_jax_keeps_the_first_of_the_greatest():
    op = next(op for op in parse_module(WHOLE).walk() if isinstance(op, ReduceOp))
    assert pair_kind_of(op.body.block) == "greatest value, first index"


@pytest.mark.parametrize("value", ["%p, %q", "%p, %s"])
def test_a_body_that_computes_other_numbers_keeps_no_pair(value: str):
    """Numbers that are added, or values that are compared with indices."""
    jax = ("GT", "EQ", "%p, %q", "LT", "%s, %t", "and", "or", "%p, %q", 4, "%s, %t")
    text = BODY.format(*jax)
    assert pair_kind_of(entry_of(parse_module(text)).body.block) is not None
    compared, added = "%1 = stablehlo.compare EQ, %p, %q", "%6 = stablehlo.select %0, %p, %q : tensor<i1>, tensor<i32>"
    assert compared in text and added in text
    other = text.replace(compared, f"%1 = stablehlo.compare EQ, {value}")
    if other == text:
        other = text.replace(added, "%6 = stablehlo.maximum %p, %q : tensor<i32>")
    assert pair_kind_of(entry_of(parse_module(other)).body.block) is None
