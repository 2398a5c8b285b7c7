"""Self-contained HTML pages: a frame for a body, a style, a script and the data that it shows."""

import html
import json
import re
from collections.abc import Sequence
from importlib.resources import files

from xshardy.tools.output import printable

_FIELD = re.compile("@(?:TITLE|STYLE|BODY|DATA|SCRIPT)@")


def web_page(package: str, title: str, data: object, scripts: Sequence[str]) -> str:
    """
    The page: HTML 5 without external resources.

    The folder `static` of `package` has its style, `page.css`; its body, `page.html`, in which `@TITLE@` stands for the
    title; and its scripts, which share one scope, in order.
    """
    static = files(package) / "static"
    shown_title = html.escape(printable(title))
    parts = {
        "@TITLE@": shown_title,
        "@STYLE@": (static / "page.css").read_text(),
        "@BODY@": (static / "page.html").read_text().replace("@TITLE@", shown_title),
        # No text of the data can end the script or begin a comment in it: in JSON, `<` stands in strings only.
        "@DATA@": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        "@SCRIPT@": "".join((static / name).read_text() for name in scripts),
    }
    frame = (files("xshardy.tools") / "static" / "frame.html").read_text()
    return _FIELD.sub(lambda match: parts[match[0]], frame)  # in one pass: a title can be `@DATA@`
