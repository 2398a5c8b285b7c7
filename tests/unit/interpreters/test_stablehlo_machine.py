"""What the machine checks of the results of its rules."""

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import InterpretationError

from xshardy.interpreters.stablehlo.calls import CallSites, FunctionsAround, KnownResults, contents
from xshardy.interpreters.stablehlo.machine import shaped
from xshardy.numerics.element_types import Array
from xshardy.syntax.parser import Parser
from xshardy.universe import new_context


def result_of(type: str) -> SSAValue:
    return AnyOp(result_types=[Parser(new_context(), type).parse_attribute()]).results[0]


def test_a_scalar_of_numpy_becomes_an_array():
    found = shaped(np.float32(2), result_of("tensor<f32>"))
    assert isinstance(found, np.ndarray) and found.shape == () and found == 2


@pytest.mark.parametrize(
    "value, type", [(np.zeros(3), "tensor<3xf32>"), (np.zeros(3), "tensor<4xf64>"), (np.zeros(3), "tensor<?x3xf64>")]
)
def test_a_result_of_another_type_is_an_error(value: Array, type: str):
    with pytest.raises(InterpretationError, match=r"but float64\[3\] was computed"):
        shaped(value, result_of(type))


def test_dynamic_dimensions_have_any_size():
    value = np.zeros((3, 4), np.float32)
    np.testing.assert_array_equal(shaped(value, result_of("tensor<?x4xf32>")), value)


class AskedFor(dict[str, FuncOp]):
    """Functions that say which of them were asked for."""

    def __init__(self, module: ModuleOp):
        super().__init__((op.sym_name.data, op) for op in module.ops if isinstance(op, FuncOp))
        self.names: list[str] = []

    def get(self, key: str, default: Any = None) -> Any:
        self.names.append(key)
        return super().get(key, default)


CALLS = """
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %a = func.call @g(%x) : (tensor<f32>) -> tensor<f32>
  %b = func.call @g(%a) : (tensor<f32>) -> tensor<f32>
  return %b : tensor<f32>
}
func.func private @g(%x: tensor<f32>) -> tensor<f32> {
  %a = func.call @k(%x) : (tensor<f32>) -> tensor<f32>
  return %a : tensor<f32>
}
func.func private @k(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }
func.func private @other(%x: tensor<f32>) -> tensor<f32> {
  %a = func.call @k(%x) : (tensor<f32>) -> tensor<f32>
  return %a : tensor<f32>
}
"""


def test_calls_are_counted_within_reach_and_each_function_is_walked_once():
    """A module may have thousands of functions, and an evaluator is made for each kernel that is checked."""
    functions = AskedFor(Parser(new_context(), CALLS).parse_module())
    sites = CallSites(functions)
    assert [sites.of(name) for name in ("f", "g", "k")] == [0, 2, 1]
    assert sorted(functions.names) == ["f", "g", "k"]


def test_the_functions_around_a_function():
    module = Parser(new_context(), CALLS).parse_module()
    first, *others = (op for op in module.ops if isinstance(op, FuncOp))
    around = FunctionsAround(others[0])
    assert around["g"] is others[0] and around["f"] is first
    assert list(around) == ["f", "g", "k", "other"] and len(around) == 4 and "h" not in around
    alone = others[0].clone()
    assert list(FunctionsAround(alone)) == ["g"]


def test_results_of_calls_are_forgotten_from_the_least_recently_used_on():
    known, results = KnownResults(max_bytes=20), [(np.full(2, number, np.float32),) for number in range(3)]
    for number in range(2):
        known.add(number, results[number])
    assert known.get(0) is results[0], "now the last used"
    known.add(2, results[2])
    assert (known.get(0), known.get(1), known.get(2)) == (results[0], None, results[2])
    assert known.bytes == 16


def test_arguments_of_equal_contents_are_equal_keys():
    array = np.array([1, 2], np.float32)
    assert contents((array, ())) == contents((array.copy(), ()))
    assert contents(array) != contents(array.view(np.int32)) != contents(array.view(np.int32).reshape(1, 2))
    assert contents((array, ())) != contents((array + 1, ()))
