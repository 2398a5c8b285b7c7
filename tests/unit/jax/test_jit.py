"""`xshardy.jax.jit`, and the example that trains with it."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.processes

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[2] / "examples" / "train_sharded.py"


def run(*command: str | Path) -> str:
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_functions_are_partitioned_and_run():
    run(HERE / "jit_checks.py")


def test_training_in_two_processes_has_the_losses_of_one_device():
    assert run(EXAMPLE, "--processes", "2").count("on one") == 10
