"""New operations have the location of what they replace, under every walk of the driver."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from xdsl.dialects import arith, func, test
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    StringAttr,
    i32,
)
from xdsl.ir import Block, Operation, Region
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.rewriting import BACKWARD, FORWARD, TO_FIXPOINT, Walk, rewrite
from xshardy.rewriting.locations import fused

Rewrite = Callable[[arith.AddiOp, PatternRewriter], None]


def at(line: int) -> LocationAttr:
    return FileLineColLoc(StringAttr("f.py"), IntAttr(line), IntAttr(0))


@dataclass(frozen=True)
class OnSecondAdd(RewritePattern):
    """Applies `change` to an addition of two additions."""

    change: Rewrite

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        if isinstance(op, arith.AddiOp) and isinstance(op.lhs.owner, arith.AddiOp):
            self.change(op, rewriter)


def additions(*locations: LocationAttr) -> ModuleOp:
    """`%0 = 1; %1 = %0 + %0; %2 = %1 + %1`, at three locations."""
    one = arith.ConstantOp.from_int_and_width(1, 32)
    first = arith.AddiOp(one, one)
    second = arith.AddiOp(first, first)
    for op, location in zip((one, first, second), locations, strict=True):
        op.location = location
    return ModuleOp([one, first, second, test.TestOp([second.result])])


def rewritten(change: Rewrite, walk: Walk, *locations: LocationAttr) -> ModuleOp:
    module = additions(*locations)
    rewrite(module, [OnSecondAdd(change)], walk)
    module.verify()
    return module


def one_replaced(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    rewriter.replace(op, arith.MuliOp(op.lhs, op.rhs))


def two_replaced(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
    inner = op.lhs.owner
    assert isinstance(inner, arith.AddiOp)
    new = rewriter.insert(arith.MuliOp(inner.lhs, inner.rhs), rewriter.insertion_point)
    rewriter.replace(op, (), new.results)
    rewriter.replace(inner, (), new.results)


def located(module: ModuleOp, op_type: type[Operation]) -> LocationAttr:
    return next(op for op in module.walk() if isinstance(op, op_type)).location


WALKS = pytest.mark.parametrize("walk", [FORWARD, BACKWARD, TO_FIXPOINT])


@WALKS
def test_a_new_operation_is_where_the_replaced_one_was(walk: Walk):
    assert located(rewritten(one_replaced, walk, at(1), at(2), at(3)), arith.MuliOp) == at(3)


@WALKS
def test_the_locations_of_several_replaced_operations_are_fused(walk: Walk):
    assert located(rewritten(two_replaced, walk, at(1), at(2), at(3)), arith.MuliOp) == fused([at(3), at(2)])
    assert located(rewritten(two_replaced, walk, at(1), at(3), at(3)), arith.MuliOp) == at(3)


@WALKS
def test_a_module_without_locations_gets_none(walk: Walk):
    unknown = (UNKNOWN_LOC,) * 3
    assert all(op.location is UNKNOWN_LOC for op in rewritten(two_replaced, walk, *unknown).walk())


def test_what_else_is_inserted_is_where_the_match_was():
    def change(op: arith.AddiOp, rewriter: PatternRewriter) -> None:
        own = arith.ConstantOp.from_int_and_width(7, 32)
        own.location = at(9)
        body = Region(Block([inner := arith.ConstantOp.from_int_and_width(8, 32), test.TestTermOp([inner.result])]))
        rewriter.insert((own, test.TestOp(regions=[body])))
        rewriter.replace(op, arith.MuliOp(op.lhs, op.rhs))

    module = rewritten(change, FORWARD, at(1), at(2), at(3))
    constants = {op.value: op.location for op in module.walk() if isinstance(op, arith.ConstantOp)}
    assert list(constants.values()) == [at(1), at(9), at(3)]
    holder = next(op for op in module.walk() if isinstance(op, test.TestOp) and op.regions)
    assert {op.location for op in holder.walk()} == {at(3)}


def test_an_argument_of_another_type_keeps_its_location():
    class Retype(RewritePattern):
        def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
            if isinstance(op, func.FuncOp):
                rewriter.replace_value_with_new_type(op.args[0], i32)

    function = func.FuncOp.from_region("f", [i32], [])
    function.args[0].location = at(5)
    rewrite(ModuleOp([function]), [Retype()], FORWARD)
    assert function.args[0].location == at(5)


def test_fused_locations_are_flat_and_different():
    assert fused([]) is UNKNOWN_LOC
    assert fused([UNKNOWN_LOC, at(1), at(1)]) == at(1)
    both = fused([at(1), at(2)])
    assert isinstance(both, FusedLoc) and fused([both, at(3), at(1)]) == fused([at(1), at(2), at(3)])
    named = fused([at(1)], StringAttr("m"))
    assert isinstance(named, FusedLoc) and fused([named, at(2)]) != fused([at(1), at(2)])
