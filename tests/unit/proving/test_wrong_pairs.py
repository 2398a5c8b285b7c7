"""Pairs that do not hold, and that are like those that do: none is proved. Each file has both programs, and why."""

from dataclasses import replace
from pathlib import Path

import pytest
from proof_pairs import Trial, trial_of

from xshardy.proving.prove import decide
from xshardy.syntax import parse_module

WRONG = sorted((Path(__file__).parent / "wrong_pairs").glob("*.mlir"))


def trial_in(path: Path) -> Trial:
    whole, local = path.read_text().split("// -----")
    return trial_of(whole, local)


@pytest.mark.parametrize("path", WRONG, ids=[path.stem for path in WRONG])
def test_a_wrong_pair_is_not_proved(path: Path):
    trial = trial_in(path)
    assert trial.differs(range(6)), "the pair holds, so that the test says nothing"
    assert not trial.decision.is_proved


MESH = 'sdy.mesh @mesh = <["x"=2]>\n'
TWO_NUMBERS = """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {{
  %least = stablehlo.constant dense<0.0> : tensor<f32>
  %greatest = stablehlo.constant dense<1.0> : tensor<f32>
  %shape = stablehlo.constant dense<4> : tensor<1xi64>
  %0 = {first}
  %1 = {second}
  return %0, {result} : tensor<4xf32>, tensor<4xf32>
}}
"""
RANDOM = (
    "stablehlo.rng %least, %greatest, %shape, distribution = UNIFORM : "
    "(tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>"
)
READING = "stablehlo.custom_call @read(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>"


def with_one_result(op: str) -> Trial:
    """A pair of which the whole program applies an operation two times, and the other one takes one result twice."""
    whole = TWO_NUMBERS.format(first=op, second=op, result="%1")
    return trial_of(whole, TWO_NUMBERS.format(first=op, second=op, result="%0").replace(MESH, ""))


def test_random_numbers_are_others_each_time():
    assert with_one_result(RANDOM).decision.unrelated


def test_that_a_call_with_side_effects_returns_the_same_is_an_assumption():
    assert any("@read" in assumption for assumption in with_one_result(READING).decision.assumptions)


FUNCTION = """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = stablehlo.custom_call @apply(%x) {{called_computations = [@function]}} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}}
func.func private @function(%x: tensor<f32>) -> tensor<f32> {{
  %0 = stablehlo.{name} %x : tensor<f32>
  return %0 : tensor<f32>
}}
"""


def test_functions_that_calls_are_given_are_compared():
    whole = FUNCTION.format(name="negate")
    for name, unrelated in (("negate", []), ("abs", [0])):
        local = FUNCTION.format(name=name).replace(MESH, "")
        assert trial_of(whole, local).decision.unrelated == unrelated


ROWS = '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}'
CALL = """
func.func @main(%x: tensor<4xf32>{0}, %y: tensor<8xf32>{1}) -> (tensor<4xf32>{0}) {{
  %0 = stablehlo.custom_call @f({2}) {{{3}}} : ({4}) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}}
"""


def of_rows(arguments: str, types: str, attributes: str, in_parts: str | None = None) -> Trial:
    """A call whose result is divided, and one with a part of `%x`, which has the attributes `in_parts`."""
    closed = "{sdy.sharding = #sdy.sharding<@mesh, [{}]>}"
    whole = MESH + CALL.format(f" {ROWS}", f" {closed}", arguments, attributes, types)
    local = CALL.format("", "", arguments, attributes if in_parts is None else in_parts, types)
    return trial_of(whole, local.replace("tensor<4x", "tensor<2x"))


def test_a_call_computes_parts_as_its_rule_says():
    rule = "sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {{i={}}}{}, custom>"
    decision = of_rows("%x", "tensor<4xf32>", rule.format(4, ""), rule.format(2, "")).decision
    assert decision.is_proved and decision.assumptions == ["@f computes parts as its sharding rule says"]
    whole = " need_replication={i}"
    assert not of_rows("%x", "tensor<4xf32>", rule.format(4, whole), rule.format(2, whole)).decision.is_proved


def test_a_call_on_parts_needs_parts_of_all_its_operands():
    """The rule says that an element of the result is of one element of `%x` and of two of `%y`: not of all of `%y`."""
    rule = "sdy.sharding_rule = #sdy.op_sharding_rule<([i], [ij])->([i]) {{i={}, j={}}}, custom>"
    types = "tensor<4xf32>, tensor<8xf32>"
    assert not of_rows("%x, %y", types, rule.format(4, 2), rule.format(2, 4)).decision.is_proved


def test_sums_of_a_call_are_those_of_its_rule():
    rule = "sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j]) {i=4, j=3} reduction={i}, custom>"
    call = "stablehlo.custom_call @f(%x) {" + rule + "}"
    rows = '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}'
    whole = f"""{MESH} func.func @main(%x: tensor<4x3xf32> {rows}) -> tensor<3xf32> {{
      %0 = {call} : (tensor<4x3xf32>) -> tensor<3xf32>
      return %0 : tensor<3xf32> }}"""
    local = """func.func @main(%x: tensor<2x3xf32>) -> tensor<3xf32> {{
      %0 = {} : (tensor<2x3xf32>) -> tensor<3xf32>
      %1 = "stablehlo.all_reduce"(%0) <{{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids,
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %2 = stablehlo.{} %a, %b : tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }}) : (tensor<3xf32>) -> tensor<3xf32>
      return %1 : tensor<3xf32> }}"""
    part = call.replace("i=4", "i=2")
    assert trial_of(whole, local.format(part, "add")).decision.is_proved
    assert not trial_of(whole, local.format(part, "maximum")).decision.is_proved
    assert not trial_of(whole, local.format(part, "add").replace("return %1", "return %0")).decision.is_proved


