"""Reads locations, and the aliases that stand for them, which a text may use before it defines them."""

import re
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import UNKNOWN_LOC, LocationAttr
from xdsl.ir import Attribute
from xdsl.parser import Parser as XDSLParser
from xdsl.utils.lexer import Position, Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from xshardy.rewriting.locations import fused
from xshardy.syntax.dense_literals import DenseLiteralParser
from xshardy.syntax.lexer import make_span
from xshardy.syntax.locations.text import (
    DEFINITION,
    LOCATION,
    TextLocation,
    alias_places,
    as_slot,
    in_itself,
    is_location,
    obstacle,
    resolved,
)
from xshardy.syntax.locations.values import call_site, named, place_in_file

MOST = (1 << 32) - 1
"""The largest number of a line or column."""


@dataclass(frozen=True, slots=True)
class FirstUse:
    """The first use of an alias that is not defined yet, and whether it is inside another location."""

    start: Position
    is_inside: bool


class LocationParser(DenseLiteralParser):
    """Parses locations: flat ones by one regular expression, others token by token."""

    _locations: dict[str, TextLocation]
    """The locations in the text that stand alone, by the alias, such as `#loc3`, or by the text in parentheses."""
    _first_uses: dict[str, FirstUse]
    """The aliases that are used and not defined yet."""
    _waiting: dict[TextLocation, Span]
    """The locations with aliases inside that were not defined when they were read, each with the first of these."""
    _may_await: bool
    """Whether a location may be an alias that is defined later: not in a definition."""

    def start_locations(self) -> None:
        """Precondition of all others, for a new text."""
        self._locations, self._first_uses, self._waiting, self._may_await = {}, {}, {}, True

    # Definitions

    def _parse_alias_def(self) -> None:
        start = self.pos
        match = DEFINITION.match(self.lexer.input.content, start)
        is_new = match is not None and match["defined"] not in self.attribute_aliases
        if match is not None and is_new and self._may_stand_inside(match):
            unknown = self._await_inside(match)
            self._keep(self._define(match["defined"]), match["flat"], unknown)
            self._resume_from(match.end())
            return
        name = self._current_token.text
        if name in self.attribute_aliases:
            kind = "type" if name.startswith("!") else "attribute"
            self.raise_error(f"redefinition of {kind} alias id '{name[1:]}'")
        is_awaited = name in self._first_uses
        self._may_await = False
        super()._parse_alias_def()
        self._may_await = True
        value = self.attribute_aliases[name]
        if is_location(value):
            self._define(name).define_value(resolved(value))
        elif is_awaited:
            self.raise_error(f"expected location, but found '{value}'", self._span_of_use(name))

    def _define(self, alias: str) -> TextLocation:
        """What `alias` stands for, of which this is the definition."""
        location = self._locations.get(alias)
        if location is None:
            location = self._locations[alias] = TextLocation()
        self.attribute_aliases[alias] = location
        self._first_uses.pop(alias, None)
        return location

    def _may_stand_inside(self, match: re.Match[str]) -> bool:
        """Whether each alias in a flat location is that of a location, or not defined yet."""
        return all(
            alias in self._locations or (alias not in self.attribute_aliases and "." not in alias)
            for alias, _ in alias_places(match)
        )

    def _await_inside(self, match: re.Match[str]) -> Span | None:
        """Await the definitions of aliases in a flat location. Returns the first of these, if there is one."""
        first: Span | None = None
        for alias, start in alias_places(match):
            if alias in self.attribute_aliases:
                continue
            first = first or self._span(alias, start)
            if alias not in self._first_uses:
                self._first_uses[alias] = FirstUse(start, is_inside=True)
                self._locations[alias] = TextLocation()
        return first

    def _keep(self, location: TextLocation, text: str, unknown: Span | None) -> None:
        """Let `location` be the flat `text`; `unknown` is the first alias in it that is not defined yet."""
        location.define(text, self._locations)
        if unknown is not None:
            self._waiting[location] = unknown

    def check_locations(self) -> None:
        """Raise an error unless the text, which ends here, has defined all aliases of locations, and none by itself."""
        for alias, use in self._first_uses.items():
            missing = f"undefined symbol alias id '{alias[1:]}'"
            self.raise_error(
                missing if use.is_inside else "operation location alias was never defined", self._span_of_use(alias)
            )
        if (location := in_itself(self._waiting)) is not None:
            self.raise_error("a location is defined by itself", self._waiting[location])

    def _span_of_use(self, alias: str) -> Span:
        return self._span(alias, self._first_uses[alias].start)

    def _span(self, text: str, start: Position) -> Span:
        return make_span(start, start + len(text), self.lexer.input)

    # Uses

    def parse_optional_location(self) -> LocationAttr | None:
        if self._current_token.text != "loc" or self._current_token.kind is not MLIRTokenKind.BARE_IDENT:
            return None
        match = LOCATION.match(self.lexer.input.content, self.pos)
        if match is not None and (location := self._located(match)) is not None:
            self._resume_from(match.end())
            return as_slot(location)
        self._parse_token(MLIRTokenKind.BARE_IDENT, "expected 'loc'")
        self.parse_punctuation("(", " in location")
        location = self._read_alias() or self._read_location()
        self.parse_punctuation(")", " in location")
        return location

    def _located(self, match: re.Match[str]) -> TextLocation | None:
        """The location that `LOCATION` matched; None if it must be parsed, for its diagnostics."""
        text = match["flat"]
        if (known := self._locations.get(text)) is not None:
            return known
        if match["alias"] is not None:
            return self._awaited(text, match.start("flat"))
        if not self._may_stand_inside(match):
            return None
        unknown = self._await_inside(match)
        location = self._locations[text] = TextLocation()
        self._keep(location, text, unknown)
        return location

    def _awaited(self, alias: str, start: Position) -> TextLocation | None:
        """What `alias`, used at `start`, will stand for; None if it is defined as something else, or must be."""
        if alias in self.attribute_aliases or not self._may_await:
            return None
        self._first_uses[alias] = FirstUse(start, is_inside=False)
        location = self._locations[alias] = TextLocation()
        return location

    def _read_alias(self) -> LocationAttr | None:
        """An alias that is the whole location of an operation, and may be defined later."""
        token = self._current_token
        if token.kind is not MLIRTokenKind.HASH_IDENT or "." in token.text:
            return None
        location = self._locations.get(token.text) or self._awaited(token.text, token.span.start)
        if location is None:
            return None
        self._consume_token(MLIRTokenKind.HASH_IDENT)
        return as_slot(location)

    def _read_location(self) -> LocationAttr:
        """What is between the parentheses of `loc(...)`; aliases inside of it are defined before."""
        start = self._current_token.span
        match self._current_token.kind:
            case MLIRTokenKind.HASH_IDENT:
                if "." not in start.text and start.text not in self.attribute_aliases:
                    self.raise_error(f"undefined symbol alias '{start.text}'")
                attribute = self.parse_attribute()
                if not is_location(attribute):
                    self.raise_error(f"expected location, but found '{attribute}'", start)
                if (problem := obstacle(attribute)) is not None:
                    self.raise_error(f"location '{start.text}' {problem}", start)
                return resolved(attribute)
            case MLIRTokenKind.STRING_LIT | MLIRTokenKind.BYTES_LIT:
                return self._read_name_or_place()
            case MLIRTokenKind.BARE_IDENT if start.text in ("unknown", "callsite", "fused", "loc"):
                self._consume_token(MLIRTokenKind.BARE_IDENT)
            case _:
                self.raise_error("expected location instance")
        match start.text:
            case "unknown":
                return UNKNOWN_LOC
            case "callsite":
                self.parse_punctuation("(", " in callsite location")
                callee = self._read_location()
                if self.parse_optional_keyword("at") is None:
                    self.raise_error("expected 'at' in callsite location")
                caller = self._read_location()
                self.parse_punctuation(")", " in callsite location")
                return call_site(callee, caller)
            case "fused":
                metadata: Attribute | None = None
                if self.parse_optional_punctuation("<"):
                    metadata = self.parse_attribute()
                    self.parse_punctuation(">", " after fused location metadata")
                parts = self.parse_comma_separated_list(
                    self.Delimiter.SQUARE, self._read_location, " in fused location"
                )
                return fused(parts, metadata)
            case _:  # `loc(...)` inside a location, which xDSL prints
                self.parse_punctuation("(", " in location")
                location = self._read_location()
                self.parse_punctuation(")", " in location")
                return location

    def _read_name_or_place(self) -> LocationAttr:
        """`"name"`, `"name"(inner)`, `"file":line:column`, or a range of a file."""
        text = self._read_text()
        if self.parse_optional_punctuation("(") is not None:
            inner = self._read_location()
            self.parse_punctuation(")", " after child location of NameLoc")
            return named(text, inner)
        if self.parse_optional_punctuation(":") is None:
            return named(text)
        line = self._read_number("expected integer line number in FileLineColRange")
        if self.parse_optional_punctuation(":") is None:
            return place_in_file(text, line, 0)
        column = self._read_number("expected integer column number in FileLineColRange")
        if self.parse_optional_keyword("to") is None:
            return place_in_file(text, line, column)
        end_line: int | None = None
        if self._current_token.kind is not MLIRTokenKind.COLON:
            end_line = self._read_number("expected either integer or `:` post `to` in FileLineColRange")
        self.parse_punctuation(":", " between line and column in FileLineColRange")
        return place_in_file(
            text, line, column, end_line, self._read_number("expected integer column number in FileLineColRange")
        )

    def _read_text(self) -> str:
        span = self._current_token.span
        if (data := self.parse_optional_bytes_literal()) is None:
            return self.expect(self.parse_optional_str_literal, "expected a string in location")
        try:
            return data.decode()
        except UnicodeDecodeError:
            self.raise_error("expected a name in UTF-8", span)

    def _read_number(self, complaint: str) -> int:
        span = self._current_token.span
        if self._current_token.kind is not MLIRTokenKind.INTEGER_LIT or not span.text.isdecimal():
            self.raise_error(complaint)
        if len(span.text) > len(str(MOST)) or (number := int(span.text)) > MOST:
            self.raise_error(complaint, span)
        self._consume_token(MLIRTokenKind.INTEGER_LIT)
        return number

    def _parse_location(self) -> LocationAttr:
        """xDSL's name for `_read_location`."""
        return self._read_location()

    def parse_argument(self, *, expect_type: bool = True) -> Any:
        """As xDSL's; also a location after the type, as MLIR's parser of arguments takes it."""
        argument = super().parse_argument(expect_type=expect_type)
        location = self.parse_optional_location()
        if location is not None and isinstance(argument, XDSLParser.Argument):
            argument.location = location
        return argument
