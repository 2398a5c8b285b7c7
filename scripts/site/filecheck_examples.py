"""Examples of operations: statements of the FileCheck tests that are valid."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests" / "filecheck"
WITHOUT_ERRORS = re.compile(r"(?<!invalid)(?<!verification)(?<!errors)$")
"""Matches the names of files whose programs are all valid."""
OPERATION = re.compile(r'^(?:%[^=]*= )?"?([a-z_]\w*\.[\w.]+)')
"""The name of the operation that a line begins with."""
INSTRUCTION = re.compile(r"^(?:ROOT )?%?[\w.-]+ = .*?[\])}] ([a-z][a-z0-9-]*)\(")
"""The opcode of the HLO instruction that a line is."""
MOST_LINES = 16
"""Statements up to this length are preferred, in the order of the files."""


class Example(NamedTuple):
    """A statement, without the indentation that all of its lines have, and the file that it is from."""

    text: str
    file: Path


@cache
def examples() -> dict[str, Example]:
    """By the name of an operation, its example: from the tests of dialects if they have one; last, from HLO text."""
    found: dict[str, Example] = {}
    for file in sorted(TESTS.rglob("*.mlir"), key=_rank):
        if not WITHOUT_ERRORS.search(file.stem):
            continue
        for name, text in statements(file.read_text()):
            known = found.get(name)
            if known is None or text.count("\n") < known.text.count("\n") >= MOST_LINES:
                found[name] = Example(text, file)
    for file in sorted(TESTS.rglob("*.hlo")):
        for line in file.read_text().splitlines():
            if not line.lstrip().startswith("//") and (match := INSTRUCTION.match(line.strip())) is not None:
                found.setdefault(f"hlo.{match[1].replace('-', '_')}", Example(line.strip(), file))
    return found


def _rank(file: Path) -> tuple[bool, bool, Path]:
    """Tests of dialects come first, among them those of parsers and printers before canonicalizations."""
    return "dialects" not in file.parts, file.stem.endswith("canonicalization"), file


def statements(text: str) -> Iterator[tuple[str, str]]:
    """The name and the lines of each statement of a file, also of those inside of others."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("//")]
    for number, line in enumerate(lines):
        if (match := OPERATION.match(line.strip())) is not None:
            yield match[1], dedent("\n".join(statement(lines, number))).rstrip()


def statement(lines: list[str], first: int) -> Iterator[str]:
    """The line `first`, and those behind it that are indented further or close what it opens."""
    start = indentation(lines[first])
    yield lines[first]
    is_open = brackets(lines[first]) > 0
    for line in lines[first + 1 :]:
        deeper = indentation(line) - start
        if not line.strip() or deeper < 0 or (deeper == 0 and not is_open):
            return
        yield line
        if deeper == 0 and line.lstrip().startswith(("}", ")", "]")):
            is_open = brackets(line) > 0


def indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def brackets(line: str) -> int:
    """How many more brackets `line` opens than it closes."""
    return sum(line.count(each) for each in "([{") - sum(line.count(each) for each in ")]}")
