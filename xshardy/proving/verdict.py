"""The answer about a pair of programs: proved, refuted or undecided."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from time import perf_counter

from xdsl.ir import Operation

from xshardy.display.html_parts import facts
from xshardy.programs.garbage import collection_suspended
from xshardy.proving.certificate import CertificateError, certificate_of, check
from xshardy.proving.kernel import BUDGET
from xshardy.proving.pair import Pair
from xshardy.proving.prove import Kept, decide
from xshardy.proving.refutation import Witness, is_runnable, refute

SHOWN = 5
"""How many operations at which a relation ends are printed."""


class Answer(Enum):
    """What is known of the claim that each device computes its part."""

    PROVED = "proved"
    """It holds for all inputs, in exact arithmetic."""
    REFUTED = "refuted"
    """There is an input for which it does not hold."""
    UNDECIDED = "undecided"
    """Neither was found."""


@dataclass(frozen=True, repr=False)
class Verdict:
    """An answer about a pair of programs, and what it rests on."""

    answer: Answer
    pair: Pair
    unrelated: Sequence[int]
    """The numbers of results that are not related to the whole program."""
    frontier: Sequence[tuple[Operation, str]]
    """The operations of a device at which the relation ends, and why."""
    related: int
    """How many operations of a device are related to the whole program."""
    seconds: float
    assumptions: Sequence[str] = ()
    """What is taken to hold beside the programs."""
    witness: Witness | None = None
    """Of a refutation."""
    certificate: str | None = None
    """Of a proof: JSON, which `certificate.check` reads."""
    was_run: bool = False
    """Whether inputs were tried."""
    given_up: Operation | None = None
    """The operation at which the budget of steps was spent."""

    def __bool__(self) -> bool:
        """Whether it is proved."""
        return self.answer is Answer.PROVED

    def __repr__(self) -> str:
        results = len(self.pair.results)
        shown = (
            f"<{self.answer.value}: {results - len(self.unrelated)} of {results} results on {self.pair.devices} devices"
        )
        return shown + (f"; {self.witness}>" if self.witness is not None else ">")

    def __str__(self) -> str:
        """The answer, then what it rests on."""
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        """The answer and what it rests on, and how each result is divided, for notebooks."""
        found: dict[str, object] = {
            "answer": self.answer.value,
            "devices": self.pair.devices,
            "related operations of a device": self.related,
        }
        if self.witness is not None:
            found["witness"] = self.witness
        found |= {f"not related: {self._named(op)}": why for op, why in self.frontier[:SHOWN]}
        results = {
            f"result {number}": f"{'not ' if number in self.unrelated else ''}related, {tensor!r}"
            for number, tensor in enumerate(self.pair.results)
        }
        return facts(found) + facts(results)

    def _named(self, op: Operation) -> str:
        """`%1 (line 4), stablehlo.tanh`"""
        return f"{self.pair.names.describe(op.results[0])}, {op.name}" if op.results else op.name

    def _lines(self) -> Iterator[str]:
        count, seconds = len(self.pair.results), f"{self.seconds:.2g} s"
        if self:
            devices = "the device" if self.pair.devices == 1 else f"each of {self.pair.devices} devices"
            yield (
                f"proved: {devices} computes its part of {_results(range(count), count)}, for all inputs, in exact "
                "arithmetic"
            )
            yield f"  {self.related} operations of a device are related to the whole program ({seconds})"
            yield from (f"  assumed: {assumption}" for assumption in self.assumptions)
            return
        if (witness := self.witness) is not None:
            yield f"refuted: {witness}"
            yield f"  {witness.wrong} elements of the tensor are wrong, for the arguments of seed {witness.seed}"
        else:
            tried = "no input that was tried refutes it" if self.was_run else "it was not run"
            yield f"undecided: not shown for {_results(self.unrelated, count)}; {tried} ({seconds})"
        if self.given_up is not None:
            yield f"  given up at {self._named(self.given_up)}: the budget of steps is spent"
        for op, why in self.frontier[:SHOWN]:
            yield f"  not related: {self._named(op)}: {why}"
        if len(self.frontier) > SHOWN:
            yield f"  and {len(self.frontier) - SHOWN} more"
        if not self.frontier and self.given_up is None:
            yield "  each operation is related to the whole program, but results are not the parts that shardings say"


def _results(numbers: Sequence[int], count: int) -> str:
    if len(numbers) == count:
        return "its result" if count == 1 else f"all {count} results"
    return f"result{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


@collection_suspended()
def prove_pair(
    pair: Pair, *, run: bool = True, certify: bool = False, kept: Kept | None = None, budget: int = BUDGET
) -> Verdict:
    """
    The verdict about `pair`.

    What is not proved is run, if `run`, to find an input that refutes it. With `certify`, a proof has a certificate,
    which has been checked. `kept` is filled with the views that values are, as a page shows them. The proof is given
    up after `budget` steps; the check of a certificate is not.
    """
    start = perf_counter()
    decision = decide(pair, kept=kept, budget=budget)
    found = decision.unrelated, decision.frontier, decision.related
    if decision.is_proved:
        certificate = certificate_of(pair, decision) if certify else None
        if certificate is not None and not check(pair, certificate).is_proved:
            raise CertificateError("the certificate of this proof does not prove it: please report this")
        return Verdict(Answer.PROVED, pair, *found, perf_counter() - start, decision.assumptions, None, certificate)
    can_run = run and is_runnable(pair)
    witness = refute(pair) if can_run else None
    answer = Answer.UNDECIDED if witness is None else Answer.REFUTED
    return Verdict(
        answer, pair, *found, perf_counter() - start, decision.assumptions, witness, None, can_run, decision.given_up
    )
