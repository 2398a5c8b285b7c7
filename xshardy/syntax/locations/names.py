"""What a person calls an operation or an argument: `p['emb']`, `model.py:42`."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any, TypeAlias, cast

from xdsl.dialects.builtin import CallSiteLoc, FileLineColLoc, FusedLoc, LocationAttr, NameLoc, NoneAttr
from xdsl.ir import Attribute

from xshardy.syntax.locations.values import FileRangeLoc

Place: TypeAlias = FileLineColLoc | FileRangeLoc
"""A location in a file."""


_INSIDE: Mapping[type[Attribute], Callable[[Any], Iterable[Attribute]]] = {
    CallSiteLoc: lambda location: (location.caller, location.callee),
    FusedLoc: lambda location: reversed(location.locations.data),
    NameLoc: lambda location: (location.location,),
}
"""The locations in one, the last one first."""


def places(location: LocationAttr) -> Iterator[Place]:
    """The places in files that `location` has: of a call, that in the callee before that in the caller."""
    pending: list[Attribute] = [location]
    while pending:
        one = pending.pop()
        kind = type(one)
        if kind is FileLineColLoc or kind is FileRangeLoc:
            yield cast(Place, one)
        elif (inside := _INSIDE.get(kind)) is not None:
            pending += inside(one)


_LIBRARY = re.compile(r"[/\\](?:site|dist)-packages[/\\]|[/\\]lib[/\\]python3[.\d]*[/\\]|^<frozen ")
"""What a path has in it that is of an installed package, or of Python itself."""

_OURS = re.compile(re.escape(str(Path(__file__).parents[2])) + r"[/\\]|.*[/\\]bin[/\\][\w-]+$")
"""The same for this package, which calls functions of JAX, and for a command: they are in tracebacks."""


def is_users_file(name: str) -> bool:
    """Whether a file is one of the user, not of a library, nor of this package."""
    return not _LIBRARY.search(name) and not _OURS.match(name)


def users_place(location: LocationAttr) -> Place | None:
    """The innermost place of `location` that is in a file of the user."""
    return next((place for place in places(location) if is_users_file(place.filename.data)), None)


def innermost_place(location: LocationAttr) -> Place | None:
    """That, or else the innermost place in an installed package."""
    return users_place(location) or next(_callers(location), None)


def _callers(location: LocationAttr) -> Iterator[Place]:
    """The places of `location` without those of this package."""
    return (place for place in places(location) if not _OURS.match(place.filename.data))


def file_and_line(location: LocationAttr) -> str | None:
    """`model.py:42`, the innermost place of `location`, without the folder; None if it has no place."""
    place = innermost_place(location)
    return None if place is None else f"{PurePath(place.filename.data).name}:{place.line.data}"


def given_name(location: LocationAttr) -> str | None:
    """The name of `location` if it is a name and nothing else, which is what JAX gives to arguments: `p['emb']`."""
    if isinstance(location, NameLoc) and isinstance(location.location, NoneAttr):
        return location.desc.data or None
    return None


def operation_name(location: LocationAttr) -> str | None:
    """The outermost name in `location`: JAX's stack of transformations and functions, `jit(f)/dot_general`."""
    return location.desc.data if type(location) is NameLoc else None
