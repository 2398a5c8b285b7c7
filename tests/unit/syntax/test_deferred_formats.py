"""Deferred assembly formats against xDSL's: the same statements, and none of them parsed before they are needed."""

import subprocess
import sys

import pytest
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import FormatProgram
from xdsl.utils.exceptions import ParseError

from xshardy.dialects.stablehlo import STABLEHLO
from xshardy.syntax.deferred_formats import DeferredProgram


def test_statements():
    for op in STABLEHLO.operations:
        assert issubclass(op, IRDLOperation)
        definition = op.get_irdl_definition()
        if (format := definition.assembly_format) is not None:
            assert DeferredProgram(format, definition).stmts == FormatProgram.from_str(format, definition).stmts


def test_invalid_format():
    (op, *_) = STABLEHLO.operations
    assert issubclass(op, IRDLOperation)
    program = DeferredProgram("$nothing", op.get_irdl_definition())
    with pytest.raises(ParseError):
        _ = program.stmts


PARSED = """
import sys
from xdsl.irdl import declarative_assembly_format_parser as parser
parse, parsed = parser.FormatParser.parse_format, []
parser.FormatParser.parse_format = lambda self: (parsed.append(self), parse(self))[1]
from xshardy.tools.entry import {0}
try:
    {0}()
finally:
    print(len(parsed), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("command", "arguments", "parsed"),
    [("xshardy", ("plan", "--help"), 0), ("xshardy", ("compile", "--help"), 0), ("xshardy_opt", (), 4)],
)
def test_commands_parse_the_formats_that_they_need(command: str, arguments: tuple[str, ...], parsed: int):
    text = """\
func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %x, %y : tensor<8xf32>
  %1 = func.call @main(%0, %y) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
"""
    run = subprocess.run(
        [sys.executable, "-c", PARSED.format(command), *arguments], input=text, capture_output=True, text=True
    )
    assert int(run.stderr) == parsed
