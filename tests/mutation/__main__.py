"""
Mutation testing: put small faults into passes, emitters and interpreters of kernels, and count those that a test finds.

    python tests/mutation [--seed S] [--count N] [--budget SECONDS] [--examples N] [--report] [--tests PART]...
        [PART OF A PATH]...

Takes `count` mutants of each module (all, if it has fewer) with a `PART OF A PATH`, drawn by `seed`, and runs the tests
that cover each, the fastest first, up to `budget` seconds. Needs the package `coverage`. What a test executes and what
became of a mutant is kept in `build/mutation/`; a second run does what is new: with a larger budget (`inf`: all tests
that cover a mutant) the survivors. With `--report` nothing runs.

The first run measures all tests, which takes as long as they do. `--tests` restricts them to those with `PART` in their
paths, and `--examples` the examples that a property test draws; another number of examples is measured anew.

`equivalent.toml` lists the mutants that no test can find, each with the reason.
"""

import argparse
from collections.abc import Mapping, Sequence

import suite
from coverage_map import measure, tests_in
from mutants import Mutant, mutants_of, sample
from processes import PACKAGE, ROOT, import_independent_modules, import_libraries, in_fork
from report import report
from runs import run
from suite import test_files

FOLDERS = (
    "emitters",
    "engines",
    "fusing",
    "interpreters/simt",
    "launch",
    "lowering",
    "ptx",
    "sharding",
    "tools/shrinking",
    "transforms",
)
FILES = ("hlo_text/dissolve_tuples.py",)
"""Where passes and emitters are, rules of sharding, the interpreters of kernels, and what plans and runs modules."""


def modules() -> list[str]:
    files = [
        *(PACKAGE / file for file in FILES),
        *(file for folder in FOLDERS for file in (PACKAGE / folder).rglob("*.py")),
    ]
    return sorted(file.relative_to(ROOT).as_posix() for file in files)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python tests/mutation", description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=20, help="mutants of a module (default: 20)")
    parser.add_argument("--budget", type=float, default=20, help="seconds of tests for a mutant (default: 20)")
    parser.add_argument("--examples", type=int, help="the most examples of a property test (default: as in the suite)")
    parser.add_argument("--report", action="store_true", help="print what is known; run nothing")
    parser.add_argument("--tests", action="append", metavar="PART", help="only tests with PART in their paths")
    parser.add_argument("parts", nargs="*", metavar="PART OF A PATH", help="which modules (default: all)")
    arguments = parser.parse_args()
    chosen = {
        path: sample(mutants_of((ROOT / path).read_text()), arguments.count, f"{arguments.seed} {path}")
        for path in modules()
        if not arguments.parts or any(part in path for part in arguments.parts)
    }
    suite.EXAMPLES = arguments.examples
    if not arguments.report:
        run_all(chosen, arguments.budget, arguments.tests or [""])
    print(report(chosen))


def run_all(chosen: Mapping[str, Sequence[Mutant]], budget: float, parts: Sequence[str]) -> None:
    files = [file for file in test_files() if any(part in file for part in parts)]
    import_libraries()
    if error := in_fork(_measure, files):
        raise RuntimeError(error)
    tests = tests_in(files)
    for path, mutants in chosen.items():
        print(path, flush=True)
        run(path, mutants, tests, budget)


def _measure(files: Sequence[str]) -> None:
    import_independent_modules()
    measure(files, frozenset(modules()))


if __name__ == "__main__":
    main()
