"""The command line of xshardy-opt: exit statuses, where output goes, and that nothing ends in a traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

from xshardy.tools import cli
from xshardy.tools.xshardy_opt import run

GOOD = "func.func @f() {\n  return\n}\n"
BAD = "func.func @f() {\n  return %x : i32\n}\n"
INVALID = "func.func @f() -> i32 {\n  func.call @g() : () -> ()\n  return\n}\n"


def test_good_input():
    assert run([], GOOD) == (0, "module {\n  func.func @f() {\n    return\n  }\n}\n", "")


VERSION = """
import sys
from xshardy.tools import entry
sys.argv = ["", "--version"]
status = entry.xshardy_opt()
assert status == 0 and not any(name == "xdsl" or name.startswith("xdsl.") for name in sys.modules)
"""


def test_the_version_needs_no_import_of_xdsl():
    done = subprocess.run([sys.executable, "-c", VERSION], capture_output=True, text=True, check=True)
    assert done.stdout == run(["--version"], "")[1]


def test_hlo_is_known_by_its_text():
    text = "// a dump\nHloModule m\nENTRY e {\n  ROOT x = f32[2] parameter(0)\n}\n"
    assert run([], text) == run(["-f", "hlo"], text)
    assert run(["-f", "mlir"], text)[0] == 1


@pytest.mark.parametrize("text", ["", "\n", "// nothing but a comment", "module {}"])
def test_no_operation_is_an_empty_module(text: str):
    assert run([], text) == (0, "module {\n}\n", "")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (BAD, "<stdin>:2:10: error: use of undeclared SSA value name %x\n  return %x : i32\n         ^\n"),
        ("func.func @f(", "<stdin>:1:14: error: "),
        ("\x00\x01\x02", "<stdin>:1:1: error: Unexpected character"),
        ('"a.b"() : () -> ()', "<stdin>:1:1: error: operation 'a.b' is not registered"),
        ('"test.op"() {a = ' + "[" * 100_000, "<stdin>: error: the input is nested too deeply\n"),
        (INVALID, "<stdin>:2:3: error: 'func.call' op 'g' does not reference a valid function"),
    ],
)
def test_bad_input_is_one_diagnostic(text: str, complaint: str):
    status, output, error = run([], text)
    assert status == 1
    assert output == ""
    assert error.startswith(complaint) or complaint in error
    assert error.count("error:") == 1
    assert "Traceback" not in error


def test_a_diagnostic_has_notes_with_other_places():
    status, _, error = run([], "func.func @f() {\n  cf.br ^x\n}\n")
    assert status == 1
    assert "<stdin>:2:9: note: reference to block" in error


def test_a_diagnostic_names_the_place_in_the_program_of_the_user():
    status, _, error = run([], INVALID.replace("-> ()\n", '-> () loc("jit(f)/call"("model.py":42:7))\n', 1))
    assert status == 1
    assert error.endswith("model.py:42:7: note: from jit(f)/call\n")


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (["-p", "nonsense"], 2, "Unrecognized passes: ['nonsense']"),
        (["-p", "cse{x=1}"], 2, "error: pass 'xla-gpu-cse' has no option 'x': it has none"),
        (["-p", "sdy-basic-propagate{keep_sharding-rule=1}"], 2, "did you mean keep-sharding-rules"),
        (["--emit-bytcode"], 2, "unrecognized arguments: --emit-bytcode: did you mean --emit-bytecode"),
        (["-p", "cse{"], 2, "Error parsing pass pipeline"),
        (["--sdy-basic-propagat"], 2, "arguments: --sdy-basic-propagat: did you mean --sdy-basic-propagate"),
        (["--cse", "-p", "canonicalize"], 2, "-p: write all passes behind it, or each as an option, such as --cse"),
        (["-cse=x=1"], 2, "error: pass 'xla-gpu-cse' has no option 'x': it has none"),
        (["--nonsense"], 2, "unrecognized arguments: --nonsense"),
        (["-f", "hol"], 2, "argument -f/--frontend: invalid choice: 'hol': did you mean hlo?"),
        (["-f", "mlir{no_implicit_module=true}"], 2, "argument -f/--frontend: invalid choice: 'mlir{no_"),
        (["-t", "nonsense"], 2, "invalid choice: 'nonsense'"),
        (["-t", "hol{flat_async=true}"], 2, "argument -t/--target: invalid choice: 'hol': did you mean hlo?"),
        (["-t", "ptx{nonsense=1}"], 2, "error: target 'ptx' has no option 'nonsense': its options are target, opt-lev"),
        (["-t", "ptx{optlevel=1}"], 2, "error: target 'ptx' has no option 'optlevel': did you mean opt-level?"),
        (["-t", "ptx{opt_level=abc}"], 2, "error: target 'ptx': option 'opt_level' is an integer, not abc"),
        (["-t", "ptx{opt-level=2,3}"], 2, "error: target 'ptx': option 'opt-level' is an integer, not 2,3"),
        (["-t", "ptx{target=90}"], 2, "error: target 'ptx': option 'target' is one word or text, not 90"),
        (["-t", "hlo{plain_async=1}"], 2, "error: target 'hlo': option 'plain_async' is true or false, not 1"),
        (["-t", "llvm-ir{x=1}"], 2, "error: target 'llvm-ir' has no option 'x': it has none"),
        (
            ["-t", "mlir{print-debuginf=true}"],
            2,
            "error: target 'mlir' has no option 'print-debuginf': did you mean pr",
        ),
        (["-t", "llvm"], 1, "error: target 'llvm' does not take this module"),
        (["--emit-artifact", "9.9.9"], 2, "error: StableHLO '9.9.9': artifacts are written for versions from 1.0.0 to"),
        (["/nowhere.mlir"], 1, "error: /nowhere.mlir: No such file or directory"),
        (["/"], 1, "Is a directory"),
    ],
)
def test_bad_command_line(arguments: list[str], status: int, complaint: str):
    found, output, error = run(arguments, GOOD)
    assert (found, output) == (status, "")
    assert complaint in error
    assert "Traceback" not in error


@pytest.mark.parametrize("option", ["-p", "--passes", "--pass-pipeline"])
@pytest.mark.parametrize("pipeline", ["cse,symbol-dce", " builtin.module( cse,symbol-dce ) "])
def test_a_pipeline_as_upstream_writes_it(option: str, pipeline: str):
    status, output, error = run([option, pipeline], GOOD)
    assert (status, error) == (0, "")
    assert output == run(["-p", "cse,symbol-dce"], GOOD)[1]


def test_modules_and_times_between_passes():
    status, output, error = run(["-p", "cse,symbol-dce", "--print-between-passes", "--time-passes"], GOOD)
    module = run([], GOOD)[1]
    assert (status, output) == (0, f"// -----// IR after xla-gpu-cse //----- //\n{module}\n{module}")
    assert [line.split(" took ")[0] for line in error.splitlines()] == ["Pass xla-gpu-cse", "Pass symbol-dce"]


def test_bytecode_is_of_one_module():
    status, output, error = run(["--emit-bytecode", "--split-input-file"], f"{GOOD}// -----\n{GOOD}")
    assert (status, output) == (1, "")
    assert error == "error: bytecode is that of one module: do not split the input, and choose one --stage of a log\n"


@pytest.mark.processes
def test_a_function_of_python_is_lowered(tmp_path: Path):
    pytest.importorskip("jax")
    file = tmp_path / "fit.py"
    file.write_text(
        "import jax\ndef f():\n    return jax.jit(lambda x: -x).lower(jax.ShapeDtypeStruct((4,), 'float32'))\n"
    )
    status, output, error = run([f"{file}:f"], "")
    assert (status, error) == (0, "")
    assert "stablehlo.negate %arg0 : tensor<4xf32>" in output
    assert cli.main(["indexing", f"{file}:f"]) == 0


@pytest.mark.processes
def test_hlo_in_binary_form(tmp_path: Path):
    hlo = pytest.importorskip("jaxlib._hlo")
    text = "HloModule m\nENTRY e {\n  ROOT x = f32[2] parameter(0)\n}\n"
    whole, broken = tmp_path / "m.pb", tmp_path / "broken.pb"
    whole.write_bytes(hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto())
    status, output, error = run([str(whole)], "")
    assert (status, error) == (0, "")
    assert "func.func @e(%arg0: tensor<2xf32>)" in output
    broken.write_bytes(b"\x0a\x03abc")
    assert run([str(broken)], "") == (
        1,
        "",
        f"{broken}: error: this is no HLO module in binary form, as XLA dumps it with --xla_dump_hlo_as_proto\n",
    )


def test_bytes_that_are_no_text(tmp_path: Path):
    file = tmp_path / "garbage.mlir"
    file.write_bytes(b"module {\n  \xff\xfe\n}")
    status, _, error = run([str(file)], "")
    assert status == 1
    assert error.startswith(f"{file}:2:3: error: byte 0xff is not UTF-8")


def test_unknown_extension(tmp_path: Path):
    file = tmp_path / "module.text"
    file.write_text(GOOD)
    assert "unknown file extension '.text'" in run([str(file)], "")[2]
    assert run([str(file), "-f", "mlir"], "")[0] == 0


def test_output_file_is_never_partial(tmp_path: Path):
    output = tmp_path / "output.mlir"
    assert run(["-o", str(output)], BAD)[0] == 1
    assert not output.exists()
    assert run(["-o", str(output), "--split-input-file"], f"{GOOD}// -----\n{BAD}")[0] == 1
    assert not output.exists()
    assert run(["-o", str(output)], GOOD) == (0, "", "")
    assert output.read_text() == run([], GOOD)[1]


def test_chunks_are_separate(tmp_path: Path):
    status, output, error = run(["--split-input-file"], f"{GOOD}// -----\n{BAD}// -----\n{INVALID}")
    assert (status, output) == (1, "")
    assert "<stdin>:6:10: error: use of undeclared" in error
    assert "<stdin>:10:3: error: 'func.call' op" in error
    status, output, error = run(
        ["--split-input-file", "--parsing-diagnostics", "--verify-diagnostics"], f"{BAD}// -----\n{INVALID}"
    )
    assert (status, error) == (0, "")
    assert "use of undeclared" in output and "'func.call' op" in output


def test_aliases_of_passes():
    text = (
        "func.func @f() -> i32 {\n  %0 = arith.constant 1 : i32\n  %1 = arith.addi %0, %0 : i32\n  return %1 : i32\n}\n"
    )
    plain = run(["-p", "xla-gpu-canonicalize"], text)
    assert plain[0] == 0 and "constant 2 : i32" in plain[1]
    assert run(["-p", "canonicalize"], text) == plain
    assert "constant 2 : i32" in run(["-p", "xla-gpu-test-optimize"], text)[1]


def test_a_bug_in_a_pass_is_not_a_wrong_input(monkeypatch: pytest.MonkeyPatch):
    from xshardy.transforms.canonicalize import CanonicalizePass

    def fail(*_: object) -> None:
        raise KeyError("surprise")

    monkeypatch.setattr(CanonicalizePass, "apply", fail)
    status, output, error = run(["-p", "canonicalize"], GOOD)
    assert (status, output) == (70, "")
    assert "internal error in pass 'xla-gpu-canonicalize': KeyError: 'surprise'" in error
    assert "Traceback" not in error


def test_the_command(tmp_path: Path):
    """Once as a process: standard input, the exit status, and nothing on standard output but the module."""
    command = str(Path(sys.executable).parent / "xshardy-opt")
    done = subprocess.run([command, "-"], input=GOOD, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == run([], GOOD)
    done = subprocess.run([command], input=BAD, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
