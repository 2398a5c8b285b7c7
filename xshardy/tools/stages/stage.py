"""The text of a program after one step; the places of operations carry the numbers of lines of the source."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.lexer import Span

from xshardy.syntax import print_module
from xshardy.syntax.locations import location_of
from xshardy.syntax.locations.values import place_in_file
from xshardy.tools.stages.stage_steps import StageSteps

FILE = "source-line"
"""The file that the locations here name."""

Sources = tuple[int, ...]
"""Lines of the source, from 1 on, in ascending order."""

_PLACE = re.compile(rf'"{FILE}":(\d+)')
_ALIAS = re.compile(r"^#loc\d* = loc\(.*\)$")
_LOCATION = re.compile(rf' loc\((#loc\d*|unknown|"{FILE}":\d+:\d+)\)')


@dataclass(frozen=True, slots=True)
class Stage:
    """A program after a step."""

    name: str
    lines: Sequence[str]
    sources: Sequence[Sources]
    """By line, those of the source that it comes from."""
    steps: StageSteps | None = None
    """What patterns did in this step."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program of a page: a kernel, or a whole module."""

    name: str
    stages: Sequence[Stage]
    """After the source, in the order of the steps."""
    failure: str = ""
    """Why there are no further stages; empty if there are all."""


def source_stage(name: str, text: str) -> Stage:
    """The source itself."""
    lines = text.splitlines()
    return Stage(name, lines, [(number,) for number in range(1, len(lines) + 1)])


def place_at_lines(spans: Mapping[Operation, Span | None]) -> None:
    """Give each operation the line of its text as its location, in place of any other."""
    for op, span in spans.items():
        if span is not None:
            op.location = place_in_file(FILE, span.input.content.count("\n", 0, span.start) + 1, 0)


def sources_of(op: Operation) -> Sources:
    """The lines that `op` comes from."""
    return _numbers(str(location_of(op)))


def _numbers(location: str) -> Sources:
    return tuple(sorted({int(number) for number in _PLACE.findall(location)}))


def module_stage(name: str, module: ModuleOp, steps: StageSteps | None = None) -> Stage:
    """
    The text of a module whose operations have places.

    An operation with regions prints its location behind them; its first line, and those between regions, get it too.
    """
    printed = print_module(module, debug_info=True).splitlines()
    aliases = {line.split(" ", 1)[0]: _numbers(line) for line in printed if _ALIAS.match(line)}
    lines: list[str] = []
    sources: list[Sources] = []
    opened: list[list[int]] = []
    for line in printed:
        if _ALIAS.match(line) or (not line and not lines):
            continue
        found = [*_LOCATION.finditer(line)]
        at = () if not found or found[-1].end() != len(line) else _resolved(found[-1][1], aliases)
        lines.append(_LOCATION.sub("", line))
        sources.append(at)
        number = len(lines) - 1
        closes, opens = lines[-1].lstrip().startswith("}"), lines[-1].endswith("{")
        if closes and opens and opened:
            opened[-1].append(number)
        elif closes and opened:
            for earlier in opened.pop():
                sources[earlier] = at
        elif opens:
            opened.append([number])
    return Stage(name, lines, sources, steps)


def _resolved(location: str, aliases: Mapping[str, Sources]) -> Sources:
    return aliases.get(location, ()) if location.startswith("#") else _numbers(location)


_DIRECTIVE = re.compile(r"\s*\.(loc|file|section)\b|\$L__(func_begin|func_end|tmp)\d+:")


def ptx_stage(name: str, ptx: str, sources: Sequence[Sources]) -> Stage:
    """PTX with directives `.loc 1 N 0`, which mean `sources[N]` and are left out."""
    lines: list[str] = []
    of_lines: list[Sources] = []
    for line, at in _located_lines(ptx, sources):
        if line or (lines and lines[-1]):
            lines.append(line)
            of_lines.append(at)
    return Stage(name, lines, of_lines)


def _located_lines(ptx: str, sources: Sequence[Sources]) -> Iterator[tuple[str, Sources]]:
    at: Sources = ()
    for line in ptx.splitlines():
        if (place := re.match(r"\s*\.loc\s+\d+\s+(\d+)", line)) is not None:
            at = sources[int(place[1])]
        elif line.strip() == "}":
            at = ()
            yield line, at
        elif _DIRECTIVE.match(line) is None:
            is_instruction = line.startswith("\t") and not line.lstrip().startswith((".", "//"))
            yield line, at if is_instruction else ()
