"""`replace_by_twin` leaves the module that `PatternRewriter.replace` leaves, and reports as much."""

from collections.abc import Callable

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.ir import new_operation
from xshardy.rewriting import replace_by_twin
from xshardy.rewriting.changes import ChangeLog
from xshardy.rewriting.rewriter import MovingRewriter
from xshardy.syntax import parse_module, print_module

TEXT = """
"test.op"() ({
  %a, %b = "test.op"() : () -> (f32, f32)
  %c, %d = "test.op"(%a, %b, %a) : (f32, f32, f32) -> (f32, i1) loc("model")
  "test.termop"(%d, %c, %b) : (i1, f32, f32) -> ()
}) : () -> ()
"""
ATTRIBUTES = {"name": StringAttr("twin")}


def by_twin(op: Operation, rewriter: PatternRewriter) -> None:
    replace_by_twin(op, new_operation(test.TestPureOp, (), (), None, dict(ATTRIBUTES)), rewriter)


def by_replace(op: Operation, rewriter: PatternRewriter) -> None:
    twin = test.TestPureOp.create(operands=op.operands, result_types=op.result_types, attributes=dict(ATTRIBUTES))
    twin.location = op.location
    rewriter.replace(op, twin)


def replaced(
    how: Callable[[Operation, PatternRewriter], None], make: Callable[[Operation], PatternRewriter]
) -> tuple[ModuleOp, set[str], set[str]]:
    """The module after the second operation is replaced, and which operations are reported as inserted and changed."""
    module = parse_module(TEXT)
    (around,) = module.ops
    op = [*around.regions[0].block.ops][1]
    rewriter, log = make(op), ChangeLog()
    rewriter.extend_from_listener(log)
    how(op, rewriter)
    module.verify()
    assert rewriter.has_done_action and op.parent is None
    return module, {each.name for each in log.inserted}, {str(each) for each in log.changed}


@pytest.mark.parametrize("make", [PatternRewriter, MovingRewriter])
def test_twin_stands_in_the_place_of_the_operation(make: Callable[[Operation], PatternRewriter]):
    (module, *reports), (expected, *expected_reports) = replaced(by_twin, make), replaced(by_replace, make)
    assert print_module(module, debug_info=True) == print_module(expected, debug_info=True)
    assert reports == expected_reports
    assert 'loc("model")' in print_module(module, debug_info=True)
    twin = next(op for op in module.walk() if isinstance(op, test.TestPureOp))
    assert [use.operation for value in set(twin.operands) for use in value.uses].count(twin) == 3
    assert [result.op for result in twin.results] == [twin, twin]
