"""Smaller texts of MLIR, HLO or PTX that still have a property: the minimiser of the fuzzer and of `xshardy reduce`."""

import re
from collections.abc import Callable, Container, Iterator, Sequence
from time import monotonic

TOKEN = re.compile(r'\s+|[%@#!^]?[A-Za-z_][\w.$-]*|[%@#!^]\d+|"[^"\n]*"|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|->|.', re.DOTALL)

_DEFINITIONS = (
    re.compile(r"\s*(?P<name>%?[\w.$-]+) = (?P<rest>.*)"),  # MLIR, HLO
    re.compile(r"\s*(?:@!?%\w+\s+)?[a-z][\w.:]*\s+(?P<name>%\w+),(?P<rest>.*)"),  # PTX
)

Property = Callable[[str], bool]


def reduced(text: str, is_kept: Property, deadline: float) -> str:
    """
    `text` without what `is_kept` does not need: by whole blocks, by lines, and by tokens, until nothing more goes.

    An operation can also give way to one of its operands. Ends at `deadline`, in seconds of `time.monotonic`.
    """
    before = None
    while text != before and monotonic() < deadline:
        before = text
        for split in (blocks_of, lines_of, words_of):
            if split is words_of:
                text = _without_operations(text, is_kept, deadline)
            text = "".join(_smallest(split(text), lambda kept: is_kept("".join(kept)), deadline))
    return text


def blocks_of(text: str) -> list[str]:
    """The runs of lines between which no bracket is open: a function or a computation is one."""
    blocks, depth = [""], 0
    for line in lines_of(text):
        blocks[-1] += line
        depth += sum(line.count(bracket) for bracket in "({[") - sum(line.count(bracket) for bracket in ")}]")
        if depth <= 0:
            blocks.append("")
            depth = 0
    return [block for block in blocks if block]


def lines_of(text: str) -> list[str]:
    """The lines, each with its end."""
    return text.splitlines(keepends=True)


def tokens_of(text: str) -> list[str]:
    """The tokens of a text of any of the languages; spaces between them are tokens too."""
    return TOKEN.findall(text)


def words_of(text: str) -> list[str]:
    """The tokens, each with the space after it, which keeps the text readable."""
    words: list[str] = []
    for token in tokens_of(text):
        if token.isspace() and words:
            words[-1] += token
        else:
            words.append(token)
    return words


def _smallest(parts: Sequence[str], is_kept: Callable[[Sequence[str]], bool], deadline: float) -> Sequence[str]:
    """
    `parts` without the runs that are not needed: runs of half the parts first, single parts last.

    Each time from the end, since operations are read by later ones.
    """
    size = max(len(parts) // 2, 1)
    while size and monotonic() < deadline:
        end = len(parts)
        while end > 0 and monotonic() < deadline:
            fewer = [*parts[: max(end - size, 0)], *parts[end:]]
            if fewer and is_kept(fewer):
                parts = fewer
            end -= size
        size //= 2
    return parts


def _without_operations(text: str, is_kept: Property, deadline: float) -> str:
    """`text` without operations whose results can be one of their operands for all readers."""
    lines = lines_of(text)
    known = {found["name"] for line in lines if (found := _definition(line)) is not None}
    for number in reversed(range(len(lines))):
        for name, operand in _bypasses(lines[number], known):
            if monotonic() > deadline:
                return "".join(lines)
            pattern = rf"(?<![\w.$%-]){re.escape(name)}(?![\w.$-])"
            fewer = [re.sub(pattern, lambda _, to=operand: to, line) for line in lines]
            del fewer[number]
            if is_kept("".join(fewer)):
                lines = fewer
                break
    return "".join(lines)


def _bypasses(line: str, known: Container[str]) -> Iterator[tuple[str, str]]:
    """The name that `line` defines, with each name that it reads: those `known`, and all that begin with `%`."""
    if (definition := _definition(line)) is None:
        return
    for token in dict.fromkeys(tokens_of(definition["rest"])):
        if token != definition["name"] and (token.startswith("%") or token in known):
            yield definition["name"], token


def _definition(line: str) -> re.Match[str] | None:
    return next(filter(None, (pattern.match(line) for pattern in _DEFINITIONS)), None)
