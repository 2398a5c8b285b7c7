"""Operations that are erased or released are freed without a garbage collection."""

import gc
from collections.abc import Iterator
from pathlib import Path
from weakref import ref

import pytest
from xdsl.dialects import arith
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from xshardy import api, compiler
from xshardy.ir.release import release
from xshardy.ir.replacement import erase_op
from xshardy.rewriting import rewrite
from xshardy.rewriting.pattern import OpTypePattern
from xshardy.rewriting.walk import operations_from

LOOP = """
func.func @f(%x: index, %n: index) -> index {
  %unused = scf.for %i = %x to %n step %x iter_args(%a = %x) -> (index) {
    %sum = arith.addi %a, %i : index
    %again = arith.addi %sum, %i : index
    scf.yield %again : index
  }
  %dead = arith.muli %x, %n : index
  return %x : index
}
"""
GELU = (Path(__file__).parents[3] / "examples" / "gelu.hlo").read_text()


@pytest.fixture(autouse=True)
def without_collections() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def test_a_released_module_is_freed():
    module = api.parse(LOOP)
    known = [ref(op) for op in operations_from(module)]
    release(module)
    del module
    assert len(known) == 8
    assert not any(each() for each in known)


class EraseUnused(OpTypePattern):
    """`op(x)` -> nothing, for an operation that nothing uses."""

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not any(result.first_use for result in op.results):
            rewriter.erase(op)


def test_an_erased_operation_is_freed_with_all_that_is_in_it():
    module = api.parse(LOOP)
    loop = next(op for op in operations_from(module) if op.name == "scf.for")
    known = [ref(op) for op in operations_from(loop)]
    known += [ref(op) for op in operations_from(module) if op.name == "arith.muli"]
    patterns = [EraseUnused(type(loop)), EraseUnused(arith.MuliOp)]
    del loop
    rewrite(module, patterns)
    assert len(known) == 5
    assert not any(each() for each in known)
    module.verify()


def test_an_erased_loop_uses_nothing_any_more_and_an_erased_function_is_freed():
    module = api.parse(LOOP)
    function = module.body.block.first_op
    assert isinstance(function, FuncOp)
    x = function.args[0]
    loop = next(op for op in operations_from(module) if op.name == "scf.for")
    erase_op(loop)
    assert [use.operation.name for use in x.uses] == ["func.return", "arith.muli"]
    known = [ref(op) for op in operations_from(function)]
    erase_op(function)
    del function, loop, x
    assert len(known) == 3
    assert not any(each() for each in known)


def living_operations() -> int:
    """How many there are. `isinstance` of an abstract class takes long for millions of objects of many classes."""
    return sum(Operation in type(each).__mro__ for each in gc.get_objects())


def test_a_compilation_leaves_no_operations():
    compiler.compile(GELU)
    gc.collect()
    before = living_operations()
    compiler.compile(GELU)
    assert living_operations() - before < 50
