"""Progress is shown on a terminal, and leaves nothing anywhere else."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from xshardy.tools.progress import stage

EXAMPLE = Path(__file__).parents[3] / "examples" / "mlp.mlir"


def test_a_terminal_shows_the_stages():
    main, terminal = pty.openpty()
    command = [sys.executable, "-m", "xshardy.tools.cli", "shard", str(EXAMPLE)]
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=terminal,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "200"},
        check=True,
    )
    os.close(terminal)
    shown = os.read(main, 1 << 16).decode()
    os.close(main)
    assert f"reading {EXAMPLE}" in shown and f"propagating the shardings of {EXAMPLE}" in shown
    assert b"propagating" not in done.stdout


def test_a_file_gets_nothing(capsys: pytest.CaptureFixture[str]):
    with stage("anything"):
        pass
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""
