"""
The text of a module as a tree, and edits of it.

Operations and blocks are numbers. An operation has a text, and the blocks of those of its regions that the text shows;
a block has a label, perhaps empty, and its operations in order. Names of values stay the same throughout.
"""

from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import TypeAlias

NAME = "\ue000"
"""Stands for a name in a template."""

REGION = "\ue001"
"""Stands for a region, with its braces, in a template."""

ROOT = 0
"""The number of the module."""


@dataclass(frozen=True, slots=True)
class Text:
    """What an operation, or the label of a block, is printed as."""

    template: str
    """With `NAME` for each of `names`, and with `REGION` for each of `regions`."""
    names: tuple[str, ...] = ()
    regions: tuple[tuple[int, ...], ...] = ()
    """The blocks of each region that is printed."""

    def parts(self) -> list[str]:
        """The text with names, up to the first region, between regions, and behind the last one."""
        names = iter(self.names)
        return ["".join(_filled(part, names)) for part in self.template.split(REGION)]


def _filled(template: str, names: Iterator[str]) -> Iterator[str]:
    first, *others = template.split(NAME)
    yield first
    for part in others:
        yield next(names)
        yield part


@dataclass(frozen=True, slots=True)
class Write:
    """Operation `op` has this text from now on. If it is new, it is nowhere yet."""

    op: int
    text: Text


@dataclass(frozen=True, slots=True)
class Label:
    """Block `block` has this label from now on."""

    block: int
    text: Text


@dataclass(frozen=True, slots=True)
class Place:
    """Operation `op` is in `block` from now on, behind `after`, or the first one (None)."""

    op: int
    block: int
    after: int | None


@dataclass(frozen=True, slots=True)
class Drop:
    """Operation `op` is gone, with those of its blocks that no other operation has taken over."""

    op: int


Edit: TypeAlias = Write | Label | Place | Drop


class Document:
    """The text of a module after some edits. Each takes constant time, and `Drop` the time of what it drops."""

    def __init__(self) -> None:
        self.texts: dict[int, Text] = {}
        self.labels: dict[int, Text] = {}
        self.block_of: dict[int, int] = {}
        self.owner_of: dict[int, int] = {}
        """The operation that each block is in."""
        self._first: dict[int, int | None] = {}
        """By block."""
        self._next: dict[int, int | None] = {}
        self._previous: dict[int, int | None] = {}

    def apply(self, edit: Edit) -> None:
        """Make `edit`."""
        match edit:
            case Write(op, text):
                self.texts[op] = text
                for blocks in text.regions:
                    for block in blocks:
                        self.owner_of[block] = op
            case Label(block, text):
                self.labels[block] = text
                self._first.setdefault(block, None)
            case Place(op, block, after):
                self._unlink(op)
                following = self._first[block] if after is None else self._next[after]
                self.block_of[op] = block
                self._previous[op], self._next[op] = after, following
                if following is not None:
                    self._previous[following] = op
                if after is None:
                    self._first[block] = op
                else:
                    self._next[after] = op
            case Drop(op):
                self._unlink(op)
                for block in self.blocks_in(op):
                    self.drop_block(block)
                del self.texts[op]

    def drop_block(self, block: int) -> None:
        """Forget `block` and what is in it."""
        for op in [*self.ops_in(block)]:
            self.apply(Drop(op))
        del self.labels[block], self._first[block], self.owner_of[block]

    def _unlink(self, op: int) -> None:
        if (block := self.block_of.pop(op, None)) is None:
            return
        before, after = self._previous.pop(op), self._next.pop(op)
        if before is None:
            self._first[block] = after
        else:
            self._next[before] = after
        if after is not None:
            self._previous[after] = before

    def edits(self, op: int = ROOT) -> Iterator[Edit]:
        """Edits that make this document of an empty one."""
        yield Write(op, self.texts[op])
        for block in self.blocks_in(op):
            yield Label(block, self.labels[block])
            before = None
            for inner in self.ops_in(block):
                yield from self.edits(inner)
                yield Place(inner, block, before)
                before = inner

    def previous(self, op: int) -> int | None:
        """The operation before `op` in its block."""
        return self._previous.get(op)

    def ops_in(self, block: int) -> Iterator[int]:
        """The operations in `block`, in order."""
        op = self._first[block]
        while op is not None:
            yield op
            op = self._next[op]

    def blocks_in(self, op: int) -> Iterator[int]:
        """The blocks that `op` shows."""
        for blocks in self.texts[op].regions:
            yield from (block for block in blocks if self.owner_of.get(block) == op)

    def lines(
        self,
        op: int = ROOT,
        indent: str = "",
        other_ops: Container[int] = (),
        other_blocks: Container[int] = (),
    ) -> Iterator[str]:
        """The lines of `op` and of what is in it, with `...` for those of `other_ops` and in `other_blocks`."""
        text = self.texts[op]
        line, *others = text.parts()
        inside = f"{indent}  "
        for blocks, part in zip(text.regions, others, strict=True):
            yield f"{indent}{line}{{"
            for block in blocks:
                if label := "".join(self.labels[block].parts()):
                    yield f"{indent}{label}"
                is_elided = False
                for inner in self.ops_in(block):
                    was_elided, is_elided = is_elided, block in other_blocks or inner in other_ops
                    if not is_elided:
                        yield from self.lines(inner, inside, other_ops, other_blocks)
                    elif not was_elided:
                        yield f"{inside}..."
            line = f"}}{part}"
        yield from f"{indent}{line}".split("\n")
