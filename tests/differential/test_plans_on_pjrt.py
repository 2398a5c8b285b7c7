"""Counts and bytes of the collectives of plans are those of what XLA compiles. A sample: see `plans_on_pjrt.py`."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[2]
INPUTS = (
    ROOT / "tests/filecheck/tools/plan.mlir",
    ROOT / "tests/filecheck/tools/Inputs/plan_same_batch.mlir",
    ROOT / "examples/mlp.mlir",
)


def test_plans_have_the_collectives_of_xla():
    script = Path(__file__).with_name("plans_on_pjrt.py")
    command = [sys.executable, script, *INPUTS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert "3 of 3 have XLA's collectives; 0 were refused" in done.stdout, done.stdout + done.stderr[-3000:]
