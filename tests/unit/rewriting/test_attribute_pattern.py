"""What patterns of attributes rewrite, and which operations they report."""

from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriterListener

from xshardy.rewriting import AttributePattern, rewrite
from xshardy.syntax import parse_module

TEXT = """func.func @f() {
  %0 = arith.constant {kind = "a"} 1 : i32
  %1 = arith.constant {kind = "b"} 2 : i32
  %2 = arith.addi %0, %1 {kinds = ["a", {inner = "c"}], empty = []} : i32
  return
}"""


@dataclass(frozen=True)
class NextKind(AttributePattern):
    """`"a"` -> `"b"`, `"b"` -> `"c"`"""

    attribute_types = (StringAttr,)

    def convert(self, attribute: Attribute, /) -> Attribute:
        assert isinstance(attribute, StringAttr)
        following = {"a": "b", "b": "c"}
        return StringAttr(following[attribute.data]) if attribute.data in following else attribute


def test_what_one_attribute_becomes_is_not_taken_for_another():
    module = parse_module(TEXT)
    assert rewrite(module, (NextKind(),))
    assert str(module) == str(parse_module(TEXT.replace('"b"', '"c"').replace('"a"', '"b"')))


def test_operations_that_change_are_reported():
    module = parse_module(TEXT.replace('"b"', '"c"'))
    changed: list[Operation] = []
    listener = PatternRewriterListener(operation_modification_handler=[changed.append])
    assert rewrite(module, (NextKind(),), listener=listener)
    assert [op.name for op in changed] == ["arith.constant", "arith.addi"]
