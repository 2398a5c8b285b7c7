"""What users do wrong is one line that names the file or the option, and never a traceback or 'a bug'."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from xshardy.tools import cli, xshardy_opt
from xshardy.tools.commands import COMMANDS as COMMANDS_OF_XSHARDY

EXAMPLES = Path(__file__).parents[3] / "examples"
GELU, MLP, PTX = (str(EXAMPLES / name) for name in ("gelu.hlo", "mlp.mlir", "block_sum.ptx"))

COMMANDS = {
    "emit": ["emit", "{}.hlo"],
    "compile": ["compile", "{}.hlo"],
    "run": ["run", "{}.hlo"],
    "hlo-stats": ["hlo-stats", "{}.hlo"],
    "shard": ["shard", "{}.mlir"],
    "explain": ["explain", "{}.mlir", "--arg", "0"],
    "auto": ["auto", "{}.mlir"],
    "prove": ["prove", "{}.mlir"],
    "xshardy-opt": ["{}.mlir"],
    "xshardy-opt of HLO": ["{}.hlo"],
}

FILES = {
    "missing": (None, "No such file or directory"),
    "folder": (None, "Is a directory|no HLO text in this folder"),
    "in_a_file/x": (None, "Not a directory"),
    "cut off": (b"HloModule m,", "operation 'HloModule' is not registered|found the end of the file"),
    "binary": (bytes(range(256)), "byte 0x80 is not UTF-8: expected a text file"),
    "zeros": (bytes(100), r"\\x00"),
    "utf16": ("module {}".encode("utf-16"), "byte 0xff is not UTF-8: expected a text file"),
    "latin1": ("// é".encode("latin-1"), "byte 0xe9 is not UTF-8: expected a text file"),
    "empty": (b"", "there is no program in it|found the end of the file|the module has 0 public functions"),
    "no program": (b"once upon a time", "operation 'once' is not registered|expected"),
    "x" * 300: (None, "File name too long"),
}


def status_of(command: str, arguments: list[str]) -> int | str | None:
    main = xshardy_opt.main if command.startswith("xshardy-opt") else cli.main
    try:
        return main(arguments)
    except SystemExit as exit:
        return exit.code


def complaint_in(captured: str) -> str:
    assert captured.count("error:") == 1
    assert "Traceback" not in captured and "this is a bug" not in captured
    return next(line for line in captured.splitlines() if "error:" in line)


@pytest.mark.parametrize("name", FILES, ids=lambda name: name[:12])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_is_no_program(
    command: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    content, expected = FILES[name]
    monkeypatch.chdir(tmp_path)
    Path("in_a_file").touch()
    arguments = [each.format(name) for each in COMMANDS[command]]
    file = Path(next(each for each in arguments if each.endswith((".hlo", ".mlir"))))
    if name == "empty" and command == "xshardy-opt":
        pytest.skip("it is an empty module, as for mlir-opt")
    if name == "folder":
        file.mkdir()
    elif content is not None:
        file.write_bytes(content)
    assert status_of(command, arguments) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    complaint = complaint_in(captured.err)
    assert str(file) in complaint
    assert re.search(expected, complaint), complaint


UNUSUAL = {
    "byte order mark": lambda text: b"\xef\xbb\xbf" + text,
    "line ends of Windows": lambda text: text.replace(b"\n", b"\r\n"),
    "another extension": lambda text: text,
}
"""Files that can be read: by what is unusual, what makes them of the text of a program."""


@pytest.mark.parametrize("what", UNUSUAL)
@pytest.mark.parametrize("program", [GELU, MLP], ids=["HLO", "MLIR"])
@pytest.mark.parametrize("command", ["emit", "shard", "xshardy-opt"])
def test_an_unusual_file_is_read_as_the_usual_one(
    command: str, program: str, what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    if command == "emit" and program == MLP:
        pytest.skip("it has no kernel")
    suffixes = {".hlo": ".mlir", ".mlir": ".hlo"} if what == "another extension" else {}
    suffix = Path(program).suffix
    file = (tmp_path / "program").with_suffix(suffixes.get(suffix, suffix))
    file.write_bytes(UNUSUAL[what](Path(program).read_bytes()))
    options = [] if command == "xshardy-opt" else [command]
    printed: list[str] = []
    for each in (str(file), program):
        assert status_of(command, [*options, each]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]


OUTPUTS = {
    "in no folder": ("missing/x", "error: missing/x: No such file or directory"),
    "in a file": ("file/x", "error: file/x: Not a directory"),
    "a folder": ("folder", "error: folder: Is a directory"),
    "long": ("x" * 300, "File name too long"),
}
WRITING = {
    "emit -o": ["emit", GELU, "-o"],
    "compile -o": ["compile", GELU, "-o"],
    "shard -o": ["shard", MLP, "-o"],
    "explain --html": ["explain", MLP, "--html"],
    "auto -o": ["auto", MLP, "--time", "1", "-o"],
    "prove --html": ["prove", MLP, "--html"],
    "prove --certificate": ["prove", MLP, "--certificate"],
    "xshardy-opt -o": [MLP, "-o"],
}


@pytest.mark.parametrize("what", OUTPUTS)
@pytest.mark.parametrize("command", WRITING)
def test_an_output_that_cannot_be_written(
    command: str, what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    output, expected = OUTPUTS[what]
    if what == "a folder" and command == "compile -o":
        pytest.skip("a folder is where `compile` writes a launch plan")
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("kept")
    Path("folder").mkdir()
    assert status_of(command, [*WRITING[command], output]) == 1
    assert expected in complaint_in(capsys.readouterr().err)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "folder"]
    assert Path("file").read_text() == "kept"


WRONG_OPTIONS = {
    "no command": ([], 2, "the following arguments are required"),
    "another command": (["nope"], 2, "invalid choice: 'nope'"),
    "no file": (["emit"], 2, "the following arguments are required: file"),
    "another option": (["emit", GELU, "--nope"], 2, "unrecognized arguments: --nope"),
    "seed": (["run", GELU, "--seed", "-1"], 2, "argument --seed: expected an integer of at least 0, got '-1'"),
    "target": (["compile", GELU, "--target", "sm_20"], 2, "argument --target: unknown target 'sm_20'"),
    "no target": (["compile", GELU, "--target", ""], 2, "argument --target: unknown target ''"),
    "level": (["emit", GELU, "--level", "x"], 2, "argument --level: invalid choice: 'x'"),
    "two levels": (["run", GELU, "--level", "scf", "--levels", "all"], 2, "not allowed with argument --level"),
    "frontend": (["emit", GELU, "-f", "x"], 2, "argument -f/--frontend: invalid choice: 'x'"),
    "verbosity": (["emit", GELU, "--v", "-1"], 2, "argument --v: expected an integer of at least 0, got '-1'"),
    "NaN": (
        ["run", GELU, "--abs_error_bound", "nan"],
        2,
        "argument --abs_error_bound: expected a number of at least 0",
    ),
    "bound": (
        ["run", GELU, "--rel_error_bound", "-1"],
        2,
        "argument --rel_error_bound: expected a number of at least 0",
    ),
    "empty output": (["emit", GELU, "-o", ""], 2, "argument -o/--output: expected a path, got an empty one"),
    "empty folder": (["emit", GELU, "--dump-dir", ""], 2, "argument --dump-dir: expected a path, got an empty one"),
    "dump into a file": (["emit", GELU, "--dump-dir", GELU], 1, f"error: {GELU}: File exists"),
    "fusion": (["emit", GELU, "--fusion", "x"], 1, "no fusion called 'x': choose one of gelu"),
    "most": (["hlo-stats", GELU, "--most", "x"], 2, "argument --most: expected an integer of at least 0, got 'x'"),
    "top": (["shard", MLP, "--top", "-1"], 2, "argument --top: expected an integer of at least 0, got '-1'"),
    "nothing to explain": (["explain", MLP], 2, "say which tensor with --value, --arg or --result"),
    "argument": (["explain", MLP, "--arg", "99"], 1, "there is no tensor argument 99: the function has 3"),
    "result": (["explain", MLP, "--result", "9"], 1, "there is no tensor result 9"),
    "negative": (["explain", MLP, "--arg", "-1"], 2, "argument --arg: expected an integer of at least 0, got '-1'"),
    "value": (["explain", MLP, "--value", "x"], 1, '"x" is not the name of a value: expected one such as %42'),
    "passes": (["explore", GELU, "-p", "canonicalise", "-o", "x"], 2, "['canonicalise']: did you mean canonicalize"),
    "text of passes": (["explore", GELU, "-p", "cse{", "-o", "x"], 2, "Error parsing pass pipeline"),
    "no function": (["shard", "fit.py"], 2, "name the lowered program, or the function that returns it: fit.py:NAME"),
    "collectives": (
        ["explain", MLP, "--arg", "0", "--collectives"],
        2,
        "--collectives are shown on a page: ask for one",
    ),
    "passes of a fusion": (["explore", GELU, "-p", "cse", "--fusion", "gelu"], 2, "--passes runs on the whole program"),
    "topology": (["plan", MLP, "--topology", "h100x9"], 2, 'error: unknown topology "h100x9": did you mean h100x8?'),
    "file of a topology": (["plan", MLP, "--topology", "no.json"], 1, "error: no.json: No such file or directory"),
    "two plans": (["plan", MLP, "--advice", "--against", MLP], 2, "--advice is about one program: leave it out, or"),
    "scopes of two plans": (["plan", MLP, "--by", "scope", "--against", MLP], 2, "--by is about one program: leave it"),
    "mesh": (["plan", MLP, "--mesh", "model"], 2, "argument --mesh: expected axes with sizes, such as data=2,model=4"),
    "axis": (["plan", MLP, "--mesh", "pipe=2"], 1, 'no mesh of the module has an axis "pipe"'),
    "search": (["auto", MLP, "--memory", "much"], 2, "expected a number of bytes, such as 64GiB, got 'much'"),
    "mesh of a search": (["auto", MLP, "--devices", "0"], 2, "expected an integer of at least 1, got '0'"),
    "argument of a search": (["auto", MLP, "--keep", "x"], 2, "expected an argument and its axes, such as x=data,-"),
    "time of a search": (["auto", MLP, "--time", "x"], 2, "argument --time: expected a number of at least 0, got 'x'"),
    "topology of a search": (["auto", MLP, "--topology", "h101x8"], 2, 'unknown topology "h101x8"'),
    "proof": (["prove", MLP, "--check", "x", "--certificate", "y"], 2, "--check reads a certificate and --certificate"),
    "text of what": (["shard", MLP, "-t", "hlo"], 2, "--target says what to write: give the file with -o"),
    "partition": (["compile", GELU, "--partition"], 2, "--partition is for programs that are fused after it"),
    "mesh of nothing": (["compile", GELU, "--fuse", "--mesh", "x=2"], 2, "--mesh is for programs that are partitioned"),
    "plan of one": (
        ["compile", GELU, "--fusion", "gelu", "-o", "x"],
        2,
        "single kernels have no launch plan: write to",
    ),
    "engine of options": (["run", MLP, "--processes", "2"], 2, "--processes is for programs: say where, with --on"),
    "options of engine": (
        ["run", MLP, "--on", "kernels", "--levels", "all"],
        2,
        "--levels is for fusions: leave it out",
    ),
    "coordinator": (
        ["run", MLP, "--on", "pjrt", "--coordinator", "x"],
        2,
        "coordinator 'x': expected HOST:PORT, as in",
    ),
    "process": (
        ["run", MLP, "--on", "pjrt", "--coordinator", "x:1", "--processes", "2", "--process-id", "2"],
        2,
        "error: --process-id 2: 2 processes have numbers 0 to 1",
    ),
    "grid": (["ptx", "run", PTX, "--grid", "0", "--block", "1"], 2, "argument --grid: expected one to three sizes"),
    "ptx": (["ptx", "run", PTX, "--grid", "1", "--block", "1", "--arg", "x[2]"], 2, "--arg x[2]: expected a file FILE"),
    "commands of a check": (["ptx", "check", PTX, "--run", "where"], 2, "error: --run and --html are for `step`"),
    "script of Triton": (["ptx", "check", "no.py"], 1, "no.py: error: there is no such file"),
    "shell": (["completion", "dash"], 2, "argument shell: invalid choice: 'dash': did you mean bash"),
    "least": (["shrink", GELU, "--least", "0"], 2, "argument --least: expected an integer of at least 1, got '0'"),
    "no maps": (["indexing", GELU, "--most", "1"], 2, "unrecognized arguments: --most"),
    "fusion of maps": (["indexing", GELU, "--fusion", "x"], 1, "no fusion called 'x': choose one of gelu"),
    "devices of a script": (["trace", "--devices", "0", "x.py"], 2, "expected an integer of at least 1, got '0'"),
    "nothing to reduce": (["reduce", MLP], 2, "write the command that fails behind FILE and `--`"),
    "option of a reduction": (["reduce", MLP, "-o", "x", "--", "false"], 2, "options of `reduce` before FILE"),
    "match": (["reduce", "--match", "(", MLP, "--", "false"], 2, "argument --match: '(' is no regular expression"),
    "command that succeeds": (["reduce", MLP, "--", "true"], 1, "the command succeeds: say with --match what it must"),
    "command that says nothing": (
        ["reduce", "--match", "x", MLP, "--", "false"],
        1,
        "nothing that --match 'x' matches",
    ),
    "no launch plan": (
        ["compile", GELU, "--fusion", "gelu", "--model-explorer", "x", "-o", "x.ptx"],
        1,
        "have no launch plan",
    ),
    "no such command": (["reduce", MLP, "--", "no-such-command"], 1, "error: no-such-command: No such file"),
    "JSON of a page": (["explain", MLP, "--html", "x", "--json"], 2, "--json prints the explanation of a tensor"),
    "JSON of a run": (["ptx", "run", PTX, "--grid", "1", "--block", "1", "--json"], 2, "--json is for `profile`"),
    "JSON and a program": (["shard", MLP, "--json", "-o", "-"], 2, "--json and the program both go to standard output"),
    "JSON and a verdict": (["run", MLP, "--on", "simulated", "--prove", "--json"], 2, "--prove prints a verdict"),
    "number of a puzzle": (["puzzle", "13"], 2, "error: there is no puzzle 13: they are 1 to 12"),
    "hint and no number": (["puzzle", "--hint"], 2, "error: --hint and -o are about a puzzle: give its number"),
    "hint and an answer": (["puzzle", "4", MLP, "--hint"], 2, "give its number, and no answer"),
    "two tensors": (["explain", MLP, "--arg", "0", "--result", "0"], 2, "not allowed with argument --arg"),
}


def test_every_command_has_a_wrong_command_line():
    of_command_lines = {arguments[0] for arguments, status, _ in WRONG_OPTIONS.values() if status == 2 and arguments}
    assert of_command_lines >= COMMANDS_OF_XSHARDY.keys()


@pytest.mark.parametrize("what", WRONG_OPTIONS)
def test_a_wrong_option(what: str, capsys: pytest.CaptureFixture[str]):
    arguments, status, expected = WRONG_OPTIONS[what]
    assert status_of("xshardy", arguments) == status
    assert expected in complaint_in(capsys.readouterr().err)


WRONG_PIPELINES = {
    "unknown pass": ("sdy-propagate", "Unrecognized passes: ['sdy-propagate']: did you mean sdy-"),
    "unlike any pass": ("????", "Error parsing pass pipeline"),
    "unknown option": ("symbol-dce,cse{x=1}", "pass 'xla-gpu-cse' has no option 'x': it has none"),
    "wrong type": ("hlo-async-schedule{max-in-flight=x}", "option 'max-in-flight' is an integer, not x"),
    "no truth": (
        "sdy-basic-propagate{keep-sharding-rules=maybe}",
        "option 'keep-sharding-rules' is true or false, not",
    ),
    "unlike any kind": ("hlo-async-wrap{kinds=colectives}", "pass 'hlo-async-wrap': no kind of operations is called"),
    "no operation in flight": (
        "hlo-async-schedule{max-in-flight=0}",
        "max-in-flight=0 lets nothing start",
    ),
    "less than nothing": ("hlo-combine-collectives{max-bytes=-1}", "max-bytes=-1 is less than nothing"),
    "unknown level": ("xla-gpu-codegen-pipeline{until=x}", "pass 'xla-gpu-codegen-pipeline': unknown level 'x'"),
    "unknown target": ("xla-gpu-codegen-pipeline{target=x}", "unknown target 'x': expected an NVIDIA architecture"),
    "unknown math": ("xla-gpu-codegen-pipeline{math=x}", "unknown math 'x'"),
    "target of another vendor": ("xla-gpu-lower-tensors{target_type=cpu}", "no target 'cpu': use target_type=gpu"),
    "several": ("sdy-basic-propagate{keep-sharding-rules=true,true}", "'keep-sharding-rules' is true or false, not Tr"),
    "on functions": (
        "builtin.module(cse,func.func(cse))",
        "passes run on modules here, not on each 'func.func': leave",
    ),
    "on anything": ("any(cse)", "passes run on modules here, not on each 'any': leave out `any(`"),
}

REFUSED_BY_PASSES = {
    "nothing to wrap": ("hlo-async-wrap", "pass 'hlo-async-wrap': nothing to wrap: set opcodes=slice"),
    "two ways to count": (
        "sdy-resolve-single-device-sharding{replica-count=2 partition-count=2}",
        "leave one of the counts at 1",
    ),
}
"""Values that only the pass knows to be wrong, when it runs."""


@pytest.mark.parametrize("command", ["hlo-stats", "indexing", "shrink"])
def test_mlir_where_hlo_is_needed(command: str, capsys: pytest.CaptureFixture[str]):
    assert status_of("xshardy", [command, MLP]) == 1
    assert complaint_in(capsys.readouterr().err) == (
        f"{MLP}: error: this is MLIR, and HLO text is needed: `xshardy-opt FILE -t hlo` writes it"
    )


@pytest.mark.parametrize("what", [*WRONG_PIPELINES, *REFUSED_BY_PASSES])
def test_a_wrong_pipeline(what: str, capsys: pytest.CaptureFixture[str]):
    pipeline, expected = (WRONG_PIPELINES | REFUSED_BY_PASSES)[what]
    assert status_of("xshardy-opt", [MLP, "-p", pipeline]) == (2 if what in WRONG_PIPELINES else 1)
    captured = capsys.readouterr().err
    assert expected in captured
    assert "Traceback" not in captured and "this is a bug" not in captured


CLOSED = {
    "standard input": (["-"], "<&-", "error: standard input: Bad file descriptor\n"),
    "standard output": ([MLP], ">&-", "error: standard output: Bad file descriptor\n"),
    "standard error": (["missing.mlir"], "2>&-", ""),
}


@pytest.mark.parametrize("command", ["xshardy_opt", "xshardy"])
@pytest.mark.parametrize("stream", CLOSED)
def test_a_stream_that_the_caller_closed(stream: str, command: str):
    arguments, redirection, expected = CLOSED[stream]
    script = f"import sys; from xshardy.tools.entry import {command}; sys.exit({command}())"
    given = [*(["shard"] if command == "xshardy" else []), *arguments]
    shell = ["sh", "-c", f'"$@" {redirection}', "sh", sys.executable, "-c", script, *given]
    done = subprocess.run(shell, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", expected)


@pytest.mark.parametrize("command", ["xshardy_opt", "xshardy"])
def test_a_working_folder_that_is_gone(command: str, tmp_path: Path):
    script = "import os, sys; os.chdir(sys.argv.pop()); os.rmdir(os.getcwd()); from xshardy.tools.entry import "
    (tmp_path / "gone").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", f"{script}{command}; sys.exit({command}())", GELU, str(tmp_path / "gone")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: the working folder cannot be read") and done.stderr.count("\n") == 1


OF_2_TO_THE_63 = """sdy.mesh @mesh = <["a"=4294967296, "b"=2147483648]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a","b"}, {}]>}) -> tensor<8x16xf32> {
  %0 = stablehlo.add %x, %x : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
