"""
The names and places of a module's values, for messages.

A place is that in the user's program, `model.py:42`, if the text has locations; else a line of the text, `line 12`.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, cast

from xdsl.dialects.builtin import LocationAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.utils.lexer import Span

from xshardy.dialects.sdy.ops import DataFlowEdgeOp, NamedComputationOp
from xshardy.syntax.locations import another_location, file_and_line, given_name, location_of

_RESULTS = re.compile(r"(%[\w.$-]+(?::\d+)?(?:\s*,\s*%[\w.$-]+(?::\d+)?)*)\s*=\s*$")
"""The names of the results of an operation, before the operation's name."""


class KeptName(NamedTuple):
    """The name of a value, and the place and line of its producer."""

    name: str
    place: str | None
    line: int | None


@dataclass(frozen=True, slots=True)
class SourceNames:
    """The names and lines of values and operations, from the places of operations that a parser recorded."""

    spans: Mapping[Operation, Span]
    kept: dict[str, KeptName] = field(default_factory=dict[str, KeptName])
    """By name hint, what is known of values whose producer may be replaced."""
    originals: dict[Attribute, Operation] = field(default_factory=dict[Attribute, Operation])
    """By its location, which copies have too, an operation of the text."""

    def follow_copies(self, module: ModuleOp) -> None:
        """Know copies of the operations of `module`: each operation gets a location of its own, which copies keep."""
        for op in module.walk():
            if op in self.spans:
                own = another_location(op.location)
                self.originals[own] = op
                op.location = cast(LocationAttr, own)

    def _original(self, op: Operation) -> Operation:
        """What `op` is a copy of: an operation of the same name, or a constant for a constant of sdy; or else `op`."""
        if op in self.spans or (original := self.originals.get(op.location)) is None:
            return op
        is_copy = op.name in (original.name, original.name.replace("stablehlo.constant", "sdy.constant"))
        return original if is_copy else op

    def keep(self, op: Operation) -> None:
        """Keep the names of the results of `op` if another operation replaces it: name hints survive a replacement."""
        for result, name in zip(op.results, self._result_names(op), strict=False):
            hint = f"source.{len(self.kept)}"
            self.kept[hint] = KeptName(name, self.place(op), self.line(op))
            result.name_hint = hint

    def of(self, value: SSAValue) -> str | None:
        """`%x`, or `%x#1` for one of several results; None if a pass created the value."""
        if value.name_hint in self.kept:
            return self.kept[value.name_hint].name
        if not isinstance(value, OpResult):
            return None if value.name_hint is None else f"%{value.name_hint}"
        names = self._result_names(value.op)
        return names[value.index] if value.index < len(names) else None

    def _result_names(self, op: Operation) -> list[str]:
        if (span := self.spans.get(self._original(op))) is None:
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
        """The line of `op`, or of what it replaces, counted from 1; None if a pass created it."""
        if (span := self.spans.get(self._original(op))) is not None:
            return bisect_right(_line_starts(span.input.content), span.start)
        return None if (kept := self._replaced(op)) is None else kept.line

    def _replaced(self, op: Operation) -> KeptName | None:
        """What is known of the first result of `op` if it replaces an operation whose names were kept."""
        hint = op.results[0].name_hint if op.results else None
        return self.kept.get(hint) if hint is not None else None

    def place(self, op: Operation) -> str | None:
        """`model.py:42`, or `line 12`: the place of `op`, or of what it replaces; None if a pass created it without."""
        if (place := self.source_place(op)) is not None:
            return place
        if self._original(op) not in self.spans and (kept := self._replaced(op)) is not None:
            return kept.place
        line = self.line(op)
        return None if line is None else f"line {line}"

    def source_place(self, op: Operation) -> str | None:
        """`model.py:42`, the place of `op` in the user's program; None if the text has no location for it."""
        return file_and_line(location_of(op))

    def line_of(self, value: SSAValue) -> int | None:
        """The line of the operation with the result `value`, or with the region of argument `value`."""
        return None if (op := _around(value)) is None else self.line(op)

    def source_place_of(self, value: SSAValue) -> str | None:
        """The place of the same operation in the user's program."""
        return None if (op := _around(value)) is None else self.source_place(op)

    def given(self, value: SSAValue) -> str | None:
        """`p['emb']`: the name that the user's program has for an argument."""
        return given_name(location_of(value)) if isinstance(value, BlockArgument) else None

    def knows(self, value: SSAValue) -> bool:
        """Whether `value` is in the text, not created by a pass."""
        return along_edges(value).name_hint in self.kept or _around(value) in self.spans

    def describe(self, value: SSAValue) -> str:
        """`%3 (line 12)`, `argument 0 (p['emb'])`, `argument 0 (%x)`: the description of a value in messages."""
        value = along_edges(value)
        name = self.given(value) or self.of(value)
        if isinstance(value, BlockArgument):
            return self._describe_argument(value) + (f" ({name})" if name is not None else "")
        assert isinstance(value, OpResult)
        described = f"{name or f'result {value.index} of {what(value.op)}'}" + _in_parentheses(self.place(value.op))
        return described if self._original(value.op) is value.op else described + self._call_around(value.op)

    def _call_around(self, op: Operation) -> str:
        """` in the call of @f (line 12)`, by which copies differ; empty outside of a call."""
        around = op.parent_op()
        while around is not None and not isinstance(around, NamedComputationOp):
            around = around.parent_op()
        return "" if around is None else f" in {what(around)}{_in_parentheses(self.place(around))}"

    def _describe_argument(self, value: BlockArgument) -> str:
        around = value.block.parent_op()
        if around is None or isinstance(around, FuncOp):
            return f"argument {value.index}"
        return f"argument {value.index} inside {what(around)}{_in_parentheses(self.place(around))}"


@lru_cache(maxsize=1)
def _line_starts(text: str | bytes) -> list[int]:
    """Where each line of `text` starts. `Span.get_location` counts the lines before it in each call."""
    characters = text if isinstance(text, str) else text.decode("latin-1")  # one for each byte
    return [0, *(match.end() for match in re.finditer("\n", characters))]


def _in_parentheses(place: str | None) -> str:
    return "" if place is None else f" ({place})"


def what(op: Operation) -> str:
    """
    `stablehlo.while`; for a named computation, the function of its body: the description of an operation in messages.
    """
    return f"the call of @{op.computation_name.data}" if isinstance(op, NamedComputationOp) else op.name


def _around(value: SSAValue) -> Operation | None:
    """The operation with the result `value`, or with the region of argument `value`."""
    owner = along_edges(value).owner
    return owner if isinstance(owner, Operation) else owner.parent_op()


def along_edges(value: SSAValue) -> SSAValue:
    """The input of `value` if that is a data flow edge; else `value`."""
    return along_edges(value.owner.input) if isinstance(value.owner, DataFlowEdgeOp) else value
