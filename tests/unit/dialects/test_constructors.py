"""Operations of StableHLO that code builds, not text."""

import pytest
from xdsl.dialects.builtin import TensorType, f32, i32
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from xshardy.dialects import stablehlo, xla_gpu
from xshardy.dialects.extensions import llvm, llvm_intrinsics, math
from xshardy.dialects.extensions.tensor import BitcastOp
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


X, N, V, T = (value(type) for type in ("f32", "i32", "vector<4xi16>", "tensor<4xf32>"))


@pytest.mark.parametrize(
    ("built", "result"),
    [
        (llvm_intrinsics.RoundOp(X), "f32"),
        (llvm_intrinsics.MaximumOp(X, X), "f32"),
        (llvm_intrinsics.FMulAddOp(X, X, X), "f32"),
        (llvm_intrinsics.ByteSwapOp(V), "vector<4xi16>"),
        (llvm_intrinsics.SMaxOp(N, N), "i32"),
        (llvm_intrinsics.FShlOp(N, N, N), "i32"),
        (llvm_intrinsics.FPToSISatOp(X, i32), "i32"),
        (llvm.UIToFPOp(N, f32), "f32"),
        (math.IsNaNOp(X), "i1"),
        (math.IsNaNOp(T), "tensor<4xi1>"),
        (BitcastOp(T, TensorType(i32, [4])), "tensor<4xi32>"),
        (stablehlo.BroadcastOp(T, [2, 3]), "tensor<2x3x4xf32>"),
        (stablehlo.ReducePrecisionOp(T, 5, 10), "tensor<4xf32>"),
    ],
    ids=lambda case: case.name if isinstance(case, Operation) else "",
)
def test_results_have_the_types_that_the_operation_infers(built: Operation, result: str):
    built.verify()
    assert built.result_types == (attribute(result),)


def test_numbers_of_bits_stay_in_their_order():
    built = stablehlo.ReducePrecisionOp(T, 5, 10)
    assert (built.exponent_bits.value.data, built.mantissa_bits.value.data) == (5, 10)


def test_a_reduction_without_result_types_leaves_the_dimensions_out():
    built = xla_gpu.ReduceOp([value("tensor<4x8xf32>")], [X], [0], "sum")
    assert (built.combiner.string_value(), built.result_types) == ("sum", (attribute("tensor<8xf32>"),))


def test_a_loop_gives_what_it_takes():
    condition, body = Block(arg_types=[T.type]), Block(arg_types=[T.type])
    condition.add_op(stablehlo.ReturnOp(value("tensor<i1>")))
    body.add_op(stablehlo.ReturnOp(body.args[0]))
    loop = stablehlo.WhileOp([T], Region(condition), Region(body))
    loop.verify()
    assert list(loop.result_types) == [T.type]


def test_an_asynchronous_start_gives_a_future_of_what_its_region_returns():
    block = Block(arg_types=[T.type])
    sliced = stablehlo.SliceOp(block.args[0], [0], [2], [1])
    block.add_ops([sliced, stablehlo.ReturnOp(sliced.result)])
    start = stablehlo.AsyncStartOp([T], Region(block))
    start.verify()
    assert start.result.type == attribute("!stablehlo.future<tensor<2xf32>>")
