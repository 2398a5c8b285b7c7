"""
Logs of pass pipelines: the modules that MLIR prints before or after passes, each behind a heading.

Such are `*.mlir-passes.log` of XLA's `--xla_dump_emitter_re`, the files of `--mlir-print-ir-before-all` and
`--mlir-print-ir-after-all`, and what `xshardy-opt --print-between-passes` prints.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_HEADING = re.compile(
    r"^// -----// IR (?:dump )?(?P<when>before|after)(?: (?P<kind>\w+)(?= ))? ?(?P<text>.*?) *//----- //[^\n]*$",
    re.MULTILINE | re.IGNORECASE,
)
"""`// -----// IR Dump Before CSEPass: cse ('builtin.module' operation: @m) //----- //`, and other forms of it."""

_ARGUMENT = re.compile(r"[:(]\s*([a-z0-9][\w.-]*)")
"""The name by which a pipeline calls a pass: `: cse`, or `(cse)` in older logs."""


@dataclass(frozen=True, slots=True)
class Dump:
    """One dump of a log."""

    names: Sequence[str]
    """What the pass is called: its class, `CSEPass`, and its name in pipelines, `cse`, as far as the heading has it."""
    when: str
    """`before` or `after` the pass."""
    heading: str
    start: int
    """The position of the text behind the heading."""
    end: int

    def is_of(self, name: str) -> bool:
        """Whether the dump is of the pass `name`; `xla-gpu-` stands for `xla-` too, as our passes are called."""
        return name in self.names or name.replace("xla-gpu-", "xla-", 1) in self.names


def dumps_in(text: str) -> list[Dump]:
    """The dumps in `text`, in their order, without empty ones; none if it is no log."""
    headings = list(_HEADING.finditer(text))
    ends = [*(heading.start() for heading in headings), len(text)][1:]
    return [
        Dump(_names(heading), heading["when"].lower(), heading[0], heading.end(), end)
        for heading, end in zip(headings, ends, strict=True)
        if text[heading.end() : end].strip()
    ]


def _names(heading: re.Match[str]) -> Sequence[str]:
    rest = f"{heading['kind'] or ''} {heading['text']}".strip()
    name = re.match(r"[\w.-]+", rest)
    if name is None:
        return ()
    argument = _ARGUMENT.match(rest[name.end() :].lstrip())
    return (name[0],) if argument is None else (name[0], argument[1])


class UnknownDumpError(ValueError):
    """A log has no dump of the wanted name or number."""


def chosen(dumps: Sequence[Dump], wanted: str) -> Sequence[Dump]:
    """
    What `wanted` names: all dumps of a pass, one by its number, from 1 on, or `last`.

    Raises `UnknownDumpError` if there is none.
    """
    if wanted == "last":
        return dumps[-1:]
    if wanted.isdecimal():
        if 1 <= int(wanted) <= len(dumps):
            return [dumps[int(wanted) - 1]]
        raise UnknownDumpError(f"there is no dump {wanted}: the log has {len(dumps)}")
    if found := [dump for dump in dumps if dump.is_of(wanted)]:
        return found
    names = dict.fromkeys(dump.names[-1] for dump in dumps if dump.names)
    raise UnknownDumpError(f"there is no dump of a pass '{wanted}': the log has {', '.join(names)}")
