"""Constants with elements in resources: read where the text has them."""

import numpy as np
import pytest
from xdsl.utils.exceptions import DiagnosticException, VerifyException

from xshardy import run_passes
from xshardy.interpreters.stablehlo import evaluate
from xshardy.launch.prepared_program import entry_of
from xshardy.syntax import parse_module, print_module

PROGRAM = """
func.func @main() -> {type} {{
  %0 = stablehlo.constant dense_resource<{name}> : {type}
  return %0 : {type}
}}
"""


def program(type: str, data: bytes | None, name: str = "w") -> str:
    """A constant of `type`, with `data` behind the alignment of its resource; None: no resource."""
    text = PROGRAM.format(type=type, name=name)
    if data is None:
        return text
    blob = (b"\4\0\0\0" + data).hex()
    return f'{text}{{-#\n  dialect_resources: {{\n    builtin: {{\n      {name}: "0x{blob}"\n    }}\n  }}\n#-}}\n'


@pytest.mark.parametrize(
    ("type", "values"),
    [
        ("tensor<2x3xf32>", np.arange(6, dtype=np.float32).reshape(2, 3)),
        ("tensor<4xi8>", np.array([1, -2, 3, 127], np.int8)),
        ("tensor<2xcomplex<f64>>", np.array([1 + 2j, -3j])),
        ("tensor<3000xui16>", np.full(3000, 7, np.uint16)),
        ("tensor<0x5xf64>", np.zeros((0, 5))),
    ],
)
def test_elements_are_read(type: str, values: np.ndarray):
    module = parse_module(program(type, values.tobytes()))
    assert "dense_resource" not in print_module(module)
    (result,) = evaluate(entry_of(module), [])
    np.testing.assert_array_equal(result, values)


def test_a_resource_has_the_size_of_its_tensor():
    with pytest.raises(DiagnosticException, match=r"resource 'w' has 8 bytes of elements: a tensor<4xf32> takes 16"):
        parse_module(program("tensor<4xf32>", bytes(8)))


@pytest.mark.parametrize("type", ["tensor<4xi1>", "tensor<4xi4>"])
def test_elements_smaller_than_a_byte_are_refused(type: str):
    with pytest.raises(DiagnosticException, match="is not supported: write it as dense"):
        parse_module(program(type, bytes(4)))


def test_a_constant_without_elements_is_printed_as_it_was():
    module = parse_module(program("tensor<4xf32>", None, "__elided__"))
    assert "dense_resource<__elided__> : tensor<4xf32>" in print_module(module)


SHARDED = """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.constant dense_resource<w> : tensor<4xf32>
  %1 = stablehlo.add %x, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""


def test_constants_whose_elements_are_elsewhere_are_sharded_and_divided():
    module = parse_module(SHARDED)
    run_passes(module, "sdy-propagation-pipeline")
    assert '<@mesh, [{"x"}]>]>} dense_resource<w> : tensor<4xf32>' in print_module(module)
    run_passes(module, "sdy-partitioner-pipeline")
    text = print_module(module)
    assert "stablehlo.constant dense_resource<w> : tensor<4xf32>" in text
    assert "(tensor<4xf32>, tensor<i64>) -> tensor<2xf32>" in text


def test_a_resource_of_another_type_is_no_value_of_a_constant():
    text = '"sdy.constant"() <{value = dense_resource<w> : tensor<4xf32>}> : () -> tensor<8xf32>'
    with pytest.raises(VerifyException, match="the value and the result have one type"):
        parse_module(text).verify()
