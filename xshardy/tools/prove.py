"""`xshardy prove`: the verdict about a partitioned program, as text or as JSON."""

from collections.abc import Iterator, Sequence

from xdsl.ir import Operation

from xshardy.programs.program import Program
from xshardy.proving.verdict import Answer, Verdict

STATUS = {Answer.PROVED: 0, Answer.REFUTED: 1, Answer.UNDECIDED: 3}
"""The exit status of the command."""

SHOWN = 5
"""How many operations at which a relation ends are printed."""


def verdict_lines(verdict: Verdict, local: Program) -> Iterator[str]:
    """The answer, then what it rests on; `local` knows the names of the operations of a device."""
    pair, count = verdict.pair, len(verdict.pair.results)
    seconds = f"{verdict.seconds:.2g} s"
    if verdict.answer is Answer.PROVED:
        yield (
            f"proved: each of {pair.devices} devices computes its part of {_results(range(count), count)}, for all "
            f"inputs, in exact arithmetic"
        )
        yield f"  {verdict.related} operations of a device are related to the whole program ({seconds})"
        return
    unrelated = _results(verdict.unrelated, count)
    if (witness := verdict.witness) is not None:
        yield f"refuted: {witness}"
        yield f"  {witness.wrong} of the elements of the tensor are wrong, for the arguments of seed {witness.seed}"
    else:
        tried = "no input that was tried refutes it" if verdict.was_run else "it was not run"
        yield f"undecided: not shown for {unrelated}; {tried} ({seconds})"
    yield from _frontier_lines(verdict.frontier, local)


def _results(numbers: Sequence[int], count: int) -> str:
    if len(numbers) == count:
        return "its result" if count == 1 else f"all {count} results"
    return f"result{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def _frontier_lines(frontier: Sequence[tuple[Operation, str]], local: Program) -> Iterator[str]:
    """The first operations at which the relation ends."""
    for op, why in frontier[:SHOWN]:
        name = local.names.describe(op.results[0]) if op.results else op.name
        yield f"  not related: {name}, {op.name}: {why}"
    if len(frontier) > SHOWN:
        yield f"  and {len(frontier) - SHOWN} more"


def as_json(verdict: Verdict, local: Program) -> dict[str, object]:
    """The verdict as `--json` prints it."""
    witness = verdict.witness
    return {
        "answer": verdict.answer.value,
        "devices": verdict.pair.devices,
        "results": len(verdict.pair.results),
        "unrelated": list(verdict.unrelated),
        "related_operations": verdict.related,
        "seconds": verdict.seconds,
        "was_run": verdict.was_run,
        "not_related": [
            {"operation": op.name, "line": local.names.line(op), "why": why} for op, why in verdict.frontier
        ],
        "witness": None
        if witness is None
        else {
            "seed": witness.seed,
            "result": witness.result,
            "device": witness.device,
            "element": list(witness.element),
            "found": witness.found,
            "expected": witness.expected,
        },
    }
