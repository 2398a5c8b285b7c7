"""What fusions are prepared for, before against after: calls, tuples, sizes, bits of other widths, random bits."""

from itertools import product

import numpy as np
import pytest
from test_operations_numerics import check, computation_of
from xdsl.utils.exceptions import PassFailedException

from xshardy.emitters.preparation import prepare
from xshardy.interpreters.stablehlo import evaluate


def names(text: str) -> list[str]:
    """The operations of @main once it is prepared."""
    return [op.name for op in prepare(computation_of(text)).body.block.ops]


def test_prepared_computations_do_not_change():
    computation = computation_of("""
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %r = stablehlo.negate %x : tensor<4xf32>
      func.return %r : tensor<4xf32>
    }
    """)
    assert prepare(computation) is computation


CALLS = """
func.func private @inner(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = stablehlo.subtract %x, %y : tensor<4xf32>
  func.return %r, %x : tensor<4xf32>, tensor<4xf32>
}
func.func private @outer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = stablehlo.negate %x : tensor<4xf32>
  %r:2 = func.call @inner(%n, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %s:2 = hlo.fusion loop @inner(%r#0, %x)
      : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  func.return %s#0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = stablehlo.composite "my.op" %x {decomposition = @outer} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}
"""


def test_calls_fusions_and_composites_are_inlined():
    assert names(CALLS) == ["stablehlo.negate", "stablehlo.subtract", "stablehlo.subtract", "func.return"]
    check(CALLS)


def test_calls_in_bodies_are_inlined():
    check("""
    func.func private @add(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
      %r = stablehlo.add %a, %b : tensor<i32>
      func.return %r : tensor<i32>
    }
    func.func @main(%x: tensor<3x5xi32>, %zero: tensor<i32>) -> tensor<3xi32> {
      %r = stablehlo.reduce(%x init: %zero) across dimensions = [1] : (tensor<3x5xi32>, tensor<i32>) -> tensor<3xi32>
        reducer(%a: tensor<i32>, %b: tensor<i32>) {
          %c = func.call @add(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
          stablehlo.return %c : tensor<i32>
        }
      func.return %r : tensor<3xi32>
    }
    """)


def test_recursion_is_rejected():
    with pytest.raises(PassFailedException, match="@f calls itself, perhaps through others: a kernel cannot recurse"):
        names("""
        func.func private @f(%x: tensor<f32>) -> tensor<f32> {
          %r = func.call @g(%x) : (tensor<f32>) -> tensor<f32>
          func.return %r : tensor<f32>
        }
        func.func private @g(%x: tensor<f32>) -> tensor<f32> {
          %r = func.call @f(%x) : (tensor<f32>) -> tensor<f32>
          func.return %r : tensor<f32>
        }
        func.func @main(%x: tensor<f32>) -> tensor<f32> {
          %r = func.call @f(%x) : (tensor<f32>) -> tensor<f32>
          func.return %r : tensor<f32>
        }
        """)


def test_a_callee_without_a_body_is_rejected():
    with pytest.raises(PassFailedException, match=r"func\.call of @f: the module has no body for it"):
        names("""
        func.func private @f(tensor<f32>) -> tensor<f32>
        func.func @main(%x: tensor<f32>) -> tensor<f32> {
          %r = func.call @f(%x) : (tensor<f32>) -> tensor<f32>
          func.return %r : tensor<f32>
        }
        """)


def test_tuples_and_barriers_go_away():
    text = """
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %t = stablehlo.tuple %x, %y : tuple<tensor<4xf32>, tensor<4xf32>>
      %a = stablehlo.get_tuple_element %t[1] : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
      %b:2 = stablehlo.optimization_barrier %x, %a : tensor<4xf32>, tensor<4xf32>
      %r = stablehlo.subtract %b#0, %b#1 : tensor<4xf32>
      func.return %r : tensor<4xf32>
    }
    """
    assert names(text) == ["stablehlo.subtract", "func.return"]
    check(text)


def test_a_tuple_that_is_returned_becomes_several_results():
    text = """
    func.func @main(%x: tensor<4xf32>) -> tuple<tensor<4xf32>, tuple<tensor<4xf32>>> {
      %n = stablehlo.negate %x : tensor<4xf32>
      %i = stablehlo.tuple %n : tuple<tensor<4xf32>>
      %t = stablehlo.tuple %x, %i : tuple<tensor<4xf32>, tuple<tensor<4xf32>>>
      func.return %t : tuple<tensor<4xf32>, tuple<tensor<4xf32>>>
    }
    """
    prepared = prepare(computation_of(text))
    assert [op.name for op in prepared.body.block.ops] == ["stablehlo.negate", "func.return"]
    assert len(prepared.function_type.outputs) == 2
    check(text)


@pytest.mark.parametrize("name", ["acos", "asinh", "atan", "cosh", "erf", "sinh", "tan"])
def test_custom_calls_that_stand_for_functions(name: str):
    text = f"""
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
      %r = stablehlo.custom_call @mhlo.{name}(%x) : (tensor<4xf32>) -> tensor<4xf32>
      func.return %r : tensor<4xf32>
    }}
    """
    assert names(text) == [f"chlo.{name}", "func.return"]


