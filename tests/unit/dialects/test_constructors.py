"""Operations of StableHLO that code builds, not text."""

from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Attribute, SSAValue

from xshardy.dialects.stablehlo.attributes import Precision
from xshardy.dialects.stablehlo.einsum import DotOp
from xshardy.dialects.stablehlo.quantization import UniformDequantizeOp
from xshardy.syntax.parser import Parser
from xshardy.universe import new_context


def attribute(text: str) -> Attribute:
    return Parser(new_context(), text).parse_attribute()


def value(type: str) -> SSAValue:
    return AnyOp(result_types=[attribute(type)]).results[0]


def test_dequantized_elements_have_the_expressed_type():
    built = UniformDequantizeOp(value("tensor<2x!quant.uniform<i8:f32, 0.5>>"))
    assert built.result.type == attribute("tensor<2xf32>")


def test_a_dot_product_has_a_precision_on_request():
    lhs, rhs, type = value("tensor<2x3xf32>"), value("tensor<3x4xf32>"), attribute("tensor<2x4xf32>")
    assert DotOp(lhs, rhs, type).precision_config is None
    built = DotOp(lhs, rhs, type, [Precision.HIGH, Precision.DEFAULT])
    built.verify()
    assert (built.lhs, built.rhs, built.result.type) == (lhs, rhs, type)
    assert built.precision_config == attribute("[#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]")
