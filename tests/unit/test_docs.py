"""Every command and every program in the documentation runs, and prints what stands there."""

import importlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

import forks
import pytest
from listings import check_listing

from xshardy.transforms.xla_gpu.codegen_pipeline import LEVELS

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = ("xshardy", "xshardy-opt", "xdsl-opt")
VERBOSE_OPTIONS = frozenset({"--baseline", "--debug-patterns=ReduceBetweenDevices", "--explain", "--report", "--v=5"})
"""Options that write to standard error; without them, it only has diagnostics."""

MADE_BEFORE = {"--baseline gelu.ptx": "xshardy compile examples/gelu.hlo -o gelu.ptx"}
"""By a part of a command, the command that writes the file which it reads."""

GENERATED = ("gallery.md", "reference/")
"""How links begin to pages that the site generates; `make docs` checks them."""


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


def commands(page: Path) -> list[str]:
    """The lines of shell blocks, and the first cells of rows, that run one of our commands on an existing file."""
    lines = [line.strip() for block in blocks(page, "sh") for line in block.splitlines()]
    lines += re.findall(r"^\| `([^`]+)` \|", page.read_text(), re.MULTILINE)
    ours = [line for line in lines if line.split(" ")[0] in COMMANDS]
    return [line for line in ours if any(is_program(word) for word in shlex.split(line))]


def is_program(word: str) -> bool:
    """Whether `word` is a file, or a function in one: `FILE.py:FUNCTION`."""
    return (ROOT / re.sub(r"(?<=\.py):\w+$", "", word)).is_file()


def listings(page: Path) -> dict[str, list[str]]:
    """By a command that is alone in a block, the lines of the block behind it: what it prints."""
    found = re.findall(r"^```sh\n([^\n]*)\n```\n\n```text\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    return {command: text.splitlines() for command, text in found}


OTHERS = (ROOT / "CONTRIBUTING.md", ROOT / "editors" / "README.md", *(ROOT / "docs").glob("*/*.md"))

NOT_FOR_ZSH = re.compile(r"(?:^|\s)#|[\[\]?*!]|=\(|\w\(")
"""What zsh, the shell of macOS, takes for words of a command, for patterns of files or for an error."""


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_can_be_pasted_into_zsh(page: Path):
    """It has no comments on a command line, and looks for files that `a[b]` matches."""
    pasted = [block for shell in ("sh", "bash", "zsh") for block in blocks(page, shell) if not block.startswith("#!")]
    lines = [line for block in pasted for line in block.splitlines()]
    assert not [line for line in lines if NOT_FOR_ZSH.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", line))]


LISTINGS = {command: lines for page in PAGES for command, lines in listings(page).items()}


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """A folder to write in, with the examples in it."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    return tmp_path


def run(command: str, workplace: Path) -> subprocess.CompletedProcess[str]:
    program, *arguments = shlex.split(command)
    if program in forks.COMMANDS:
        return forks.run_command([program, *arguments], workplace)
    tool = Path(sys.executable).parent / program
    return subprocess.run([tool, *arguments], cwd=workplace, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", sorted({command for page in PAGES for command in commands(page)}))
def test_commands_run(command: str, workplace: Path):
    for part, before in MADE_BEFORE.items():
        if part in command:
            assert run(before, workplace).returncode == 0
    done, arguments = run(command, workplace), shlex.split(command)
    assert done.returncode == 0, done.stderr
    assert bool(done.stderr) == bool(VERBOSE_OPTIONS.intersection(arguments)), done.stderr
    if command in LISTINGS:
        check_listing(LISTINGS[command], done.stdout + done.stderr)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.name)
def test_programs_run(page: Path, workplace: Path):
    for program in blocks(page, "python"):
        done = forks.run_program(program, workplace)
        assert done.returncode == 0, done.stderr


def test_the_program_of_the_readme_runs_as_a_file(workplace: Path):
    readme = ROOT / "README.md"
    program = next(block for block in blocks(readme, "python") if "def lowered" in block)
    (workplace / "mine.py").write_text(program)
    lines = [line for block in blocks(readme, "sh") for line in block.splitlines() if "mine.py:lowered" in line]
    assert lines
    for line in lines:
        done = run(line, workplace)
        assert done.returncode == 0, done.stderr


def test_the_picture_of_the_readme_is_what_its_command_draws(workplace: Path):
    (command,) = re.findall(r"`python (-m xshardy\.pictures [^`]+)`", (ROOT / "README.md").read_text())
    (workplace / "docs").mkdir()
    subprocess.run([sys.executable, *shlex.split(command)], cwd=workplace, check=True)
    assert (workplace / "docs" / "mlp.svg").read_text() == (ROOT / "docs" / "mlp.svg").read_text()


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_bytes()) <= 6000


def test_the_demo_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """At the first and the last of its levels: a level takes a second."""
    monkeypatch.syspath_prepend(ROOT / "examples")
    demo = importlib.import_module("demo")
    monkeypatch.setattr(demo, "LEVELS", (LEVELS[0], LEVELS[-1]))
    demo.main()
    assert "0 bytes spilled" in capsys.readouterr().out


def test_pages_name_files_that_are_there():
    for page in [*PAGES, *(ROOT / "docs").glob("*/*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert link.startswith(GENERATED) or (page.parent / link).exists(), f"{page.name}: {link}"
        for name in re.findall(r"`((?:xshardy|examples|tests|docs)/[\w/.]+)`", page.read_text()):
            assert (ROOT / name).exists(), f"{page.name}: {name}"
