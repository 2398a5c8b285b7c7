"""The texts that the fuzzer starts from: the modules of FileCheck tests, examples and other folders."""

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from xshardy.tools.xshardy_opt import run

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT / "tests" / "filecheck", ROOT / "tests" / "numerics", ROOT / "examples")
LARGEST = 6_000  # characters: larger texts cost time and reach the same code
SEPARATOR = re.compile(r"^[ \t]*// -----.*$", re.MULTILINE)
COMMENT = re.compile(r"^[ \t]*//.*\n", re.MULTILINE)
PIPELINE = re.compile(r"RUN: xshardy-opt (?P<arguments>[^|\n]*)")


@dataclass(frozen=True, slots=True)
class Seed:
    """A text without comments, and the pipelines that the RUN lines of its file run."""

    text: str
    pipelines: tuple[str, ...] = ()


def seeds_of(suffix: str, folders: Iterable[Path] = ()) -> tuple[Seed, ...]:
    """The modules in all files `*suffix` of the project and of `folders`, without duplicates, in a fixed order."""
    return _seeds_of(suffix, (*FOLDERS, *folders))


def valid_seeds_of(suffix: str, folders: Iterable[Path] = ()) -> tuple[Seed, ...]:
    """The seeds that are read without an error. Many tests are of what is rejected, and no pass sees their modules."""
    return _valid_seeds_of(suffix, tuple(folders))


@cache
def _valid_seeds_of(suffix: str, folders: tuple[Path, ...]) -> tuple[Seed, ...]:
    frontend = suffix.removeprefix(".")
    if frontend == "ptx":
        return seeds_of(suffix, folders)
    return tuple(seed for seed in seeds_of(suffix, folders) if run(["-f", frontend], seed.text)[0] == 0)


@cache
def _seeds_of(suffix: str, folders: tuple[Path, ...]) -> tuple[Seed, ...]:
    files = (file for folder in folders for file in sorted(folder.rglob(f"*{suffix}")))
    seeds = {seed.text: seed for file in files for seed in _seeds_in(file.read_text(errors="replace"))}
    return tuple(seeds.values())


def _seeds_in(text: str) -> Iterator[Seed]:
    pipelines = tuple(_pipelines_in(text.replace("\\\n// RUN:", "")))
    for module in SEPARATOR.split(text):
        stripped = COMMENT.sub("", module).strip()
        if 0 < len(stripped) <= LARGEST:
            yield Seed(stripped + "\n", pipelines)


def _pipelines_in(text: str) -> Iterator[str]:
    for match in PIPELINE.finditer(text):
        try:
            arguments = shlex.split(match["arguments"])
        except ValueError:  # a quoted pipe
            continue
        for option, value in pairwise(arguments):
            if option in ("-p", "--passes") and "%" not in value:
                yield value
