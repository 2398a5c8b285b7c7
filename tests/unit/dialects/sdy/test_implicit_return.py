"""Operations of sdy with a body, built without the `sdy.return` at its end."""

import pytest
from xdsl.dialects import func, test
from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import Block, Region

from xshardy.dialects.sdy.ops import ManualComputationOp, NamedComputationOp, ReturnOp

TENSOR = TensorType(f32, [8])


def manual(body: Region) -> ManualComputationOp:
    return ManualComputationOp([], [], [], ["a"], body, [])


def named(body: Region) -> NamedComputationOp:
    return NamedComputationOp("f", [], [], body)


@pytest.mark.parametrize("build", [manual, named])
def test_a_return_is_added(build):
    for body in (Region(), Region(Block()), Region(Block([test.TestOp()]))):
        count = sum(1 for _ in body.walk())
        op = build(body)
        assert isinstance(op.terminator, ReturnOp)
        assert sum(1 for _ in op.body.walk()) == count + 1
        op.verify()


@pytest.mark.parametrize("build", [manual, named])
@pytest.mark.parametrize("terminator", [ReturnOp, func.ReturnOp])
def test_an_explicit_terminator_is_kept(build, terminator):
    end = terminator()
    assert [*build(Region(Block([end]))).body.walk()] == [end]


def test_a_block_for_the_caller_to_fill():
    value = test.TestOp(result_types=[TENSOR]).results[0]
    computation = NamedComputationOp("f", [value], [TENSOR])
    block = computation.body.block
    assert block.arg_types == (TENSOR,) and block.last_op is None
