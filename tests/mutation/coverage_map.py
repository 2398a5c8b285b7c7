"""
Which test executes which lines, and how long it takes: measured for each file of tests, again when it or code that it
executes changes, or with another number of examples.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import process_time

import suite
from processes import ROOT, be_silent, in_fork
from suite import first_failure

FOLDER = ROOT / "build" / "mutation" / "coverage"


@dataclass(frozen=True, slots=True)
class Test:
    """A test that passes, its processor time, and the lines it executes: bit `n` of `lines[path]` is line `n`."""

    file: str
    name: str
    seconds: float
    lines: dict[str, int]

    def executes(self, path: str, lines: Iterable[int]) -> bool:
        executed = self.lines.get(path, 0)
        return any(executed >> line & 1 for line in lines)


def measure(files: Iterable[str], modules: frozenset[str]) -> None:
    """Measure the files of tests that, or code that they execute, changed since. Says which tests cannot be used."""
    for file in files:
        if _is_current(file):
            continue
        print(file, flush=True)
        tests = in_fork(_measure, file, modules)
        if isinstance(tests, str):
            print(f"{file}: {tests}")
            tests = []
        paths = {file, *(path for test in tests for path in test["lines"])}
        _record(file).parent.mkdir(parents=True, exist_ok=True)
        record = {"examples": suite.EXAMPLES, "digests": {path: _digest(path) for path in paths}, "tests": tests}
        _record(file).write_text(json.dumps(record))


def tests_in(files: Iterable[str]) -> list[Test]:
    """The tests of measured files."""
    return [
        Test(file, test["name"], test["seconds"], {path: int(bits, 16) for path, bits in test["lines"].items()})
        for file in files
        for test in json.loads(_record(file).read_text())["tests"]
    ]


def _record(file: str) -> Path:
    return FOLDER / f"{file}.json"


def _is_current(file: str) -> bool:
    if not _record(file).exists():
        return False
    record = json.loads(_record(file).read_text())
    if record.get("examples") != suite.EXAMPLES:
        return False
    return all(_digest(path) == digest for path, digest in record["digests"].items())


@cache
def _digest(path: str) -> str:
    file = ROOT / path
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else ""


def _measure(file: str, modules: frozenset[str]) -> list[dict]:
    from coverage import Coverage

    names: list[str] = []
    times: list[float] = []
    coverage = Coverage(data_file=None, config_file=False, include=[str(ROOT / path) for path in modules])

    def starts(name: str) -> None:
        coverage.switch_context(name)
        names.append(name)
        times.append(process_time())

    be_silent()
    coverage.start()
    failed = first_failure(file, starts=starts)
    coverage.stop()
    times.append(process_time())
    lines: dict[str, dict[str, int]] = {name: {} for name in names}
    data = coverage.get_data()
    for path in data.measured_files():
        module = Path(path).relative_to(ROOT).as_posix()
        for line, contexts in data.contexts_by_lineno(path).items():
            for name in contexts:
                if name in lines:
                    lines[name][module] = lines[name].get(module, 0) | 1 << line
    return [
        {"name": name, "seconds": end - start, "lines": {path: hex(bits) for path, bits in lines[name].items()}}
        for name, start, end in zip(names, times, times[1:], strict=False)
        if name != failed
    ]
