"""Errors in the form of upstream's tools: `file:line:column: error: what`, the source line, and a caret."""

import re
from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.irdl.operations import VariadicDef
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import DiagnosticException, MultipleSpansParseError, ParseError, VerifyException
from xdsl.utils.lexer import Span

from xshardy.dialects.discardable import verify_operation
from xshardy.dialects.dominance import DominanceError
from xshardy.rewriting.walk import operations_from, operations_in
from xshardy.syntax.locations import innermost_place, location_of, operation_name

SHOWN_COLUMNS = 160
"""The number of columns of a source line that a diagnostic shows."""


def at(span: Span[str] | Span[bytes], severity: str, message: str) -> str:
    """`message` at the place of `span`, with its source line."""
    content = span.input.content
    text = content.decode(errors="replace") if isinstance(content, bytes) else content
    start = min(span.start, len(text))
    line_start = text.rfind("\n", 0, start) + 1
    line = text[line_start:].partition("\n")[0]
    column = start - line_start
    window = max(0, column - SHOWN_COLUMNS // 2)
    line, column = line[window : window + SHOWN_COLUMNS], column - window
    padding = "".join("\t" if character == "\t" else " " for character in line[:column])
    shown = "".join(character if character.isprintable() or character == "\t" else "?" for character in line)
    return f"{span.get_location()}: {severity}: {message}\n{shown}\n{padding}^\n"


def origin_note(op: Operation) -> str:
    """A note with the place of `op` in the user's program, if it has one: `model.py:42:7: note: from jit(f)/add`."""
    location = location_of(op)
    if (place := innermost_place(location)) is None:
        return ""
    name = operation_name(location)
    column = f":{place.column.data}" if place.column.data else ""
    what = shown(f"from {name}" if name else "from here")
    return f"{shown(place.filename.data)}:{place.line.data}{column}: note: {what}\n"


def shown(text: str) -> str:
    """`text` without characters that a terminal would not print."""
    return "".join(character if character.isprintable() else "?" for character in text)


def parse_error_text(error: ParseError) -> str:
    """The diagnostic for an error in the text, with its notes."""
    text = at(error.span, "error", error.msg)
    if isinstance(error, MultipleSpansParseError):
        text += "".join(at(span, "note", message or error.ref_text or "see here") for span, message in error.refs)
    return text


WRONG_TYPE = re.compile(r"^(operand|result) '(\w+)' at positions? (\d+)(?: to \d+)? does not verify:\nmust be ")
"""The beginning of xDSL's message for a wrong type of a value."""

WORDS: Mapping[re.Pattern[str], str] = {
    re.compile(r"^(?:property|attribute) '(\w+)' expected in operation '[^']+'"): r"requires attribute '\1'",
    re.compile(r"^Expected 1 region, but got \d+"): "requires one region",
}
"""Other messages of xDSL about an operation, and upstream's wording."""


def in_upstream_words(op: Operation, message: str) -> str:
    """`operand 'x' at position 0 does not verify: must be ...` -> `operand #0 must be ...`, and so on."""
    for pattern, words in WORDS.items():
        message = pattern.sub(words, message)
    if (found := WRONG_TYPE.match(message)) is None or not isinstance(op, IRDLOperation):
        return message
    kind, name, position = found.groups()
    definition = op.get_irdl_definition()
    fields = dict(definition.operands if kind == "operand" else definition.results)
    variadic = "variadic of " if isinstance(fields.get(name), VariadicDef) else ""
    return f"{kind} #{position} must be {variadic}{message[found.end() :]}"


def operation_that_fails(module: ModuleOp) -> tuple[Operation, VerifyException] | None:
    """The first operation, outer before inner, that fails its own verification, and the exception."""
    for op in operations_from(module):
        try:
            verify_operation(op)
        except VerifyException as error:
            if (user := _user_of_outer_value(op)) is not None:
                return user, VerifyException("using value defined outside the region")
            return op, error
    return None


def _user_of_outer_value(op: Operation) -> Operation | None:
    """If `op` is isolated from above, the first operation inside that reads a value from above; else None."""
    if not op.has_trait(IsolatedFromAbove, value_if_unregistered=False):
        return None
    inside = operations_in(op)
    return next((inner for inner in inside if any(not _is_inside(value, op) for value in inner.operands)), None)


def _is_inside(value: SSAValue, op: Operation) -> bool:
    return op.is_ancestor(value.owner) and value.owner is not op


def verify_error_text(
    module: ModuleOp, error: DiagnosticException, spans: Mapping[Operation, Span], input_name: str
) -> str:
    """
    `error`, which verification of `module` raised, with the operation it is about.

    The place of an operation that a pass created is that of the nearest enclosing operation in the text.
    """
    if isinstance(error, DominanceError):
        definition = error.value.owner
        note = "" if isinstance(definition, Block) else _at_operation(definition, "note", error.note, spans, input_name)
        return _at_operation(error.op, "error", str(error), spans, input_name) + note
    found = operation_that_fails(module)
    if found is None:
        return f"{input_name}: error: {error}\n"
    op, own_error = found
    return _at_operation(op, "error", f"'{op.name}' op {in_upstream_words(op, str(own_error))}", spans, input_name)


def _at_operation(op: Operation, severity: str, message: str, spans: Mapping[Operation, Span], input_name: str) -> str:
    """`message` at the place of `op`, or of the nearest operation around it that is in the text."""
    around: Operation | None = op
    while around is not None:
        if (span := spans.get(around)) is not None:
            return at(span, severity, message) + origin_note(op)
        around = around.parent_op()
    return f"{input_name}: {severity}: {message}\n{origin_note(op)}"
