"""The tests, run in this process: a FileCheck file is one test, a pytest file has several."""

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from processes import ROOT

FILECHECK = ROOT / "tests" / "filecheck"
PYTEST_FOLDERS = ("unit", "numerics", "differential")
PYTEST_OPTIONS = (
    *("-q", "-x", "-p", "no:cacheprovider", "-p", "no:timeout", "-p", "no:xdist"),
    "--hypothesis-profile=mutation",
    "--assert=plain",
)
"""
pytest-timeout would take over the alarm that ends a fork. The profile searches for no smaller example. To rewrite the
assertions of xshardy, whose plugin it has, pytest would import the modules itself: the one without the fault.
"""
EXAMPLES: int | None = None
"""The most examples that a property test draws: the first ones of those that it draws in the suite. None: all."""
START = 0.3
"""Seconds that pytest takes to start and collect a file."""


def test_files() -> Iterator[str]:
    """Every file with tests, by its path from the root of the repository."""
    for suffix in (".mlir", ".hlo"):
        yield from (_relative(path) for path in sorted(FILECHECK.rglob(f"*{suffix}")) if "Inputs" not in path.parts)
    for folder in PYTEST_FOLDERS:
        yield from (_relative(path) for path in sorted((ROOT / "tests" / folder).rglob("test_*.py")))


def _relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def is_filecheck(file: str) -> bool:
    return not file.endswith(".py")


def first_failure(
    file: str, seconds: Mapping[str, float] | None = None, starts: Callable[[str], None] = lambda test: None
) -> str | None:
    """
    Run the tests of `file` up to the first that fails, and return its name.

    Of a pytest file, run those that are in `seconds`, the fastest first; without `seconds`, all. Calls `starts` with
    the name of each test.
    """
    if is_filecheck(file):
        starts(file)
        return None if _filecheck_passes(file) else file
    import pytest

    selection = _Selection(seconds, starts)
    status = pytest.main([*PYTEST_OPTIONS, str(ROOT / file)], [selection])
    return selection.failed or (None if status == pytest.ExitCode.OK else f"{file}: {status!r}")


def _filecheck_passes(file: str) -> bool:
    """A file whose RUN lines need a shell passes or fails in processes of its own. A tool that raises has failed."""
    if str(FILECHECK) not in sys.path:
        sys.path.insert(0, str(FILECHECK))
    from in_process import failure_of

    try:
        return failure_of(ROOT / file) is None
    except Exception:
        return False


def _limit_examples(test: Any) -> None:
    """Let a property test draw at most `EXAMPLES` examples, also if it asks for more itself."""
    from hypothesis import settings

    own = getattr(test, "_hypothesis_internal_use_settings", None)
    if EXAMPLES is not None and own is not None and own.max_examples > EXAMPLES:
        test._hypothesis_internal_use_settings = settings(own, max_examples=EXAMPLES)


class _Selection:
    """A pytest plugin that keeps the chosen tests, and the name of one that failed."""

    def __init__(self, seconds: Mapping[str, float] | None, starts: Callable[[str], None]):
        self.seconds, self.starts = seconds, starts
        self.failed: str | None = None

    def pytest_collection_modifyitems(self, items: list):
        for item in items:
            _limit_examples(getattr(item, "function", None))
        if (seconds := self.seconds) is not None:
            items[:] = sorted((item for item in items if item.nodeid in seconds), key=lambda item: seconds[item.nodeid])

    def pytest_runtest_logstart(self, nodeid: str):
        self.starts(nodeid)

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed = report.nodeid
