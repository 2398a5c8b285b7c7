"""Lines and tables of text on standard output, without rich: a terminal breaks what is too long."""

from collections.abc import Sequence

from xshardy.tools.output import has_colours, printable

GAP = "  "
BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


def print_line(text: str) -> None:
    """Print `text`, in which control characters are escaped."""
    print(printable(text))


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> None:
    """A table of one row or more: the first `left` columns are aligned to the left, and the others to the right."""
    cells = [[printable(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        GAP.join(
            cell.ljust(width) if number < left else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]
    if has_colours():
        lines[0] = f"{BOLD}{lines[0]}{PLAIN}"
    print(*lines, sep="\n")
