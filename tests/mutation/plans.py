"""Which tests to run against a mutant: of those that can find the fault as many as fit a budget, from many files."""

import re
from collections.abc import Iterable, Mapping
from functools import cache

from coverage_map import Test
from mutants import Mutant
from processes import PACKAGE, ROOT, module_name
from suite import START, is_filecheck

Plan = list[tuple[str, dict[str, float]]]
"""Files with tests in the order to run them, and the seconds that each of their tests takes."""
PARTS = 6
"""A file may take one of so many parts of the budget, until all files had their turn."""


def plan_for(mutant: Mutant, path: str, tests: Iterable[Test], budget: float) -> Plan:
    """
    Tests that take `budget` seconds together, at least one if any covers the mutant.

    The fastest, those first that mention words of a line that an import executes: a table has rows for many tests.
    Half of the time is for FileCheck tests and half for pytest, while both need it.
    """
    found = covering(mutant, path, tests)
    words = _words(mutant.line_text) if mutant.at_import else frozenset[str]()
    found.sort(key=lambda test: (-len(words & _words_of(test)) if words else 0, test.seconds))
    chosen: dict[str, dict[str, float]] = {}
    _add(chosen, (test for test in found if is_filecheck(test.file)), budget / 2, budget)
    _add(chosen, (test for test in found if not is_filecheck(test.file)), budget, budget / PARTS)
    _add(chosen, found, budget, budget)
    if not chosen and found:
        chosen[found[0].file] = {found[0].name: found[0].seconds}
    return sorted(chosen.items(), key=lambda each: cost(*each))


def cost(file: str, seconds: Mapping[str, float]) -> float:
    return sum(seconds.values()) + (0 if is_filecheck(file) else START)


def covering(mutant: Mutant, path: str, tests: Iterable[Test]) -> list[Test]:
    """The tests that execute the text of a mutant; of text that an import executes, those of modules that use it."""
    if mutant.at_import:
        users = {path, *_importers(path)}
        return [test for test in tests if not users.isdisjoint(test.lines)]
    tests = [test for test in tests if path in test.lines]
    return [test for test in tests if test.executes(path, mutant.lines)] or [
        test for test in tests if test.executes(path, mutant.statement)
    ]


def _add(chosen: dict[str, dict[str, float]], tests: Iterable[Test], budget: float, of_file: float) -> None:
    """Add those of `tests` that fit, in order: `budget` seconds for all that are chosen, `of_file` for those of one."""
    left = budget - sum(cost(*each) for each in chosen.items())
    for test in tests:
        of_this = chosen.get(test.file, {})
        more = cost(test.file, {test.name: test.seconds}) - (cost(test.file, {}) if of_this else 0)
        if test.name not in of_this and more <= left and cost(test.file, of_this) + test.seconds <= of_file:
            chosen.setdefault(test.file, {})[test.name] = test.seconds
            left -= more


def _words_of(test: Test) -> frozenset[str]:
    return _words((ROOT / test.file).read_text() if is_filecheck(test.file) else test.name)


@cache
def _words(text: str) -> frozenset[str]:
    """The words of at least three letters or digits, in lower case; `ReduceWindowOp` has `reduce` and `window`."""
    return frozenset(re.findall("[a-z0-9]{3,}", re.sub("(?<=[a-z0-9])(?=[A-Z])", " ", text).lower()))


@cache
def _importers(path: str) -> frozenset[str]:
    imports = f"from {module_name(path)} import"
    files = (file for file in PACKAGE.rglob("*.py") if imports in file.read_text())
    return frozenset(file.relative_to(ROOT).as_posix() for file in files)
