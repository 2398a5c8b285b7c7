"""The driver has the results of xDSL's `PatternRewriteWalker`, and visits operations in the order of its walk."""

from dataclasses import dataclass, field

import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i32
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.traits import ConstantLike

from xshardy.rewriting import (
    BACKWARD,
    FORWARD,
    INNER_FIRST,
    TO_FIXPOINT,
    AttributePattern,
    ClassPattern,
    OpTypePattern,
    PatternPass,
    PatternSet,
    Step,
    Walk,
    match_op_type,
    rewrite,
)
from xshardy.rewriting.pattern import ANY_OPERATION, op_types_of
from xshardy.syntax import parse_module

TEXT = """
func.func @f(%x: i32, %c: i1) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = scf.if %c -> (i32) {
    %2 = arith.addi %0, %x : i32
    scf.yield %2 : i32
  } else {
    %3 = arith.muli %0, %x : i32
    scf.yield %3 : i32
  }
  %4 = arith.addi %1, %0 : i32
  func.return %4 : i32
}
"""


@dataclass(frozen=True)
class Visit(RewritePattern):
    """Records the operations on which it is called; changes nothing."""

    visited: list[str] = field(default_factory=list[str])

    @match_op_type
    def match_and_rewrite(self, op: arith.AddiOp | scf.IfOp | scf.YieldOp, rewriter: PatternRewriter, /):
        self.visited.append(op.name)


class SumToProduct(RewritePattern):
    """`x + y` -> `x * y`."""

    @match_op_type
    def match_and_rewrite(self, op: arith.AddiOp, rewriter: PatternRewriter, /):
        rewriter.replace(op, arith.MuliOp(op.lhs, op.rhs))


class ProductToDifference(RewritePattern):
    """`x * y` -> `x - y`, with xDSL's own decorator."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.MuliOp, rewriter: PatternRewriter, /):
        rewriter.replace(op, arith.SubiOp(op.lhs, op.rhs))


@dataclass(frozen=True)
class Rename(OpTypePattern):
    """`op` -> `op {name = ...}`."""

    label: str

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        op.attributes["label"] = StringAttr(self.label)
        rewriter.notify_op_modified(op)


class InlineBranch(RewritePattern):
    """`scf.if %c { a } else { b }` -> `a`, which then is visited."""

    @match_op_type
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter, /):
        block = op.true_region.block
        end = block.last_op
        assert end is not None
        rewriter.inline_block(block, rewriter.insertion_point)
        rewriter.replace(op, (), end.operands)
        rewriter.erase(end)


class Untyped(RewritePattern):
    """Takes any operation."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        pass


WALKS = [FORWARD, BACKWARD, INNER_FIRST, TO_FIXPOINT, Walk(walk_regions_first=True, apply_recursively=True)]
PATTERNS: list[list[RewritePattern]] = [
    [SumToProduct()],
    [SumToProduct(), ProductToDifference()],
    [ProductToDifference(), SumToProduct()],
    [InlineBranch(), SumToProduct()],
]


def with_xdsl(module: ModuleOp, patterns: list[RewritePattern], walk: Walk) -> None:
    PatternRewriteWalker(
        GreedyRewritePatternApplier(patterns, dce_enabled=False),
        walk_reverse=walk.walk_reverse,
        walk_regions_first=walk.walk_regions_first,
        apply_recursively=walk.apply_recursively,
    ).rewrite_module(module)


@pytest.mark.parametrize("walk", WALKS, ids=str)
@pytest.mark.parametrize("patterns", PATTERNS, ids=lambda patterns: "-".join(type(p).__name__ for p in patterns))
def test_the_result_is_that_of_xdsls_walker(patterns: list[RewritePattern], walk: Walk):
    ours, theirs = parse_module(TEXT), parse_module(TEXT)
    assert rewrite(ours, patterns, walk)
    with_xdsl(theirs, patterns, walk)
    assert str(ours) == str(theirs)


