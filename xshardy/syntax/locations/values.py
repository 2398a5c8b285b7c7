"""
Locations as attributes: xDSL's, and ranges of a file, which xDSL does not have.

The verifiers of xDSL's name, call-site and fused locations know xDSL's own locations only, so what is inside them is
put there without verification.
"""

from typing import cast

from xdsl.dialects.builtin import (
    CallSiteLoc,
    FileLineColLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import BuiltinAttribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.printer import Printer


@irdl_attr_definition
class FileRangeLoc(ParametrizedAttribute, BuiltinAttribute):
    """A range of a file: `loc("f.py":2:26 to 3:4)`, or on one line, `loc("f.py":2:26 to :29)`."""

    name = "xshardy.file_range_loc"
    filename: StringAttr = param_def()
    line: IntAttr = param_def()
    column: IntAttr = param_def()
    end_line: IntAttr = param_def()
    end_column: IntAttr = param_def()

    def print_builtin(self, printer: Printer) -> None:
        with printer.in_location():
            printer.print_string_literal(self.filename.data)
            end_line = "" if self.end_line == self.line else str(self.end_line.data)
            printer.print_string(
                f":{self.line.data}:{self.column.data} to {end_line}:{self.end_column.data}",
            )


def place_in_file(
    file: str, line: int, column: int, end_line: int | None = None, end_column: int | None = None
) -> LocationAttr:
    """A place in `file`, or with `end_column` a range, which ends on `line` if there is no `end_line`."""
    start = StringAttr(file), IntAttr(line), IntAttr(column)
    if end_column is None:
        return FileLineColLoc(*start)
    end = IntAttr(line if end_line is None else end_line), IntAttr(end_column)
    return cast(LocationAttr, FileRangeLoc(*start, *end))


def named(name: str, inner: LocationAttr | None = None) -> LocationAttr:
    """`loc("name"(inner))`; an unknown `inner` is left out, as in MLIR."""
    made = NameLoc.__new__(NameLoc)
    object.__setattr__(made, "desc", StringAttr(name))
    has_inner = inner is not None and not isinstance(inner, UnknownLoc)
    object.__setattr__(made, "location", inner if has_inner else NoneAttr())
    return made


def call_site(callee: LocationAttr, caller: LocationAttr) -> LocationAttr:
    """`loc(callsite(callee at caller))`: `callee`, in a function that is called at `caller`."""
    made = CallSiteLoc.__new__(CallSiteLoc)
    object.__setattr__(made, "callee", callee)
    object.__setattr__(made, "caller", caller)
    return made
