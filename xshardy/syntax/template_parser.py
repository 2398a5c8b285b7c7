"""A parser that copies the operations of lines with a template, and makes templates of other lines: see `templates`."""

import re
from abc import abstractmethod
from collections.abc import Hashable, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import UNKNOWN_LOC
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.parser import UnresolvedOperand
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Position, Span
from xdsl.utils.mlir_lexer import MLIRToken, MLIRTokenKind

from xshardy.ir import fill_block, set_name_hint
from xshardy.syntax.formats import format_of
from xshardy.syntax.lexer import make_span
from xshardy.syntax.locations.reader import LocationParser
from xshardy.syntax.locations.text import as_slot
from xshardy.syntax.templates import Line, ResolvedOperand, Template

_BEFORE_VALUE = re.compile(r"\n *(?=%)")
"""What is between a line and a next one that starts with the name of a value."""

_NAME_IN_LINE = re.compile(r'(?:%[^=]*= *)?("[^"]*"|[\w.$]+)')
"""The results of an operation, and its name, at the start of a line."""

Place: TypeAlias = tuple[Operation, Position, Position | None]
"""An operation with the start and the end of its name; or with the start of its line, and no end."""


class TemplateParser(LocationParser):
    """Parses operations, those of lines that differ only in value names once."""

    places: list[Place]
    """The operations that were read so far."""
    _templates: dict[Hashable, dict[Hashable, Template]] | None
    """The templates by what is around their lines, and by the key of the line; None if none are used."""
    _may_be_located: bool
    """Whether lines may end with a location."""
    _resolved: list[ResolvedOperand]
    """The operands of the operation that is being parsed, in the order in which its parser resolved them."""

    def start_templates(self, *, is_used: bool, may_be_located: bool) -> None:
        """Precondition of all others, for a new text."""
        self.places = []
        self._templates, self._may_be_located, self._resolved = {} if is_used else None, may_be_located, []

    @property
    def spans(self) -> dict[Operation, Span]:
        """The place of the name of each operation that was read so far."""
        spans: dict[Operation, Span] = {}
        input = self.lexer.input
        for op, start, end in self.places:
            if end is None:
                match = _NAME_IN_LINE.match(input.content, start)
                assert match is not None
                start, end = match.span(1)
            spans[op] = make_span(start, end, input)
        return spans

    @abstractmethod
    def _read_operation(self) -> tuple[Operation, Sequence[tuple[Span, int]]]:
        """Parse the next operation; also return the names of its results, each with the number of its results."""

    def _parse_block_body(self, block: Block) -> None:
        operations: list[Operation] = []
        while (op := self.parse_optional_operation()) is not None:
            operations.append(op)
            if self._templates is not None and self._current_token.kind is MLIRTokenKind.PERCENT_IDENT:
                self._copy_lines(operations)
        fill_block(block, operations)

    def _copy_lines(self, operations: list[Operation]) -> None:
        """
        Add the operations of the next lines to `operations`, up to the first line that must be parsed.

        A line that has none behind it that starts with the name of a value is left to `parse_operation`.
        """
        start, text = self.pos, self.lexer.input.content
        assert self._templates is not None
        templates = self._templates.get(("%", *self._parser_state.dialect_stack), {})
        while (line := Line.at(text, start, may_be_located=self._may_be_located)) is not None:
            between = _BEFORE_VALUE.match(text, line.behind)
            template = templates.get(line.key())
            if between is None or template is None or (op := self._copy(template, line)) is None:
                break
            operations.append(op)
            start = between.end()
        if start != self.pos:
            self._resume_from(start)

    def parse_operation(self) -> Operation:
        if self._templates is None:
            return self._read_operation()[0]
        line = Line.at(self.lexer.input.content, self.pos, may_be_located=self._may_be_located)
        if line is None or (behind := self._token_at(line.behind)) is None:
            return self._read_operation()[0]
        follower = "%" if behind.kind is MLIRTokenKind.PERCENT_IDENT else behind.text
        templates = self._templates.setdefault((follower, *self._parser_state.dialect_stack), {})
        key = line.key()
        head = None if (template := templates.get(key)) is not None else line.head()
        alike = None if head is None else templates.get(head[0])
        if head is not None and alike is not None:
            end = behind.span.start if line.location is None else line.end + 1
            template = self._retyped(alike, head[1], end)
        if template is not None and (op := self._copy(template, line)) is not None:
            templates[key] = template
            self.lexer.pos = behind.span.end
            self._parser_state.current_token = behind
            return op
        if alike is not None:
            self._resume_from(line.start)
        around, self._resolved = self._resolved, []
        read, resources = len(self.places), len(self.dialect_resources)
        op, results = self._read_operation()
        is_alone = self.pos == behind.span.start and len(self.places) == read + 1
        may_be_one = is_alone and len(self.dialect_resources) == resources and not self.ctx.allow_unregistered
        if may_be_one and (template := Template.of(op, line, results, self._resolved)) is not None:
            templates[key] = template
            if head is not None and (row := format_of(type(op))) is not None and row.is_typed_last:
                templates[head[0]] = template
        self._resolved = around
        return op

    def _retyped(self, template: Template, start: Position, end: Position) -> Template | None:
        """The template of a line, from one with another type between `start` and `end`. Leaves the parser there."""
        try:
            self._resume_from(start)
            type = self.parse_type()
        except Exception:  # the parser of the whole line has the diagnostic
            return None
        return template.retyped(type) if self.pos == end else None

    def _token_at(self, start: Position) -> MLIRToken | None:
        """The first token after `start`; None if the text is no token. Does not change the state of the parser."""
        position, self.lexer.pos = self.lexer.pos, start
        try:
            return self.lexer.lex()
        except ParseError:
            return None
        finally:
            self.lexer.pos = position

    def _copy(self, template: Template, line: Line) -> Operation | None:
        """The operation in `line`, copied from `template`; None if it must be parsed."""
        values = self.ssa_values
        operands = template.operands_of(line, values, self.forward_ssa_references)
        if operands is None:
            return None
        location = UNKNOWN_LOC
        if line.location is not None:
            if (found := self._located(line.location)) is None:
                return None
            location = as_slot(found)
        op = template.build(operands, location)
        self.places.append((op, line.start, None))
        results, first = tuple(op.results), 0
        for name, size in zip(line.names, template.packs, strict=False):
            values[name] = pack = results[first : first + size]
            first += size
            if not name.isdecimal():
                for result in pack:
                    set_name_hint(result, name)
        return op

    def resolve_operand(self, operand: UnresolvedOperand, type: Attribute) -> SSAValue:
        value = super().resolve_operand(operand, type)
        self._resolved.append((operand.span.start, operand.index, value))
        return value
