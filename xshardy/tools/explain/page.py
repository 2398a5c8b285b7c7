"""A self-contained HTML page about the shardings of a program: text, paths of axes, parts of tensors."""

import html
import json
import re
from importlib.resources import files

from xshardy.tools.explain.page_data import page_data
from xshardy.tools.output import printable
from xshardy.tools.sharded_program import ShardedProgram

SCRIPTS = ("data.js", "program.js", "mesh.js", "tensor.js", "tables.js", "collectives.js", "search.js", "start.js")
"""The files of the script, in order: they share one scope."""


def page(program: ShardedProgram, title: str) -> str:
    """The page: HTML 5 without external resources."""
    static = files("xshardy.tools.explain") / "static"
    # No text of the program can end the script or begin a comment in it: in JSON, `<` stands in strings only.
    data = json.dumps(page_data(program), separators=(",", ":")).replace("<", "\\u003c")
    parts = {
        "@TITLE@": html.escape(printable(title)),
        "@STYLE@": (static / "page.css").read_text(),
        "@DATA@": data,
        "@SCRIPT@": "".join((static / name).read_text() for name in SCRIPTS),
    }
    frame = (static / "page.html").read_text()
    return re.sub("|".join(parts), lambda match: parts[match[0]], frame)  # in one pass: a title can be `@DATA@`
