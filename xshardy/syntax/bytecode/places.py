"""
The encodings of locations, which MLIR's builtin dialect has among its attributes.

Source: MLIR, BuiltinDialectBytecode.td; ranges of files as jaxlib writes them.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import cast

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute

from xshardy.rewriting.locations import fused
from xshardy.syntax.bytecode.encoding import ATTRIBUTE, ATTRIBUTES, VARINT, Encoding, attribute_of, constants, listed
from xshardy.syntax.bytecode.errors import BytecodeError
from xshardy.syntax.locations.text import is_location
from xshardy.syntax.locations.values import FileRangeLoc, call_site, named, place_in_file

NAME = attribute_of(StringAttr)

UNKNOWN = 15
"""The code of an unknown location, which has no fields."""


def is_none(attribute: Attribute) -> bool:
    """Whether an attribute that may be missing is."""
    return isinstance(attribute, NoneAttr)


def _located(located: Attribute) -> LocationAttr:
    if not is_location(located):
        raise BytecodeError(f"expected a location, but found '{located}'")
    return located


_number = lru_cache(maxsize=1 << 16)(IntAttr)
"""Lines and columns, of which a module has few."""


def _place(file: StringAttr, line: int, column: int) -> LocationAttr:
    """A place in a file, without xDSL's verification: a module has as many of them as operations."""
    made = FileLineColLoc.__new__(FileLineColLoc)
    object.__setattr__(made, "filename", file)
    object.__setattr__(made, "line", _number(line))
    object.__setattr__(made, "column", _number(column))
    return made


def _range(file: StringAttr, numbers: Sequence[int]) -> LocationAttr:
    line, column, *end = (*numbers, 0, 0)[: max(len(numbers), 2)]
    match end:
        case [] | [_]:
            return place_in_file(file.data, line, column, None, *end)
        case [end_line, end_column]:
            return place_in_file(file.data, line, column, end_line, end_column)
        case _:
            raise BytecodeError(f"a range of a file has {len(numbers)} numbers: expected 4 at most")


def _range_parts(location: FileRangeLoc) -> tuple[StringAttr, Sequence[int]]:
    start, end_column = (location.line.data, location.column.data), location.end_column.data
    is_in_line = location.end_line == location.line
    return location.filename, (*start, end_column) if is_in_line else (*start, location.end_line.data, end_column)


def _called(callee: Attribute, caller: Attribute) -> LocationAttr:
    return call_site(_located(callee), _located(caller))


def _named(name: StringAttr, inner: Attribute) -> LocationAttr:
    return named(name.data, _located(inner))


def _fused(parts: Sequence[Attribute], metadata: Attribute | None = None) -> LocationAttr:
    return fused([_located(part) for part in parts], metadata)


def _fused_parts(location: FusedLoc) -> Sequence[Attribute]:
    return cast(ArrayAttr[Attribute], location.locations).data


LOCATIONS: Sequence[Encoding] = (
    Encoding(10, CallSiteLoc, (ATTRIBUTE, ATTRIBUTE), _called, lambda a: (a.callee, a.caller)),
    Encoding(11, FileLineColLoc, (NAME, VARINT, VARINT), _place, lambda a: (a.filename, a.line.data, a.column.data)),
    Encoding(12, FusedLoc, (ATTRIBUTES,), _fused, lambda a: (_fused_parts(a),) if is_none(a.metadata) else None),
    Encoding(13, FusedLoc, (ATTRIBUTES, ATTRIBUTE), _fused, lambda a: (_fused_parts(a), a.metadata)),
    Encoding(
        14,
        NameLoc,
        (NAME, ATTRIBUTE),
        _named,
        lambda a: (a.desc, UnknownLoc() if is_none(a.location) else a.location),
    ),
    *constants({UNKNOWN: UNKNOWN_LOC}),
    Encoding(22, FileRangeLoc, (NAME, listed(VARINT)), _range, _range_parts),
)
"""The rows of locations."""
