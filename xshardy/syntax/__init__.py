"""The text of upstream's tools, written and read: what `mlir-opt` prints, xshardy prints."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation


def print_module(module: "Operation") -> str:
    """`module` (or any operation) as text, with the aliases it uses in front."""
    from xshardy.syntax.printer import Printer

    return Printer().module_text(module)


def parse_module(text: str, name: str = "<stdin>", ctx: "Context | None" = None) -> "ModuleOp":
    """
    The module in `text`. Diagnostics say that it comes from `name`.

    Raises `xdsl.utils.exceptions.ParseError`. Nothing is verified but what the parser needs.
    """
    from xshardy.syntax.parser import Parser
    from xshardy.universe import new_context

    return Parser(ctx or new_context(), text, name).parse_module()
