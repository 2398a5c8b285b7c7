"""From an operation to its asynchronous form, and back."""

import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType, f32, i32
from xdsl.ir import Block, Operation

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.hlo.async_operation import chain_of, start_of
from xshardy.dialects.hlo.async_ops import AsyncUpdateOp
from xshardy.dialects.hlo.async_sugar import done_of, sugar_of, unwrapped, wrap
from xshardy.dialects.hlo.own_async_ops import OWN_DONES, OWN_STARTS
from xshardy.dialects.stablehlo.types import UI32

TYPE = TensorType(f32, [4])


def module_with(function: func.FuncOp, operands: Block, *chain: Operation) -> ModuleOp:
    """`function`, and `@main` with `chain` in it; its arguments are those of `operands`."""
    operands.add_ops([*chain, func.ReturnOp()])
    main = func.FuncOp("main", ([argument.type for argument in operands.args], []))
    main.body.detach_block(0)
    main.body.add_block(operands)
    return ModuleOp([function, main])


def test_wrap_and_sugar():
    block = Block(arg_types=[TYPE, TYPE])
    op = stablehlo.SubtractOp(block.args[1], block.args[0])
    function, start = wrap(op, "f", [TensorType(i32, [])], "host")
    update = AsyncUpdateOp(start.bundle)
    done = done_of(start)
    done.operands[0] = update.bundle
    module_with(function, block, start, update, done).verify()
    assert str(start.bundle.type) == ("!hlo.async_bundle<(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>, tensor<i32>>")
    assert start.opcode == "async-start"
    assert sugar_of(start) is op
    assert tuple(start.inputs) == (block.args[1], block.args[0])
    assert start_of(done.operand) is start
    assert tuple(chain_of(start)) == (start, update, done)
    copy = unwrapped(start)
    assert isinstance(copy, stablehlo.SubtractOp)
    assert copy.lhs is block.args[1]


def test_no_sugar_for_another_order():
    block = Block(arg_types=[TYPE, TYPE])
    function, start = wrap(stablehlo.SubtractOp(block.args[0], block.args[1]), "f")
    module_with(function, block, start, done_of(start)).verify()
    inner = start.wrapped()
    inner.operands = tuple(reversed(inner.operands))
    assert sugar_of(start) is None


def test_operation_with_its_own_start_opcode():
    block = Block(arg_types=[TYPE])
    function, start = wrap(hlo.CopyOp(block.args[0]), "f")
    done = done_of(start)
    module_with(function, block, start, done).verify()
    assert (type(start), type(done)) == (hlo.CopyStartOp, hlo.CopyDoneOp)
    assert start.opcode == "copy-start"
    assert str(start.bundle.type) == f"!hlo.async_bundle<({TYPE}) -> {TYPE}, tensor<{UI32}>>"


@pytest.mark.parametrize("start", list(OWN_DONES))
def test_each_own_start_opcode_has_a_done(start: type[hlo.StartOp]):
    assert start in OWN_STARTS.values()
    done = OWN_DONES[start]
    assert (done.name,) == start.CONSUMERS
    assert (start.name,) == done.PRODUCERS
