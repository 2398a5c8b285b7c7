"""
Whether `make quick` finds broken passes: mutants of 30 passes, one each, against its tests.

    python tests/mutation/quick.py [--seed S] [--count N] [--least N] [--only PASS]

The tests of a pass are the FileCheck files and the files of `tests/quick.txt` that name it, or name what runs it:
another name for it, a pipeline, the compilation of kernels. The others are left out, so that more mutants may be found
than are counted. Mutants that no test can find (`equivalent.toml`) are not drawn. Prints what found each, and fails if
fewer than `--least` are found.
"""

import argparse
import random
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mutants import Mutant, mutants_of, sample
from processes import ROOT, Replaced, be_silent, import_independent_modules, import_libraries, in_fork, limit_time
from suite import first_failure, is_filecheck, test_files

from xshardy.tools.pipelines import PASS_ALIASES
from xshardy.transforms.pipeline_pass import PipelinePass
from xshardy.transforms.xla_gpu.codegen_pipeline import stages
from xshardy.universe import PASSES, load

QUICK = ROOT / "tests" / "quick.txt"
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
COMPILATION = r"--levels? |xshardy (?:compile|run) |xla-gpu-codegen-pipeline|lower_by_level|compiler\.(?:compile|lower)"
"""What tests have that run the passes from a kernel to PTX."""

SECONDS = 60
"""Of a processor, for one file; a mutant that takes longer is found."""


@dataclass(frozen=True, slots=True)
class BrokenPass:
    """A mutant of the module of a pass, and the tests that may find it."""

    name: str
    path: str
    mutant: Mutant
    tests: Sequence[str]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/mutation/quick.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=30, help="mutants, of as many passes (default: 30)")
    parser.add_argument("--only", metavar="PASS", help="of these mutants, only that of PASS")
    parser.add_argument("--least", type=int, default=27, help="how many must be found (default: 27)")
    arguments = parser.parse_args()
    chosen = drawn(arguments.seed, arguments.count)
    if arguments.only is not None:
        chosen = [each for each in chosen if each.name == arguments.only]
    import_libraries()
    found = 0
    for broken in chosen:
        failure = in_fork(_failure, broken.path, broken.mutant.text((ROOT / broken.path).read_text()), broken.tests)
        found += bool(failure)
        by = str(failure).strip().splitlines()[-1] if failure else f"no test, of {len(broken.tests)}"
        print(f"{broken.name}: {broken.mutant.key}\n  found by {by}", flush=True)
    print(f"{found} of {len(chosen)} found")
    return 0 if found >= arguments.least else 1


def drawn(seed: str, count: int) -> list[BrokenPass]:
    """One mutant of each of `count` passes that have a module with mutants."""
    equivalent: Mapping[str, Mapping[str, str]] = tomllib.loads(EQUIVALENT.read_text())
    names = sorted(PASSES)
    random.Random(seed).shuffle(names)
    mentions = {file: (ROOT / file).read_text() for file in quick_files()}
    chosen: list[BrokenPass] = []
    for name in names:
        path = f"xshardy/{PASSES[name].partition(':')[0].replace('.', '/')}.py"
        if len(chosen) == count or not (ROOT / path).exists() or any(path == each.path for each in chosen):
            continue
        left_out = equivalent.get(path, {})
        mutants = [each for each in mutants_of((ROOT / path).read_text()) if each.key not in left_out]
        if mutants:
            tests = tests_of(name, mentions)
            chosen.append(BrokenPass(name, path, sample(mutants, 1, seed)[0], tests))
    return chosen


def quick_files() -> Iterator[str]:
    """What `make quick` runs: all FileCheck files, and the files that are listed."""
    yield from filter(is_filecheck, test_files())
    yield from QUICK.read_text().split()


def tests_of(name: str, mentions: Mapping[str, str]) -> list[str]:
    """The tests that name the pass, smallest first, and then those that name what runs it."""
    other_names = [alias for alias, passes in PASS_ALIASES.items() if name in passes]
    patterns = [rf"(?<![\w-]){re.escape(each)}(?![\w-])" for each in (name, *other_names, *pipelines_with(name))]
    if any(each.name == name for stage in stages(math="libdevice") for each in stage.passes):
        patterns.append(COMPILATION)
    found: dict[str, None] = {}
    for pattern in patterns:
        found |= dict.fromkeys(sorted((file for file in mentions if re.search(pattern, mentions[file])), key=_size))
    return [*found]


def _size(file: str) -> int:
    return (ROOT / file).stat().st_size


def pipelines_with(name: str) -> list[str]:
    """The pipelines that run the pass `name`."""
    pipelines = {each: load(reference) for each, reference in PASSES.items()}
    return [
        each
        for each, pipeline in pipelines.items()
        if issubclass(pipeline, PipelinePass) and any(inner.name == name for inner in pipeline().passes)
    ]


def _failure(path: str, text: str, tests: Sequence[str]) -> str:
    """The first of `tests` that fails while the module at `path` has this text; empty if none does."""
    replaced = Replaced(path)
    be_silent()
    for module in [each for each in sys.modules if each.startswith("xshardy")]:
        del sys.modules[module]
    import_independent_modules(replaced)
    replaced.text = text
    for file in tests:
        limit_time(SECONDS)
        if failure := first_failure(file):
            return failure
    return ""


if __name__ == "__main__":
    sys.exit(main())
