"""
Passes that a pipeline repeats give the same on what changed since they last ran as on the whole module.

Row XGPU-44.
"""

from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, test
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener, RewritePattern
from xdsl.traits import MemoryEffectKind
from xdsl.transforms import common_subexpression_elimination as xdsl_cse

from xshardy import compiler
from xshardy.dialects.extensions import effects
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.rewriting.changes import ChangeLog, Changes, IncrementalPass, PassRunner, Position
from xshardy.syntax import parse_module, print_module
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.canonicalize import CanonicalizePass
from xshardy.transforms.cse import CSEPass
from xshardy.transforms.xla_gpu.codegen_pipeline import stages
from xshardy.universe import new_context

FUSIONS = sorted((Path(__file__).parents[3] / "numerics" / "fusions").glob("*.hlo"))[::3]


def only_has_effect(op: Operation, kind: MemoryEffectKind) -> bool:
    found = effects.effects_of(op)
    return found is not None and all(effect.kind is kind for effect in found)


@pytest.mark.parametrize("path", FUSIONS, ids=lambda path: path.stem)
def test_the_pipeline_gives_the_same_as_full_runs(path: Path, monkeypatch: pytest.MonkeyPatch):
    """After each pass, not only at the end. The full run also compares `cse` with xDSL's, given the same effects."""
    monkeypatch.setattr(xdsl_cse, "get_effects", effects.effects_of)
    monkeypatch.setattr(xdsl_cse, "is_side_effect_free", effects.is_side_effect_free)
    monkeypatch.setattr(xdsl_cse, "is_trivially_dead", effects.is_trivially_dead)
    monkeypatch.setattr(xdsl_cse, "only_has_effect", only_has_effect)
    ctx = new_context()
    incremental, full = (compiler.emit(path.read_text()) for _ in range(2))
    runner = PassRunner(ctx, incremental)
    for stage in stages():
        for step in stage.passes:
            runner.run(step)
            if isinstance(step, CSEPass):
                xdsl_cse.cse(full)
            else:
                step.apply(ctx, full)
            assert print_module(incremental) == print_module(full), f"after {step.name}, at level {stage.level}"


TEXT = """
func.func @f(%x: i32) -> i32 {
  %0 = arith.constant 2 : i32
  %1 = "test.op"(%x) : (i32) -> i32
  %2 = arith.addi %1, %x : i32
  %3 = arith.addi %2, %0 : i32
  func.return %3 : i32
}
func.func @g(%x: i32) -> i32 {
  %0 = arith.muli %x, %x : i32
  func.return %0 : i32
}
"""


class OpToConstant(RewritePattern):
    """`test.op(x)` -> 5"""

    @match_op_type
    def match_and_rewrite(self, op: test.TestOp, rewriter: PatternRewriter, /):
        rewriter.replace(op, arith.ConstantOp.from_int_and_width(5, i32))


class DropSecondOperand(RewritePattern):
    """`addi x, y` -> `addi x, x`, in place."""

    @match_op_type
    def match_and_rewrite(self, op: arith.AddiOp, rewriter: PatternRewriter, /):
        op.operands[1] = op.operands[0]
        rewriter.notify_op_modified(op)


class FirstPass(PatternPass):
    name = "first"

    def patterns(self, module: ModuleOp):
        return (OpToConstant(),)


class SecondPass(PatternPass):
    name = "second"

    def patterns(self, module: ModuleOp):
        return (DropSecondOperand(),)


class Unrecorded(ModulePass):
    """Changes the module, and records nothing."""

    name = "unrecorded"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        FirstPass().apply(ctx, op)


class Nothing(PatternPass):
    """Changes nothing."""

    name = "nothing"

    def patterns(self, module: ModuleOp):
        return ()


CLEAN_UP = (CanonicalizePass(), CSEPass())


@pytest.mark.parametrize("between", [FirstPass(), SecondPass(), Unrecorded(), Nothing()], ids=lambda step: step.name)
def test_changed_operations_are_cleaned_up(between: ModulePass):
    ctx = new_context()
    incremental, full = parse_module(TEXT), parse_module(TEXT)
    runner = PassRunner(ctx, incremental)
    for step in (*CLEAN_UP, between, *CLEAN_UP):
        runner.run(step)
        step.apply(ctx, full)
    assert print_module(incremental) == print_module(full)


class Watched(IncrementalPass):
    """Records on which operations it runs; changes nothing."""

    name = "watched"
    runs: list[set[str]] = []

    def patterns(self, module: ModuleOp):
        self.runs.append({"everything"})
        return ()

    def rewrite_changes(self, module: ModuleOp, changes: Changes, listener: PatternRewriterListener | None) -> None:
        self.runs.append({op.name for op in module.walk() if op in changes})


def runs_after(step: ModulePass) -> list[set[str]]:
    """On what `Watched` runs before and after `step`."""
    Watched.runs.clear()
    runner, watched = PassRunner(new_context(), parse_module(TEXT)), Watched()
    for each in (watched, step, watched):
        runner.run(each)
    return Watched.runs


def test_nothing_runs_when_nothing_changed():
    assert runs_after(Nothing()) == [{"everything"}]


def test_everything_runs_after_a_pass_that_records_nothing():
    assert runs_after(Unrecorded()) == [{"everything"}, {"everything"}]


def test_only_changed_and_enclosing_operations_are_visited():
    # The new constant, its user, and what that reads and is read by; not the multiplication in the other function.
    changed = {"arith.constant", "arith.addi", "func.func", "builtin.module"}
    assert runs_after(FirstPass()) == [{"everything"}, changed]


def test_operations_that_lost_a_use_are_visited():
    _, changed = runs_after(SecondPass())
    assert changed >= {"test.op", "arith.constant"}
    assert "arith.muli" not in changed


DEAD_CHAIN = """
func.func @f(%x: i32) {
  %0 = arith.addi %x, %x : i32
  %1 = arith.muli %0, %x : i32
  func.return
}
"""


def test_cse_looks_again_at_what_it_left_without_uses():
    """Operations are erased in the order of the text, so that each run erases the last of a chain."""
    module = parse_module(DEAD_CHAIN)
    runner = PassRunner(new_context(), module)
    for left in (["arith.addi", "func.return"], ["func.return"]):
        runner.run(CSEPass())
        assert [op.name for op in functions_of(module)["f"].body.block.ops] == left


def test_canonicalization_of_changes_leaves_what_did_not_change():
    """Constants excepted: each has its place."""
    module = parse_module(DEAD_CHAIN)
    unchanged = {op: op.parent for op in module.walk()}
    CanonicalizePass().rewrite_changes(module, Changes(ChangeLog(), Position(0, 0, 0), unchanged), None)
    assert print_module(module) == print_module(parse_module(DEAD_CHAIN))
    CanonicalizePass().rewrite_module(module)
    assert print_module(module) != print_module(parse_module(DEAD_CHAIN))
