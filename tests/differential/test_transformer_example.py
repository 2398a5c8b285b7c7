"""The training step of the examples, lowered by JAX, goes through the commands of `xshardy`."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.processes

EXAMPLE = f"{Path(__file__).parents[2] / 'examples' / 'transformer.py'}:step"


def run(*arguments: str) -> list[str]:
    """In a process of its own: the example asks JAX for 8 devices, which is too late where JAX runs already."""
    done = subprocess.run(
        [Path(sys.executable).parent / "xshardy", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_no_tensor_of_a_training_step_stays_replicated():
    *_, arguments, others = run("shard", EXAMPLE)
    for line in (arguments, others):
        assert re.search(r"; 0 of \d+ are replicated, 0 B$", line)


def test_gradients_are_sharded_as_their_weights():
    lines = run("explain", EXAMPLE, "--result", "0")
    assert lines[0] == """result 0 (result['embedding']) of @main: [{?}, {"model", ?}]"""
    assert '[{}, {"model"}], written in the text' in lines[3]
