"""
Templates: an operation is copied instead of parsed if an earlier line had the same text except for value names.

The lines of a module repeat: a step of a 32-layer transformer has 5,800 lines, of which 120 are distinct when value
names are masked. Apart from names, the meaning of a line follows from its text: attributes and types are immutable, an
alias is defined once, and the dialects for short operation names are part of the key. The parser reads the first line
of each kind and stores a template (200 us); later lines copy it with their own operands (8 us). Each parser has its
own templates. A line that differs in the type at its end only, as in `stablehlo.add %0, %1 : tensor<4xf32>`, gets its
template from the other line (30 us) if all types of the operation are in that one: `Format.is_typed_last`.

A line becomes a template only under these conditions:
- The operation is the whole line, up to its location, which is not part of the template. The next token, up to the name
  of a value, is part of the key, since the parser may have looked ahead.
- Each value name in the line is a result, or was resolved once and is an operand. None is in a string or a comment,
  belongs to a region, or was used without the type that the text gives it.
- No resource is declared, since the parser renames a resource of a known name. No unregistered operation is allowed,
  since a short name may then denote one.
- The operation has no successors, no regions with their own text or with values from outside, and no extra state.

A line with a name that is undefined, already defined or of another type takes the parser, which has the diagnostics.
"""

import re
from collections.abc import Container, Hashable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeAlias

from xdsl.dialects.builtin import FunctionType, LocationAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.utils.lexer import Position, Span

from xshardy.ir import clone_region, new_operation
from xshardy.ir.fields import operands_of, successors_of
from xshardy.syntax.locations.text import LOCATION

LONGEST_LINE = 4096
"""In characters. Longer lines, mostly literals, rarely repeat and get no template."""

_NAME = re.compile(r"%([0-9]+|[a-zA-Z$._-][a-zA-Z0-9$._-]*)")
"""The name of a value, as the lexer reads it."""

PLAIN_TYPE = re.compile(r"[\w<>?()\-, ]+")
"""The characters of a type without aliases, resources and attributes."""

_FIELDS = frozenset(field.name for field in fields(Operation))
"""What an operation of any class has."""

ResolvedOperand: TypeAlias = tuple[int, int, SSAValue]
"""The position of the name of an operand in the text, its index in a pack, and its value."""


@dataclass(slots=True)
class Line:
    """
    The rest of a line of the text: the `names` of values in it, without `%`, and the text `around` them.

    A location at the end of the line is not part of it.
    """

    start: Position
    end: Position
    around: Sequence[str]
    names: Sequence[str]

    location: re.Match[str] | None = None
    """The location at the end of the line."""

    @classmethod
    def at(cls, text: str, start: Position, *, may_be_located: bool) -> "Line | None":
        """
        The line of `text` from `start` on; None if it is the last one or too long for a template.

        If it `may_be_located`, a location is looked for.
        """
        end = text.find("\n", start, start + LONGEST_LINE)
        if end < 0:
            return None
        location = None
        if may_be_located and (place := text.rfind(" loc(", start, end)) >= 0 and "//" not in text[start:end]:
            location = LOCATION.match(text, place + 1)
            if location is None or location.end() != end:
                return None
            end = place
        parts = _NAME.split(text[start:end])
        return cls(start, end, parts[::2], parts[1::2], location)

    @property
    def behind(self) -> Position:
        """The position behind the line, and behind its location if it has one."""
        return self.end if self.location is None else self.location.end()

    def key(self) -> Hashable:
        """The key of the line's template: the text without names, and which names are equal."""
        names = self.names
        if len(set(names)) == len(names):
            return tuple(self.around)
        return *self.around, tuple(map(names.index, names))

    def head(self) -> tuple[Hashable, Position] | None:
        """The key without the type at the end, and the position of this type; None if none of a PLAIN_TYPE is there."""
        *around, last = self.around
        head, colon, type = last.rpartition(" : ")
        if not colon or "//" in head or PLAIN_TYPE.fullmatch(type) is None:
            return None
        return (*around, head, type[0] == "(", *map(self.names.index, self.names)), self.end - len(type)

    def positions(self) -> list[Position]:
        """The position of each name's `%` in the text."""
        found: list[Position] = []
        position = self.start
        for text, name in zip(self.around, self.names, strict=False):
            position += len(text)
            found.append(position)
            position += 1 + len(name)
        return found


