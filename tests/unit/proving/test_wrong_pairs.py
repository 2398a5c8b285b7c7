"""Pairs that do not hold, and that are like those that do: none is proved. Each file has both programs, and why."""

from pathlib import Path

import pytest
from proof_pairs import Trial, trial_of

WRONG = sorted((Path(__file__).parent / "wrong_pairs").glob("*.mlir"))


def trial_in(path: Path) -> Trial:
    whole, local = path.read_text().split("// -----")
    return trial_of(whole, local)


@pytest.mark.parametrize("path", WRONG, ids=[path.stem for path in WRONG])
def test_a_wrong_pair_is_not_proved(path: Path):
    trial = trial_in(path)
    assert trial.differs(range(6)), "the pair holds, so that the test says nothing"
    assert not trial.decision.is_proved
