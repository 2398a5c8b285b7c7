"""What the key of a cached kernel depends on."""

import os
from ast import literal_eval
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

import xshardy
from xshardy.launch import kernel_cache
from xshardy.launch.kernel_cache import versions


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    versions.cache_clear()
    yield
    versions.cache_clear()


def test_every_file_of_the_package_is_part_of_the_key():
    package = Path(xshardy.__file__).parent
    states = literal_eval(versions()[-1])
    assert {name for name, *_ in states} == {file.relative_to(package).as_posix() for file in package.rglob("*.py")}
    status = os.stat(package / "api.py")
    assert {name: each for name, *each in states}["api.py"] == [status.st_size, status.st_mtime_ns]


@pytest.mark.parametrize("package", ["llvmlite", "nvidia-nvvm", "xdsl", "xshardy"])
def test_the_version_of_each_compiler_is_part_of_the_key(package: str, monkeypatch: pytest.MonkeyPatch):
    def other(name: str) -> str:
        return "another" if name == package else version(name)

    before = versions()
    versions.cache_clear()
    monkeypatch.setattr(kernel_cache, "version", other)
    assert versions() != before and "another" in versions()
