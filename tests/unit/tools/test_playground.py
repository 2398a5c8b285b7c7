"""The answers of the playground are what the commands print, and its diagnostics have their places."""

import json
from pathlib import Path

import pytest

import xshardy
from xshardy.tools.cli import main
from xshardy.tools.playground import PIPELINE, QUESTIONS, answer

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
    assert expected.keys() == QUESTIONS.keys()
    for question, text in expected.items():
        assert json.loads(answer(question, example.read_text()))["answer"] == text


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
