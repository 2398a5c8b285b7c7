"""The console for tables: as wide as the terminal; in a file, wide enough that no cell breaks."""

from rich.console import Console

WIDTH_OF_FILES = 140


def console(*, stderr: bool = False) -> Console:
    """A rich console on standard output or standard error."""
    terminal = Console(stderr=stderr)
    return terminal if terminal.is_terminal else Console(stderr=stderr, width=WIDTH_OF_FILES)
