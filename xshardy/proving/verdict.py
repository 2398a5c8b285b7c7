"""The answer about a pair of programs: proved, refuted or undecided."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from time import perf_counter

from xdsl.ir import Operation

from xshardy.programs.garbage import collection_suspended
from xshardy.proving.certificate import CertificateError, certificate_of, check
from xshardy.proving.pair import Pair
from xshardy.proving.prove import decide
from xshardy.proving.refutation import Witness, is_runnable, refute


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
    witness: Witness | None = None
    """Of a refutation."""
    certificate: str | None = field(default=None)
    """Of a proof: JSON, which `check_certificate` reads."""
    was_run: bool = False
    """Whether inputs were tried."""

    def __bool__(self) -> bool:
        """Whether it is proved."""
        return self.answer is Answer.PROVED

    def __repr__(self) -> str:
        results = len(self.pair.results)
        shown = (
            f"<{self.answer.value}: {results - len(self.unrelated)} of {results} results on {self.pair.devices} devices"
        )
        return shown + (f"; {self.witness}>" if self.witness is not None else ">")


@collection_suspended()
def prove_pair(pair: Pair, *, run: bool = True, certify: bool = False) -> Verdict:
    """
    The verdict about `pair`.

    What is not proved is run, if `run`, to find an input that refutes it. With `certify`, a proof has a certificate,
    which has been checked.
    """
    start = perf_counter()
    decision = decide(pair)
    found = decision.unrelated, decision.frontier, decision.related
    if decision.is_proved:
        certificate = certificate_of(pair, decision) if certify else None
        if certificate is not None and not check(pair, certificate).is_proved:
            raise CertificateError("the certificate of this proof does not prove it: please report this")
        return Verdict(Answer.PROVED, pair, *found, perf_counter() - start, None, certificate)
    can_run = run and is_runnable(pair)
    witness = refute(pair) if can_run else None
    answer = Answer.UNDECIDED if witness is None else Answer.REFUTED
    return Verdict(answer, pair, *found, perf_counter() - start, witness, None, can_run)
