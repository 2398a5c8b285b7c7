"""What we print, we read, and print the same, in both forms."""

from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects.discardable import verify
from xshardy.syntax.parser import Parser
from xshardy.syntax.printer import Printer
from xshardy.universe import new_context


class Tool:
    """Reads and prints as a run of `xshardy-opt --allow-unregistered-dialect` does, and a module in both forms."""

    def __init__(self) -> None:
        self.ctx = new_context()
        self.ctx.allow_unregistered = True

    def read(self, text: str) -> ModuleOp:
        """The module in `text`. Raises `ParseError` and `VerifyException`."""
        module = Parser(self.ctx, text).parse_module()
        verify(module)
        return module

    def printed(self, module: ModuleOp, generic: bool = False) -> str:
        return Printer(print_generic_format=generic).module_text(module, self.ctx.loaded_dialects)


def check(tool: Tool, module: ModuleOp) -> None:
    """A module that `tool` has read."""
    printed = tool.printed(module)
    tool = Tool()
    module = tool.read(printed)
    assert tool.printed(module) == printed
    generic = tool.printed(module, generic=True)
    tool = Tool()
    assert tool.printed(tool.read(generic)) == printed