@pytest.mark.parametrize(
    ("walk", "expected"),
    [
        (FORWARD, ["addi", "if", "addi", "yield", "yield", "addi"]),
        (INNER_FIRST, ["addi", "addi", "yield", "yield", "if", "addi"]),
        (BACKWARD, ["addi", "yield", "yield", "addi", "if", "addi"]),
    ],
)
def test_the_order_of_visits(walk: Walk, expected: list[str]):
    pattern = Visit()
    assert not rewrite(parse_module(TEXT), [pattern], walk)
    assert [name.split(".")[1] for name in pattern.visited] == expected


def test_only_a_walk_to_a_fixpoint_visits_inserted_operations():
    once, always = parse_module(TEXT), parse_module(TEXT)
    rewrite(once, [SumToProduct(), ProductToDifference()], FORWARD)
    rewrite(always, [SumToProduct(), ProductToDifference()], TO_FIXPOINT)
    assert sum(isinstance(op, arith.MuliOp) for op in once.walk()) == 3
    assert not any(isinstance(op, arith.MuliOp | arith.AddiOp) for op in always.walk())


def test_op_types_of_our_patterns_of_xdsls_of_tables_and_of_others():
    assert op_types_of(SumToProduct()) == (arith.AddiOp,)
    assert op_types_of(Visit()) == (arith.AddiOp, scf.IfOp, scf.YieldOp)
    assert op_types_of(ProductToDifference()) == (arith.MuliOp,)
    assert op_types_of(Rename(scf.IfOp, "a")) == (scf.IfOp,)
    assert op_types_of(Untyped()) == ANY_OPERATION


def test_a_row_of_a_table_takes_its_operation_only():
    module = parse_module(TEXT)
    rewrite(module, [Rename(arith.AddiOp, "sum"), Rename(arith.MuliOp, "product")])
    labels = {op.name: op.attributes.get("label") for op in module.walk()}
    assert labels["arith.addi"] == StringAttr("sum") and labels["arith.muli"] == StringAttr("product")
    assert labels["scf.if"] is None


def test_nested_modules_functions_and_empty_regions():
    module = parse_module("module { module { func.func private @g(i32) } }")
    assert not rewrite(module, [SumToProduct()])


def test_a_listener_receives_changes():
    inserted: list[str] = []
    listener = PatternRewriterListener(operation_insertion_handler=[lambda op: inserted.append(op.name)])
    rewrite(parse_module(TEXT), [SumToProduct()], listener=listener)
    assert inserted == ["arith.muli"] * 3


class Increment(AttributePattern):
    """`n : i32` -> `n + 1 : i32`."""

    attribute_types = (IntegerAttr,)

    def convert(self, attribute: Attribute, /) -> Attribute:
        assert isinstance(attribute, IntegerAttr)
        return IntegerAttr(attribute.value.data + 1, i32) if attribute.type == i32 else attribute


def test_attributes_are_rewritten_inside_of_others():
    module = parse_module('"test.op"() {a = 1 : i32, b = [2 : i32, {c = 3 : i32}], d = 4 : i64, e = "x"} : () -> ()')
    op = next(iter(module.body.block.ops))
    unchanged = op.attributes["e"]
    assert rewrite(module, [Increment()])
    expected = parse_module('"test.op"() {a = 2 : i32, b = [3 : i32, {c = 4 : i32}], d = 4 : i64, e = "x"} : () -> ()')
    assert str(module) == str(expected)
    assert op.attributes["e"] is unchanged


def test_equal_attributes_become_one_object():
    module = parse_module('"test.op"() : () -> ()')
    op = next(iter(module.body.block.ops))
    op.attributes |= {"a": IntegerAttr(1, i32), "b": IntegerAttr(1, i32)}
    assert op.attributes["a"] is not op.attributes["b"]
    assert rewrite(module, [Increment()])
    assert op.attributes["a"] is op.attributes["b"]


class TwoSteps(PatternPass):
    """First sums, then products, which the first step made."""

    name = "two-steps"

    def steps(self, module: ModuleOp):
        yield Step([SumToProduct()])
        assert not any(isinstance(op, arith.AddiOp) for op in module.walk())
        yield Step([ProductToDifference()])


