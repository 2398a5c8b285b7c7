"""What shells complete, by the scripts of `xshardy completion`."""

import shutil
import subprocess
from pathlib import Path

import pytest

from xshardy.tools.cli import main

EXAMPLES = Path(__file__).parents[3] / "examples"

ASK = """
COMP_WORDS=("${@}"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_shtab_${1//-/_} "$1" "${COMP_WORDS[$COMP_CWORD]}" "${COMP_WORDS[$COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="asks bash")
@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("xshardy hl", ["hlo-stats"]),
        ("xshardy prove --cert", ["--certificate"]),
        ("xshardy emit --lev", ["--level"]),
        ("xshardy emit --level fl", ["flattened"]),
        (f"xshardy emit {EXAMPLES}/ge", [f"{EXAMPLES}/gelu.hlo"]),
        ("xshardy-opt -p sdy-basic", ["sdy-basic-propagate"]),
        ("xshardy-opt -t pt", ["ptx"]),
        (f"xshardy-opt {EXAMPLES}/ml", [f"{EXAMPLES}/mlp.mlir"]),
    ],
)
def test_bash_completes(line: str, completed: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "completion.bash"
    script.write_text(capsys.readouterr().out + ASK)
    done = subprocess.run(["bash", script, *line.split()], capture_output=True, text=True, check=True)
    assert done.stdout.split() == completed


@pytest.mark.parametrize(("shell", "start"), [("zsh", "#compdef xshardy"), ("fish", "complete ")])
def test_other_shells_get_both_commands(shell: str, start: str, capsys: pytest.CaptureFixture[str]):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert script.count(start) >= 2
    for name in ("xshardy-opt", "hlo-stats", "flattened", "sdy-basic-propagate"):
        assert name in script


def test_another_shell_is_bad_usage(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as exit:
        main(["completion", "bsh"])
    assert exit.value.code == 2
    assert "invalid choice: 'bsh': did you mean bash" in capsys.readouterr().err
