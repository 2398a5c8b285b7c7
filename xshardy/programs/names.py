"""
The names and places of a program's values, for messages.

A place is that in the user's program, `model.py:42`, if the source has locations; else a line of the text, `line 12`.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple, cast

from xdsl.dialects.builtin import UNKNOWN_LOC, ArrayAttr, FusedLoc, LocationAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.utils.lexer import Span

from xshardy.dialects.function_attributes import dictionaries_in
from xshardy.dialects.naming import ValueNames
from xshardy.dialects.sdy.ops import DataFlowEdgeOp, NamedComputationOp
from xshardy.dialects.stablehlo.control_flow import WhileOp
from xshardy.rewriting.walk import operations_below, operations_from, operations_in
from xshardy.syntax.locations import (
    another_location,
    file_and_line,
    given_name,
    location_of,
    operation_name,
    users_place,
)
from xshardy.syntax.locations.values import place_in_file

_RESULTS = re.compile(r"(%[\w.$-]+(?::\d+)?(?:\s*,\s*%[\w.$-]+(?::\d+)?)*)\s*=\s*$")
"""The names of the results of an operation, before the operation's name."""

_JITTED = re.compile(r"p?jit\((\w+)\)$")
"""The name that JAX gives to the call of a function that it jits."""
_UNNAMED = re.compile(r"\w+\(\)$")
"""What it writes for a transformation of a function that has no name: `jvp()`."""
LONGEST_NAME = 40
"""The characters of an operation's name, unless its last two parts have more."""


class KeptName(NamedTuple):
    """The name of a value, and the place and line of its producer."""

    name: str
    place: str | None
    line: int | None


@dataclass(frozen=True, slots=True)
class SourceNames:
    """The names and lines of values and operations, from the places of operations that a parser recorded."""

    spans: Mapping[Operation, Span | None]
    """The operations of the source, with their places in its text, if it is one."""
    kept: dict[str, KeptName] = field(default_factory=dict[str, KeptName])
    """By name hint, what is known of values whose producer may be replaced."""
    originals: dict[Attribute, Operation] = field(default_factory=dict[Attribute, Operation])
    """By its location, which copies have too, an operation of the text."""
    has_lines: bool = True
    """Whether the lines of the text mean something to the user, who has it."""

    def follow_copies(self, module: ModuleOp) -> None:
        """Know copies of the operations of `module`: each operation gets a location of its own, which copies keep."""
        for op in operations_from(module):
            if op in self.spans:
                own = another_location(op.location)
                self.originals[own] = op
                op.location = cast(LocationAttr, own)

    def place_loops(self, module: ModuleOp, file: str) -> None:
        """Give the loops of `module` without a location their lines in `file`: an execution says which never ends."""
        for op in operations_below(module, WhileOp):
            if self.has_lines and file_and_line(op.location) is None and (line := self.line(op)) is not None:
                op.location = place_in_file(file, line, 0)

    def of_copies(self, copies: Mapping[Operation, Operation]) -> "SourceNames":
        """The same names for the operations of a clone: `copies` has that of each operation of the module."""
        return replace(
            self,
            spans={copies.get(op, op): span for op, span in self.spans.items()},
            originals={own: copies.get(op, op) for own, op in self.originals.items()},
        )

    def _original(self, op: Operation) -> Operation:
        """What `op` is a copy of: an operation of the same name, or a constant for a constant of sdy; or else `op`."""
        if op in self.spans or (original := self.originals.get(_unmarked(op.location))) is None:
            return op
        is_copy = op.name in (original.name, original.name.replace("stablehlo.constant", "sdy.constant"))
        return original if is_copy else op

    def keep(self, op: Operation) -> None:
        """Keep the names of the results of `op` if another operation replaces it: name hints survive a replacement."""
        for result in op.results:
            if (name := self._result_name(result)) is None:
                continue
            hint = f"source.{len(self.kept)}"
            self.kept[hint] = KeptName(name, self.place(op), self.line(op))
            result.name_hint = hint

    def of(self, value: SSAValue) -> str | None:
        """`%x`, or `%x#1` for one of several results; None if a pass created the value."""
        if value.name_hint in self.kept:
            return self.kept[value.name_hint].name
        if not isinstance(value, OpResult):
            return None if value.name_hint is None else f"%{value.name_hint}"
        return self._result_name(value)

    def _result_name(self, result: OpResult) -> str | None:
        """The name of `result`, in time that does not grow with the results of its operation: loops have thousands."""
        if (span := self.spans.get(self._original(result.op))) is None:
            return None
        content = span.input.content
        text = content.decode() if isinstance(content, bytes) else content
        end = span.start
        while text[end - 1 : end].isspace():  # the operation may stand in the line after its names
            end -= 1
        start = text.rfind("\n", 0, end) + 1
        match = _RESULTS.search(text, start, span.start)
        packs = re.findall(r"(%[\w.$-]+)(?::(\d+))?", match[1]) if match is not None else []
        index = result.index
        for name, size in packs:
            if index < int(size or 1):
                return f"{name}#{index}" if size else name
            index -= int(size or 1)
        return None

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
        return f"line {line}" if line is not None and self.has_lines else None

    def source_place(self, op: Operation) -> str | None:
        """`model.py:42`, the place of `op` in the user's program; None if the text has no location for it."""
        return file_and_line(self.location(op))

    def location(self, op: Operation) -> LocationAttr:
        """
        The location of `op` if it has a place in a file of the user, or else that of the call or function around it.

        JAX gives what is inside of a function that it jits no place, but the function has that of its first call. What
        is called only `jit(f)`, as a return of `f` is, has the place where `f` was traced, which is not in it: none.
        """
        if _JITTED.match(operation_name(location_of(op)) or ""):
            return UNKNOWN_LOC
        around = (location_of(each) for each in _upwards(op))
        return next((each for each in around if users_place(each) is not None), location_of(op))

    def operation_name(self, op: Operation) -> str | None:
        """`Block_0/query/dot_general`: `name_stack`, without what would be longer than a line allows; None if empty."""
        named = [*self.name_stack(op)]
        while len(named) > 2 and len("/".join(named)) > LONGEST_NAME:
            named = ["...", *named[2 if named[0] == "..." else 1 :]]
        return "/".join(named) or None

    def name_stack(self, op: Operation) -> Sequence[str]:
        """
        JAX's names of the modules and functions around `op`, and of `op`; none if the text has none.

        That of the outermost function is left out.
        """
        if (own := operation_name(location_of(op))) is None:
            return ()
        parts = _parts(own)
        for each in _upwards(op):
            if each is not op and isinstance(each, NamedComputationOp | FuncOp):
                outer = _parts(operation_name(location_of(each)) or "")
                if isinstance(each, FuncOp) and outer and outer[0].endswith(":"):  # it has no name of its own
                    outer = [each.sym_name.data]
                if parts[: len(outer[:1])] != outer[:1]:
                    parts = [*outer, *parts]
        inner = parts[1:] if _JITTED.match(parts[0]) else parts
        return [_JITTED.sub(r"\1", part) for part in inner if not _UNNAMED.match(part)] or parts

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
        described = name or f"result {value.index} of {what(value.op)}"
        if (operation := self.operation_name(value.op)) is not None:
            described += f" {operation}"
        described += _in_parentheses(self.place(value.op))
        return described if self._original(value.op) is value.op else described + self._call_around(value.op)

    def result(self, function: FuncOp, index: int) -> str:
        """`result 1 (['loss'])`: the description of a result of `function`, by the name that JAX gave to it, if any."""
        attributes = dictionaries_in(function.res_attrs)
        name = attributes[index].data.get("jax.result_info") if attributes else None
        return f"result {index}" + _in_parentheses(name.data if isinstance(name, StringAttr) and name.data else None)

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


