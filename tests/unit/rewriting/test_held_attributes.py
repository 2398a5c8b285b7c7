"""What is kept of the attributes of a module is what its operations hold, whatever changes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, UnitAttr, i32
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener, RewritePattern

from xshardy.rewriting import AttributePattern, HeldAttributesPattern, match_op_type, rewrite
from xshardy.rewriting.held_attributes import HeldAttributes
from xshardy.rewriting.operation_index import indexed
from xshardy.rewriting.walk import held_attributes_in
from xshardy.syntax import parse_module

TEXT = """func.func @f() {
  %0 = arith.constant {kind = "a"} 1 : i32
  %1 = arith.constant {kind = "b"} 2 : i32
  %2 = arith.addi %0, %1 {kind = "a"} : i32
  return
}"""


@dataclass(frozen=True)
class EraseSum(RewritePattern):
    """`x + y` -> nothing"""

    @match_op_type
    def match_and_rewrite(self, op: arith.AddiOp, rewriter: PatternRewriter, /) -> None:
        rewriter.erase(op)


@dataclass(frozen=True)
class Mark(RewritePattern):
    """`x + y` -> `x + y {marked}`"""

    @match_op_type
    def match_and_rewrite(self, op: arith.AddiOp, rewriter: PatternRewriter, /) -> None:
        op.attributes["marked"] = UnitAttr()
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class InsertConstant(RewritePattern):
    """`x + y` -> `constant 5; x + y`"""

    @match_op_type
    def match_and_rewrite(self, op: arith.AddiOp, rewriter: PatternRewriter, /) -> None:
        rewriter.insert(arith.ConstantOp(IntegerAttr(5, i32)))


class NextKind(AttributePattern):
    """`"a"` -> `"b"`, `"b"` -> `"c"`"""

    attribute_types = (StringAttr,)

    def convert(self, attribute: Attribute, /) -> Attribute:
        assert isinstance(attribute, StringAttr)
        following = {"a": "b", "b": "c"}
        return StringAttr(following[attribute.data]) if attribute.data in following else attribute


@dataclass(frozen=True)
class DropKind(HeldAttributesPattern):
    """`op {kind = "b"}` -> `op`"""

    def rewrite_held(self, held: HeldAttributes, /) -> Sequence[Operation]:
        return held.drop("kind", lambda kind: kind == StringAttr("b"))


def held_by_identity(module: ModuleOp) -> Mapping[int, Attribute]:
    ops = [*module.walk()][1:]
    return {id(each): each for op in ops for each in (*op.properties.values(), *op.attributes.values())}


@pytest.mark.parametrize("pattern", [EraseSum(), Mark(), InsertConstant(), NextKind(), DropKind()])
@pytest.mark.parametrize("then", [EraseSum(), Mark(), NextKind(), DropKind()])
def test_what_is_kept_is_what_operations_hold(pattern: RewritePattern, then: RewritePattern):
    module = parse_module(TEXT)
    with indexed(module):
        for step in (pattern, then):
            held_attributes_in(module)
            rewrite(module, (step,))
            assert {*map(id, held_attributes_in(module).distinct())} == {*held_by_identity(module)}


def test_attributes_are_in_the_order_of_the_text():
    module = parse_module(TEXT)
    assert [*map(id, held_attributes_in(module).distinct())] == [*held_by_identity(module)]


def test_what_one_attribute_becomes_is_not_taken_for_another():
    module = parse_module(TEXT)
    assert rewrite(module, (NextKind(),))
    assert str(module) == str(parse_module(TEXT.replace('"b"', '"c"').replace('"a"', '"b"')))


def test_dropped_attributes_are_gone_from_all_operations():
    module = parse_module(TEXT.replace('"a"', '"b"').replace('"b"', '"a"', 1))
    changed: list[Operation] = []
    listener = PatternRewriterListener(operation_modification_handler=[changed.append])
    assert rewrite(module, (DropKind(),), listener=listener)
    assert [op.name for op in changed] == ["arith.constant", "arith.addi"]
    assert str(module).count("kind") == 1
    assert not rewrite(module, (DropKind(),))
