"""The console for tables: as wide as the terminal; in a file, wide enough that no cell breaks."""

from typing import Any

from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from rich.text import Text

from xshardy.tools.output import printable

WIDTH_OF_FILES = 140


class DataConsole(Console):
    """A console for strings that are data: no markup, no emoji codes, and control characters are escaped."""

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(printable(text), **options)

    def print(self, *objects: Any, **options: Any) -> None:
        for table in objects:
            for column in table.columns if isinstance(table, Table) else ():
                column.overflow = "fold"  # a narrow terminal shows all of a cell, on several lines
        super().print(*objects, **options)

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # rich would exit with status 1


def console(*, stderr: bool = False) -> Console:
    """A console on standard output or standard error. Styles are given as `rich.text.Text`."""
    terminal = DataConsole(stderr=stderr, markup=False, emoji=False)
    if terminal.is_terminal:
        return terminal
    return DataConsole(stderr=stderr, markup=False, emoji=False, width=WIDTH_OF_FILES)


def summary(value: NDArray[Any]) -> str:
    """The first elements of an array."""
    flat = value.reshape(-1)
    shown = ", ".join(str(element) for element in flat[:4])
    return f"{shown}, ..." if flat.size > 4 else shown or "(empty)"
