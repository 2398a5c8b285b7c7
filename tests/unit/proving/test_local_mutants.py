"""Faults in programs of a device: what computes something else is not proved."""

from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from local_mutants import mutate
from proof_pairs import Trial, trial_of
from xdsl.utils.exceptions import InterpretationError, VerifyException

from xshardy.dialects.discardable import verify
from xshardy.syntax import parse_module, print_module

PROGRAMS = {path.stem: path for path in sorted((Path(__file__).parent / "partitioned_programs").glob("*.mlir"))}


@cache
def right(name: str) -> tuple[Trial, str]:
    """A program with its partition, and the text of that."""
    trial = trial_of(PROGRAMS[name].read_text())
    return trial, print_module(trial.pair.local)


def mutant_of(name: str, seed: int) -> tuple[str, Trial] | None:
    """The kind of a random fault, and the program with it; None if it is no program any more."""
    trial, text = right(name)
    module = parse_module(text)
    kind = mutate(module, Random(seed))
    if kind is None:
        return None
    try:
        verify(module)
        mutant = trial.with_local(module)
        mutant.differs((0,))
    except (VerifyException, InterpretationError):
        return None
    return kind, mutant


@pytest.mark.parametrize("name", PROGRAMS)
def test_partitioned_programs_are_proved(name: str):
    trial, _ = right(name)
    assert trial.decision.is_proved
    assert not trial.differs()


@settings(max_examples=60)
@given(st.sampled_from(sorted(PROGRAMS)), st.integers(0, 1 << 32))
def test_no_mutant_that_differs_is_proved(name: str, seed: int):
    if (found := mutant_of(name, seed)) is not None and found[1].decision.is_proved:
        assert not found[1].differs(range(8)), found[0]
