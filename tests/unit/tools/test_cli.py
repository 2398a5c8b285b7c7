"""The command line: its outputs, and its diagnostics for invalid input."""

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from xshardy.interpreters import reference
from xshardy.launch.plan_files import PTX_FILE
from xshardy.tools import xshardy_opt
from xshardy.tools.cli import main
from xshardy.tools.commands import COMMANDS

EXAMPLES = Path(__file__).parents[3] / "examples"
GELU = str(EXAMPLES / "gelu.hlo")
AXPY = str(EXAMPLES.parent / "tests" / "numerics" / "fusions" / "f32_axpy_odd.hlo")


def wrap(body: str, signature: str = "f32[4] parameter(0)", root: str = "f32[4]") -> str:
    """An HLO module with one fusion, whose computation is `body`."""
    return (
        f"HloModule m\n\nfused {{\n{body}\n}}\n\nENTRY main {{\n  %p = {signature}\n"
        f"  ROOT %fusion = {root} fusion(%p), kind=kLoop, calls=fused\n}}\n"
    )


BAD_INPUT = {
    "syntax error": (wrap("  %p = f32[4] parameter(0\n  ROOT %a = f32[4] abs(%p)"), "expected"),
    "unknown opcode": (wrap("  %p = f32[4] parameter(0)\n  ROOT %a = f32[4] frobnicate(%p)"), "frobnicate"),
    "unsupported opcode": (
        wrap("  %p = f32[4] parameter(0)\n  ROOT %a = f32[4] cholesky(%p), lower=true"),
        "cholesky",
    ),
    "shape mismatch": (wrap("  %p = f32[4] parameter(0)\n  ROOT %a = f32[5] abs(%p)"), "f32[5]"),
    "undefined operand": (wrap("  %p = f32[4] parameter(0)\n  ROOT %a = f32[4] abs(%q)"), "%q"),
    "recursive call": (
        wrap("  %p = f32[4] parameter(0)\n  ROOT %a = f32[4] fusion(%p), kind=kLoop, calls=fused"),
        "fused",
    ),
    "empty file": ("", "end of the file"),
}


