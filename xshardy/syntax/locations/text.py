"""
Locations that are text until they are asked for.

A program that JAX prints with debug information has about as many locations as operations, and most of them nobody
reads. The forms that MLIR prints with aliases are *flat*: all that is inside them is an alias. One regular expression
checks a flat location, which is then kept as a string. Anything else is parsed at once.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeGuard, cast, final, get_args

from xdsl.dialects.builtin import UNKNOWN_LOC, ArrayAttr, FusedLoc, LocationAttr, NoneAttr, StringAttr
from xdsl.ir import Attribute, BuiltinAttribute, Operation, OpResult, SSAValue
from xdsl.printer import Printer

from xshardy.rewriting.locations import fused
from xshardy.syntax.locations.numbered import NumberedLocation
from xshardy.syntax.locations.values import FileRangeLoc, call_site, named, place_in_file

_STRING = r'"(?:[^"\\\n\v\f]|\\["\\nt])*+"'
_ALIAS = r"\#(?:[0-9]+|[a-zA-Z$._-][a-zA-Z0-9$._-]*)"
_NUMBER = r"[0-9]{1,9}"

FLAT = rf"""(?:
    unknown
  | (?P<file>{_STRING}):(?P<line>{_NUMBER})(?::(?P<column>{_NUMBER})
        (?:\ to\ (?P<end_line>{_NUMBER})?:(?P<end_column>{_NUMBER}))?)?
  | (?P<name>{_STRING})(?:\((?P<inner>{_ALIAS})\))?
  | callsite\((?P<callee>{_ALIAS})\ at\ (?P<caller>{_ALIAS})\)
  | fused(?:<(?P<metadata>{_STRING})>)?\[(?P<parts>{_ALIAS}(?:,\ {_ALIAS})*)\]
  | (?P<alias>{_ALIAS})
)"""
"""A location without others inside it except for aliases: what is between the parentheses of `loc(...)`."""

LOCATION: Final = re.compile(rf"loc\((?P<flat>{FLAT})\)", re.VERBOSE | re.ASCII)
LOCATION_BEHIND: Final = re.compile(rf"\ loc\({FLAT}\)", re.VERBOSE | re.ASCII)
DEFINITION: Final = re.compile(rf"(?P<defined>{_ALIAS})\ =\ loc\((?P<flat>{FLAT})\)", re.VERBOSE | re.ASCII)

_FLAT: Final = re.compile(FLAT, re.VERBOSE | re.ASCII)
_ESCAPE: Final = re.compile(r'\\(["\\nt])')
_ESCAPED: Final[Mapping[str, str]] = {"n": "\n", "t": "\t"}


@final
class TextLocation(BuiltinAttribute):
    """
    A location in a text. `value` is the location itself, one of xDSL's attributes or a `FileRangeLoc`.

    Two are equal if they are the same object: the parser makes one for each alias.
    """

    name = "xshardy.text_location"

    def __init__(self) -> None:
        self._text: str | None = None
        """The flat text of the location until it is read."""
        self._aliases: Mapping[str, TextLocation] = {}
        """What the aliases in `_text` stand for."""
        self._value: LocationAttr | None = None

    def define(self, text: str, aliases: "Mapping[str, TextLocation]") -> None:
        """Let the location be `text`, which is flat, and whose aliases are `aliases`."""
        self._text, self._aliases = text, aliases

    def define_value(self, value: LocationAttr) -> None:
        """Let the location be `value`."""
        self._value = value

    @property
    def value(self) -> LocationAttr:
        """The location. Reads it on the first call, and what it refers to, which may be a chain of any length."""
        pending = [self]
        while pending:
            location = pending[-1]
            if location._value is None:
                inner = [alias for alias in location.referred() if alias._value is None]
                if inner:
                    pending += inner
                    continue
                assert location._text is not None, "the parser reports locations without a definition"
                location._value = _read(location._text, location._aliases)
                location._text, location._aliases = None, {}
            pending.pop()
        assert self._value is not None
        return self._value

    @property
    def is_defined(self) -> bool:
        """Whether the location itself has been defined. What it refers to may be missing."""
        return self._text is not None or self._value is not None

    def referred(self) -> "list[TextLocation]":
        """What the aliases in the text stand for; nothing once the location is read."""
        match = _FLAT.fullmatch(self._text or "")
        return [] if match is None else [self._aliases[alias] for alias in aliases_in(match)]

    def another(self) -> "TextLocation":
        """A location that says the same, read when that is asked for, and is equal to no other."""
        another = TextLocation()
        another.define("#loc", {"#loc": self})
        return another

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __repr__(self) -> str:
        return f"TextLocation({self._text or self._value})"

    def print_builtin(self, printer: Printer) -> None:
        self.value.print_builtin(printer)


_READ_LATER = frozenset[type[Attribute]]({TextLocation, NumberedLocation})
"""What stands for a location in the slots of operations, although it is none of xDSL's: see `as_slot`."""


