"""The modules in one input of `xshardy-opt`: the whole, the pieces between `// -----`, or the dumps in a log."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from xshardy.syntax.pass_dumps import UnknownDumpError, chosen, dumps_in

SEPARATOR = "// -----"
"""The separator of modules in a file under `--split-input-file`."""

_MARK_OF_LOG = b"// -----// IR "
"""What the heading of every dump starts with."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The text of one module."""

    data: bytes
    lines_before: int
    """The number of lines in front of it in the input."""
    heading: str | None = None
    """The line in front of a dump, by which a log says which it is."""


def chunks_of(data: bytes, *, split: bool, stage: str | None) -> Sequence[Chunk]:
    """
    The modules in `data`: with `split`, the pieces between separators; in a log, its dumps, or those of `stage`.

    Raises `UnknownDumpError` if there is no such dump, or `data` is no log and a `stage` is given.
    """
    if log := _dumps_of(data, stage):
        return log
    if stage is not None:
        raise UnknownDumpError("--stage needs a log of passes, with lines `// -----// IR Dump Before ... //----- //`")
    if not split:
        return [Chunk(data, 0)]
    pieces = re.split(rb"^[ \t]*" + SEPARATOR.encode(), data, flags=re.MULTILINE)
    lines = accumulate((piece.count(b"\n") for piece in pieces), initial=0)
    return [Chunk(piece, line) for piece, line in zip(pieces, lines, strict=False)]


def _dumps_of(data: bytes, stage: str | None) -> Sequence[Chunk]:
    if _MARK_OF_LOG not in data:
        return ()
    text = data.decode(errors="surrogateescape")
    dumps = dumps_in(text)
    return [
        Chunk(
            text[dump.start : dump.end].encode(errors="surrogateescape"), text.count("\n", 0, dump.start), dump.heading
        )
        for dump in (dumps if stage is None else chosen(dumps, stage) if dumps else ())
    ]


def joined(chunks: Sequence[Chunk], texts: Sequence[str]) -> str:
    """The output: the text of each chunk, behind its heading if they are dumps, else with separators in between."""
    if any(chunk.heading is not None for chunk in chunks) and len(chunks) > 1:
        return "\n".join(f"{chunk.heading}\n{text}" for chunk, text in zip(chunks, texts, strict=True))
    return f"\n{SEPARATOR}\n".join(texts)


def listing(data: bytes) -> str:
    """The dumps in a log, one a line: number, before or after, and the names of the pass."""
    dumps = dumps_in(data.decode(errors="replace"))
    return "".join(f"{i:4} {dump.when} {' '.join(dump.names[::-1])}\n" for i, dump in enumerate(dumps, 1))
