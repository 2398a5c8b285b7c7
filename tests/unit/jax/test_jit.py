"""`xshardy.jax.jit`, and the example that trains with it, in one process and in two."""

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[2] / "examples" / "train_sharded.py"


def run(*command: str | Path) -> str:
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_functions_are_partitioned_and_run():
    run(HERE / "jit_checks.py")


@pytest.mark.parametrize("processes", ["1", "2"])
def test_training_has_the_losses_of_one_device(processes: str):
    assert run(EXAMPLE, "--processes", processes).count("on one") == 10
