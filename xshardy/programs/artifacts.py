"""The portable artifact in a file of JAX: what `jax.export.Exported.serialize` writes is a table with it."""

from collections.abc import Iterator

from xshardy.syntax.bytecode import MAGIC

OFFSET_BYTES = 4
"""Bytes of an offset, and of the size in front of a list of bytes, in a table of `flatbuffers`."""
FIELD_BYTES = 2
"""Bytes of the place of a field within a table."""


def artifact_in(data: bytes) -> bytes | None:
    """
    The MLIR bytecode that the table `data` has as a field; None if there is none.

    The table of a function that JAX can differentiate has those of its derivatives as fields, which are not looked
    into. Other fields, such as the types of arguments in Python, are not read: the module has the shapes and shardings.
    Source: the internals of FlatBuffers, "Tables".
    """
    return next((found for found in _lists_of_bytes(data) if found.startswith(MAGIC)), None)


def _lists_of_bytes(data: bytes) -> Iterator[bytes]:
    """What each field of the outermost table is as a list of bytes; anything for a field of another type."""

    def number(start: int, size: int = OFFSET_BYTES, *, signed: bool = False) -> int:
        start = max(start, 0)  # of a file that only starts like a table
        return int.from_bytes(data[start : start + size], "little", signed=signed)

    table = number(0)
    places = table - number(table, signed=True)  # a list of the places of fields, behind its own size and another one
    for entry in range(places + 2 * FIELD_BYTES, places + number(places, FIELD_BYTES), FIELD_BYTES):
        if place := number(entry, FIELD_BYTES):
            size = table + place + number(table + place)
            yield data[size + OFFSET_BYTES : size + OFFSET_BYTES + number(size)]
