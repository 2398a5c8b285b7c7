"""A sample of functions of JAX, partitioned by xshardy and executed by XLA, equals plain JAX."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.processes


def test_programs_equal_plain_jax():
    program = Path(__file__).with_name("programs_on_pjrt.py")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
