"""Whatever an oracle answers, what the kernel claims as proved is true: partitioned programs and mutants of them."""

from random import Random

from evil_oracle import Evil
from hypothesis import given, settings
from hypothesis import strategies as st
from test_local_mutants import PROGRAMS, mutant_of, right

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
