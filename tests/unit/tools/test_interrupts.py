"""Signals end commands with one line, at any moment; `tests/unit/syntax/test_files.py` has those during writing."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from xshardy.tools.interrupts import exit_at_once, handle_signals

REPOSITORY = Path(__file__).parents[3]
FUSION = REPOSITORY / "examples" / "gelu.hlo"
ENDS = [
    pytest.param(signal.SIGINT, 130, "interrupted\n", id="SIGINT"),
    pytest.param(signal.SIGTERM, 143, "terminated\n", id="SIGTERM"),
    pytest.param(signal.SIGHUP, 129, "terminated: its terminal was closed\n", id="SIGHUP"),
]

AS_BY_DEFAULT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background may ignore it
signal.signal(signal.SIGHUP, signal.SIG_DFL)
"""

WHILE_IMPORTING = """
class SignalOnImport:
    def find_spec(self, name, path=None, target=None):
        if name == MODULE:
            try:
                os.kill(os.getpid(), NUMBER)
                for _ in range(1000): pass
            except BaseException:  # as some modules do
                raise ImportError(name)
sys.meta_path.insert(0, SignalOnImport())
"""


def ended(script: str, *arguments: str, cwd: Path) -> tuple[int, str, str]:
    command = [sys.executable, "-c", AS_BY_DEFAULT + script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(("number", "status", "line"), ENDS)
@pytest.mark.parametrize(
    ("command", "module"), [("xshardy", "numpy"), ("xshardy_opt", "xdsl"), ("xshardy_opt", "xshardy.syntax.printer")]
)
def test_a_signal_during_imports(
    command: str, module: str, number: signal.Signals, status: int, line: str, tmp_path: Path
):
    script = f"MODULE, NUMBER = {module!r}, {number:d}\n{WHILE_IMPORTING}"
    script += f"from xshardy.tools.entry import {command}; sys.exit({command}())"
    assert ended(script, *(["run"] if command == "xshardy" else []), "--help", cwd=tmp_path) == (status, "", line)


def test_a_signal_between_two_dumps_leaves_whole_files(tmp_path: Path):
    script = """
import xshardy.syntax.files
write_all, count = xshardy.syntax.files._write_all, 0
def second_ends_early(descriptor, text):
    global count
    count += 1
    write_all(descriptor, text if count == 1 else text[:10])
    if count == 2: os.kill(os.getpid(), signal.SIGTERM)
xshardy.syntax.files._write_all = second_ends_early
from xshardy.tools.entry import xshardy; sys.exit(xshardy())
"""
    arguments = ("compile", str(FUSION), "--dump-dir", str(tmp_path / "dumps"), "-o", str(tmp_path / "gelu.ptx"))
    assert ended(script, *arguments, cwd=tmp_path) == (143, "", "terminated\n")
    assert [path.name for path in tmp_path.iterdir()] == ["dumps"]
    assert [path.name for path in (tmp_path / "dumps").iterdir()] == ["00-1-prepared.mlir"]


@pytest.mark.parametrize("command", ["xshardy", "xshardy_opt"])
def test_a_signal_while_endless_input_is_read(command: str, tmp_path: Path):
    """`/dev/zero` never lets a read of all of it end. The signal comes while the file is read."""
    script = f"""
import threading
import xshardy.tools.output
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGTERM)).start()
limit = threading.Timer(20, os._exit, (99,))
limit.daemon = True  # the end of the command does not wait for it
limit.start()
from xshardy.tools.entry import {command}; sys.exit({command}())
"""
    arguments = ["shard"] * (command == "xshardy") + ["/dev/zero"]
    assert ended(script, *arguments, cwd=tmp_path) == (143, "", "terminated\n")


def test_signals_that_the_caller_ignores_stay_ignored(monkeypatch: pytest.MonkeyPatch):
    handlers = {signal.SIGINT: signal.SIG_DFL, signal.SIGTERM: signal.SIG_DFL, signal.SIGHUP: signal.SIG_IGN}
    monkeypatch.setattr(signal, "getsignal", handlers.get)
    monkeypatch.setattr(signal, "signal", handlers.__setitem__)
    handle_signals(exit_at_once)
    assert handles(handlers) == {"SIGINT": True, "SIGTERM": True, "SIGHUP": False}


def handles(handlers: dict[signal.Signals, object]) -> dict[str, bool]:
    return {number.name: handler is exit_at_once for number, handler in handlers.items()}