def test_dimension_sizes():
    text = """
    func.func @main(%x: tensor<4x6xf32>) -> tensor<i32> {
      %six = stablehlo.constant dense<6> : tensor<i32>
      %y = stablehlo.set_dimension_size %x, %six, dim = 1 : (tensor<4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
      %a = stablehlo.get_dimension_size %y, dim = 1 : (tensor<4x6xf32>) -> tensor<i32>
      %b = stablehlo.get_dimension_size %y, dim = 0 : (tensor<4x6xf32>) -> tensor<i32>
      %r = stablehlo.subtract %a, %b : tensor<i32>
      func.return %r : tensor<i32>
    }
    """
    assert set(names(text)) == {"stablehlo.constant", "stablehlo.subtract", "func.return"}
    check(text)


def test_a_size_that_was_set_is_known():
    text = """
    func.func @main(%x: tensor<4x6xf32>, %n: tensor<i32>) -> tensor<i32> {
      %y = stablehlo.set_dimension_size %x, %n, dim = 1
          : (tensor<4x6xf32>, tensor<i32>) -> tensor<4x?xf32, #stablehlo.bounds<?, 6>>
      %r = stablehlo.get_dimension_size %y, dim = 1 : (tensor<4x?xf32, #stablehlo.bounds<?, 6>>) -> tensor<i32>
      func.return %r : tensor<i32>
    }
    """
    assert names(text) == ["func.return"]


@pytest.mark.parametrize(
    ("operand", "result", "layouts"),
    [
        ("6xi32", "24xi8", ""),
        ("24xi8", "6xi32", ""),
        ("2x3xi32", "3x8xi8", ""),
        ("5x4xi16", "2x5xi32", ""),
        ("3x2xi64", "2x3x8xui8", "{hlo.layout = array<i64: 2, 0, 1>}"),
    ],
)
def test_bitcasts_between_widths(operand: str, result: str, layouts: str):
    text = f"""
    func.func @main(%x: tensor<{operand}>) -> tensor<{result}> {{
      %n = stablehlo.negate %x : tensor<{operand}>
      %r = hlo.bitcast %n {layouts} : (tensor<{operand}>) -> tensor<{result}>
      func.return %r : tensor<{result}>
    }}
    """
    if "ui" not in operand:
        check(text)


# -- Random bits ------------------------------------------------------------------------------------------------------


def generator(algorithm: str, type: str, words: int = 2, wanted: str = "b") -> str:
    result = f"tensor<{words}xui64>" if wanted == "a" else f"tensor<{type}>"
    return f"""
    func.func @main(%s: tensor<{words}xui64>) -> {result} {{
      %a, %b = stablehlo.rng_bit_generator %s, algorithm = {algorithm}
          : (tensor<{words}xui64>) -> (tensor<{words}xui64>, tensor<{type}>)
      func.return %{wanted} : {result}
    }}
    """


@pytest.mark.parametrize(
    ("algorithm", "type"),
    [
        *product(
            ["THREE_FRY", "PHILOX"], ["ui32", "1xui16", "3xui8", "4x5xui32", "3x5xi32", "2x3x2xui64", "3xf32", "5xi4"]
        ),
        ("DEFAULT", "4x5xui32"),
    ],
)
def test_random_bits(algorithm: str, type: str):
    check(generator(algorithm, type))


@pytest.mark.parametrize("algorithm", ["THREE_FRY", "PHILOX"])
def test_state_after_random_bits(algorithm: str):
    check(generator(algorithm, "3x5xui32", wanted="a"))


def test_philox_with_a_counter_of_two_words():
    check(generator("PHILOX", "7xui32", words=3))
    check(generator("PHILOX", "7xui32", words=3, wanted="a"))


def test_states_of_other_sizes_are_rejected():
    with pytest.raises(PassFailedException, match="a state of type tensor<4xui64> cannot be emitted"):
        names(generator("PHILOX", "4xui32", words=4))


BITS_OF_XLA = {
    ("THREE_FRY", 2): ([1, 2], [1, 4], [43444564, 2150618427, 3979645651]),
    ("PHILOX", 2): ([1, 2], [1, 3], [2100602697, 2847456232, 2074354647]),
    ("PHILOX", 3): (
        [5, 2**64 - 1, 77],
        [5, 1, 78],
        [3971399888, 1552934265, 324575318, 3606198563, 1947469051],
    ),
}
"""What XLA gives on a CPU (jaxlib 0.10.2): the state after, and the bits."""


@pytest.mark.parametrize("case", BITS_OF_XLA)
def test_the_reference_agrees_with_xla(case: tuple[str, int]):
    state, after, bits = BITS_OF_XLA[case]
    type = f"{len(bits)}xui32"
    before = np.array(state, np.uint64)
    assert evaluate(computation_of(generator(case[0], type, case[1])), [before])[0].tolist() == bits
    assert evaluate(computation_of(generator(case[0], type, case[1], "a")), [before])[0].tolist() == after


STOCHASTIC_CONVERT = """
func.func @main(%x: tensor<64xf32>, %r: tensor<64xui32>) -> tensor<64xRESULT> {
  %0 = hlo.stochastic_convert %x, %r : (tensor<64xf32>, tensor<64xui32>) -> tensor<64xRESULT>
  func.return %0 : tensor<64xRESULT>
}
"""


def test_decomposable_operations_are_decomposed():
    text = STOCHASTIC_CONVERT.replace("RESULT", "i8")
    dialects = {name.partition(".")[0] for name in names(text)}
    assert dialects == {"stablehlo", "func"}
    check(text)


def test_types_without_a_decomposition_are_rejected():
    with pytest.raises(PassFailedException, match=r"hlo.stochastic_convert cannot be emitted: defined for"):
        names(STOCHASTIC_CONVERT.replace("RESULT", "bf16"))
