"""
The aliases of locations in a printed text, numbered and placed as MLIR does it.

Which number an alias has is known when all locations are known, so a text first gets marks, which `filled` replaces.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    LocationAttr,
    NameLoc,
    NoneAttr,
)
from xdsl.ir import Attribute

from xshardy.syntax.locations.text import is_location, resolved
from xshardy.syntax.locations.values import FileRangeLoc

_MARK = re.compile("\0([*]?)([0-9]+)\0")
"""A mark: `*` where a location is printed in full, and its index. No text of a module has a zero byte."""


@dataclass(slots=True)
class Entry:
    """A location that has an alias."""

    text: str
    """What is between the parentheses of `loc(...)`, with marks for the locations inside."""
    inner: Sequence[int]
    """The indices of the locations inside."""
    depth: int
    """0 without locations inside, else one more than the deepest of these."""
    is_deferred: bool = True
    """Whether it is defined behind the module: it is not if a block argument refers to it."""


@final
class LocationAliases:
    """
    The locations of one text. MLIR gives each an alias, also those that are inside others.

    `quoted` writes a string literal, `attribute` any other attribute.
    """

    def __init__(self, quoted: Callable[[str], str], attribute: Callable[[Attribute], str]):
        self._quoted = quoted
        self._attribute = attribute
        self._entries: list[Entry] = []
        self._indices: dict[str, int] = {}
        """By the text of an entry."""
        self._known: dict[int, tuple[Attribute, int]] = {}
        """By the identity of a location, which is kept alive here, its index: hashing takes as long as it is deep."""

    def of_operation(self, location: LocationAttr) -> str:
        """`loc(#loc3)`, with a mark, which may be defined behind the module."""
        return f"loc(\0{self._index(location)}\0)"

    def of_argument(self, location: LocationAttr) -> str:
        """The location in full; what is inside is an alias, which is defined before it is used."""
        index = self._index(location)
        self._need_early(index)
        return f"loc(\0*{index}\0)"

    def _need_early(self, index: int) -> None:
        pending = [index]
        while pending:
            entry = self._entries[pending.pop()]
            if entry.is_deferred:
                entry.is_deferred = False
                pending += entry.inner

    def _index(self, location: LocationAttr) -> int:
        """The index of `location`. What is inside gets an index after it, where it had none."""
        if (known := self._known.get(id(location))) is not None:
            return known[1]
        value = resolved(location)
        place = len(self._entries)
        self._entries.append(Entry("", (), 0))  # before those inside
        inner = [self._index(part) for part in _inside(value)]
        text = self._text(value, inner)
        if (index := self._indices.get(text)) is None:
            index = self._indices[text] = place
            depth = 1 + max((self._entries[part].depth for part in inner), default=-1)
            self._entries[place] = Entry(text, inner, depth)
        else:
            del self._entries[place:]  # those inside are known as well
        self._known[id(location)] = location, index
        return index

    def _text(self, location: LocationAttr, inner: Sequence[int]) -> str:
        marks = [f"\0{index}\0" for index in inner]
        match location:
            case FileLineColLoc():
                return f"{self._quoted(location.filename.data)}:{location.line.data}:{location.column.data}"
            case NameLoc():
                return self._quoted(location.desc.data) + "".join(f"({mark})" for mark in marks)
            case CallSiteLoc():
                return f"callsite({marks[0]} at {marks[1]})"
            case FusedLoc():
                has_metadata = not isinstance(location.metadata, NoneAttr)
                metadata = f"<{self._attribute(location.metadata)}>" if has_metadata else ""
                return f"fused{metadata}[{', '.join(marks)}]"
            case _ if isinstance(location, FileRangeLoc):
                end_line = "" if location.end_line == location.line else location.end_line.data
                start = f"{self._quoted(location.filename.data)}:{location.line.data}:{location.column.data}"
                return f"{start} to {end_line}:{location.end_column.data}"
            case _:
                return "unknown"

    def filled(self, text: str) -> tuple[list[tuple[int, str, str]], str, str]:
        """
        The definitions in front of the module, with their depth and stem; the `text` with its marks filled in; and the
        definitions behind it.
        """
        order = sorted(range(len(self._entries)), key=lambda index: self._entries[index].depth)
        names = {index: f"#loc{number or ''}" for number, index in enumerate(order)}

        def fill(match: re.Match[str]) -> str:
            index = int(match[2])
            return _MARK.sub(fill, self._entries[index].text) if match[1] else names[index]

        early: list[tuple[int, str, str]] = []
        deferred: list[str] = []
        for index in order:
            entry = self._entries[index]
            line = f"{names[index]} = loc({_MARK.sub(fill, entry.text)})\n"
            if entry.is_deferred:
                deferred.append(line)
            else:
                early.append((entry.depth, "loc", line))
        return early, _MARK.sub(fill, text), "".join(deferred)


def _inside(location: LocationAttr) -> Sequence[LocationAttr]:
    """The locations inside `location`."""
    match location:
        case NameLoc(location=inner):
            parts: Sequence[Attribute] = (inner,)
        case CallSiteLoc(callee=callee, caller=caller):
            parts = callee, caller
        case FusedLoc(locations=ArrayAttr(data=data)):
            parts = data
        case _:
            return ()
    return [part for part in parts if is_location(part)]
