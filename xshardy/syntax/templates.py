"""
Templates: an operation whose line was read before, names of values aside, is copied instead of read.

A module has many lines, but few different ones: a step of a 32-layer transformer has 5,800 lines and 120 of them are
distinct once the names of values are masked. What a line means, but for its names, is in its text: attributes and
types cannot change, an alias is defined once, and the dialects that a short name of an operation is looked up in are a
part of the key. So the first line of a kind is read by the parser, which leaves a template, and the others take from it
all but their operands. A parser has templates of its own.

A template is made only of a line for which that is certain:
- the operation is the whole line, and the token behind it, up to the name of a value, is a part of the key, for the
  parser may have looked at it;
- each name of a value in the line is a result or was resolved as an operand, once: none is in a string or a comment,
  none belongs to a region, none was used without the type that the text gives it;
- no resource is declared, for one of a known name is renamed, and no unregistered operation is allowed, for a short
  name may then come to stand for one;
- the operation has no successors, no regions with text of their own or with values from outside, and no state but that
  of every operation.

A name that is not defined yet, is defined already or has another type is left to the parser and to its diagnostics.
"""

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects.builtin import LocationAttr, ModuleOp
from xdsl.ir import Attribute, Operation, OpResult, Region, SSAValue
from xdsl.ir.core import SSAValues
from xdsl.utils.lexer import Span

LONGEST_LINE = 4096
"""In characters. Longer lines, most of them literals, are rarely repeated, and no template is made of them."""

_NAME = re.compile(r"%([0-9]+|[a-zA-Z$._-][a-zA-Z0-9$._-]*)")
"""The name of a value, as the lexer reads it."""

_NOTHING = vars(ModuleOp.create())
"""The instance attributes that every operation has, without operands, results, attributes and regions."""

ResolvedOperand: TypeAlias = tuple[int, int, SSAValue]
"""The position of the name of an operand in the text, its index in a pack, and its value."""


@dataclass(slots=True)
class Line:
    """The rest of a line of the text: the `names` of values in it, without `%`, and the text `around` them."""

    start: int
    end: int
    around: Sequence[str]
    names: Sequence[str]

    @classmethod
    def at(cls, text: str, start: int) -> "Line | None":
        """The line of `text` from `start` on; None if it is the last one or too long for a template."""
        end = text.find("\n", start, start + LONGEST_LINE)
        if end < 0:
            return None
        parts = _NAME.split(text[start:end])
        return cls(start, end, parts[::2], parts[1::2])

    def key(self, *surroundings: str) -> Hashable:
        """
        What two lines have in common if one template is for both: all but the names, and which of them are equal.

        The `surroundings` are what the line's meaning depends on apart from the line.
        """
        names = self.names
        if len(set(names)) == len(names):
            return surroundings, *self.around
        return surroundings, *self.around, tuple(map(names.index, names))

    def positions(self) -> list[int]:
        """Where in the text each name begins, at its `%`."""
        found: list[int] = []
        position = self.start
        for text, name in zip(self.around, self.names, strict=False):
            position += len(text)
            found.append(position)
            position += 1 + len(name)
        return found


@dataclass(frozen=True, slots=True)
class Template:
    """All of an operation that its line says, but for the names of values."""

    op_type: type[Operation]
    packs: Sequence[int]
    """How many results each of the first names of the line stands for."""
    uses: Sequence[tuple[int, int, Attribute]]
    """For each further name of the line: which name of the line it is, its index in a pack, its type."""
    operands: Sequence[int]
    """For each operand which of the `uses` it is."""
    name_offset: int
    """Where the name of the operation begins, in characters behind the start of the line, names of results left out."""
    name_length: int
    result_types: Sequence[Attribute]
    properties: Mapping[str, Attribute]
    attributes: Mapping[str, Attribute]
    location: LocationAttr
    regions: Sequence[Region]

    @classmethod
    def of(
        cls,
        op: Operation,
        line: Line,
        name: Span,
        results: Sequence[tuple[int, int]],
        resolved: Sequence[ResolvedOperand],
    ) -> "Template | None":
        """
        What the parser found in `line`: an operation whose name is at `name`.

        `results` are the positions of the names of its results and how many results each stands for; `resolved` are the
        operands it asked for. None if the line says not enough about the operation.
        """
        bound = len(results)
        positions = line.positions()
        by_position = sorted(resolved, key=lambda operand: operand[0])
        if positions != [*(start for start, _ in results), *(start for start, _, _ in by_position)]:
            return None
        place = {id(value): use for use, (_, _, value) in enumerate(by_position)}
        if (
            op.successors
            or vars(op).keys() != _NOTHING.keys()
            or not all(id(operand) in place for operand in op.operands)
        ):
            return None
        if not all(_is_closed(region) for region in op.regions):
            return None
        return cls(
            type(op),
            tuple(size for _, size in results),
            tuple((bound + use, index, value.type) for use, (_, index, value) in enumerate(by_position)),
            tuple(place[id(operand)] for operand in op.operands),
            name.start - line.start - sum(map(len, line.names[:bound])),
            len(name),
            tuple(op.result_types),
            dict(op.properties),
            dict(op.attributes),
            op.location,
            tuple(region.clone() for region in op.regions),
        )

    def name_position(self, line: Line) -> int:
        """Where the name of the operation begins in the text."""
        return line.start + self.name_offset + sum(map(len, line.names[: len(self.packs)]))

    def operands_of(
        self, line: Line, values: Mapping[str, Sequence[SSAValue]], awaited: Mapping[str, object]
    ) -> list[SSAValue] | None:
        """
        The operands that `line` names, among the `values` that are defined.

        None if that takes more than a look: an operand that is not defined or of another type, or a result that has
        been defined or is `awaited` by an earlier use.
        """
        names = line.names
        for name in names[: len(self.packs)]:
            if name in values or name in awaited:
                return None
        found: list[SSAValue] = []
        for place, index, type in self.uses:
            pack = values.get(names[place])
            if pack is None or index >= len(pack):
                return None
            value = pack[index]
            if value.type is not type and value.type != type:
                return None
            found.append(value)
        return [found[use] for use in self.operands]

    def build(self, operands: Sequence[SSAValue]) -> Operation:
        """The operation with these operands. Attributes and types are shared, they cannot change."""
        op = self.op_type.__new__(self.op_type)
        vars(op).update(_NOTHING)
        op.properties = dict(self.properties)
        op.attributes = dict(self.attributes)
        op.location = self.location
        op.operands = operands
        op.results = SSAValues([OpResult(type, op, index) for index, type in enumerate(self.result_types)])
        for region in self.regions:
            op.add_region(region.clone())
        return op


def _is_closed(region: Region) -> bool:
    """No value from outside `region` is used in it."""
    return all(region.is_ancestor(operand.owner) for op in region.walk() for operand in op.operands)
