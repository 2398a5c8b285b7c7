"""
The entry points of the commands: they handle signals before they import what they run, which takes most of a second.
"""

import signal
from importlib import import_module

from xshardy.tools.interrupts import exit_at_once, handle_signals, raise_interrupted


def _run(module: str) -> int:
    handle_signals(exit_at_once)
    main = import_module(module).main
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
    return _run("xshardy.tools.cli")


def xshardy_opt() -> int:
    """The command `xshardy-opt`."""
    return _run("xshardy.tools.xshardy_opt")