"""


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("plan", []),
        ("run", ["--on", "simulated"]),
        ("compile", ["--fuse", "--partition", "-o", "o"]),
        ("xshardy-opt", ["-p", "sdy-propagation-pipeline,sdy-partitioner-pipeline"]),
    ],
)
def test_a_mesh_that_is_too_large(command: str, options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "m.mlir").write_text(OF_2_TO_THE_63)
    given = [str(tmp_path / "m.mlir"), *options]
    assert status_of(command, given if command == "xshardy-opt" else [command, *given]) == 1
    shown = capsys.readouterr()
    assert "m.mlir:1:" in complaint_in(shown.err) and "has 9,223,372,036,854,775,808 devices" in shown.err
    assert not shown.out


PRINTS = """import os
print("loading")
def text():
    print("called")
    os.chdir("/")
    return Lowered()
class Lowered:
    def as_text(self):
        return "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\\n  return %x : tensor<8xf32>\\n}"
"""


def test_what_a_file_of_python_prints_and_where_it_goes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "m.py").write_text(PRINTS)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["plan", "m.py:text", "--json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["devices"] == 1 and shown.err.startswith("loading\ncalled\n")
    assert cli.main(["shard", "m.py:text", "-o", "out.mlir"]) == 0
    assert (tmp_path / "out.mlir").exists()
