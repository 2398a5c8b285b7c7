"""
The names and places of a module's values, for messages.

A place is that in the user's program, `model.py:42`, if the text has locations; else a line of the text, `line 12`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue
from xdsl.utils.lexer import Span

from xshardy.dialects.sdy.ops import DataFlowEdgeOp, NamedComputationOp
from xshardy.syntax.locations import file_and_line, given_name, location_of

_RESULTS = re.compile(r"(%[\w.$-]+(?::\d+)?(?:\s*,\s*%[\w.$-]+(?::\d+)?)*)\s*=\s*$")
"""The names of the results of an operation, before the operation's name."""


@dataclass(frozen=True, slots=True)
class SourceNames:
    """The names and lines of values and operations, from the places of operations that a parser recorded."""

    spans: Mapping[Operation, Span]
    kept: dict[str, tuple[str, str | None]] = field(default_factory=dict[str, tuple[str, "str | None"]])
    """By name hint, the name and place of values whose producer may be replaced."""

    def keep(self, op: Operation) -> None:
        """Keep the names of the results of `op` if another operation replaces it: name hints survive a replacement."""
        for result, name in zip(op.results, self._results(op), strict=False):
            hint = f"source.{len(self.kept)}"
            self.kept[hint] = name, self.place(op)
            result.name_hint = hint

    def of(self, value: SSAValue) -> str | None:
        """`%x`, or `%x#1` for one of several results; None if a pass created the value."""
        if value.name_hint in self.kept:
            return self.kept[value.name_hint][0]
        if not isinstance(value, OpResult):
            return None if value.name_hint is None else f"%{value.name_hint}"
        names = self._results(value.op)
        return names[value.index] if value.index < len(names) else None

    def _results(self, op: Operation) -> list[str]:
        if (span := self.spans.get(op)) is None:
            return []
        content = span.input.content
        text = content.decode() if isinstance(content, bytes) else content
        start = text.rfind("\n", 0, span.start) + 1
        match = _RESULTS.search(text, start, span.start)
        packs = re.findall(r"(%[\w.$-]+)(?::(\d+))?", match[1]) if match is not None else []
        return [
            f"{name}#{index}" if size else name for name, size in packs for index in range(int(size) if size else 1)
        ]

    def line(self, op: Operation) -> int | None:
        """The line of `op`, counted from 1; None if a pass created it."""
        span = self.spans.get(op)
        return None if span is None else span.get_location().line

    def place(self, op: Operation) -> str | None:
        """`model.py:42`, or `line 12`: the place of `op`; None if a pass created it without one."""
        if (place := file_and_line(location_of(op))) is not None:
            return place
        line = self.line(op)
        return None if line is None else f"line {line}"

    def given(self, value: SSAValue) -> str | None:
        """`p['emb']`: the name that the user's program has for an argument."""
        return given_name(location_of(value)) if isinstance(value, BlockArgument) else None

    def knows(self, value: SSAValue) -> bool:
        """Whether `value` is in the text, not created by a pass."""
        value = _along_edges(value)
        owner = value.owner
        return (
            value.name_hint in self.kept or (owner if isinstance(owner, Operation) else owner.parent_op()) in self.spans
        )

    def describe(self, value: SSAValue) -> str:
        """`%3 (line 12)`, `argument 0 (p['emb'])`, `argument 0 (%x)`: the description of a value in messages."""
        value = _along_edges(value)
        name = self.given(value) or self.of(value)
        if isinstance(value, BlockArgument):
            return self._describe_argument(value) + (f" ({name})" if name is not None else "")
        assert isinstance(value, OpResult)
        place = self.kept[value.name_hint][1] if value.name_hint in self.kept else self.place(value.op)
        return f"{name or f'result {value.index} of {what(value.op)}'}" + _in_parentheses(place)

    def _describe_argument(self, value: BlockArgument) -> str:
        around = value.block.parent_op()
        if around is None or isinstance(around, FuncOp):
            return f"argument {value.index}"
        return f"argument {value.index} inside {what(around)}{_in_parentheses(self.place(around))}"


def _in_parentheses(place: str | None) -> str:
    return "" if place is None else f" ({place})"


def what(op: Operation) -> str:
    """
    `stablehlo.while`; for a named computation, the function of its body: the description of an operation in messages.
    """
    return f"the call of @{op.computation_name.data}" if isinstance(op, NamedComputationOp) else op.name


def _along_edges(value: SSAValue) -> SSAValue:
    """The input of `value` if that is a data flow edge; else `value`."""
    return _along_edges(value.owner.input) if isinstance(value.owner, DataFlowEdgeOp) else value
