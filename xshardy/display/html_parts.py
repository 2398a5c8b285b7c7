# Pygments comes without types.
# pyright: reportUnknownVariableType=false
"""Parts of what objects show in notebooks: tables of facts, folded texts, and MLIR in colours."""

from collections.abc import Mapping
from html import escape

CELL = "text-align: left; padding: 2px 10px 2px 0; vertical-align: top;"


def facts(rows: Mapping[str, object]) -> str:
    """A table with a row for each fact: what it is, and its text."""
    cells = (
        f'<tr><th style="{CELL} font-weight: normal; opacity: .7">{escape(name)}</th>'
        f'<td style="{CELL}">{escape(str(value))}</td></tr>'
        for name, value in rows.items()
    )
    return f"<table>{''.join(cells)}</table>"


def folded(title: str, html: str) -> str:
    """`html` behind a line that opens it."""
    return f"<details><summary>{escape(title)}</summary>{html}</details>"


def coloured(text: str, language: str) -> str:
    """A program in the colours of Pygments, whose name of the language is `language`; as it is if that is unknown."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return f"<pre>{escape(text)}</pre>"
    # A style that is readable on light and on dark, without a background of its own.
    return highlight(text, lexer, HtmlFormatter(noclasses=True, nobackground=True, style="friendly"))


def shown(text: str, language: str, title: str, most: int = 40) -> str:
    """A program in colours, folded under `title` if it has more than `most` lines."""
    lines = text.count("\n")
    html = coloured(text, language)
    return html if lines <= most else folded(f"{title}, {lines} lines", html)
