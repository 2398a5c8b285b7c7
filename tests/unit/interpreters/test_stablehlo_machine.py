"""What the machine checks of the results of its rules."""

import numpy as np
import pytest
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import InterpretationError

from xshardy.interpreters.element_types import Array
from xshardy.interpreters.stablehlo.machine import shaped
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