def test_functions_that_calls_of_batches_are_given_are_compared():
    function = """func.func private @{0}(%x: tensor<f32>) -> tensor<f32> {{
      %0 = stablehlo.{0} %x : tensor<f32>
      return %0 : tensor<f32>
    }}"""
    batches = 'mhlo.frontend_attributes = {num_batch_dims = "1"}'
    for name in ("negate", "abs"):
        whole, local = (
            CALL.format(*sharding, "%x", f"called_computations = [@{called}], {batches}", "tensor<4xf32>")
            + function.format(called)
            for sharding, called in (((f" {ROWS}", ""), "negate"), (("", ""), name))
        )
        decision = trial_of(MESH + whole, local.replace("tensor<4x", "tensor<2x")).decision
        assert decision.is_proved == (name == "negate")
        assert decision.assumptions == ["@f computes alike along its first 1 dimensions"]


def test_a_number_of_batches_that_is_none_is_not_read():
    unknown = 'mhlo.frontend_attributes = {num_batch_dims = "all"}'
    assert not of_rows("%x", "tensor<4xf32>", unknown).decision.is_proved


REPLICAS = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = "stablehlo.collective_permute"(%x) <{{
    channel_handle = #stablehlo.channel_handle<handle = {handle}, type = {type}>,
    source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}}
"""


def test_a_permutation_without_a_channel_is_one_of_replicas():
    halves = '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}'
    whole = f"""
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8xf32> {halves}) -> (tensor<8xf32> {halves}) {{
  %0 = stablehlo.slice %x [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  %1 = stablehlo.slice %x [4:8] : (tensor<8xf32>) -> tensor<4xf32>
  %2 = stablehlo.concatenate %1, %0, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}}
"""
    assert trial_of(whole, REPLICAS.format(handle=1, type=1)).decision.is_proved
    assert not trial_of(whole, REPLICAS.format(handle=0, type=0)).decision.is_proved


COLLECTIVE = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
  {}
  return %r : tensor<2xf32>
}}
"""
REDUCED = """%r = "stablehlo.all_reduce"({}) <{{replica_groups = dense<{}> : tensor<{}xi64>, use_global_device_ids,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }}) : (tensor<2xf32>) -> tensor<2xf32>"""


@pytest.mark.parametrize(
    ("groups", "type", "reason"),
    [
        ("[[0]]", "1x1", "a device is in none of its groups"),
        ("[[0, 1]]", "1x2", "a device is in none of its groups"),
        ("[[0, 1], [2, -1]]", "2x2", "its groups have several sizes"),
        ("[[0], [1], [2]]", "3x1", None),
    ],
)
def test_each_device_is_in_a_group_of_one_size(groups: str, type: str, reason: str | None):
    whole = COLLECTIVE.format("%r = stablehlo.abs %x : tensor<2xf32>")
    local = whole.replace("return", REDUCED.format("%r", groups, type).replace("%r =", "%s =") + "\n return")
    local = local.replace("return %r", "return %s")
    decision = trial_of(MESH.replace("2", "3") + whole, local).decision
    assert decision.is_proved == (reason is None)
    assert reason is None or any(reason in why for _, why in decision.frontier)


def test_a_number_that_all_devices_have_is_summed():
    whole = MESH + COLLECTIVE.format("%r = stablehlo.constant dense<3.0> : tensor<2xf32>")
    for number, is_right in (("1.5", True), ("3.0", False), ("0x7F800000", False)):
        constant = f"%c = stablehlo.constant dense<{number}> : tensor<2xf32>\n"
        trial = trial_of(whole, COLLECTIVE.format(constant + REDUCED.format("%c", "[[0, 1]]", "1x2")))
        assert trial.decision.is_proved == is_right != trial.differs()


def test_a_broadcast_is_of_the_first_device_of_its_group():
    whole = f"""{MESH} func.func @main(%x: tensor<4xf32> {ROWS}) -> (tensor<4xf32> {ROWS}) {{
      %0 = stablehlo.slice %x [0:2] : (tensor<4xf32>) -> tensor<2xf32>
      %1 = stablehlo.concatenate %0, %0, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32> }}"""
    sent = """%r = "stablehlo.collective_broadcast"(%x) <{{replica_groups = dense<{}> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}}> : (tensor<2xf32>) -> tensor<2xf32>"""
    for groups, is_right in (("[[0, 1]]", True), ("[[1, 0]]", False)):
        trial = trial_of(whole, COLLECTIVE.format(sent.format(groups)))
        assert trial.decision.is_proved == is_right != trial.differs()


def test_no_number_of_a_device_is_one_of_the_whole_program():
    pair = trial_of(MESH + COLLECTIVE.format("%r = stablehlo.abs %x : tensor<2xf32>")).pair
    numbered = COLLECTIVE.format(
        "%d = stablehlo.partition_id : tensor<ui32>\n"
        "%f = stablehlo.convert %d : (tensor<ui32>) -> tensor<f32>\n"
        "%r = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2xf32>"
    )
    zero = COLLECTIVE.format("%r = stablehlo.constant dense<0.0> : tensor<2xf32>")
    wrong = replace(pair, whole=parse_module(numbered), local=parse_module(zero))
    assert not decide(wrong).is_proved


def test_a_token_is_no_tensor():
    body = """%0 = stablehlo.create_token : !stablehlo.token
  %1:2 = "stablehlo.infeed"(%0) : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %r = stablehlo.add %1#0, %x : tensor<2xf32>"""
    decision = trial_of(MESH + COLLECTIVE.format(body), COLLECTIVE.format(body)).decision
    assert not decision.is_proved
    assert any("it takes or returns what is no tensor" in why for _, why in decision.frontier)
