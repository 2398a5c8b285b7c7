"""Steps of passes, recorded as edits: replayed, and listed."""

from pathlib import Path

import pytest
from input_checks import recorded_edits
from xdsl.pattern_rewriter import RewritePattern

from xshardy import compiler
from xshardy.rewriting.observer import observed
from xshardy.syntax import parse_module
from xshardy.tools.pipelines import passes_of
from xshardy.tools.steps.document import Document
from xshardy.tools.steps.listing import changed_lines, listing
from xshardy.tools.steps.pattern_source import pattern_source
from xshardy.tools.steps.recorder import Recorder
from xshardy.tools.xshardy_opt import run
from xshardy.transforms.canonicalization.steps import EraseDead
from xshardy.universe import installed_passes, new_context

FILECHECK = Path(__file__).parents[2] / "filecheck"
EXAMPLES = Path(__file__).parents[3] / "examples"
INPUTS = (
    "dialects/sdy/reshard_canonicalization.mlir",
    "lowering/control_flow_and_functions.mlir",
    "lowering/scf_to_cf.mlir",
    "transforms/hlo_async/wrap.mlir",
    "transforms/sdy_import/import_func_calls_options.mlir",
    "transforms/sdy_partition/convert_global_to_local_operations.mlir",
    "transforms/sdy_partition/pad_for_divisibility_moves.mlir",
    "transforms/xla_gpu/lower_xla_gpu_loops_to_scf.mlir",
    "transforms/xla_gpu/peel_loops.mlir",
    "transforms/xla_sdy/round_trip_testing_pipeline.mlir",
)
"""Of each room one, and those whose operations are hard to follow: twins, shared argument names, invalid in between."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("file", INPUTS)
def test_the_edits_lead_to_what_each_pass_leaves(file: str):
    recorded_edits.check(FILECHECK / file)


def recorded(text: str, pipeline: str) -> Recorder:
    ctx = new_context()
    module = parse_module(text, ctx=ctx)
    recorder = Recorder(module)
    with observed(module, recorder):
        for each in passes_of(pipeline, installed_passes()):
            each.apply(ctx, module)
            recorder.end_pass(each.name)
    return recorder


LOOP = """func.func @f(%n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) {
    %one = arith.constant 1.0 : f32
    %b = arith.addf %a, %one : f32
    scf.yield %b : f32
  }
  return %sum : f32
}"""
EMPTY_LOOP = LOOP.replace("%n step", "%c0 step")
"""A loop without iterations."""


def test_an_operation_that_leaves_a_loop_has_moved():
    lines = [*listing(recorded(LOOP, "xla-gpu-licm"), "")]
    assert lines[0].startswith("xla-gpu-licm, step 1 of 1: ")
    assert lines[2:] == ["  > %cst = arith.constant 1.000000e+00 : f32"]


def test_what_stays_in_a_replaced_operation_is_not_repeated():
    text = """func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.while(%a = %x) : tensor<8xf32>
    cond { %t = stablehlo.constant dense<true> : tensor<i1> stablehlo.return %t : tensor<i1> }
    do { %b = stablehlo.add %a, %a : tensor<8xf32> stablehlo.return %b : tensor<8xf32> }
  return %0 : tensor<8xf32>
}"""
    recorder = recorded(text, "sdy-add-data-flow-edges,sdy-sink-data-flow-edges")
    shown = "\n".join(recorder.document.lines())
    assert parse_module(shown)
    assert shown.count("stablehlo.while(%iterArg = ") == shown.count("stablehlo.add %iterArg, %iterArg") == 1


def test_edits_say_what_a_step_changed():
    document, recorder = Document(), recorded(EMPTY_LOOP, "xla-gpu-canonicalize")
    for edit in recorder.start:
        document.apply(edit)
    lines = [line for step in recorder.passes[0].steps for line in changed_lines(document, step.edits)]
    assert "- return %0 : f32" in lines and "+ return %arg1 : f32" in lines
    loop = next(number for number, line in enumerate(lines) if line.startswith("- %0 = scf.for"))
    assert lines[loop + 1].startswith("-   %1 = arith.addf %arg3, %cst")


def test_changes_are_of_the_pattern_that_made_them():
    """Also those that patterns do not report: of users, of the ends of blocks, and of what is in a replaced loop."""
    module = compiler.emit((EXAMPLES / "softmax_sum.hlo").read_text())
    recorder = Recorder(module)
    with observed(module, recorder):
        compiler.lower(module, "llvm", math="expanded", observe=lambda name, *_: recorder.end_pass(name))
    assert len(recorder.passes) > 10
    without = [each.name for each in recorder.passes for step in each.steps if step.pattern is None]
    assert without == ["xla-gpu-attach-target"]  # which has none


def test_an_inlined_body_is_a_change_of_the_pattern():
    text = """func.func @f(%x: tensor<8xf32>) {
      func.call @g(%x) : (tensor<8xf32>) -> ()
      return
    }
    func.func private @g(%x: tensor<8xf32>) {
      %0 = stablehlo.custom_call @h(%x) {has_side_effect = true} : (tensor<8xf32>) -> tensor<8xf32>
      return
    }"""
    (inlined,) = recorded(text, "inline").passes
    assert inlined.steps and None not in [step.pattern for step in inlined.steps]


def test_passes_of_a_pipeline_are_told_apart():
    recorder = recorded((EXAMPLES / "mlp.mlir").read_text(), "sdy-propagation-pipeline,sdy-partitioner-pipeline")
    names = [each.name for each in recorder.passes]
    assert names[0] == "sdy-lift-inlined-meshes" and "sdy-propagation-pipeline" not in names
    # What follows a replaced operation has not moved.
    replacement = [line[:4] for line in listing(recorder, "ReduceBetweenDevices")]
    assert "  - " in replacement and "  > " not in replacement


def test_a_pass_that_fails_leaves_the_steps_before(capsys: pytest.CaptureFixture[str]):
    status, _, said = run(["-p", "xla-gpu-canonicalize,hlo-async-wrap", "--debug-patterns"], EMPTY_LOOP)
    assert status == 1
    assert "xla-gpu-canonicalize, step 1 of " in said and "error: pass 'hlo-async-wrap'" in said


def test_a_pattern_is_named_with_its_line():
    source = pattern_source(EraseDead)
    path, _, line = source.place.rpartition(":")
    assert (FILECHECK.parents[1] / path).read_text().splitlines()[int(line) - 1].startswith(("class EraseDead", "@"))
    assert source.summary.startswith("`op(x)` -> nothing")


def test_a_pattern_without_text_is_named_with_its_module():
    made = type("Made", (RewritePattern,), {"__module__": "nowhere", "match_and_rewrite": lambda *_: None})
    assert pattern_source(made).place == "nowhere"


MAP = """func.func @f(%i: index) -> index {
  %0 = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 3]">(%i)[%i]
  return %0 : index
}"""


def test_patterns_that_an_operation_brings_along_are_named():
    option = "--debug-patterns=SymbolsToDimensions"
    status, _, said = run(["-p", "xla-gpu-canonicalize", option], MAP)
    assert status == 0
    assert ": SymbolsToDimensions (xshardy/dialects/xla_gpu/canonicalization.py:" in said


def test_the_file_may_follow_the_option(tmp_path: Path):
    (tmp_path / "m.mlir").write_text(LOOP)
    _, with_file, said = run(["--debug-patterns", str(tmp_path / "m.mlir"), "-p", "xla-gpu-licm"], "")
    assert "scf.for" in with_file and "xla-gpu-licm, step 1" in said
