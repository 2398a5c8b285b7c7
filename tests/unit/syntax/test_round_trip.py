"""What we print, we read, and print the same: over every input of the FileCheck tests, in both forms."""

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import ParseError, VerifyException

from xshardy.dialects.discardable import verify
from xshardy.syntax.parser import Parser
from xshardy.syntax.printer import Printer
from xshardy.tools.input_chunks import SEPARATOR
from xshardy.universe import new_context

FILECHECK = Path(__file__).parents[2] / "filecheck"
PER_PROCESS = "resources.mlir"
"""xDSL keeps resources for the whole process, and renames one of a name that was read before."""
INPUTS = sorted(path for path in FILECHECK.rglob("*.mlir") if path.name != PER_PROCESS)


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


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: str(path.relative_to(FILECHECK)))
def test_printing_is_a_fixed_point(path: Path):
    for chunk in path.read_text().split(SEPARATOR):
        tool = Tool()
        try:
            module = tool.read(chunk)
        except (ParseError, VerifyException):
            continue  # an input that must be rejected
        printed = tool.printed(module)
        tool = Tool()
        module = tool.read(printed)
        assert tool.printed(module) == printed
        generic = tool.printed(module, generic=True)
        tool = Tool()
        assert tool.printed(tool.read(generic)) == printed
