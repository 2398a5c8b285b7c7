"""What a person calls an operation or an argument: `p['emb']`, `model.py:42`."""

from collections.abc import Iterator
from pathlib import PurePath
from typing import TypeAlias, cast

from xdsl.dialects.builtin import ArrayAttr, CallSiteLoc, FileLineColLoc, FusedLoc, LocationAttr, NameLoc, NoneAttr
from xdsl.ir import Attribute

from xshardy.syntax.locations.values import FileRangeLoc

Place: TypeAlias = FileLineColLoc | FileRangeLoc
"""A location in a file."""


def places(location: LocationAttr) -> Iterator[Place]:
    """The places in files that `location` has: of a call, that in the callee before that in the caller."""
    pending: list[Attribute] = [location]
    while pending:
        match pending.pop():
            case FileLineColLoc() | FileRangeLoc() as place:
                yield place
            case NameLoc(location=inner):
                pending.append(inner)
            case CallSiteLoc(callee=callee, caller=caller):
                pending += (caller, callee)
            case FusedLoc(locations=parts):
                pending += reversed(cast(ArrayAttr[Attribute], parts).data)
            case _:
                pass


def file_and_line(location: LocationAttr) -> str | None:
    """`model.py:42`, the innermost place of `location`, without the folder; None if it has no place."""
    place = next(places(location), None)
    return None if place is None else f"{PurePath(place.filename.data).name}:{place.line.data}"


def given_name(location: LocationAttr) -> str | None:
    """The name of `location` if it is a name and nothing else, which is what JAX gives to arguments: `p['emb']`."""
    if isinstance(location, NameLoc) and isinstance(location.location, NoneAttr):
        return location.desc.data or None
    return None


def operation_name(location: LocationAttr) -> str | None:
    """The outermost name in `location`: JAX's stack of transformations and functions, `jit(f)/dot_general`."""
    return location.desc.data if isinstance(location, NameLoc) else None