def location_of(located: Operation | SSAValue) -> LocationAttr:
    """The location of an operation, a block argument, or of the operation of a result."""
    if type(located) is OpResult:
        return resolved(located.op.location)
    return resolved(getattr(located, "location", UNKNOWN_LOC))  # a result that is erased has none


def another_location(location: LocationAttr) -> TextLocation | NumberedLocation:
    """A location that says the same as `location`, read when that is asked for, and equal to no other."""
    if type(location) in _READ_LATER:
        return cast(TextLocation | NumberedLocation, location).another()
    another = TextLocation()
    another.define_value(location)
    return another


def resolved(location: LocationAttr) -> LocationAttr:
    """`location` with what its texts stand for. Rewrites fuse locations that are text."""
    if type(location) in _READ_LATER:
        return cast(TextLocation | NumberedLocation, location).value
    if type(location) is FusedLoc:
        parts = (resolved(cast(LocationAttr, part)) for part in cast(ArrayAttr[Attribute], location.locations))
        return fused(parts, None if isinstance(location.metadata, NoneAttr) else location.metadata)
    return location


LOCATIONS: Final[tuple[type[Attribute], ...]] = (
    *get_args(LocationAttr),
    FileRangeLoc,
    TextLocation,
    NumberedLocation,
)
"""The classes of locations."""


def as_slot(location: TextLocation) -> LocationAttr:
    """`location` as xDSL's slots take it."""
    return cast(LocationAttr, location)


def is_location(attribute: Attribute) -> TypeGuard[LocationAttr]:
    """Whether `attribute` is a location."""
    return type(attribute) in LOCATIONS  # which have no subclasses; `isinstance` of these takes ten times as long


def alias_places(match: re.Match[str]) -> list[tuple[str, int]]:
    """The aliases in a flat location that `LOCATION` or `DEFINITION` matched, each with its place in the text."""
    groups = ("inner", "callee", "caller", "alias")
    alone = [(match[group], match.start(group)) for group in groups if match[group] is not None]
    if match["parts"] is None:
        return alone
    start = match.start("parts")
    return [(part[0], start + part.start()) for part in re.finditer(_ALIAS, match["parts"])]


def aliases_in(match: re.Match[str]) -> list[str]:
    """The aliases in a flat location."""
    return [alias for alias, _ in alias_places(match)]


def in_itself(locations: Iterable[TextLocation]) -> TextLocation | None:
    """The first of `locations` that refers to itself, or to one that does; None if there is none."""
    done: set[TextLocation] = set()
    for first in locations:
        chain: dict[TextLocation, Iterator[TextLocation]] = {first: iter(first.referred())}
        while chain:
            location, rest = next(reversed(chain.items()))
            if (inner := next(rest, None)) is None:
                done.add(location)
                del chain[location]
            elif inner in chain:
                return first
            elif inner not in done:
                chain[inner] = iter(inner.referred())
    return None


def obstacle(location: LocationAttr) -> str | None:
    """Why `location` cannot be read yet, as the end of a sentence; None if it can."""
    if not isinstance(location, TextLocation):  # pyright: ignore[reportUnnecessaryIsInstance]  # see `as_slot`
        return None
    pending, seen = [location], {location}
    while pending:
        inner = pending.pop()
        if not inner.is_defined:
            return "has others inside it that are not defined yet"
        new = [other for other in inner.referred() if other not in seen]
        seen.update(new)
        pending += new
    return None if in_itself([location]) is None else "is defined by itself"


def without_locations(text: str) -> str:
    """
    `text` for a person: without flat locations and definitions of locations. Lines keep their numbers: a definition
    in front of others is an empty line.
    """
    lines = text.split("\n")
    while lines and (not lines[-1] or DEFINITION.match(lines[-1])):
        lines.pop()
    return "".join("\n" if DEFINITION.match(line) else LOCATION_BEHIND.sub("", line) + "\n" for line in lines)


def _read(text: str, aliases: Mapping[str, TextLocation]) -> LocationAttr:
    """The location that is the flat `text`."""
    match = _FLAT.fullmatch(text)
    assert match is not None, "the parser keeps flat text only"
    groups = match.groupdict()
    if (file := groups["file"]) is not None:
        numbers = (groups[group] for group in ("line", "column", "end_line", "end_column"))
        line, column, end_line, end_column = (None if number is None else int(number) for number in numbers)
        assert line is not None
        return place_in_file(_unquoted(file), line, column or 0, end_line, end_column)
    if (name := groups["name"]) is not None:
        return named(_unquoted(name), None if groups["inner"] is None else aliases[groups["inner"]].value)
    if groups["callee"] is not None:
        return call_site(aliases[groups["callee"]].value, aliases[groups["caller"]].value)
    if groups["parts"] is not None:
        metadata = groups["metadata"]
        parts = (aliases[alias].value for alias in groups["parts"].split(", "))
        return fused(parts, None if metadata is None else StringAttr(_unquoted(metadata)))
    if groups["alias"] is not None:
        return aliases[groups["alias"]].value
    return UNKNOWN_LOC


def _unquoted(literal: str) -> str:
    """The contents of a string literal with the escapes of `_STRING`."""
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), literal[1:-1])
