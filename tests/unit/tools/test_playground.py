"""The answers of the playground are what the commands print, and its diagnostics have their places."""

import json
import re
from pathlib import Path

import pytest

import xshardy
from xshardy.tools.cli import main
from xshardy.tools.playground import PIPELINE, QUESTIONS, answer
from xshardy.tools.puzzles.puzzle import Puzzle
from xshardy.transforms.xla_gpu.codegen_pipeline import LEVELS

KERNEL_LEVELS = ("xla_gpu", "inlined", "scf", "flattened", "vectorized", "unrolled")
"""How far kernels are lowered: up to the dialect llvm, which LLVM reads."""

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.mlir"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_answers_are_those_of_the_commands(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    Path("program").write_text(example.read_text())

    def printed(*arguments: str) -> str:
        main(arguments)
        return capsys.readouterr().out

    expected = {
        "shardings": printed("explain", "program", "--html", "-"),
        "plan": printed("plan", "program", "--topology", "h100x8"),
        "device": str(xshardy.partition(example)),
        "passes": Path("index.html").read_text() if not main(("explore", "program", "-p", PIPELINE, "-o", ".")) else "",
    }
    assert expected.keys() == QUESTIONS.keys() - {"kernel", "puzzle"}
    for question, text in expected.items():
        assert json.loads(answer(question, example.read_text(), PIPELINE))["answer"] == text


@pytest.mark.parametrize("name", ["gelu.hlo", "softmax_sum.hlo"])
def test_kernels_are_those_of_the_command(name: str, capsys: pytest.CaptureFixture[str]):
    file = EXAMPLES[0].parent / name
    for level in KERNEL_LEVELS:
        main(("emit", str(file), "--fuse-entry", "--math", "expanded", "--level", level))
        assert json.loads(answer("kernel", file.read_text(), level))["answer"] == (printed := capsys.readouterr().out)
        assert level != "xla_gpu" or json.loads(answer("kernel", printed, level))["answer"] == printed


def test_the_page_offers_every_level():
    page = (EXAMPLES[0].parents[1] / "docs" / "playground" / "index.html").read_text()
    assert tuple(re.findall(r"<option(?: selected)?>(\w+)", page)) == KERNEL_LEVELS
    assert LEVELS[: len(KERNEL_LEVELS) + 1] == (*KERNEL_LEVELS, "llvm")


def test_puzzles_are_judged_as_by_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    start = Puzzle("all_gather").start.text
    (tmp_path / "answer.mlir").write_text(start)
    assert main(("puzzle", "4", str(tmp_path / "answer.mlir"))) == 1
    assert capsys.readouterr().out == json.loads(answer("puzzle", start, "all_gather"))["answer"] + "\n"


def test_a_diagnostic_has_its_place():
    text = "func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {\n  return %y : tensor<8xf32>\n}"
    found = json.loads(answer("plan", text))
    assert found["answer"] is None
    assert found["said"].startswith("program:2:10: error: use of undeclared SSA value name %y\n")
    (diagnostic,) = found["diagnostics"]
    assert diagnostic == {
        "line": 2,
        "column": 10,
        "severity": "error",
        "message": "use of undeclared SSA value name %y",
    }


def test_a_diagnostic_about_no_line():
    found = json.loads(answer("passes", "module {}", "no-such-pass"))
    assert found["answer"] is None and "no-such-pass" in found["said"] and found["diagnostics"] == []
