"""The portable artifact in a file of JAX: what `jax.export.Exported.serialize` writes is a table with it."""

from xshardy.syntax.bytecode import MAGIC

SIZE_BYTES = 4
"""Bytes of the size in front of a list of bytes, in a table of `flatbuffers`, least significant first."""


def artifact_in(data: bytes) -> bytes | None:
    """
    The MLIR bytecode that `data` holds as a list of bytes; None if there is none.

    The other fields, such as the types of arguments in Python, are not read: the module has the shapes and shardings.
    """
    start = data.find(MAGIC, SIZE_BYTES)
    while start != -1:
        size = int.from_bytes(data[start - SIZE_BYTES : start], "little")
        if len(MAGIC) < size <= len(data) - start:
            return data[start : start + size]
        start = data.find(MAGIC, start + 1)
    return None
