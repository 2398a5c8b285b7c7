"""The inputs of the fuzzer: each is a function of its kind and its number, to repeat and resume runs."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from mutations import mutated
from seeds import Seed, seeds_of, valid_seeds_of

from xshardy.universe import XSHARDY_UNIVERSE

PIPELINES = (
    "sdy-propagation-pipeline",
    "sdy-propagation-pipeline{enable-insert-explicit-collectives=true},sdy-convert-global-to-local,"
    "sdy-drop-sharding-and-mesh",
    "sdy-import-pipeline",
    "canonicalize,cse",
    "canonicalize,symbol-dce",
)
WRITES_FILES = ("sdy-save-module",)


@dataclass(frozen=True, slots=True)
class Input:
    """A text for a tool with arguments."""

    tool: str
    arguments: tuple[str, ...]
    text: str

    @property
    def is_out_of_order(self) -> bool:
        """Whether the passes are a random list, so that a pass may see a module that it does not expect."""
        return "-p" in self.arguments and self.arguments[-1] not in PIPELINES


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of inputs: the suffix of its seeds, how many mutations they have, and their command."""

    suffix: str
    mutations: tuple[int, ...]
    """The numbers of mutations to choose from."""
    command: Callable[[Random, Seed], tuple[str, ...]]
    share: int
    """Of all inputs, relative to the other kinds: the fast kinds have more."""


def pipeline(random: Random, seed: Seed) -> tuple[str, ...]:
    """The file's own pipeline, a documented pipeline, or one to four passes; sometimes with a mistake in it."""
    choice = random.random()
    if choice < 0.4 and seed.pipelines:
        passes = random.choice(seed.pipelines)
    elif choice < 0.6:
        passes = random.choice(PIPELINES)
    else:
        passes = ",".join(random.choices(PASSES, k=random.randint(1, 4)))
    mistakes = int(random.random() < 0.05)
    return ("xshardy-opt", "-p", mutated(random, passes, random.choice(PIPELINES), mistakes))


PASSES = sorted(name for name in XSHARDY_UNIVERSE.all_passes if name not in WRITES_FILES)


def one_of(*commands: str) -> Callable[[Random, Seed], tuple[str, ...]]:
    """One of the commands, at random."""
    rows = [tuple(command.split()) for command in commands]
    return lambda random, _: random.choice(rows)


BLOCK = re.compile(r"\.(?:reqntid|maxntid) +(\d+(?:, \d+)*)")


def profile(_: Random, seed: Seed) -> tuple[str, ...]:
    """Two blocks on the PTX machine, of the size that the kernel requires."""
    found = BLOCK.search(seed.text)
    block = found[1].replace(" ", "") if found else "32"
    return ("xshardy", "ptx", "profile", "-", "--grid", "2", "--max-iterations", "100", "--block", block)


KINDS: Mapping[str, Kind] = {
    "mlir": Kind(".mlir", (0, 1, 1, 1, 2, 4), one_of("xshardy-opt"), 8),
    "hlo": Kind(
        ".hlo",
        (0, 1, 1, 1, 2, 4),
        one_of(
            "xshardy-opt -f hlo",
            "xshardy-opt -f hlo -t hlo",
            "xshardy-opt -f hlo -p hlo-async-wrap,hlo-async-schedule -t hlo",
            "xshardy hlo-stats -",
            "xshardy shard -f hlo -",
        ),
        4,
    ),
    "passes": Kind(".mlir", (0, 0, 0, 1, 1, 2), pipeline, 2),
    "kernels": Kind(".hlo", (0, 1, 1, 1, 2), one_of("xshardy emit -f hlo -", "xshardy compile -f hlo -"), 1),
    "ptx": Kind(".ptx", (0, 1, 1, 1, 2), profile, 1),
}


def make_input(kind: str, number: int, folders: Sequence[Path] = ()) -> Input:
    """Input `number` of `kind`. The seeds are the valid modules of the project and of `folders`."""
    random = Random(f"{kind}:{number}")
    row = KINDS[kind]
    seed = random.choice(valid_seeds_of(row.suffix, folders))
    other = random.choice(seeds_of(row.suffix, folders))
    tool, *arguments = row.command(random, seed)
    return Input(tool, tuple(arguments), mutated(random, seed.text, other.text, random.choice(row.mutations)))
