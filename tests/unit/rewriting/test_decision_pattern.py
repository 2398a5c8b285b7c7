"""Patterns that apply decisions rewrite the decided operations, and no others."""

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker

from xshardy.rewriting import DecisionPattern, rewrite
from xshardy.rewriting.pattern import op_types_of
from xshardy.syntax import parse_module, print_module

TEXT = """func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.muli %0, %x : i32
  %2 = arith.addi %1, %x : i32
  func.return %2 : i32
}"""


@dataclass(frozen=True)
class Mark(DecisionPattern[Operation, str]):
    """`f(x)` -> `f(x) {mark = m}`"""

    def rewrite(self, op: Operation, decision: str, rewriter: PatternRewriter, /) -> None:
        op.attributes["mark"] = StringAttr(decision)
        rewriter.notify_op_modified(op)


def first_addition(module: ModuleOp) -> arith.AddiOp:
    return next(op for op in module.walk() if isinstance(op, arith.AddiOp))


def test_rewrites_the_decided_operation_only():
    module = parse_module(TEXT)
    assert rewrite(module, (Mark({first_addition(module): "a"}),))
    assert [op.attributes for op in module.walk() if op.attributes] == [{"mark": StringAttr("a")}]


def test_two_patterns_are_tried_in_one_walk():
    module = parse_module(TEXT)
    addition = first_addition(module)
    product = addition.result.get_user_of_unique_use()
    assert isinstance(product, arith.MuliOp)
    assert rewrite(module, (Mark({product: "b"}), Mark({addition: "a"})))
    assert (addition.attributes["mark"], product.attributes["mark"]) == (StringAttr("a"), StringAttr("b"))


def test_only_operations_in_the_root_are_rewritten():
    module = parse_module(TEXT)
    function = next(iter(module.ops))
    assert not rewrite(function, (Mark({function: "a"}),))
    assert rewrite(module, (Mark({function: "a"}),))


def test_an_operation_that_was_erased_since_the_decision_is_left_out():
    module = parse_module(TEXT.replace("  func.return", "  %3 = arith.addi %x, %x : i32\n  func.return"))
    first, *_, unused = [op for op in module.walk() if isinstance(op, arith.AddiOp)]
    unused.detach()
    assert rewrite(module, (Mark({unused: "b", first: "a"}),))
    assert first.attributes == {"mark": StringAttr("a")} and not unused.attributes


def test_the_same_under_the_walker_of_xdsl():
    module, other = parse_module(TEXT), parse_module(TEXT)
    rewrite(module, (Mark({first_addition(module): "a"}),))
    PatternRewriteWalker(Mark({first_addition(other): "a"}), apply_recursively=False).rewrite_module(other)
    assert print_module(module) == print_module(other)


def test_without_decisions_nothing_is_taken():
    pattern = Mark({})
    assert not op_types_of(pattern)
    assert not rewrite(parse_module(TEXT), (pattern,))
