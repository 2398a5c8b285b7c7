"""Each patch of docs/upstream is a commit on the installed xDSL, and xDSL has none of them yet."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import xdsl

PATCHES = sorted((Path(__file__).parents[2] / "docs" / "upstream").glob("*.patch"))
XDSL = Path(xdsl.__file__).parent
TOUCHED = re.compile(r"^\+\+\+ b/(xdsl/.*\.py)$", re.MULTILINE)
"""The files of the package that a patch changes or adds; xDSL's tests are not installed."""


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_applies_to_the_installed_xdsl(patch: Path, tmp_path: Path):
    touched = TOUCHED.findall(patch.read_text())
    assert touched
    for name in touched:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        if (XDSL.parent / name).exists():
            shutil.copy(XDSL.parent / name, tmp_path / name)
    before = {name: text_of(tmp_path / name) for name in touched}
    git = ["git", "-c", "user.name=reader", "-c", "user.email=reader@example.com"]
    for command in ("init --quiet", "add --all", "commit --quiet --allow-empty --message=xDSL"):
        subprocess.run([*git, *command.split()], cwd=tmp_path, check=True)
    done = subprocess.run(
        [*git, "am", "--quiet", "--include=xdsl/*", patch], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    for name in touched:
        after = text_of(tmp_path / name)
        assert after != before[name]
        compile(after, name, "exec")


def text_of(path: Path) -> str:
    return path.read_text() if path.exists() else ""
