"""Signals that end a command: Ctrl-C, SIGTERM and the end of its terminal. Each is one line and an exit status."""

import os
import signal
from collections.abc import Callable, Mapping
from types import FrameType

LINES: Mapping[int, str] = {
    signal.SIGINT: "interrupted",
    signal.SIGTERM: "terminated",
    signal.SIGHUP: "terminated: its terminal was closed",
}
"""For each of the signals what the command says on standard error."""


class Interrupted(KeyboardInterrupt):
    """The command was sent the signal `number`. What it was doing cleans up after itself, as after a Ctrl-C."""

    def __init__(self, number: int = signal.SIGINT):
        super().__init__(LINES[number])
        self.number = number


def status_of(interrupt: KeyboardInterrupt) -> int:
    """The exit status of a command that `interrupt` ends, as a shell reports it."""
    return 128 + (interrupt.number if isinstance(interrupt, Interrupted) else signal.SIGINT)


def line_of(interrupt: KeyboardInterrupt) -> str:
    """The line that the command prints."""
    return LINES[interrupt.number if isinstance(interrupt, Interrupted) else signal.SIGINT]


def raise_interrupted(number: int, frame: FrameType | None) -> None:
    """While a command runs: raise `Interrupted` where it is."""
    raise Interrupted(number)


def exit_at_once(number: int, frame: FrameType | None) -> None:
    """
    While modules are imported: print the line and exit.

    An exception could be lost there, since modules catch what their imports raise. There is nothing to clean up.
    """
    os.write(2, f"{LINES[number]}\n".encode())
    os._exit(128 + number)


def handle_signals(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    """Handle the signals with `handler`, except those that the caller ignores, as `nohup` and `&` do."""
    for number in LINES:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)
