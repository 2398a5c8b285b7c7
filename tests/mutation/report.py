"""What became of the mutants, as text."""

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from mutants import Mutant
from runs import KILLED, NOT_COVERED, SURVIVED, outcomes

EQUIVALENT = "equivalent"
EQUIVALENT_FILE = Path(__file__).with_name("equivalent.toml")
NOT_RUN = "not run"
COLUMNS = (KILLED, EQUIVALENT, SURVIVED, NOT_COVERED, NOT_RUN)


def report(chosen: Mapping[str, Sequence[Mutant]]) -> str:
    """The mutants that no test found, and a row of counts for each module, each folder and each room of the package."""
    explained = tomllib.loads(EQUIVALENT_FILE.read_text())
    found = {path: {mutant: _outcome(path, mutant, explained) for mutant in chosen[path]} for path in chosen}
    counts = {path: Counter(each.values()) for path, each in found.items()}
    groups = (counts, _sums(counts, folder_of), _sums(counts, room_of))
    lines = [line for path, each in found.items() for line in _survivors(path, each)]
    lines += [_row("", dict(zip(COLUMNS, COLUMNS, strict=True)), "rate")]
    lines += [_row(name, count, _rate(count)) for group in groups for name, count in group.items() if count]
    total = sum(counts.values(), Counter[str]())
    return "\n".join([*lines, _row("all", total, _rate(total))])


def folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def room_of(path: str) -> str:
    """`xshardy/transforms/sdy/data_flow.py` -> `xshardy/transforms/**`, with all folders in it."""
    return "/".join(path.split("/")[:2]) + "/**"


def _sums(counts: Mapping[str, Counter[str]], group_of: Callable[[str], str]) -> dict[str, Counter[str]]:
    sums: dict[str, Counter[str]] = {}
    for path, count in counts.items():
        sums.setdefault(group_of(path), Counter()).update(count)
    return sums


def _outcome(path: str, mutant: Mutant, explained: Mapping[str, Mapping[str, str]]) -> str:
    known = outcomes(path).get(mutant.key)
    outcome = known.outcome if known else NOT_RUN
    return EQUIVALENT if outcome in (SURVIVED, NOT_COVERED) and mutant.key in explained.get(path, {}) else outcome


def _survivors(path: str, found: Mapping[Mutant, str]) -> Iterator[str]:
    for mutant, outcome in found.items():
        if outcome in (SURVIVED, NOT_COVERED):
            yield f"{path}:{mutant.lines.start}: {outcome}\n    {mutant.key}\n"


def _row(name: str, count: Mapping[str, int | str], rate: str) -> str:
    return f"{name:72}" + "".join(f"{count.get(column, 0) or '':>13}" for column in COLUMNS) + f"{rate:>8}"


def _rate(count: Mapping[str, int]) -> str:
    """Killed mutants among those that a test can kill."""
    possible = count[KILLED] + count[SURVIVED] + count[NOT_COVERED]
    return f"{100 * count[KILLED] / possible:.1f}%" if possible else ""
