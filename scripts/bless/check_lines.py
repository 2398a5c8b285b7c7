"""The check lines of a FileCheck test: read, matched against a line of output, written."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from filecheck.regex import posix_to_python_regex

POSITIVE = ("CHECK", "NEXT", "LABEL", "EMPTY")
"""Kinds of checks that a line of output of their own must match; the others say something about several lines."""

_CAPTURE = r"(?::(?P<capture>(?:\[[^\]]*\]|[^\[\]])*))?"
_BLOCK = re.compile(r"\{\{(?P<regex>.*?)\}\}|\[\[(?P<name>\$?[A-Za-z_]\w*)" + _CAPTURE + r"\]\]")
_DOLLAR = "_dollar_"
"""What stands for `$` in the names of groups of regular expressions."""

_NUMERIC = re.compile(r"\[\[[#@]")


class Refusal(Exception):
    """A test that cannot be updated, and why."""


@dataclass(slots=True)
class Variables:
    """The texts of variables, and which of them the checks behind the last label define."""

    texts: dict[str, str] = field(default_factory=dict[str, str])
    here: set[str] = field(default_factory=set[str])

    def define(self, match: re.Match[str]) -> None:
        """Define the variables that `match` captures."""
        for name, text in match.groupdict().items():
            self.set(name.replace(_DOLLAR, "$"), text)

    def set(self, name: str, text: str) -> None:
        self.texts[name] = text
        self.here.add(name)

    def references(self) -> dict[str, str]:
        """By a name in the output, how a check refers to the variable that holds it; the latest definition wins."""
        found: dict[str, str] = {}
        for name, text in self.texts.items():
            if text and name in self.here:
                found[text] = f"[[{name}]]"
                if text[0] not in "%#@":
                    found[f"%{text}"] = f"%[[{name}]]"
        return found


@dataclass(frozen=True, slots=True)
class Check:
    """A check line: its number in the file from 0 on, what is in front of the pattern, and the pattern."""

    line: int
    head: str
    kind: str
    is_literal: bool
    pattern: str

    def text(self) -> str:
        return f"{self.head}{self.pattern}"

    def with_pattern(self, pattern: str) -> "Check":
        return replace(self, pattern=pattern)

    def blocks(self) -> Iterator[re.Match[str] | str]:
        """The pattern in pieces: matches of regular expressions and variables, and literal text between them."""
        end = 0
        for block in () if self.is_literal else _BLOCK.finditer(self.pattern):
            yield self.pattern[end : block.start()]
            yield block
            end = block.end()
        yield self.pattern[end:]

    def match(self, line: str, variables: Variables | None, start: int = 0) -> re.Match[str] | None:
        """Where the pattern matches `line` from `start` on. Without `variables`, uses of variables match any word."""
        if self.kind == "EMPTY":
            return re.compile(r"\Z").match(line)
        if not self.is_literal and _NUMERIC.search(self.pattern):
            raise Refusal(f"line {self.line + 1}: numeric variables are not understood: update it by hand")
        return re.compile("".join(self._regex(variables))).search(line, start)

    def _regex(self, variables: Variables | None) -> Iterator[str]:
        captured: set[str] = set()
        for block in self.blocks():
            if isinstance(block, str):
                yield re.sub(r"(\\ )+", r"[ \\t]+", re.escape(block))
            elif block["regex"] is not None:
                yield f"(?:{posix_to_python_regex(block['regex'])})"
            elif block["capture"] is not None:
                captured.add(block["name"])
                yield f"(?P<{block['name'].replace('$', _DOLLAR)}>{posix_to_python_regex(block['capture'])})"
            elif block["name"] in captured:
                yield f"(?P={block['name'].replace('$', _DOLLAR)})"
            elif variables is None:
                yield r"[^\s,()]+?"
            elif block["name"] in variables.texts:
                yield re.escape(variables.texts[block["name"]])
            else:
                yield r"(?!)"  # what defined it is gone

    def captures(self) -> Sequence[re.Match[str]]:
        """The definitions of variables."""
        return [block for block in self.blocks() if isinstance(block, re.Match) and block["capture"] is not None]

    def literal(self) -> str:
        """The literal text."""
        return "".join(block if isinstance(block, str) else " " for block in self.blocks())


@dataclass(frozen=True, slots=True)
class Group:
    """A check with a line of output of its own, and the `SAME` checks about the same line."""

    checks: Sequence[Check]

    @property
    def kind(self) -> str:
        return self.checks[0].kind

    def spans(self, line: str, variables: Variables | None) -> Sequence[re.Match[str] | None]:
        """Where each check matches `line`, behind the one before; None for one that does not. Defines variables."""
        found: list[re.Match[str] | None] = []
        end = 0
        for check in self.checks:
            match = check.match(line, variables, end)
            if match is not None:
                end = match.end()
                if variables is not None:
                    variables.define(match)
            found.append(match)
        return found

    def matches(self, line: str, variables: Variables | None) -> bool:
        return all(match is not None for match in self.spans(line, variables))


def read_checks(lines: Sequence[str], prefixes: Sequence[str]) -> Sequence[Check]:
    """The check lines of a test with one of `prefixes`."""
    names = "|".join(map(re.escape, prefixes))
    directive = re.compile(
        rf"(?P<head>(?:^|.*?[^\w-])(?:{names})(?:-(?P<kind>DAG|COUNT-\d+|NOT|EMPTY|NEXT|SAME|LABEL))?"
        r"(?P<literal>\{LITERAL\})?:[ \t]*)(?P<pattern>.*?)[ \t]*$"
    )
    found: list[Check] = []
    for number, line in enumerate(lines):
        match = None if re.search(rf"(?:COM|RUN).*(?:{names})", line) else directive.match(line)
        if match is not None:
            found.append(
                Check(number, match["head"], match["kind"] or "CHECK", match["literal"] is not None, match["pattern"])
            )
    return found


def next_head(check: Check) -> str:
    """What is in front of a new check of the line behind that of `check`."""
    if check.kind == "NEXT":
        return check.head
    head = re.sub(r"(-[A-Z]+)?(\{LITERAL\})?:[ \t]*$", "", check.head)
    return f"{head}-NEXT: "
