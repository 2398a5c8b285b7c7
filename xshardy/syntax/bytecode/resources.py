"""
The resources of MLIR bytecode: elements of constants that stand outside of the attributes.

One section lists the names of the resources of each dialect, the other has their bytes in the same order. Resources of
programs other than dialects, which MLIR calls external, are left out.
Source: MLIR, docs/BytecodeFormat, "Resource Section".
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from xshardy.syntax.bytecode.stream import ByteReader, ByteWriter

BLOB = 0
"""The kind of a resource that is bytes; others are a flag and a string."""


@dataclass(frozen=True, slots=True)
class Resource:
    """The name of a resource, and its bytes; None if only the name is known."""

    name: str
    data: bytes | None = None


def read_resources(names: ByteReader, contents: ByteReader, text: Callable[[int], str]) -> Iterator[Resource]:
    """
    The resources of the dialects, in the order of their numbers. `text` gives the string that has a number.

    Raises `BytecodeError`.
    """
    external_groups = names.count()
    group = 0
    while names.remaining:
        names.varint()  # the string that names the group, or its dialect
        for _ in range(names.count()):
            name, size, kind = names.varint(), names.varint(), names.byte()
            content = contents.part(size)
            if group >= external_groups:
                if kind != BLOB:
                    raise names.error(f"resource '{text(name)}' is no bytes, as those of dialects are")
                yield Resource(text(name), _read_blob(content) if size else None)
        group += 1


def _read_blob(content: ByteReader) -> bytes:
    alignment, size = content.varint(), content.varint()
    content.align(alignment)
    return content.bytes(size)


def written_names(dialect: int, names: Sequence[int]) -> bytes:
    """The section that lists resources without bytes: the numbers of their dialect and of their names."""
    writer = ByteWriter()
    for number in (0, dialect, len(names)):  # no group is external
        writer.varint(number)
    for name in names:
        writer.varint(name)
        writer.varint(0)
        writer.data.append(BLOB)
    return bytes(writer.data)
