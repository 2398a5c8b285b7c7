"""The ids of requirements that code and tests cite are rows of docs/requirements.md, each with files that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "requirements.md").read_text()
ID = re.compile(r"\b(?:SDY-(?:OP|ATTR|ENUM|IF|DATTR|PASS|Q)|HLO-ASYNC|XGPU)-\d\d\b")
ROWS = {
    row[0]: row
    for line in reversed(PAGE.splitlines())
    if (row := re.findall(r"[^|]+", line)) and ID.match(row[0].strip())
}
ROWS = {name.strip(): row for name, row in ROWS.items()}


@pytest.mark.parametrize("folder", ["xshardy", "tests", "docs", "examples", "benchmarks"])
def test_cited_ids_are_rows(folder: str):
    files = [path for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".md", ".mlir", ".hlo"}]
    cited = {name: path for path in files for name in ID.findall(path.read_text())}
    missing = {name: str(path.relative_to(ROOT)) for name, path in cited.items() if name not in ROWS}
    assert not missing


@pytest.mark.parametrize("name", sorted(ROWS))
def test_a_row_names_a_module_and_tests_that_exist(name: str):
    paths = re.findall(r"`((?:xshardy|tests|examples)/[^`]+)`", "|".join(ROWS[name]))
    if len(ROWS[name]) == 4:
        assert len(paths) >= 2
    assert all((ROOT / path).is_file() for path in paths)


COUNTS = {
    "HLO-ASYNC": 20,
    "SDY-ATTR": 19,
    "SDY-DATTR": 4,
    "SDY-ENUM": 2,
    "SDY-IF": 2,
    "SDY-OP": 16,
    "SDY-PASS": 6,
    "SDY-Q": 15,
    "XGPU": 60,
}
"""How many rows the documents have; those of `SDY-Q` are open questions of theirs."""


def test_no_row_is_missing_and_each_has_tests():
    assert sorted(ROWS) == sorted(f"{kind}-{i:02}" for kind, count in COUNTS.items() for i in range(1, count + 1))
    without = [name for name, row in ROWS.items() if "`tests/" not in "|".join(row) and not name.startswith("SDY-Q")]
    assert not without


def test_a_test_names_each_row():
    """All rows but the open questions of the documents, `SDY-Q`, and not only as the ends of a range."""
    files = [path for path in (ROOT / "tests").rglob("*") if path.suffix in {".py", ".mlir", ".hlo"}]
    named = {name for path in files if path.name != Path(__file__).name for name in ID.findall(path.read_text())}
    assert sorted(ROWS.keys() - named - {name for name in ROWS if name.startswith("SDY-Q")}) == []
