"""Parser and printer for the text of upstream's tools: xshardy prints what `mlir-opt` prints."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation


def print_module(module: "Operation", *, debug_info: bool = False) -> str:
    """`module` (or any operation) as text, with the aliases that it uses; with `debug_info`, also its locations."""
    from xshardy.syntax.printer import Printer

    return Printer(print_debuginfo=debug_info).module_text(module)


def parse_module(text: str, name: str = "<stdin>", ctx: "Context | None" = None) -> "ModuleOp":
    """
    The module in `text`, with the elements of its resources. Diagnostics give `name` as its file.

    Raises `xdsl.utils.exceptions.ParseError`, and what `read_resources` raises. The module is not verified.
    """
    from xshardy.syntax.parser import Parser
    from xshardy.syntax.resources import parse_with_resources
    from xshardy.universe import new_context

    return parse_with_resources(Parser(ctx or new_context(), text, name))
