"""The checks of one prefix brought up to date with an output: aligned line by line, rewritten where they differ."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from check_lines import POSITIVE, Check, Group, Refusal, Variables, next_head, read_checks

LEAST_LIKENESS = 0.5
"""How like a check and a line must be for the check to become that of the line, from 0 to 1."""

LIKENESS_OF_NEXT = 0.05
"""How like a `NEXT` check and any other line are: better to rewrite it than to remove it and insert one."""

_NAME = re.compile(r"[%#@][\w$.-]+(?:#\d+)?")


@dataclass(frozen=True, slots=True)
class Edits:
    """Changes of a file: new texts of lines, lines that go, and lines to insert behind a line."""

    texts: dict[int, str]
    removed: set[int]
    inserted: dict[int, list[str]]

    def apply(self, lines: Sequence[str]) -> list[str]:
        result: list[str] = []
        for number, line in enumerate(lines):
            if number not in self.removed:
                result.append(self.texts.get(number, line))
            result += self.inserted.get(number, ())
        return result


def updated(lines: Sequence[str], prefixes: Sequence[str], output: str) -> list[str]:
    """The lines of a test whose checks with `prefixes` are those of `output`. Raises `Refusal`."""
    edits = Edits({}, set(), {})
    variables = Variables()
    printed = output.splitlines()
    start = 0
    for checks in _regions(read_checks(lines, prefixes)):
        if checks[0].kind == "LABEL":
            variables.here.clear()
            start = _line_of_label(checks[0], printed, start)
        end = len(printed)
        following = _label_after(checks, read_checks(lines, prefixes))
        if following is not None:
            end = _line_of_label(following, printed, start + 1)
        _update_region(checks, printed[start:end], variables, edits)
        start = end
    return edits.apply(lines)


def _regions(checks: Sequence[Check]) -> Iterator[Sequence[Check]]:
    """The checks between labels, each label with those behind it."""
    region: list[Check] = []
    for check in checks:
        if check.kind == "LABEL" and region:
            yield region
            region = []
        region.append(check)
    if region:
        yield region


def _label_after(region: Sequence[Check], checks: Sequence[Check]) -> Check | None:
    return next((check for check in checks if check.kind == "LABEL" and check.line > region[-1].line), None)


def _line_of_label(label: Check, printed: Sequence[str], start: int) -> int:
    for number in range(start, len(printed)):
        if label.match(printed[number], Variables()) is not None:
            return number
    raise Refusal(f"line {label.line + 1}: no line of the output has this label: {label.pattern}")


def _update_region(checks: Sequence[Check], printed: Sequence[str], variables: Variables, edits: Edits) -> None:
    groups = _groups(checks)
    if any(kind == "DAG" or kind.startswith("COUNT") for kind in (check.kind for check in checks)):
        return  # the lines of such checks are in no order: if they do not match, the test is refused in the end
    pairs = _aligned(groups, printed)
    last_line = -1
    last: Group | None = None
    for index, group in enumerate(groups):
        at = pairs.get(index)
        if at is None:
            if group.kind != "NEXT":
                raise Refusal(
                    f"line {group.checks[0].line + 1}: no line of the output is like this: {group.checks[0].pattern}"
                )
            edits.removed.update(check.line for check in group.checks)
            continue
        if group.kind in ("NEXT", "EMPTY") and last is not None:
            new = printed[last_line + 1 : at]
            _check_excluded(checks, last.checks[-1].line, group.checks[0].line, new, variables)
            _insert(new, last, variables, edits)
        _update_group(group, printed[at], variables, edits)
        last_line, last = at, group


def _check_excluded(checks: Sequence[Check], first: int, last: int, new: Sequence[str], variables: Variables) -> None:
    """Raise `Refusal` if a negative check between two lines of the test excludes one of the lines `new`."""
    for check in checks:
        if check.kind == "NOT" and first < check.line < last and any(check.match(line, variables) for line in new):
            raise Refusal(f"line {check.line + 1}: the output has what this excludes: {check.pattern}")


def _groups(checks: Sequence[Check]) -> list[Group]:
    groups: list[list[Check]] = []
    for check in checks:
        if check.kind in POSITIVE:
            groups.append([check])
        elif check.kind == "SAME" and groups:
            groups[-1].append(check)
    return [Group(group) for group in groups]


def _aligned(groups: Sequence[Group], printed: Sequence[str]) -> dict[int, int]:
    """By group, the line of the output that is most like it, in order. A label is the first line."""
    likeness = [[_likeness(group, line) for line in printed] for group in groups]
    best = [[0.0] * (len(printed) + 1) for _ in range(len(groups) + 1)]
    for i in reversed(range(len(groups))):
        for j in reversed(range(len(printed))):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], likeness[i][j] and likeness[i][j] + best[i + 1][j + 1])
    pairs: dict[int, int] = {}
    i = j = 0
    while i < len(groups) and j < len(printed):
        if likeness[i][j] and best[i][j] == likeness[i][j] + best[i + 1][j + 1]:
            pairs[i] = j
            i, j = i + 1, j + 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            i += 1
    return pairs


def _likeness(group: Group, line: str) -> float:
    """2 if the checks match `line` whatever their variables are; else how like their texts are, 0 if not enough."""
    if group.kind == "EMPTY":
        return 2.0 if line == "" else 0.0
    if group.kind == "LABEL":
        return 2.0 if group.checks[0].match(line, Variables()) is not None else 0.0
    if group.matches(line, None):
        return 2.0
    literal = " ".join(check.literal() for check in group.checks)
    text = _as_much_as(group.checks[0], line.strip())
    matcher = SequenceMatcher(None, literal, text, autojunk=False)
    ratio = matcher.ratio() if matcher.quick_ratio() >= LEAST_LIKENESS else 0.0
    return ratio if ratio >= LEAST_LIKENESS else LIKENESS_OF_NEXT * (group.kind == "NEXT" and line != "")


def _update_group(group: Group, line: str, variables: Variables, edits: Edits) -> None:
    """Rewrite the checks of `group` that do not match `line`: those in a row get the text between their neighbours."""
    references = variables.references()
    spans = group.spans(line, variables)
    start = 0
    index = 0
    while index < len(spans):
        span = spans[index]
        if span is not None:
            start = span.end()
            index += 1
            continue
        end = next((i for i in range(index, len(spans)) if spans[i] is not None), len(spans))
        following = None if end == len(spans) else spans[end]
        text = line[start : None if following is None else following.start()].strip()
        check = group.checks[index]
        if len(group.checks) == 1:
            text = _as_much_as(check, text)
        if not text:
            raise Refusal(f"line {check.line + 1}: the output has nothing where this was: {check.pattern}")
        edits.texts[check.line] = check.with_pattern(_pattern(check, text, references, variables)).text()
        edits.removed.update(check.line for check in group.checks[index + 1 : end])
        index = end


def _as_much_as(check: Check, text: str) -> str:
    """`text` without the results if the check leaves them out, and without the types if it leaves them out."""
    if " = " in text and text.startswith("%") and not check.pattern.startswith(("%", "{{", "[[")):
        text = text.partition(" = ")[2]
    if " : " in text and " : " not in check.pattern:
        text = text.partition(" : ")[0]
    return text


def _pattern(check: Check, text: str, references: Mapping[str, str], variables: Variables) -> str:
    """The pattern of `text`, with names as `check` has them: literal, as variables, or as any name."""
    if check.is_literal:
        return text
    unused = check.captures()
    literal = check.literal()
    any_name = re.search(r"%(\{\{.*?\}\})", check.pattern)
    results = text.find(" = ")
    pattern, end = "", 0
    for name in _NAME.finditer(text):
        pattern += _escaped(text[end : name.start()])
        end = name.end()
        is_result = name.start() < results
        if name[0] in literal:
            pattern += name[0]
        elif name[0] in references and not is_result:
            pattern += references[name[0]]
        elif unused and name[0].startswith("%"):
            capture = unused.pop(0)
            variables.set(capture["name"], name[0].removeprefix("%"))
            pattern += f"%{capture[0]}"
        else:
            pattern += f"%{any_name[1]}" if any_name is not None and name[0].startswith("%") else name[0]
    return pattern + _escaped(text[end:])


def _escaped(text: str) -> str:
    """`text` in a pattern, where `{{` and `[[NAME` have a meaning."""
    return re.sub(r"\[\[(?=[A-Za-z_$#@])", r"{{\\[\\[}}", text.replace("{{", r"{{\{\{}}"))


def _insert(new: Sequence[str], last: Group, variables: Variables, edits: Edits) -> None:
    """Insert a check for each of the lines `new`, behind the checks `last`."""
    check = last.checks[-1]
    head = next_head(check)
    for line in new:
        pattern = _pattern(check.with_pattern(""), line.strip(), variables.references(), variables)
        text = f"{head}{pattern}" if pattern else head.replace("-NEXT:", "-EMPTY:").rstrip()
        edits.inserted.setdefault(check.line, []).append(text)
