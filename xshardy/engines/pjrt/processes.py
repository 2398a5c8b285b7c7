"""Processes that run together on this machine: if one is lost, the others are ended."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from xshardy.programs.errors import EngineError

LOOPBACK = "127.0.0.1"
POLL_SECONDS = 0.02
SHOWN_LINES = 3
"""How many lines of the standard error of a lost process its diagnostic has."""


def free_port() -> int:
    """A port of the loopback interface that nothing listens on."""
    with socket.socket() as listener:
        listener.bind((LOOPBACK, 0))
        return listener.getsockname()[1]


def run_together(commands: Sequence[Sequence[str]], *, time_out: float | None = None, quiet: bool = True) -> None:
    """
    Run `commands` at the same time, until all have ended; each after `time_out` seconds at most.

    If one fails, the others are killed. With `quiet`, what they write goes into the diagnostic only. Raises
    `ProcessError` for one that fails, and `EngineError` after `time_out`.
    """
    with tempfile.TemporaryDirectory(prefix="xshardy-") as folder:
        errors = [Path(folder) / f"stderr.{index}" for index in range(len(commands))]
        running = [_start(command, errors[index] if quiet else None) for index, command in enumerate(commands)]
        try:
            _wait(running, errors, time_out)
        finally:
            for process in running:
                if process.poll() is None:
                    process.kill()
                process.wait()


class ProcessError(EngineError):
    """One of several processes has failed."""

    def __init__(self, number: int, count: int, status: int, written: str):
        how = f"was ended by {_signal_name(-status)}" if status < 0 else f"ended with status {status}"
        last = [line for line in written.splitlines() if line.strip()][-SHOWN_LINES:]
        what = f"process {number} of {count}" if count > 1 else "the process of the devices"
        super().__init__("\n".join((f"{what} {how}" + (", after it wrote:" if last else ""), *last)))
        self.number = number


def _start(command: Sequence[str], errors: Path | None) -> subprocess.Popen[bytes]:
    if errors is None:
        return subprocess.Popen(command)
    with errors.open("wb") as stream:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, env=_environment())


def _environment() -> Mapping[str, str]:
    """That of this process; xshardy and all else is imported from where this process has it."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "TF_CPP_MIN_LOG_LEVEL": "2"}


def _wait(running: Sequence["subprocess.Popen[bytes]"], errors: Sequence[Path], time_out: float | None) -> None:
    end = None if time_out is None else time.monotonic() + time_out
    while True:
        statuses = [process.poll() for process in running]
        failed = [number for number, status in enumerate(statuses) if status]
        if failed:
            number, status = failed[0], statuses[failed[0]]
            assert status is not None
            written = errors[number].read_text(errors="replace") if errors[number].exists() else ""
            raise ProcessError(number, len(running), status, written)
        if all(status is not None for status in statuses):
            return
        if end is not None and time.monotonic() > end:
            late = [number for number, status in enumerate(statuses) if status is None]
            raise EngineError(
                f"no result after {time_out:g} s: process{'es' * (len(late) > 1)} {', '.join(map(str, late))} of "
                f"{len(running)} still ran; --time-out gives more time"
            )
        time.sleep(POLL_SECONDS)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
