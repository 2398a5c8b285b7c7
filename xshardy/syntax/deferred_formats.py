"""
Assembly formats that are parsed when an operation is first read or printed by them.

xDSL parses the format of an operation when its class is made. Commands import 200 to 500 classes, and read operations
of few. Without that, `xshardy plan --help` takes 0.88 of the instructions, and `xshardy compile --help` 0.83.
"""

from functools import cached_property
from typing import final

from xdsl.irdl import OpDef
from xdsl.irdl.declarative_assembly_format import FormatDirective, FormatProgram

parse_format = FormatProgram.from_str


@final
class DeferredProgram(FormatProgram):
    """The format `input` of `op_def`. Its statements raise `ParseError` if it is invalid."""

    def __init__(self, input: str, op_def: OpDef):
        self._input, self._op_def = input, op_def

    @cached_property
    def stmts(self) -> tuple[FormatDirective, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        return parse_format(self._input, self._op_def).stmts


def defer_formats() -> None:
    """From now on, give the classes of operations deferred formats, in this process. For commands, which own theirs."""
    FormatProgram.from_str = DeferredProgram
