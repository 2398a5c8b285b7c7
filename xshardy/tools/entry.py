"""
The entry points of the commands: they handle signals before they import what they run, which takes most of a second.
"""

import atexit
import gc
import os
import signal
import sys
from collections.abc import Callable

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


def _run(load: Callable[[], Callable[[], int]]) -> int:
    """The exit status of what `load` imports."""
    handle_signals(exit_at_once)
    atexit.register(gc.freeze)  # the memory goes with the process: Python need not search all of it for cycles first
    _open_closed_streams()
    try:
        os.getcwd()
    except OSError as error:  # Python's imports need it
        print(f"error: the working folder cannot be read: {error.strerror}: change to another one", file=sys.stderr)
        return 1
    from xshardy.affine.spelling import wrong_variable
    from xshardy.programs.garbage import collect_rarely, collection_suspended
    from xshardy.tools.output import run_command

    if complaint := wrong_variable():
        print(f"error: {complaint}", file=sys.stderr)
        return 1

    with collection_suspended():
        main = load()
    collect_rarely()

    def run() -> int:
        handle_signals(raise_interrupted)
        return main()

    try:
        return run_command(run)
    finally:
        handle_signals(signal.SIG_IGN)  # all is written: a signal could only disturb Python's own end


def xshardy() -> int:
    """The command `xshardy`."""

    def load() -> Callable[[], int]:
        from xshardy.tools.cli import chosen, main
        from xshardy.tools.commands import load

        names = chosen(sys.argv[1:])
        if names:
            from xshardy.syntax.deferred_formats import defer_formats  # loads xDSL, which help does not need

            defer_formats()
        for name in names:
            load(name)
        return main

    return _run(load)


def xshardy_opt() -> int:
    """The command `xshardy-opt`."""

    def load() -> Callable[[], int]:
        if sys.argv[1:] == ["--version"]:
            from xshardy.tools.version import print_version

            return print_version
        from xshardy.programs.garbage import collection_suspended
        from xshardy.syntax.deferred_formats import defer_formats

        defer_formats()
        from xshardy.tools.xshardy_opt import main

        return collection_suspended()(main)  # it reads one text, runs passes, and ends

    return _run(load)
