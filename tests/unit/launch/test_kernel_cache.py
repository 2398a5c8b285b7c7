"""What the key of a cached kernel depends on, and which files are entries."""

import json
import os
from ast import literal_eval
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

import xshardy
from xshardy.launch import kernel_cache
from xshardy.launch.kernel_cache import KernelCache, versions
from xshardy.lowering.code_generators import Kernel, KernelArgument


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


@pytest.mark.parametrize(
    "change",
    [
        {"ptx": 7},
        {"entry": None},
        {"arguments": []},
        {"block": "abc"},
        {"grid": [2, 1, 1]},
        {"other": 1},
        "[" * 100_000,
    ],
)
def test_a_damaged_entry_is_not_there(change: dict[str, object] | str, tmp_path: Path):
    kernel = Kernel(
        function="f",
        llvm_ir="",
        arguments=(KernelArgument(0, 0, 32, 16, is_output=True),),
        block=(32, 1, 1),
        grid=(1, 1, 1),
        entry="f",
        assembly=".version 8.0",
        target="sm_90",
        shared_memory=0,
    )
    cache = KernelCache(tmp_path)
    cache.put("text", "sm_90", "auto", kernel)
    assert cache.get("text", "sm_90", "auto") == kernel
    (file,) = tmp_path.glob("*.json")
    changed = change if isinstance(change, str) else json.dumps({**json.loads(file.read_text()), **change})
    file.write_text(changed)
    assert cache.get("text", "sm_90", "auto") is None