@dataclass(frozen=True, slots=True)
class Template:
    """An operation without its operands, as its line determines it."""

    op_type: type[Operation]
    packs: Sequence[int]
    """The number of results of each of the first names of the line."""
    operands: Sequence[tuple[int, int, Attribute]]
    """For each operand: the number of its name in the line, its index in a pack, its type."""
    result_types: Sequence[Attribute]
    properties: dict[str, Attribute]
    attributes: dict[str, Attribute]
    regions: Sequence[Region]

    @classmethod
    def of(
        cls, op: Operation, line: Line, results: Sequence[tuple[Span, int]], resolved: Sequence[ResolvedOperand]
    ) -> "Template | None":
        """
        The template of an operation that was parsed from `line`; None if it does not meet the conditions.

        `results` has the names of its results, each with its number of results; `resolved` has the operands that the
        parser resolved.
        """
        bound = len(results)
        by_position = sorted(resolved, key=lambda operand: operand[0])
        if line.positions() != [*(span.start for span, _ in results), *(start for start, _, _ in by_position)]:
            return None
        uses = {value: (place, index, value.type) for place, (_, index, value) in enumerate(by_position, start=bound)}
        operands = operands_of(op)
        if (
            successors_of(op)
            or not vars(op).keys() <= _FIELDS
            or uses.keys() != {*operands}
            or not all(_is_closed(region) for region in op.regions)
        ):
            return None
        return cls(
            type(op),
            tuple([size for _, size in results]),
            tuple([uses[operand] for operand in operands]),
            op.results.types,
            dict(op.properties),
            dict(op.attributes),
            tuple([clone_region(region) for region in op.regions]),
        )

    def retyped(self, type: Attribute) -> "Template | None":
        """
        This template for a line with another `type` at its end, which holds all types: see `Format.is_typed_last`.

        None if `type` is that of another number of operands or results.
        """
        operands, results = [type] * len(self.operands), [type] * len(self.result_types)
        if isinstance(type, FunctionType):
            operands, results = type.inputs.data, type.outputs.data
        if len(operands) != len(self.operands) or len(results) != len(self.result_types):
            return None
        typed = ((place, index, type) for (place, index, _), type in zip(self.operands, operands, strict=True))
        return replace(self, operands=tuple(typed), result_types=results)

    def operands_of(
        self, line: Line, values: Mapping[str, Sequence[SSAValue]], awaited: Container[str]
    ) -> Sequence[SSAValue] | None:
        """
        The operands of `line`, looked up in `values`.

        None if an operand is undefined or has another type, or if a result is already defined or is `awaited` by an
        earlier use.
        """
        names = line.names
        for name in names[: len(self.packs)]:
            if name in values or name in awaited:
                return None
        found: list[SSAValue] = []
        for place, index, type in self.operands:
            try:
                value = values[names[place]][index]
            except (KeyError, IndexError):
                return None
            if value.type is not type and value.type != type:
                return None
            found.append(value)
        return found

    def build(self, operands: Sequence[SSAValue], location: LocationAttr) -> Operation:
        """The operation with these operands, at `location`. Attributes and types are immutable, and shared."""
        return new_operation(
            self.op_type,
            operands,
            self.result_types,
            self.properties.copy(),
            self.attributes.copy(),
            location,
            tuple([clone_region(region) for region in self.regions]) if self.regions else (),
        )


def _is_closed(region: Region) -> bool:
    """Whether no operation in `region` uses a value from outside."""
    return all(region.is_ancestor(operand.owner) for op in region.walk() for operand in op.operands)
