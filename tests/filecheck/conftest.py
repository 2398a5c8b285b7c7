"""The FileCheck tests as tests of pytest, which share its workers with all others. `lit` runs them too."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from in_process import failure_of, is_test


class FileCheckFile(pytest.File):
    """A file of the suite."""

    def collect(self) -> Iterator[pytest.Item]:
        yield FileCheckTest.from_parent(self, name="RUN")


class FileCheckTest(pytest.Item):
    """All RUN lines of a file."""

    def runtest(self) -> None:
        if failure := failure_of(self.path):
            pytest.fail(failure, pytrace=False)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> FileCheckFile | None:
    return FileCheckFile.from_parent(parent, path=file_path) if is_test(file_path) else None
