"""
Certificates: the answers by which a pair was proved, as JSON, and the check of one.

The check reads both programs again and takes each answer from the certificate. It searches for nothing, and the kernel
verifies what it takes, as it does in a proof: a certificate of another pair, or a changed one, proves nothing that does
not hold.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from xdsl.ir import Operation as IROperation

from xshardy.programs.errors import InputError
from xshardy.proving.index import Digit, Index, is_uniform
from xshardy.proving.kernel import Answer, Match, Universe
from xshardy.proving.pair import Pair
from xshardy.proving.program import Branched, Maps, Repeated
from xshardy.proving.prove import Decision, decide
from xshardy.proving.sources import Operation, Source, Term
from xshardy.proving.views import Box, Piece, View
from xshardy.syntax import print_module

VERSION = 1

DIGESTED = {
    "whole": "the whole program",
    "local": "the program of a device",
    "boundary": "the division of arguments or results",
}
"""What the digests are of."""


class CertificateError(InputError):
    """The certificate is not one of this pair, or is damaged."""


def digests(pair: Pair) -> Mapping[str, str]:
    """What says which pair a certificate is about: both programs, and the parts of arguments and results."""
    boundary = repr([*map(repr, pair.arguments), "->", *map(repr, pair.results)])
    texts = {"whole": print_module(pair.whole), "local": print_module(pair.local), "boundary": boundary}
    return {name: sha256(text.encode()).hexdigest() for name, text in texts.items()}


def certificate_of(pair: Pair, decision: Decision) -> str:
    """The certificate of a proved pair. A row for each question that the kernel asked, in order."""
    rows = [_row(answer) for answer in decision.journal]
    found = {"version": VERSION, "devices": pair.devices, **digests(pair), "rows": rows}
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    head = json.dumps({name: value for name, value in found.items() if name != "rows"})
    return f'{head[:-1]}, "rows": [\n{lines}\n]}}\n'


def _row(answer: Answer) -> Any:
    """`["term", name, indices, swapped]`, `["assembled", name, indices]`, `["parts", indices of each]`, or null."""
    match answer:
        case None:
            return None
        case Match(term, at, is_swapped):
            return ["term", term.name, [*map(_index, at)], int(is_swapped)]
        case (Source() as source, at):
            return ["assembled", source.name, [*map(_index, at)]]
        case _:
            return ["parts", [[*map(_index, at)] for at in answer]]


def _index(index: Index) -> Any:
    """`[offset, digit...]`: the offset is a number, or one of each device."""
    offset = int(index.offset[0]) if is_uniform(index.offset) else index.offset.tolist()
    return [offset, *map(list, index.digits)]


def check(pair: Pair, text: str) -> Decision:
    """
    What the certificate `text` shows of `pair`.

    Raises `CertificateError` if it is about another pair, or is none.
    """
    try:
        found = json.loads(text)
        version, rows = found["version"], found["rows"]
        said = {name: found[name] for name in digests(pair)}
    except (ValueError, KeyError, TypeError) as error:
        raise CertificateError(f"this is no certificate of xshardy ({error}): write one with --certificate") from None
    if version != VERSION:
        raise CertificateError(f"the certificate has version {version}, not {VERSION}: write it again")
    for name, digest in digests(pair).items():
        if said[name] != digest:
            raise CertificateError(
                f"the certificate is of other programs, {DIGESTED[name]} differs: write one for these"
            )
    recorded = _Recorded(rows)
    try:
        decision = decide(pair, recorded)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise CertificateError(
            f"row {recorded.position} of the certificate is no answer to its question: write it again"
        ) from error
    return decision


class _Recorded:
    """The answers of a certificate, for questions in the same order."""

    def __init__(self, rows: Sequence[Any]):
        self._rows = iter(rows)
        self.position = 0
        self._terms = dict[str, Term]()
        self._universe = Universe()

    def oracle(self, universe: Universe) -> "_Recorded":
        """Itself, about `universe`."""
        self._universe = universe
        return self

    def relations(self) -> "_Recorded":
        """Itself."""
        return self

    def _next(self, kind: str) -> Any:
        self.position += 1
        row = next(self._rows, None)
        if row is not None and row[0] != kind:
            raise ValueError(f"a row of kind {row[0]} where {kind} is asked for")
        return row

    def matches(self, operation: Operation, reads: Sequence[Piece], box: Box) -> Iterator[Match]:
        """The recorded ones."""
        while (row := self._next("term")) is not None:
            yield Match(self._terms[row[1]], tuple(map(_read_index, row[2])), bool(row[3]))

    def added(self, term: Term) -> None:
        """Know it by its name."""
        self._terms[term.name] = term

    def assembled(self, view: View, devices: int) -> tuple[Source, tuple[Index, ...]] | None:
        """The recorded one."""
        row = self._next("assembled")
        if row is None:
            return None
        sources = {source.name: source for source, _ in self._universe.assembled}
        return sources[row[1]], tuple(map(_read_index, row[2]))

    def of_loop(self, loop: Repeated, op: IROperation, shapes: Sequence[tuple[int, ...]], attempt: int) -> Maps | None:
        """The recorded one."""
        return self._parts()

    def of_branch(self, branched: Branched, op: IROperation, shapes: Sequence[tuple[int, ...]]) -> Maps | None:
        """The recorded one."""
        return self._parts()

    def _parts(self) -> Maps | None:
        row = self._next("parts")
        return None if row is None else [tuple(map(_read_index, at)) for at in row[1]]


def _read_index(row: Any) -> Index:
    offset, *digits = row
    return Index(np.array(offset, np.int64).reshape(-1), tuple(Digit(*map(int, digit)) for digit in digits))
