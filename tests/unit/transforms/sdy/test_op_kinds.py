"""The kinds of operations that op priorities distinguish, as Shardy's docs and its C++ do, and traits of classes."""

import pytest
from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation

from xshardy.sharding.priorities import OpKind
from xshardy.syntax import parse_module
from xshardy.transforms.sdy.op_kinds import kind_of, traits_of

T = "tensor<8xf32>"
KINDS = {
    f"stablehlo.add %x, %x : {T}": OpKind.PASS_THROUGH,
    f"chlo.broadcast_add %x, %x : ({T}, {T}) -> {T}": OpKind.PASS_THROUGH,
    f"sdy.propagation_barrier %x allowed_direction=NONE : {T}": OpKind.PASS_THROUGH,
    f"stablehlo.reshape %x : ({T}) -> tensor<2x4xf32>": OpKind.PASS_THROUGH,
    f"stablehlo.transpose %x, dims = [0] : ({T}) -> {T}": OpKind.PASS_THROUGH,
    f"stablehlo.bitcast_convert %x : ({T}) -> tensor<8xi32>": OpKind.PASS_THROUGH,
    f"stablehlo.bitcast_convert %x : ({T}) -> tensor<8x2xi16>": OpKind.OTHER,
    f"stablehlo.custom_call @MoveToHost(%x) : ({T}) -> {T}": OpKind.PASS_THROUGH,
    f"stablehlo.custom_call @MoveToDevice(%x) : ({T}) -> {T}": OpKind.PASS_THROUGH,
    f"stablehlo.custom_call @Qr(%x) : ({T}) -> {T}": OpKind.OTHER,
    f"stablehlo.dynamic_slice %x, %i, sizes = [4] : ({T}, tensor<i32>) -> tensor<4xf32>": OpKind.DYNAMIC_SLICE,
    f"stablehlo.dynamic_update_slice %x, %x, %i : ({T}, {T}, tensor<i32>) -> {T}": OpKind.DYNAMIC_SLICE,
    f"stablehlo.broadcast_in_dim %x, dims = [1] : ({T}) -> tensor<4x8xf32>": OpKind.BROADCAST,
    f"stablehlo.slice %x [0:4] : ({T}) -> tensor<4xf32>": OpKind.OTHER,
}


def operation(text: str) -> Operation:
    module = parse_module(f"func.func @f(%x: {T}, %i: tensor<i32>) {{\n  %0 = {text}\n  return\n}}")
    module.verify()
    op = next(iter(module.ops)).regions[0].block.first_op
    assert op is not None
    return op


@pytest.mark.parametrize("text", KINDS)
def test_kind_of_an_operation(text: str):
    assert kind_of(operation(text)) is KINDS[text]


def test_what_is_not_registered_forwards_nothing():
    assert not traits_of(UnregisteredOp).forwards_operands
