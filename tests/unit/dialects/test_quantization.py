"""Quantized elements in the types that operations infer."""

from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Attribute

from xshardy.dialects.stablehlo.quantization import UniformDequantizeOp
from xshardy.syntax.parser import Parser
from xshardy.universe import new_context


def tensor(text: str) -> Attribute:
    return Parser(new_context(), text).parse_attribute()


def test_dequantized_elements_have_the_expressed_type():
    (operand,) = AnyOp(result_types=[tensor("tensor<2x!quant.uniform<i8:f32, 0.5>>")]).results
    assert UniformDequantizeOp(operand).result.type == tensor("tensor<2xf32>")
