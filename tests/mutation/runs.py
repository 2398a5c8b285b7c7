"""Runs the mutants of a module against the tests that cover them, and keeps the outcomes in a file."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import suite
from coverage_map import Test
from mutants import Mutant
from plans import Plan, cost, plan_for
from processes import ROOT, Replaced, be_silent, import_independent_modules, in_fork, limit_time
from suite import first_failure

FOLDER = ROOT / "build" / "mutation" / "results"
KILLED, SURVIVED, NOT_COVERED = "killed", "survived", "not covered"
PATIENCE = 5
"""A test that takes as many times as long as without a fault, and ten seconds more, has found one."""
WARM_UP = tuple(
    f"tests/filecheck/{name}.mlir" for name in ("syntax/scf", "syntax/gpu", "dialects/sdy/mesh_verification")
)
"""What is run before a process forks: the first use of a parser takes longer than most tests."""


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

    Prints the name of a test that killed a mutant and fails without a fault too.
    """
    known = outcomes(path)
    plans: list[tuple[Mutant, Plan, str]] = []
    for mutant in mutants:
        plan = plan_for(mutant, path, tests, budget)
        digest = _digest(plan)
        before = known.get(mutant.key)
        if before is None or (before.outcome != KILLED and before.tests != digest):
            plans.append((mutant, plan, digest))
    if plans and (failure := in_fork(_run, path, plans, known)):
        print(f"{path}: without a fault: {failure}", flush=True)


def _digest(plan: Plan) -> str:
    """What identifies the tests of `plan`, with the number of their examples."""
    tests = [(file, sorted(seconds)) for file, seconds in plan]
    what = tests if suite.EXAMPLES is None else [suite.EXAMPLES, tests]
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()


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
        limit_time(10 + PATIENCE * cost(file, seconds))
        if failure := first_failure(file, seconds):
            return failure
    return None


def _write(path: str, known: dict[str, Outcome]) -> None:
    file = FOLDER / f"{path}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({key: asdict(outcome) for key, outcome in known.items()}, indent=1))
