"""What a command is doing, on standard error, while it takes long. Nothing if that is no terminal, or without rich."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib.util import find_spec

from xshardy.tools.output import printable


@contextmanager
def stage(what: str) -> Generator[None]:
    """Show `what`, such as `propagating shardings`, with the time so far; it is gone when the context ends."""
    if not sys.stderr.isatty() or find_spec("rich") is None:  # notebooks ask for colours, and cannot erase lines
        yield
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from xshardy.tools.console import console

    terminal = console(stderr=True)
    if not terminal.is_terminal:
        yield  # rich before 14.3 prints an empty line for a display that is disabled
        return
    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    with Progress(*columns, console=terminal, transient=True) as progress:
        progress.add_task(printable(what), total=None)
        yield


@contextmanager
def bar(what: str) -> Generator[Callable[[int, int], None]]:
    """A bar for `what`, such as `kernels`; it is given how many are done, and of how many."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from xshardy.tools.console import console

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console(stderr=True)) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, count: progress.update(task, completed=done, total=count)