def _unmarked(location: LocationAttr) -> Attribute:
    """`location` without metadata, such as the numbers by which a plan traces operations."""
    parts = cast(ArrayAttr[Attribute], location.locations).data if isinstance(location, FusedLoc) else ()
    return parts[0] if len(parts) == 1 else location


@dataclass(frozen=True, slots=True)
class ModuleNames(SourceNames):
    """The names of a module that has no text: those that `print_module` gives to its values. There are no lines."""

    results: Mapping[Operation, Sequence[str]] = field(default_factory=dict[Operation, Sequence[str]])

    def _result_name(self, result: OpResult) -> str | None:
        names = self.results.get(self._original(result.op), ())
        return names[result.index] if result.index < len(names) else None

    def of_copies(self, copies: Mapping[Operation, Operation]) -> SourceNames:
        renamed = {copies.get(op, op): names for op, names in self.results.items()}
        return replace(SourceNames.of_copies(self, copies), results=renamed)


def names_of_module(module: ModuleOp) -> ModuleNames:
    """The names of `module` as it is. Block arguments get theirs as name hints, in place, for passes keep these."""
    names = ValueNames(module)
    operations = [*operations_in(module)]
    for op in operations:
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    argument.name_hint = names.of(argument).removeprefix("%")
    results = {op: [names.of(result) for result in op.results] for op in operations}
    return ModuleNames(dict.fromkeys(operations), results=results)


@lru_cache(maxsize=1)
def _line_starts(text: str | bytes) -> list[int]:
    """Where each line of `text` starts. `Span.get_location` counts the lines before it in each call."""
    characters = text if isinstance(text, str) else text.decode("latin-1")  # one for each byte
    return [0, *(match.end() for match in re.finditer("\n", characters))]


def _upwards(op: Operation) -> Iterator[Operation]:
    """`op` and the operations around it, inner before outer."""
    around: Operation | None = op
    while around is not None:
        yield around
        around = around.parent_op()


def _parts(stack: str) -> list[str]:
    """The parts of a stack of names; none of an empty one."""
    return stack.split("/") if stack else []


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