def test_a_step_starts_when_the_one_before_is_done():
    module = parse_module(TEXT)
    assert TwoSteps().rewrite_module(module)
    assert sum(isinstance(op, arith.SubiOp) for op in module.walk()) == 4
    assert not TwoSteps().rewrite_module(module)


class EraseUnusedSum(RewritePattern):
    """`x + y` -> nothing, where nothing uses it."""

    @match_op_type
    def match_and_rewrite(self, op: arith.AddiOp, rewriter: PatternRewriter, /):
        if op.result.first_use is None:
            rewriter.erase(op)


class ReadConstant(RewritePattern):
    """`x * y` -> `0 * 0`, in place: its operands lose a use."""

    @match_op_type
    def match_and_rewrite(self, op: arith.MuliOp, rewriter: PatternRewriter, /):
        if isinstance(op.lhs.owner, arith.ConstantOp):
            return
        zero = rewriter.insert(arith.ConstantOp(IntegerAttr(0, i32)))
        op.operands = (zero.result, zero.result)
        rewriter.notify_op_modified(op)


CHAIN = """
func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %0, %x : i32
  %2 = arith.muli %1, %1 : i32
  func.return %2 : i32
}
func.func @g(%x: i32) -> i32 {
  %0 = arith.muli %x, %x : i32
  func.return %0 : i32
}
"""


def names(module: ModuleOp) -> list[str]:
    return [op.name for op in module.walk() if op.name.startswith("arith")]


def test_operations_that_lose_a_use_are_visited_again():
    module = parse_module(CHAIN)
    rewrite(module, [EraseUnusedSum(), ReadConstant()], TO_FIXPOINT)
    assert names(module) == ["arith.constant", "arith.muli", "arith.constant", "arith.muli"]


def test_a_step_with_roots_leaves_the_rest_of_the_module_alone():
    class OnlySecond(PatternPass):
        name = "only-second"

        def steps(self, module: ModuleOp):
            yield Step((ReadConstant(),), FORWARD, [*module.ops][1:])

    module = parse_module(CHAIN)
    assert OnlySecond().rewrite_module(module)
    assert names(module) == ["arith.addi", "arith.addi", "arith.muli", "arith.constant", "arith.muli"]


def test_among_selects_the_first_operations():
    module = parse_module(CHAIN)
    second = set([*module.ops][1].walk())
    rewrite(module, [ReadConstant()], TO_FIXPOINT, among=second)
    assert names(module) == ["arith.addi", "arith.addi", "arith.muli", "arith.constant", "arith.muli"]


def test_a_pattern_set_tries_its_own_patterns_before_those_it_extends():
    module = parse_module(TEXT)
    assert rewrite(module, PatternSet((SumToProduct(),), then=PatternSet((Rename(arith.AddiOp, "never"),))))
    assert not any("label" in op.attributes for op in module.walk())


def test_a_set_of_patterns_for_no_class_visits_nothing():
    class ForNothing(RewritePattern):
        op_types: tuple[type, ...] = ()

        def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
            raise AssertionError

    assert PatternSet((ForNothing(),)).takes_nothing
    assert not rewrite(parse_module(TEXT), (ForNothing(),))


class EraseConstants(ClassPattern):
    """`constant` -> nothing, where nothing uses it; for every class of constants."""

    def takes(self, op_type: type[Operation], /) -> bool:
        return op_type.has_trait(ConstantLike, value_if_unregistered=False)

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        rewriter.erase(op)


@pytest.mark.parametrize("run", ["driver", "xdsl"])
def test_a_class_pattern_takes_its_declared_classes(run: str):
    module = parse_module("func.func @f() {\n  %0 = arith.constant 1 : i32\n  func.return\n}")
    if run == "driver":
        rewrite(module, (EraseConstants(),))
    else:
        with_xdsl(module, [EraseConstants()], FORWARD)
    assert names(module) == []
