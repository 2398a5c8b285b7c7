"""
The text of a program, whatever it is given as: text, a path, bytes, or an object of JAX or jaxlib.

JAX is never imported: an object of JAX is known by the module of its class, and asked for its text.
"""

from collections.abc import Callable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias

ProgramSource: TypeAlias = "str | bytes | PathLike[str] | Any"
"""Text, a path, bytes, `jax.stages.Lowered` or `Traced`, `jax.export.Exported`, or an operation of jaxlib's MLIR."""

SUFFIXES = (".mlir", ".hlo", ".txt", ".log", ".pb")
"""How a string ends that is a path. No module is one line that ends so."""

BYTECODE = b"ML\xefR"
"""What MLIR's bytecode starts with."""


def program_text(source: ProgramSource, name: str | None = None) -> tuple[str, str]:
    """
    The text of `source`, and the name of it in diagnostics: `name` if it is given.

    Raises `TypeError` for anything that is no program, `ValueError` for bytes that are no text, `OSError` like `open`.
    """
    if isinstance(source, str) and not is_path(source):
        return source, name or "<string>"
    if isinstance(source, str | PathLike):
        path = str(fspath(source))  # pyright: ignore[reportUnknownArgumentType]
        if path.endswith(".pb"):
            raise ValueError(f"{path}: this is HLO in binary form: read it with xshardy.read_hlo")
        return _decoded(Path(path).read_bytes(), path), name or path
    if isinstance(source, bytes | bytearray):
        return _decoded(bytes(source), "the bytes"), name or "<bytes>"
    for prefix, as_text in TEXT_OF.items():
        if type(source).__module__.startswith(prefix) and (text := as_text(source)) is not None:
            return text, name or f"<{type(source).__name__}>"
    raise TypeError(
        f"a {type(source).__module__}.{type(source).__qualname__} is no program: expected text, a path, bytes, what "
        "`jax.jit(f).lower(...)` or `jax.export.export(f)(...)` returns, or a module of jaxlib.mlir"
    )


def is_path(text: str) -> bool:
    """Whether a string is the path of a file, not the text of a module."""
    return "\n" not in text and text.endswith(SUFFIXES)


def _decoded(data: bytes, what: str) -> str:
    if data.startswith(BYTECODE):
        raise ValueError(f"{what}: this is MLIR bytecode: give its text, as `str(exported.mlir_module())` has it")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{what}: byte 0x{data[error.start]:02x} at {error.start} is not UTF-8: expected text"
        ) from error


def _text_of_jax(source: Any) -> str | None:
    """The text, with locations, of an object of JAX: None if it has none."""
    if callable(mlir_module := getattr(source, "mlir_module", None)):  # jax.export.Exported
        return str(mlir_module())
    if callable(lower := getattr(source, "lower", None)) and hasattr(source, "jaxpr"):  # jax.stages.Traced
        source = lower()
    if callable(as_text := getattr(source, "as_text", None)) and hasattr(source, "compiler_ir"):  # jax.stages.Lowered
        return str(as_text(dialect="stablehlo", debug_info=True))
    return None


def _text_of_mlir(source: Any) -> str | None:
    """The text, with locations, of a module or operation of MLIR's Python bindings; None for anything else."""
    operation = getattr(source, "operation", None)
    return None if operation is None else str(operation.get_asm(enable_debug_info=True))


TEXT_OF: Mapping[str, Callable[[Any], str | None]] = {
    "jax.": _text_of_jax,
    "jaxlib.mlir": _text_of_mlir,
    "mlir.": _text_of_mlir,
}
"""By the start of the name of the module of a class: the text of its objects."""


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


def hlo_text_in(data: bytes) -> str:
    """The HLO text that is `data`, or that is in it in XLA's binary form."""
    from xshardy.hlo_text.proto import hlo_text_of

    try:
        text = data.decode()
    except UnicodeDecodeError:
        return hlo_text_of(data)
    return text if "HloModule" in text else hlo_text_of(data)
