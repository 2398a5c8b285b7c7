"""
Commands and programs of the documentation in forks of one process that has imported xshardy.

They get what a process of their own has: folder, environment, standard streams, `sys.argv`, `__main__`. Only the import
of xshardy, numpy and LLVM, more than half of the time of a short command, is not repeated.
"""

import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

CONTEXT = get_context("forkserver")
CONTEXT.set_forkserver_preload(
    [
        "xshardy.tools.entry",
        "xshardy.tools.xshardy_opt",
        *(f"xshardy.tools.commands.{name}" for name in ("compile", "run", "plan")),
        "llvmlite.binding",
    ]
)
COMMANDS = {"xshardy": "xshardy", "xshardy-opt": "xshardy_opt"}
"""The functions of `xshardy.tools.entry` by command."""
STREAMS = ("stdout", "stderr")

Place = tuple[Path, dict[str, str]]
"""A folder, and the environment."""


def run_command(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """`command`, one of `COMMANDS` with its arguments, in `folder`."""
    return _run(_execute_command, command[0], command, folder)


def run_program(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """`python -c program` in `folder`."""
    return _run(_execute_program, program, ["-c"], folder)


def _execute_command(name: str) -> None:
    from xshardy.tools import entry

    sys.exit(getattr(entry, COMMANDS[name])())


def _execute_program(program: str) -> None:
    main = sys.modules["__main__"] = ModuleType("__main__")
    exec(compile(program, "<string>", "exec"), vars(main))


def _run(
    execute: Callable[[str], None], what: str, arguments: Sequence[str], folder: Path
) -> subprocess.CompletedProcess[str]:
    with TemporaryDirectory() as streams:
        process = CONTEXT.Process(
            target=_in_the_fork, args=(execute, what, list(arguments), (folder, dict(os.environ)), Path(streams))
        )
        process.start()
        process.join()
        assert process.exitcode is not None
        texts = [Path(streams, name).read_text() for name in STREAMS]
    return subprocess.CompletedProcess(arguments, process.exitcode, *texts)


def _go_to(place: Place) -> None:
    folder, environment = place
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)


def _in_the_fork(execute: Callable[[str], None], what: str, arguments: list[str], place: Place, streams: Path) -> None:
    for number, name in enumerate(STREAMS, start=1):
        with (streams / name).open("wb") as stream:
            os.dup2(stream.fileno(), number)
    _go_to(place)
    sys.argv = arguments
    execute(what)


class Session:
    """A process in `folder` whose programs see what earlier ones have defined, as the cells of a notebook do."""

    def __init__(self, folder: Path):
        self._ours, theirs = CONTEXT.Pipe()
        self._process = CONTEXT.Process(target=_run_programs, args=(theirs, (folder, dict(os.environ))))

    def __enter__(self) -> "Session":
        self._process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ours.send(None)
        self._process.join()

    def run(self, program: str) -> str:
        """What `program` prints. Raises `RuntimeError` with its traceback if it raises."""
        self._ours.send(program)
        printed, error = self._ours.recv()
        if error:
            raise RuntimeError(error)
        return printed


def _run_programs(programs: Connection, place: Place) -> None:
    _go_to(place)
    sys.path.insert(0, "")
    main = sys.modules["__main__"] = ModuleType("__main__")
    while (program := programs.recv()) is not None:
        out, errors, error = StringIO(), StringIO(), ""
        try:
            with redirect_stdout(out), redirect_stderr(errors):
                exec(compile(program, "<cell>", "exec"), vars(main))
        except BaseException:
            error = traceback.format_exc()
        programs.send((errors.getvalue() + out.getvalue(), error))