@pytest.mark.parametrize("what", BAD_INPUT)
@pytest.mark.parametrize("command", ["emit", "compile", "run"])
def test_bad_input_is_one_diagnostic(what: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    text, mentioned = BAD_INPUT[what]
    path = tmp_path / "bad.hlo"
    path.write_text(text)
    assert main([command, str(path)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(re.findall(r"error:", captured.err)) == 1
    assert re.match(rf"{re.escape(str(path))}:\d+:\d+: error: ", captured.err), captured.err
    assert mentioned in captured.err
    assert "Traceback" not in captured.err


@pytest.mark.parametrize("command", ["emit", "compile", "run"])
def test_branches_between_blocks_are_one_diagnostic(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "blocks.mlir"
    file.write_text(
        "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n  cf.br ^a\n^a:\n  return %x : tensor<8xf32>\n}\n"
    )
    assert main([command, str(file)]) == 1
    assert capsys.readouterr().err == (
        f"{file}: error: @main has 2 blocks: write branches and loops as operations with regions, such as "
        "`stablehlo.if` and `stablehlo.while`\n"
    )


def test_binary_garbage_is_one_diagnostic(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "bad.hlo"
    path.write_bytes(b"HloModule m\n\xff\xfe\x00\x01")
    assert main(["compile", str(path)]) == 1
    assert capsys.readouterr().err == f"{path}:2:1: error: byte 0xff is not UTF-8: expected a text file\n"


@pytest.mark.parametrize("file", ["/nowhere/at/all.hlo", "/tmp"])
def test_a_file_that_cannot_be_read(file: str, capsys: pytest.CaptureFixture[str]):
    assert main(["emit", file]) == 1
    assert capsys.readouterr().err.startswith(f"error: {file}: ")


def test_no_output_file_is_left_by_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "bad.hlo"
    path.write_text(BAD_INPUT["unknown opcode"][0])
    assert main(["compile", str(path), "-o", str(tmp_path / "out.ptx")]) == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["bad.hlo"]


def test_an_unknown_target_is_bad_usage(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as exit:
        main(["compile", GELU, "--target", "sm_20"])
    assert exit.value.code == 2
    assert "unknown target 'sm_20'" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["run", "--seed", "-1"], ["hlo-stats", "--most", "-1"], ["shard", "--top", "x"]])
def test_a_count_is_natural(arguments: list[str], capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as exit:
        main([*arguments, GELU])
    assert exit.value.code == 2
    assert f"expected an integer of at least 0, got '{arguments[-1]}'" in capsys.readouterr().err


def test_an_unknown_fusion_is_named_with_those_there_are(capsys: pytest.CaptureFixture[str]):
    for name, hint in (("softmax", "choose one of gelu"), ("gleu", "did you mean gelu?")):
        assert main(["emit", GELU, "--fusion", name]) == 1
        assert capsys.readouterr().err == f"{GELU}: error: the module has no fusion called '{name}': {hint}\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["emti", GELU], "argument COMMAND: invalid choice: 'emti': did you mean emit? (choose from emit, compile, "),
        (["emit", GELU, "--lvel", "scf"], "xshardy emit: error: unrecognized arguments: --lvel scf: did you mean --le"),
        (["emit", GELU, "--level", "vectorised"], "argument --level: invalid choice: 'vectorised': did you mean vec"),
        (["emit", GELU, "more"], "xshardy emit: error: unrecognized arguments: more\n"),
    ],
)
def test_what_is_close_to_an_unknown_word_is_suggested(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit) as exit:
        main(arguments)
    assert exit.value.code == 2
    assert complaint in capsys.readouterr().err


def test_hlo_and_mlir_are_told_apart_by_their_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert main(["emit", GELU]) == 0
    emitted = capsys.readouterr().out
    mlir, bytecode, hlo = tmp_path / "emitted.mlir", tmp_path / "emitted.mlirbc", tmp_path / "gelu.mlir"
    mlir.write_text(emitted)
    hlo.write_text(Path(GELU).read_text())
    assert xshardy_opt.main([str(mlir), "--emit-bytecode", "-o", str(bytecode)]) == 0
    for file in (bytecode, hlo):
        assert main(["emit", str(file)]) == 0
        assert capsys.readouterr().out == emitted
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(emitted.encode())))
    assert main(["emit", "-"]) == 0
    assert capsys.readouterr().out == emitted


def test_help_imports_no_command():
    """It lists them from their table, in a tenth of the time."""
    script = (
        "import sys; from xshardy.tools.cli import main\n"
        "try: main(['--help'])\n"
        "finally: print({'numpy', 'rich', 'xdsl'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("set()\n")
    assert all(f"\n    {command}" in done.stdout for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as exit:
        main([command, "--help"])
    assert exit.value.code == 0
    printed = capsys.readouterr().out
    assert f"xshardy {command} " in printed.partition("example: ")[2]
    assert "%%" not in printed


def test_emit_prints_the_documented_loop(capsys: pytest.CaptureFixture[str]):
    assert main(["emit", GELU]) == 0
    text = capsys.readouterr().out
    assert "(bl_x mod 8) * 512 + th_x * 4 + vector_index)" in text
    assert "xla_gpu.pure_call @gelu" in text


def test_emit_reads_what_it_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    emitted, lowered = tmp_path / "emitted.mlir", tmp_path / "lowered.mlir"
    assert main(["emit", AXPY, "-o", str(emitted)]) == 0
    assert main(["emit", AXPY, "--level", "unrolled", "-o", str(lowered)]) == 0
    assert capsys.readouterr().out == ""
    assert main(["emit", str(emitted), "--level", "unrolled"]) == 0
    assert capsys.readouterr().out == lowered.read_text()
    assert main(["emit", str(emitted), "--level", "prepared"]) == 1
    assert "this is an emitted module, which is past the level prepared" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run"], "`run` needs the HLO of the fusion, for its inputs and its reference"),
        (["run", "--fusion", "axpy"], "this is an emitted module, of one kernel: leave out --fusion"),
        (["compile", "-o", "folder"], "single kernels have no launch plan: write to a file, -o folder.ptx"),
    ],
)
def test_what_an_emitted_module_lacks(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(tmp_path)
    assert main(["emit", AXPY, "-o", "emitted.mlir"]) == 0
    command, *options = arguments
    assert main([command, "emitted.mlir", *options]) == 1
    assert capsys.readouterr().err == f"emitted.mlir: error: {message}\n"


def test_compile_writes_the_llvm_ir_of_each_kernel_beside_the_plan(tmp_path: Path):
    assert main(["compile", GELU, "--emit", "llvm-ir", "-o", str(tmp_path / "out")]) == 0
    (written,) = (tmp_path / "out").glob("*.ll")
    assert "define " in written.read_text()


def test_the_language_of_a_file_may_be_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "axpy"
    file.write_text("// mlir\n" + Path(AXPY).read_text())
    assert main(["emit", AXPY]) == main(["emit", str(file), "-f", "hlo"]) == 0
    out = capsys.readouterr().out
    assert out[: len(out) // 2] == out[len(out) // 2 :]


def test_compile_dumps_every_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["compile", AXPY, "--dump-dir", str(tmp_path / "dump"), "-o", str(tmp_path / "axpy.ptx")]) == 0
    names = sorted(entry.name for entry in (tmp_path / "dump").iterdir())
    assert names[:3] == ["00-1-prepared.mlir", "00-2-partitioned.mlir", "01-emit.mlir"]
    assert [name[:2] for name in names] == sorted(name[:2] for name in names)
    assert "xla-gpu-flatten-tensors.mlir" in {name[3:] for name in names}
    assert {name[3:] for name in names[-2:]} == {"kernel.ll", "kernel.ptx"}
    assert (tmp_path / "dump" / names[-1]).read_text() == (tmp_path / "axpy.ptx").read_text()


def test_verbosity_5_prints_the_ir_after_every_pass(capsys: pytest.CaptureFixture[str]):
    assert main(["compile", AXPY, "--v=5"]) == 0
    captured = capsys.readouterr()
    assert ".entry fused" in captured.out
    assert captured.err.count("IR dump after xla-gpu-canonicalize") > 3
    assert "IR dump after emit" in captured.err


def test_time_passes_prints_a_table(capsys: pytest.CaptureFixture[str]):
    assert main(["compile", AXPY, "--time-passes"]) == 0
    captured = capsys.readouterr()
    for step in ("parse", "emit", "inline", "llvm-to-ptx", "total"):
        assert step in captured.err


def test_compile_emits_llvm_ir(capsys: pytest.CaptureFixture[str]):
    assert main(["compile", AXPY, "--emit", "llvm-ir"]) == 0
    assert "define ptx_kernel void @main" in capsys.readouterr().out


def test_run_prints_results_without_a_check(capsys: pytest.CaptureFixture[str]):
    assert main(["run", AXPY, "--level", "scf"]) == 0
    assert "tensor<7x13x11xf32>" in capsys.readouterr().out


def test_run_check_of_more_than_memory_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "huge.hlo"
    path.write_text(
        """HloModule huge
        fused {
          x = f32[] parameter(0)
          all = f32[900000000000,1000] broadcast(x), dimensions={}
          negated = f32[900000000000,1000] negate(all)
          ROOT some = f32[1,1000] slice(negated), slice={[0:1], [0:1000]}
        }
        ENTRY main {
          x = f32[] parameter(0)
          ROOT fusion = f32[1,1000] fusion(x), kind=kLoop, calls=fused
        }"""
    )
    assert main(["run", "--check", str(path)]) == 1
    assert "huge.hlo: error: out of memory (" in capsys.readouterr().err
    assert main(["run", str(path)]) == 0


def test_run_check_fails_when_a_result_differs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """A reference that is off by a half."""
    evaluate = reference.evaluate
    monkeypatch.setattr(reference, "evaluate", lambda *args: [result + 0.5 for result in evaluate(*args)])
    assert main(["run", "--check", AXPY]) == 1
    captured = capsys.readouterr()
    assert "differs" in captured.out
    assert "result 0, level xla_gpu" in captured.err
    assert main(["run", "--check", AXPY, "--abs_error_bound=0.75"]) == 0


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    text = Path(AXPY).read_text()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["emit", "-"]) == 0
    assert capsys.readouterr().out.startswith("#indexing_map = ")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.replace("add(", "ad(").encode())))
    assert main(["emit", "-"]) == 1
    assert capsys.readouterr().err.startswith("<stdin>:10:")


