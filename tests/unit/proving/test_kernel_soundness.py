"""Whatever an oracle answers, what the kernel claims as proved is true: partitioned programs and mutants of them."""

import json
from random import Random
from typing import Any

from evil_oracle import Evil
from hypothesis import given, settings
from hypothesis import strategies as st
from test_local_mutants import PROGRAMS, mutant_of, right

from xshardy.proving.certificate import CertificateError, certificate_of, check, digests
from xshardy.proving.prove import decide


@settings(max_examples=90)
@given(
    st.sampled_from(sorted(PROGRAMS)),
    st.none() | st.integers(0, 1 << 32),
    st.integers(0, 1 << 32),
    st.sampled_from([0.5, 0.9, 1.0]),
)
def test_what_is_claimed_with_wrong_answers_is_true(name: str, fault: int | None, answers: int, trust: float):
    trial = right(name)[0] if fault is None else None if (found := mutant_of(name, fault)) is None else found[1]
    if trial is None:
        return
    decision = decide(trial.pair, Evil(Random(answers), trial.pair.devices, trust))
    claimed = set(range(len(trial.pair.results))) - set(decision.unrelated)
    for seed in range(3) if claimed else ():
        assert not claimed & trial.wrong_results(seed)


def test_a_program_is_proved_in_spite_of_wrong_answers():
    trial = right("layers")[0]
    verdicts = [decide(trial.pair, Evil(Random(seed), trial.pair.devices, 1.0)).is_proved for seed in range(10)]
    assert any(verdicts), "wrong answers are refused, and those of the search come after them"


def changed(rows: list[Any], random: Random) -> list[Any]:
    """Rows of a certificate, some of which may be changed, exchanged, doubled or dropped."""
    rows = json.loads(json.dumps(rows))
    for _ in range(random.randrange(4)):
        place = random.randrange(len(rows))
        match random.randrange(5):
            case 0:
                rows[place] = random.choice(rows)
            case 1:
                del rows[place]
            case 2:
                rows.insert(place, random.choice(rows))
            case _:
                rows[place] = _changed_number(rows[place], random)
    return rows


def _changed_number(row: Any, random: Random) -> Any:
    """A number somewhere in a row is another one."""
    if isinstance(row, list) and row:
        place = random.randrange(len(row))
        return [_changed_number(part, random) if number == place else part for number, part in enumerate(row)]
    return random.choice([row, 0, -1, 1, 2, 7, 1 << 70, "term3", None]) if random.random() < 0.5 else row


@settings(max_examples=60)
@given(st.sampled_from(sorted(PROGRAMS)), st.none() | st.integers(0, 1 << 32), st.integers(0, 1 << 32))
def test_a_changed_certificate_shows_nothing_that_is_not_true(name: str, fault: int | None, seed: int):
    """Also one that is given for a mutant of the program that it was made for."""
    trial = right(name)[0] if fault is None else None if (found := mutant_of(name, fault)) is None else found[1]
    if trial is None:
        return
    original = right(name)[0].pair
    certificate = json.loads(certificate_of(original, decide(original)))
    rows = changed(certificate["rows"], Random(seed))
    try:
        decision = check(trial.pair, json.dumps({**certificate, **digests(trial.pair), "rows": rows}))
    except CertificateError:
        return
    claimed = set(range(len(trial.pair.results))) - set(decision.unrelated)
    for inputs in range(3) if claimed else ():
        assert not claimed & trial.wrong_results(inputs)
