"""Runs the mutants of a module against the tests that cover them, and keeps the outcomes in a file."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import groupby

from coverage_map import Test
from mutants import Mutant
from processes import PACKAGE, ROOT, Replaced, be_silent, import_independent_modules, in_fork, limit_time, module_name
from suite import START, first_failure, is_filecheck

FOLDER = ROOT / "build" / "mutation" / "results"
KILLED, SURVIVED, NOT_COVERED = "killed", "survived", "not covered"
PATIENCE = 5
"""A test that takes as many times as long as without a fault, and ten seconds more, has found one."""
WARM_UP = tuple(
    f"tests/filecheck/{name}.mlir" for name in ("syntax/scf", "syntax/gpu", "dialects/sdy/mesh_verification")
)
"""What is run before a process forks: the first use of a parser takes longer than most tests."""


Plan = list[tuple[str, dict[str, float]]]
"""Files with tests in the order to run them, and the seconds that each of their tests takes."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant. `by`: the test that failed, or how its process ended; `tests`: a digest of those run."""

    outcome: str
    by: str
    tests: str


def outcomes(path: str) -> dict[str, Outcome]:
    """The known outcomes of the mutants of a module, by their keys."""
    file = FOLDER / f"{path}.json"
    return {key: Outcome(**each) for key, each in json.loads(file.read_text()).items()} if file.exists() else {}


def run(path: str, mutants: Sequence[Mutant], tests: Sequence[Test], budget: float) -> None:
    """
    Run the mutants of a module that have not been killed, and survivors only if other tests cover them now.

    Of the tests that cover a mutant the fastest are run, as many as take `budget` seconds together. Prints the name of
    a test that killed a mutant and fails without a fault too.
    """
    known = outcomes(path)
    plans: list[tuple[Mutant, Plan, str]] = []
    for mutant in mutants:
        plan = _within(budget, _by_file(covering(mutant, path, tests)))
        digest = hashlib.sha256(json.dumps([(file, sorted(seconds)) for file, seconds in plan]).encode()).hexdigest()
        before = known.get(mutant.key)
        if before is None or (before.outcome != KILLED and before.tests != digest):
            plans.append((mutant, plan, digest))
    if plans and (failure := in_fork(_run, path, plans, known)):
        print(f"{path}: without a fault: {failure}", flush=True)


def covering(mutant: Mutant, path: str, tests: Sequence[Test]) -> list[Test]:
    """The tests that execute the text of a mutant; of text that an import executes, those that execute its module."""
    if found := [test for test in tests if test.executes(path, mutant.lines)]:
        return found
    if not mutant.at_import:
        return [test for test in tests if test.executes(path, mutant.statement)]
    users = _importers(path)
    return [test for test in tests if path in test.lines] or [
        test for test in tests if not users.isdisjoint(test.lines)
    ]


@cache
def _importers(path: str) -> frozenset[str]:
    imports = f"from {module_name(path)} import"
    files = (file for file in PACKAGE.rglob("*.py") if imports in file.read_text())
    return frozenset(file.relative_to(ROOT).as_posix() for file in files)


def _by_file(tests: Sequence[Test]) -> Plan:
    """All of the tests, the fastest file first."""
    in_order = sorted(tests, key=lambda test: test.file)
    files = [
        (file, {test.name: test.seconds for test in group}) for file, group in groupby(in_order, lambda test: test.file)
    ]
    return sorted(files, key=lambda each: _cost(*each))


def _cost(file: str, seconds: dict[str, float]) -> float:
    return sum(seconds.values()) + (0 if is_filecheck(file) else START)


def _within(budget: float, files: Plan) -> Plan:
    """The first files that take `budget` seconds together; at least one."""
    kept: Plan = []
    for file, seconds in files:
        budget -= _cost(file, seconds)
        if budget < 0 and kept:
            break
        kept.append((file, seconds))
    return kept


def _run(path: str, plans: list[tuple[Mutant, Plan, str]], known: dict[str, Outcome]) -> str:
    source = (ROOT / path).read_text()
    replaced = Replaced(path)
    be_silent()
    import_independent_modules(replaced)
    for file in WARM_UP:
        first_failure(file)
    killers: dict[str, dict[str, float]] = {}
    for mutant, plan, digest in plans:
        replaced.text = mutant.text(source)
        failure = in_fork(_first_failure, plan) if plan else ""
        outcome = KILLED if failure else SURVIVED if plan else NOT_COVERED
        known[mutant.key] = Outcome(outcome, failure or "", digest)
        _write(path, known)
        for file, seconds in plan:
            if failure in seconds:
                killers.setdefault(file, {})[failure] = seconds[failure]
    replaced.text = source
    return in_fork(_first_failure, list(killers.items())) or ""


def _first_failure(plan: Plan) -> str | None:
    for file, seconds in plan:
        limit_time(10 + PATIENCE * _cost(file, seconds))
        if failure := first_failure(file, seconds):
            return failure
    return None


def _write(path: str, known: dict[str, Outcome]) -> None:
    file = FOLDER / f"{path}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({key: asdict(outcome) for key, outcome in known.items()}, indent=1))