def test_two_fusions_are_both_compiled(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "two.hlo"
    path.write_text("""HloModule two

first {
  %x = f32[8] parameter(0)
  ROOT %abs = f32[8] abs(%x)
}

second {
  %x = f32[8] parameter(0)
  ROOT %negate = f32[8] negate(%x)
}

ENTRY main {
  %x = f32[8] parameter(0)
  %a = f32[8] fusion(%x), kind=kLoop, calls=first
  ROOT %b = f32[8] fusion(%a), kind=kLoop, calls=second
}
""")
    assert main(["compile", str(path)]) == 0
    assert capsys.readouterr().out.count(".entry ") == 2
    assert main(["emit", str(path), "--fusion", "second"]) == 0
    assert capsys.readouterr().out.count("xla.entry") == 1


def test_an_entry_without_a_fusion_is_executed_as_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "unfused.hlo"
    path.write_text("HloModule m\n\nENTRY e {\n  %x = f32[100] parameter(0)\n  ROOT %n = f32[100] negate(%x)\n}\n")
    assert main(["run", "--check", str(path)]) == 0
    assert "agrees" in capsys.readouterr().out


def test_explain_prints_the_emitter_and_the_reason(capsys: pytest.CaptureFixture[str]):
    assert main(["emit", "--explain", AXPY]) == 0
    captured = capsys.readouterr()
    assert "func.func @main" in captured.out
    assert captured.err.startswith("fused: the loop emitter: no result has a hero")


def test_report(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["compile", "--report", GELU, "-o", str(tmp_path / "gelu.ptx")]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    rows = {
        cells[1].strip(): cells[2].strip() for line in captured.err.splitlines() if len(cells := line.split("│")) > 2
    }
    assert rows["emitter"] == "loop"
    assert rows["blocks x threads"] == "[24576, 1, 1] x [128, 1, 1]"
    assert rows["global loads"] == rows["global stores"] == "1 x 64 bit"
    assert rows["sectors moved"] == rows["... if caches keep all"] == "50331648 bytes (1.00 x inputs and results)"
    assert rows["coalescing"] == "1.00 x the least sectors of the requests"
    assert "load argument 0, 64 bit: 128 requests of 8.0 sectors (least 8.0)" in captured.err
    assert rows["occupancy"] == "100%: 64 of 64 warps, limited by threads"
    assert rows["spills"] == "0 bytes stored, 0 loaded"


def test_report_of_distant_threads(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Neighbouring threads read floats that are 196,608 bytes apart: a sector each, of which they use an eighth."""
    monkeypatch.setenv("COLUMNS", "200")
    path = tmp_path / "column.hlo"
    path.write_text(
        wrap(
            "  %p = f32[512,49152] parameter(0)\n  ROOT %s = f32[512,1] slice(%p), slice={[0:512], [7:8]}",
            "f32[512,49152] parameter(0)",
            "f32[512,1]",
        )
    )
    assert main(["compile", "--report", str(path), "-o", str(tmp_path / "column.ptx")]) == 0
    error = capsys.readouterr().err
    assert "load argument 0, 32 bit: 16 requests of 32.0 sectors (least 4.0)" in error


def test_an_async_bundle_is_not_emitted(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "async.hlo"
    path.write_text(
        "HloModule asynchronous\n\n\nENTRY main {\n  x = f32[64] parameter(0)\n"
        "  slice-start = ((f32[64]), f32[32], s32[]) slice-start(x), slice={[0:32]}\n"
        "  slice-done = f32[32] slice-done(slice-start)\n  ROOT sum = f32[32] negate(slice-done)\n}\n"
    )
    assert main(["emit", str(path)]) == 1
    assert "2 operations to fuse (1 negate, 1 slice): slice, sum" in capsys.readouterr().err
    assert main(["emit", str(path), "--fuse-entry"]) == 1
    error = capsys.readouterr().err
    assert "hlo.async_start of tensor<64xf32> cannot be emitted: it is in flight beside kernels" in error


ORDERED_SUM = """HloModule m

f {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] BODY
}

fused {
  x = f32[4,64] parameter(0)
  start = f32[] constant(START)
  ROOT reduced = f32[4] reduce(x, start), dimensions={1}, to_apply=f
}

ENTRY main {
  x = f32[4,64] parameter(0)
  ROOT fusion = f32[4] fusion(x), kind=kInput, calls=fused
}
"""


@pytest.mark.parametrize(
    ("body", "start", "reason"),
    [
        ("subtract(a, b)", "0", "the reducer is not associative"),
        ("add(a, b)", "1", "the initial value is not an identity of the reducer"),
    ],
)
def test_run_check_warns_of_a_result_that_depends_on_the_order(
    body: str, start: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "ordered.hlo"
    path.write_text(ORDERED_SUM.replace("BODY", body).replace("START", start))
    assert main(["run", "--check", str(path)]) == 0
    captured = capsys.readouterr()
    assert "not compared" in captured.out
    assert captured.err == (
        f"{path}: warning: fused, result 0, level xla_gpu: %reduced: {reason}: the result depends on the order; "
        "not compared\n"
    )


def test_run_check_fails_if_a_result_is_out_of_the_bounds_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "sum.hlo"
    path.write_text(ORDERED_SUM.replace("BODY", "add(a, b)").replace("START", "0"))
    assert main(["run", "--check", str(path)]) == 0
    assert main(["run", "--check", "--abs_error_bound", "0", "--rel_error_bound", "0", str(path)]) == 1
    assert re.search(r"error: fused, result 0, level xla_gpu: [1-4] of 4 elements differ", capsys.readouterr().err)


SHARDED = """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.tanh %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""


def test_a_partitioned_program_is_compiled_for_each_device(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "sharded.mlir"
    path.write_text(SHARDED)
    assert main(["compile", "--partition", "--fuse", "--mesh", "x=4", str(path), "-o", str(tmp_path / "plan")]) == 0
    plan = json.loads((tmp_path / "plan" / "plan.json").read_text())
    assert plan["partitioning"]["devices"] == 4 and plan["allocations"][0]["size"] == 2 * 4
    page = tmp_path / "page.html"
    assert main(["compile", "--partition", "--fuse", str(path), "--html", str(page)]) == 0
    assert "tensor\\u003c4xf32>" in page.read_text()
    assert capsys.readouterr().err == ""


def test_the_package_is_the_command():
    command = [sys.executable, "-m", "xshardy", "shard", "missing.mlir"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "error: missing.mlir: No such file or directory\n")


DYNAMIC = """HloModule m
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[<=8,4] parameter(0)
  zero = f32[] constant(0)
  t = f32[<=8,4] tanh(x)
  r = f32[4] reduce(t, zero), dimensions={0}, to_apply=add
  ROOT o = (f32[<=8,4], f32[4]) tuple(t, r)
}
"""


@pytest.mark.parametrize("seed", range(4))
def test_parameters_with_dynamic_dimensions_have_a_size_beside_them(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "dynamic.hlo"
    path.write_text(DYNAMIC)
    assert main(["run", "--check", "--fuse", "--seed", str(seed), "--level", "scf", str(path)]) == 0
    shown = capsys.readouterr().out
    assert shown.count("agrees") == 3 and "tensor<8x4xf32>" in shown and "tensor<i32>" in shown
    assert main(["compile", "--fuse", str(path), "-o", str(tmp_path / "plan")]) == 0
    assert ".entry" in (tmp_path / "plan" / PTX_FILE).read_text()


def test_a_sharded_program_for_one_device_is_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "sharded.mlir"
    path.write_text(SHARDED)
    assert main(["compile", "--fuse", str(path), "-o", str(tmp_path / "plan")]) == 0
    assert "warning: the program is sharded over 2 devices, and compiled for one" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--partition"], 2, "--partition is for programs that are fused after it: add --fuse"),
        (["--fuse", "--mesh", "x=4"], 2, "--mesh is for programs that are partitioned: add --partition"),
        (["--fuse", "--partition", "--mesh", "rows=4"], 1, 'no mesh of the module has an axis "rows"'),
    ],
)
def test_options_of_partitioning_need_others(
    tmp_path: Path, options: list[str], status: int, message: str, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "sharded.mlir"
    path.write_text(SHARDED)
    assert main(["compile", *options, str(path)]) == status
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--on", "kernels"], ["--on", "simulated"]])
def test_a_dump_without_large_constants_runs_with_drawn_ones(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """It is refused without the option: what it computes is unknown."""
    path = tmp_path / "dump.hlo"
    path.write_text(
        "HloModule m\n\nENTRY main {\n  x = f32[4,4096] parameter(0)\n  c = f32[4096] constant({...})\n"
        "  b = f32[4,4096] broadcast(c), dimensions={1}\n  ROOT r = f32[4,4096] add(x, b)\n}\n"
    )
    command = ["run", "--check", *options, str(path)]
    assert main(command) == 1
    assert "the value was left out when the text was printed" in capsys.readouterr().err
    assert main([*command, "--draw-elided"]) == 0


def test_a_fusion_without_a_large_constant_runs_with_a_drawn_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "dump.hlo"
    body = "  p = f32[4] parameter(0)\n  c = f32[4] constant({...})\n  ROOT r = f32[4] subtract(c, p)"
    path.write_text(wrap(body))
    assert main(["run", "--check", str(path)]) == 1
    assert "the value was left out when the text was printed" in capsys.readouterr().err
    assert main(["run", "--check", "--draw-elided", str(path)]) == 0
    assert "agrees" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["emit", "compile", "shrink", "shard"])
def test_a_dash_is_standard_output(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    program = str(Path(GELU).with_name("mlp.mlir") if command == "shard" else GELU)
    monkeypatch.chdir(tmp_path)
    assert main([command, program, "-o", "-"]) == 0
    written = capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []
    assert main([command, program, "-o", "file.mlir"]) == 0
    assert Path("file.mlir").read_text() == written


def test_ptx_goes_to_standard_output_beside_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    page = tmp_path / "page.html"
    assert main(["compile", GELU, "--html", str(page), "-o", "-"]) == 0
    assert ".visible .entry" in capsys.readouterr().out
    assert page.is_file()


READS_AN_OUTPUT = """
func.func @main(%in: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %out[%c0] : tensor<4xf32>
  %1 = tensor.insert %0 into %out[%c0] : tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""


@pytest.mark.parametrize("command", ["emit", "compile"])
@pytest.mark.parametrize("is_marked", [False, True])
def test_a_kernel_that_reads_an_output_is_refused(
    command: str, is_marked: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """Row XGPU-22, also where the kernel is the only public function of its module, and carries no `xla.entry`."""
    path = tmp_path / "kernel.mlir"
    path.write_text(READS_AN_OUTPUT.replace("> {", "> attributes {xla.entry} {") if is_marked else READS_AN_OUTPUT)
    assert main([command, str(path)]) == 1
    captured = capsys.readouterr()
    assert "'tensor.extract' reads argument 1 of @main, an output, before it is written" in captured.err
    assert captured.out == ""


SMALL = wrap("  %p = f32[4] parameter(0)\n  ROOT %a = f32[4] tanh(%p)")


@pytest.fixture
def small(tmp_path: Path) -> str:
    path = tmp_path / "small.hlo"
    path.write_text(SMALL)
    return str(path)


def test_the_documented_reproducer(small: str, capsys: pytest.CaptureFixture[str]):
    """
    Rows XGPU-41, XGPU-43 and XGPU-60, with the options of `run_hlo_module` as they are written there: PTX, and the IR
    after every pass.
    """
    options = ["--platform=CUDA", "--xla_disable_all_hlo_passes", "--reference_platform=", "--v=5"]
    assert main(["run", *options, small]) == 0
    captured = capsys.readouterr()
    assert "ptx" in captured.out and "agrees" not in captured.out
    dumped = re.findall("// IR dump after ([a-z-]+) //", captured.err)
    assert dumped[0] == "emit" and dumped[-1] == "xla-gpu-lower-to-llvm" and len(dumped) > 40


@pytest.mark.parametrize("reference", ["Interpreter", "CPU"])
def test_a_reference_platform_is_compared_with(reference: str, small: str, capsys: pytest.CaptureFixture[str]):
    assert main(["run", f"--reference_platform={reference}", "--level=unrolled", small]) == 0
    assert "agrees" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--platform=TPU"], "--platform tpu has devices of pjrt: add --on pjrt"),
        (["--platform=cuda", "--on", "kernels"], "--platform is for engine pjrt: run with --on pjrt"),
        (["--fuse", "--xla_disable_all_hlo_passes"], "--fuse runs passes on HLO"),
        (["--check", "--reference_platform="], "compares nothing, and --check compares"),
    ],
)
def test_options_of_run_hlo_module_that_do_not_fit(
    options: list[str], message: str, small: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["run", *options, small]) == 2
    assert message in capsys.readouterr().err


def test_compile_for_an_amd_gpu_writes_assembly_and_machine_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["compile", AXPY, "--target", "gfx942", "--report", "-o", str(tmp_path / "plan")]) == 0
    assert "registers" in capsys.readouterr().err
    plan = json.loads((tmp_path / "plan" / "plan.json").read_text())
    ((entry, file),) = plan["code_objects"].items()
    assert (tmp_path / "plan" / file).read_bytes().startswith(b"\x7fELF")
    assert "s_endpgm" in (tmp_path / "plan" / f"{entry}.s").read_text()
    assert main(["compile", AXPY, "--target", "gfx942", "--emit", "object", "-o", str(tmp_path / "k.o")]) == 0
    assert (tmp_path / "k.o").read_bytes().startswith(b"\x7fELF")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["compile", "--target", "gfx942", "--math", "libdevice"], "libdevice is for NVIDIA's GPUs"),
        (["compile", "--target", "sm_90", "--emit", "object"], "LLVM makes no machine code for sm_90"),
        (["run", "--target", "gfx942", "--level", "ptx"], "a kernel for gfx942 has no PTX"),
    ],
)
def test_what_a_vendor_lacks_is_an_error(arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]):
    assert main([*arguments, AXPY]) == 1
    captured = capsys.readouterr()
    assert reason in captured.err and "internal error" not in captured.err


def test_the_level_of_ptx_is_left_out_for_an_amd_gpu(capsys: pytest.CaptureFixture[str]):
    assert main(["run", "--check", "--levels", "all", "--target", "gfx942", AXPY]) == 0
    captured = capsys.readouterr()
    assert "llvm" in captured.out and "ptx" not in captured.out
    assert captured.err.count("is left out: a kernel for gfx942 has no PTX") == 1
