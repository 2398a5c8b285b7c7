"""A self-contained HTML page about the shardings of a program: text, paths of axes, parts of tensors."""

from xshardy.planning.plan import Plan
from xshardy.programs.sharded import Sharded
from xshardy.tools.explain.page_data import page_data
from xshardy.tools.web_page import web_page

SCRIPTS = ("data.js", "program.js", "mesh.js", "tensor.js", "tables.js", "collectives.js", "search.js", "start.js")
"""The files of the script, in order: they share one scope."""


def page(sharded: Sharded, title: str, plan: Plan | None = None) -> str:
    """The page: HTML 5 without external resources; with the collectives of `plan`, if it is given."""
    return web_page("xshardy.tools.explain", title, page_data(sharded, plan), SCRIPTS)
