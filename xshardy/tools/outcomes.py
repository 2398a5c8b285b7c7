"""How a command ends with some text in place of its file: run many times, as `xshardy reduce` does."""

import multiprocessing
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from importlib import import_module
from io import StringIO
from pathlib import Path

from xshardy.programs.errors import InputError

OWN: Mapping[str, str] = {"xshardy": "xshardy.tools.cli", "xshardy-opt": "xshardy.tools.xshardy_opt"}
"""The modules of our commands, whose `main` runs in forks: to start Python and load xshardy takes most of the time."""

_PARTICULAR = re.compile(r"""(["'`])[^"'`]*\1|[%@!#]?[\w.$-]*\d[\w.$-]*""")
"""What a message has of one program: quoted text, and words with digits."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended."""

    status: int | None
    """The exit status, negative for a signal; None if it was ended after the time-out."""
    printed: str = ""

    @property
    def error(self) -> str:
        """The first error that it printed, or else its last line, without what is particular to one program."""
        lines = [line for line in self.printed.splitlines() if line.strip()]
        found = next((line.partition("error:")[2] for line in lines if "error:" in line), lines[-1] if lines else "")
        return _PARTICULAR.sub("_", found)


class CommandRuns:
    """Runs of `command`, each with a text in a file of `folder` in place of `file`, else on standard input."""

    def __init__(self, command: Sequence[str], file: str, folder: Path, time_out: float):
        """`time_out` is in seconds, for each run."""
        self._file, self._printed = folder / Path(file).name, folder / "printed"
        self._words = [str(self._file) if Path(word) == Path(file) else word for word in command]
        self._time_out = time_out
        name = Path(command[0]).name
        forks = name in OWN and not any(word.startswith("--on") for word in command)  # no GPU or JAX works in a fork
        self._main: Callable[[Sequence[str]], int] | None = import_module(OWN[name]).main if forks else None

    def outcome(self, text: str) -> Outcome:
        """How the command ends with `text`. Raises `InputError` if there is no such command."""
        self._file.write_text(text)
        return self._run_program() if self._main is None else self._run_fork(self._main)

    def warm_up(self) -> None:
        """Load what the command of ours loads, so that its forks need not. Precondition: a run of it has ended."""
        if self._main is not None and str(self._file) in self._words:
            with redirect_stdout(StringIO()), redirect_stderr(StringIO()), suppress(SystemExit):
                self._main(self._words[1:])

    def _run_program(self) -> Outcome:
        with self._printed.open("w") as printed, self._file.open() as text:
            try:
                done = subprocess.run(
                    self._words, stdin=text, stdout=printed, stderr=printed, timeout=self._time_out, check=False
                )
            except subprocess.TimeoutExpired:
                return Outcome(None)
            except OSError as error:
                raise InputError(f"error: {self._words[0]}: {error.strerror}") from None
        return Outcome(done.returncode, self._printed.read_text(errors="replace"))

    def _run_fork(self, main: Callable[[Sequence[str]], int]) -> Outcome:
        fork = multiprocessing.get_context("fork").Process(target=self._in_the_fork, args=(main,))
        fork.start()
        fork.join(self._time_out)
        if fork.is_alive():
            fork.kill()
            fork.join()
            return Outcome(None)
        return Outcome(fork.exitcode, self._printed.read_text(errors="replace"))

    def _in_the_fork(self, main: Callable[[Sequence[str]], int]) -> None:
        with self._printed.open("wb") as printed, self._file.open("rb") as text:
            for stream, descriptor in ((text, 0), (printed, 1), (printed, 2)):
                os.dup2(stream.fileno(), descriptor)
        sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115  # until the end
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
        sys.exit(main(self._words[1:]))
