"""docs/extending.md works as written: its blocks are applied to a copy of the package, and its commands run there."""

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text()
COPIED = ("pyproject.toml", "docs", "examples", "tests/filecheck", "tests/unit/tools", "xshardy")

SECTIONS: dict[str, str] = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
"""The text of each section by its title."""

EDIT = re.compile(
    r"^```\w+ edit\n(?:#|//) (\S+?)(?:, (at the end|below: [^\n]+|above: [^\n]+))?\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
"""A block of code: its file, where in the file it goes (nothing: it is the whole file), and the text."""


def apply(path: Path, place: str, text: str) -> None:
    """Write a block of the page to the file, or to its place in it; a definition with two blank lines around it."""
    if not place:
        assert not path.exists(), f"{path} is there already: say where in it the block goes"
        path.write_text(text)
        return
    if text.startswith(("def ", "@", "class ")):
        text = f"\n\n{text}" if place == "at the end" else f"{text}\n\n"
    lines = path.read_text().splitlines(keepends=True)
    where, _, anchor = place.partition(": ")
    if anchor:
        found = [number for number, line in enumerate(lines) if line.strip() == anchor]
        assert len(found) == 1, f"{path}: {len(found)} lines `{anchor}`, one expected"
        number = found[0] + (where == "below")
    else:
        number = len(lines)
    path.write_text("".join([*lines[:number], text, *lines[number:]]))


TABLE = re.compile(r"`([A-Z][A-Z_]+)` in `(\w+\.py)`")
"""A table that the page names, and the name of its file."""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository with all blocks of the page applied."""
    copy = tmp_path_factory.mktemp("checkout")
    for name in COPIED:
        source, target = ROOT / name, copy / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("Output"))  # what is compiled stays so
        else:
            shutil.copy(source, target)
    for name, place, text in EDIT.findall(PAGE):
        apply(copy / name, place, text)
    return copy


@cache
def run(command: str, checkout: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of the page on the package in `checkout`, with the tools beside this Python. Runs it once."""
    tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": tools, "PYTHONPATH": str(checkout)}
    return subprocess.run(
        command, shell=True, cwd=checkout, env=environment, capture_output=True, text=True, check=False
    )


PARTITIONS = "A new operation that partitions"


@pytest.mark.parametrize("section", ["An HLO opcode", "A sharding rule", "A pass", PARTITIONS])
def test_the_commands_of_a_section_succeed(section: str, checkout: Path):
    blocks = re.findall(r"^```sh\n(.*?)^```$", SECTIONS[section], re.MULTILINE | re.DOTALL)
    commands = "".join(blocks).splitlines()
    assert commands
    for command in commands:
        done = run(command, checkout)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


def test_the_copy_is_what_runs(checkout: Path):
    done = run(f"{sys.executable} -c 'import xshardy; print(xshardy.__file__)'", checkout)
    assert done.stdout.startswith(str(checkout))


def test_the_opcode_is_read_printed_and_in_the_kernel(checkout: Path):
    assert "hlo.softplus" in run("xshardy-opt examples/softplus.hlo", checkout).stdout
    assert "softplus(" in run("xshardy-opt examples/softplus.hlo -t hlo", checkout).stdout
    assert ".visible .entry" in run("xshardy compile examples/softplus.hlo", checkout).stdout


@pytest.mark.parametrize(
    ("section", "places"), [("An HLO opcode", 2), ("A sharding rule", 1), ("A pass", 2), (PARTITIONS, 2)]
)
def test_number_of_files_of_the_package_to_change(section: str, places: int):
    files = {name for name, _, _ in EDIT.findall(SECTIONS[section]) if name.startswith("xshardy/")}
    assert len(files) == places


def test_the_result_is_clean(checkout: Path):
    done = run(f"{sys.executable} -m ruff check xshardy", checkout)
    if "No module named ruff" in done.stderr:
        pytest.skip("ruff is not installed")
    assert done.returncode == 0, done.stdout
    done = run(f"{sys.executable} -m ruff format --check xshardy", checkout)
    assert done.returncode == 0, done.stdout


def test_tables_that_the_page_names_are_there():
    named = set(TABLE.findall(PAGE))
    assert len(named) > 15
    missing = [
        f"{table} in {file}"
        for table, file in sorted(named)
        if not any(re.search(rf"^{table}\b", path.read_text(), re.M) for path in (ROOT / "xshardy").rglob(file))
    ]
    assert not missing
