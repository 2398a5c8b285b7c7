"""An observer of a module learns of each application of a pattern, whichever way the driver takes."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, StringAttr, i32
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.rewriting import (
    FORWARD,
    TO_FIXPOINT,
    AttributePattern,
    DecisionPattern,
    PatternOfPatterns,
    Walk,
    because,
    match_op_type,
    rewrite,
)
from xshardy.rewriting.observer import RewriteObserver, observed


class Events(RewriteObserver):
    """Keeps what it is told, as text."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []
        self.because = lambda op, reason: self.told.append(f"{op.name}: {reason}")
        self.operation_insertion_handler.append(lambda op: self.told.append(f"+{op.name}"))
        self.operation_removal_handler.append(lambda op: self.told.append(f"-{op.name}"))
        self.operation_modification_handler.append(lambda op: self.told.append(f"~{op.name}"))

    def start_match(self, pattern: RewritePattern) -> None:
        self.told.append(f"{type(pattern).__name__}?")

    def end_match(self, pattern: RewritePattern, op: Operation | None) -> None:
        self.told.append(f"{type(pattern).__name__}!")

    def end_pass(self, name: str) -> None:
        self.told.append(name)


class Refuse(RewritePattern):
    """Nothing, for a reason."""

    @match_op_type
    def match_and_rewrite(self, op: arith.AddiOp, rewriter: PatternRewriter, /) -> None:
        because(rewriter, "no")


class AddToMul(RewritePattern):
    """`addi` -> `muli`"""

    @match_op_type
    def match_and_rewrite(self, op: arith.AddiOp, rewriter: PatternRewriter, /) -> None:
        rewriter.replace(op, arith.MuliOp(op.lhs, op.rhs))


class Standing(PatternOfPatterns):
    """`op` -> what `Refuse` or `AddToMul` makes of it"""

    @classmethod
    def patterns_of_class(cls, op_type: type[Operation], /) -> Sequence[RewritePattern]:
        return (Refuse(), AddToMul()) if op_type is arith.AddiOp else ()


class Decided(DecisionPattern[arith.ConstantOp, None]):
    """`constant` -> nothing"""

    def rewrite(self, op: arith.ConstantOp, decision: None, code: PatternRewriter, /) -> None:
        code.erase(op)


@dataclass(frozen=True)
class Shout(AttributePattern):
    """`"x"` -> `"X"`"""

    attribute_types = (StringAttr,)

    def convert(self, attribute: Attribute, /) -> Attribute:
        assert isinstance(attribute, StringAttr)
        return StringAttr(attribute.data.upper())


def module() -> ModuleOp:
    one = arith.ConstantOp.from_int_and_width(1, i32)
    return ModuleOp([one, arith.AddiOp(one.result, one.result)])


def told(root: ModuleOp, patterns: Sequence[RewritePattern], walk: Walk = FORWARD) -> list[str]:
    events = Events()
    with observed(root, events):
        rewrite(root, patterns, walk)
    told = [*events.told]
    rewrite(module(), patterns, walk)
    assert events.told == told  # another module
    return told


def test_a_walk_and_a_worklist_tell_what_is_tried_and_what_applies():
    expected = ["Refuse?", "arith.addi: no", "AddToMul?", "+arith.muli", "-arith.addi", "AddToMul!"]
    assert told(module(), (Refuse(), AddToMul())) == expected
    assert told(module(), (Refuse(), AddToMul()), TO_FIXPOINT) == expected
    assert told(module(), (Standing(),)) == expected  # which stands for these


def test_decisions_are_told():
    one = arith.ConstantOp.from_int_and_width(1, i32)
    assert told(ModuleOp([one]), (Decided({one: None}),)) == ["Decided?", "-arith.constant", "Decided!"]


def test_attributes_of_many_operations_are_one_match():
    root = module()
    for op in root.ops:
        op.attributes["a"] = StringAttr("x")
    assert told(root, (Shout(),)) == ["Shout?", "~arith.constant", "~arith.addi", "Shout!"]


def test_a_pattern_of_patterns_alone_tries_each_until_one_changes_something():
    root = module()
    addition = root.body.block.last_op
    assert addition is not None
    Standing().match_and_rewrite(addition, PatternRewriter(addition))
    assert isinstance(root.body.block.last_op, arith.MuliOp)


def test_nothing_is_told_after_the_context():
    root, events = module(), Events()
    with observed(root, events):
        pass
    rewrite(root, (AddToMul(),))
    assert events.told == []
