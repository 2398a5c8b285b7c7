"""
The entry points of the commands: they handle signals before they import what they run, which takes most of a second.
"""

import os
import signal
import sys
from functools import partial
from importlib import import_module

from xshardy.tools.interrupts import exit_at_once, handle_signals, raise_interrupted


def _open_closed_streams() -> None:
    """
    Give each standard stream that the caller closed a descriptor of its own, on which reading and writing fail.

    Python has None for such a stream, and the next file that is opened would get its descriptor.
    """
    for descriptor, (name, mode, wrong_way) in enumerate(
        (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
    ):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, wrong_way)
            if null != descriptor:
                os.dup2(null, descriptor)
                os.close(null)
            setattr(sys, name, open(descriptor, mode, closefd=False))  # noqa: SIM115  # open until the end


def _print_version(package: str, line: str) -> int:
    from importlib.metadata import version

    print(line.format(version(package)))
    return 0


def _run(module: str, package: str, version_line: str) -> int:
    """Run `main` of `module`; or, for `--version` alone, print `version_line` with the version of `package`."""
    handle_signals(exit_at_once)
    _open_closed_streams()
    is_about_version = sys.argv[1:] == ["--version"]
    main = partial(_print_version, package, version_line) if is_about_version else import_module(module).main
    from xshardy.tools.output import run_command

    def run() -> int:
        handle_signals(raise_interrupted)
        return main()

    try:
        return run_command(run)
    finally:
        handle_signals(signal.SIG_IGN)  # all is written: a signal could only disturb Python's own end


def xshardy() -> int:
    """The command `xshardy`."""
    return _run("xshardy.tools.cli", "xshardy", "xshardy {}")


def xshardy_opt() -> int:
    """The command `xshardy-opt`."""
    return _run("xshardy.tools.xshardy_opt", "xdsl", "xdsl-opt built from xdsl version {}")
