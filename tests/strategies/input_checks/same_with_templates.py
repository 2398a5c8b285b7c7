"""A parser with templates against one without: the same operations, or the same complaint."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import MultipleSpansParseError, ParseError

from xshardy.syntax.locations import location_of
from xshardy.syntax.parser import Parser
from xshardy.universe import new_context


def parts(module: Operation) -> list[object]:
    """All that `module` is made of, values and blocks by number, with hints of names and locations, in order."""
    numbers: dict[object, int] = {}

    def numbered(things: Iterable[SSAValue | Block]) -> list[int]:
        return [numbers.setdefault(each, len(numbers)) for each in things]

    def value(each: SSAValue) -> tuple[object, ...]:
        return *numbered([each]), each.type, each.name_hint

    found: list[object] = []
    for op in module.walk():
        found += [op.name, location_of(op), numbered(op.operands), numbered(op.successors), *map(value, op.results)]
        found += [*op.attributes.items(), *op.properties.items()]
        for region in op.regions:
            found.append(numbered(region.blocks))
            found += [(block.name_hint, len(block.ops), *map(value, block.args)) for block in region.blocks]
    return found


@dataclass
class ParseFailure:
    """A parser's error on an invalid text."""

    message: str
    places: Sequence[tuple[int, int]]


def read(text: str, templates: bool) -> list[object] | ParseFailure:
    """All operations that a parser creates from `text`, or its error."""
    try:
        parser = Parser(new_context(), text, templates=templates)
        module = parser.parse_module()
    except ParseError as error:
        refs = [span for span, _ in error.refs] if isinstance(error, MultipleSpansParseError) else []
        return ParseFailure(error.msg, [(span.start, span.end) for span in (error.span, *refs)])
    spans = parser.spans
    places = [(span.start, span.end) if (span := spans.get(op)) else None for op in module.walk()]
    return [*places, *parts(module)]


def check(text: str) -> bool:
    """Whether `text` is a module: with and without templates, the same one, or one complaint."""
    expected, found = read(text, False), read(text, True)
    if isinstance(expected, ParseFailure) or isinstance(found, ParseFailure):
        assert found == expected
        return False
    assert found == expected
    return True
