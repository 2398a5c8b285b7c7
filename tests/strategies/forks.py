"""
Commands and programs of the documentation in forks of one process that has imported xshardy.

They get what a process of their own has: a folder, standard streams, `sys.argv`, `__main__`. Only the import of
xshardy, numpy and LLVM, more than half of the time of a short command, is not repeated.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from multiprocessing import get_context
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
        process = CONTEXT.Process(target=_in_the_fork, args=(execute, what, list(arguments), folder, Path(streams)))
        process.start()
        process.join()
        assert process.exitcode is not None
        texts = [Path(streams, name).read_text() for name in STREAMS]
    return subprocess.CompletedProcess(arguments, process.exitcode, *texts)


def _in_the_fork(execute: Callable[[str], None], what: str, arguments: list[str], folder: Path, streams: Path) -> None:
    for number, name in enumerate(STREAMS, start=1):
        with (streams / name).open("wb") as stream:
            os.dup2(stream.fileno(), number)
    os.chdir(folder)
    sys.argv = arguments
    execute(what)
