"""
The text or bytecode of a program, whatever it is given as: text, a path, bytes, or an object of JAX or jaxlib.

JAX is never imported: an object of JAX is known by the module of its class, and asked for its text.
"""

import re
from collections.abc import Callable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias

from xshardy.syntax import print_module
from xshardy.syntax.bytecode import is_bytecode, read_bytecode
from xshardy.tools.exported import artifact_in
from xshardy.tools.jax_function import lower_traced

ProgramSource: TypeAlias = "str | bytes | PathLike[str] | Any"
"""Text, a path, bytes, `jax.stages.Lowered` or `Traced`, `jax.export.Exported`, or an operation of jaxlib's MLIR."""

BINARY_HLO = ".pb"
"""How the name of a file ends that has HLO in binary form."""
SUFFIXES = (".mlir", ".mlirbc", ".hlo", ".txt", ".log", BINARY_HLO)
"""How a string ends that is a path. No module is one line that ends so."""

ENCODING = "utf-8-sig"
"""UTF-8, perhaps with a byte order mark, which editors on Windows write."""

_COMMENTS = r"(?:\s|//[^\n]*\n)*"
_START_OF_HLO = re.compile(_COMMENTS + r"HloModule\b")
_START_OF_MLIR = re.compile(_COMMENTS + r'(?:[#!"]|module\s*[@{]|module attributes\b|\w+\.\w+ (?:private |public )?@)')


def program_text(source: ProgramSource, name: str | None = None) -> tuple[str, str]:
    """As `program_data`, with the text of what is bytecode. Raises also `BytecodeError`."""
    data, name = program_data(source, name)
    return (data if isinstance(data, str) else bytecode_text(data)), name


def program_data(source: ProgramSource, name: str | None = None) -> tuple[str | bytes, str]:
    """
    The text of `source`, or its bytes if it is MLIR bytecode; and its name in diagnostics: `name` if it is given.

    Raises `TypeError` for anything that is no program, `ValueError` for bytes that are no text, `OSError` like `open`.
    """
    if isinstance(source, str) and not is_path(source):
        return source, name or "<string>"
    if isinstance(source, str | PathLike):
        path = str(fspath(source))  # pyright: ignore[reportUnknownArgumentType]
        if path.endswith(BINARY_HLO):
            raise ValueError(f"{path}: this is HLO in binary form: read it with xshardy.read_hlo")
        return _decoded(Path(path).read_bytes(), path), name or path
    if isinstance(source, bytes | bytearray):
        return _decoded(bytes(source), "the bytes"), name or "<bytes>"
    for prefix, of_object in DATA_OF.items():
        if type(source).__module__.startswith(prefix) and (data := of_object(source)) is not None:
            return data, name or f"<{type(source).__name__}>"
    raise TypeError(
        f"a {type(source).__module__}.{type(source).__qualname__} is no program: expected text, a path, bytes, what "
        "`jax.jit(f).lower(...)` or `jax.export.export(f)(...)` returns, or a module of jaxlib.mlir"
    )


def is_path(text: str) -> bool:
    """Whether a string is the path of a file, not the text of a module."""
    return "\n" not in text and text.endswith(SUFFIXES)


def bytecode_text(data: bytes) -> str:
    """The text of MLIR bytecode, with locations. Raises `BytecodeError`."""
    return print_module(read_bytecode(data), debug_info=True)


def _decoded(data: bytes, what: str) -> str | bytes:
    """The text in `data`, or `data` if it is bytecode, or the bytecode that JAX has serialized in it."""
    if is_bytecode(data):
        return data
    try:
        return data.decode(ENCODING)
    except UnicodeDecodeError as error:
        if (artifact := artifact_in(data)) is not None:
            return artifact
        raise ValueError(
            f"{what}: byte 0x{error.object[error.start]:02x} at {error.start} is not UTF-8: expected text"
        ) from error


def _data_of_jax(source: Any) -> str | bytes | None:
    """The text, with locations, or the bytecode of an object of JAX: None if it has none."""
    if isinstance(serialized := getattr(source, "mlir_module_serialized", None), bytes | bytearray):
        return bytes(serialized)  # of jax.export.Exported
    if callable(getattr(source, "lower", None)) and hasattr(source, "jaxpr"):  # jax.stages.Traced
        source = lower_traced(source)
    if callable(as_text := getattr(source, "as_text", None)) and hasattr(source, "compiler_ir"):  # jax.stages.Lowered
        return str(as_text(dialect="stablehlo", debug_info=True))
    return None


def _text_of_mlir(source: Any) -> str | None:
    """The text, with locations, of a module or operation of MLIR's Python bindings; None for anything else."""
    operation = getattr(source, "operation", None)
    return None if operation is None else str(operation.get_asm(enable_debug_info=True))


DATA_OF: Mapping[str, Callable[[Any], str | bytes | None]] = {
    "jax.": _data_of_jax,
    "jaxlib.mlir": _text_of_mlir,
    "mlir.": _text_of_mlir,
}
"""By the start of the name of the module of a class: the text or bytecode of its objects."""


def hlo_text_and_name(source: str | bytes | PathLike[str], name: str | None = None) -> tuple[str, str]:
    """
    The HLO text of a text, of bytes, which may be XLA's binary form, or of a file with either; and its name.

    Raises `HLOProtoError` for bytes that are neither, and `OSError` like `open`.
    """
    if isinstance(source, bytes):
        return hlo_text_in(source), name or "<bytes>"
    if isinstance(source, str) and not is_path(source):
        return source, name or "<string>"
    path = fspath(source)
    return hlo_text_in(Path(path).read_bytes()), name or path


def is_hlo(text: str) -> bool:
    """Whether `text` is HLO: it starts with `HloModule`, perhaps after comments."""
    return _START_OF_HLO.match(text) is not None


def is_mlir(text: str) -> bool:
    """Whether `text` starts as only MLIR does: with an alias, a module, or a symbol such as `func.func @f`."""
    return _START_OF_MLIR.match(text) is not None


def hlo_text_in(data: bytes) -> str:
    """The HLO text that is `data`, or that is in it in XLA's binary form; MLIR as it is."""
    from xshardy.hlo_text.proto import hlo_text_of

    try:
        text = data.decode(ENCODING)
    except UnicodeDecodeError:
        return hlo_text_of(data)
    return text if "HloModule" in text or is_mlir(text) else hlo_text_of(data)
