"""
What a program is read from: text, a path, bytes, a module, a function of JAX, or an object of JAX or jaxlib.

JAX is imported for functions only: an object of JAX is known by the module of its class, and asked for its text.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias

from xdsl.dialects.builtin import ModuleOp

from xshardy.programs.artifacts import artifact_in
from xshardy.programs.errors import InputError
from xshardy.programs.jax_functions import FLAT, Structure, compile_argument, lower_traced, lowered, structure_of
from xshardy.syntax import print_module
from xshardy.syntax.bytecode import is_bytecode, read_bytecode

ProgramSource: TypeAlias = "Source | str | bytes | PathLike[str] | ModuleOp | Callable[..., Any] | Any"
"""
Text, a path, bytes, a module, a function of JAX, `jax.stages.Lowered` or `Traced`, `jax.export.Exported`, or an
operation of jaxlib's MLIR.
"""

BINARY_HLO = ".pb"
"""How the name of a file ends that has HLO in binary form."""
SUFFIXES = (".mlir", ".mlirbc", ".hlo", ".txt", ".log", BINARY_HLO)
"""How a string ends that is a path. No module is one line that ends so."""

ENCODING = "utf-8-sig"
"""UTF-8, perhaps with a byte order mark, which editors on Windows write."""

_COMMENTS = r"(?:\s|//[^\n]*\n)*"
_START_OF_HLO = re.compile(_COMMENTS + r"HloModule\b")
_START_OF_MLIR = re.compile(_COMMENTS + r'(?:[#!"]|module\s*[@{]|module attributes\b|\w+\.\w+ (?:private |public )?@)')


@dataclass(frozen=True, slots=True)
class Source:
    """What a program is read from."""

    content: str | bytes | ModuleOp
    """Text, MLIR or HLO; MLIR bytecode; or a module."""
    name: str
    """What stands for its file in diagnostics."""
    structure: Structure = FLAT
    """How the arguments and results of a function of JAX are nested."""
    is_text: bool = True
    """Whether the user has the text: that of an object of JAX, nobody has seen, and its lines mean nothing."""
    module: str | None = None
    """The name of the module of the program, if the content holds several; None for the first public one."""
    kept_alive: object = None
    """The functions of Python that calls of the program name by numbers, which JAX forgets otherwise."""

    @property
    def is_hlo(self) -> bool:
        """Whether it is the text of HLO."""
        return isinstance(self.content, str) and is_hlo(self.content)

    @property
    def text(self) -> str:
        """The text; of bytecode and of a module, with locations. Raises `BytecodeError`."""
        if isinstance(self.content, str):
            return self.content
        module = self.content if isinstance(self.content, ModuleOp) else read_bytecode(self.content)
        return print_module(module, debug_info=True)


def source_of(
    given: ProgramSource, name: str | None = None, arguments: Sequence[object] = (), *, keep_unused: bool = False
) -> Source:
    """
    The source that is `given`; a function of JAX is lowered for `arguments`, as `lowered` does it.

    Diagnostics call it `name`, or what it is. Raises `TypeError` for anything that is no program, `InputError` for
    bytes that are no text, `HLOProtoError` for HLO in binary form that cannot be read, `OSError` like `open`, and what
    JAX raises.
    """
    if isinstance(given, Source):
        return given
    if isinstance(given, ModuleOp):
        return Source(given, name or "<module>")
    if isinstance(given, str) and not is_path(given):
        return Source(given, name or "<string>")
    if isinstance(given, str | PathLike):
        path = str(fspath(given))  # pyright: ignore[reportUnknownArgumentType]
        return source_in(Path(path).read_bytes(), name or path, is_binary_hlo=path.endswith(BINARY_HLO))
    if isinstance(given, bytes | bytearray):
        return source_in(bytes(given), name or "<bytes>")
    if (source := source_of_object(given, name)) is not None:
        return source
    if callable(given):
        return source_of(lowered(given, arguments, keep_unused=keep_unused), name)
    raise TypeError(
        f"a {type(given).__module__}.{type(given).__qualname__} is no program: expected text, a path, bytes, a module, "
        "a function of JAX, what `jax.jit(f).lower(...)` or `jax.export.export(f)(...)` returns, or a module of "
        "jaxlib.mlir"
    )


def source_of_object(given: object, name: str | None = None) -> Source | None:
    """The source that an object of JAX or jaxlib has; None for anything else, also for functions."""
    if callable(getattr(given, "lower", None)) and hasattr(given, "jaxpr"):  # jax.stages.Traced
        given = lower_traced(given)
    for prefix, content_of in CONTENT_OF.items():
        if type(given).__module__.startswith(prefix) and (content := content_of(given)) is not None:
            name = name or f"<{type(given).__name__}>"
            kept_alive = compile_argument(given, "keepalive")
            return Source(content, name, structure_of(given), is_text=False, kept_alive=kept_alive)
    return None


def source_in(data: bytes, name: str, *, is_binary_hlo: bool = False) -> Source:
    """
    The source in `data`: text, MLIR bytecode, bytecode that JAX has serialized in it, or HLO in binary form.

    Raises `InputError` with the place of a byte that is no text, and `HLOProtoError` if it is not HLO.
    """
    if is_bytecode(data):
        return Source(data, name)
    try:
        if not is_binary_hlo and not (data.startswith(b"\n") and b"\0" in data):
            return Source(data.decode(ENCODING), name)
    except UnicodeDecodeError as error:
        if (artifact := artifact_in(data)) is not None:
            return Source(artifact, name)
        if not data.startswith(b"\n"):  # the first field of a protocol buffer
            byte, before = error.object[error.start], error.object[: error.start].decode(errors="replace")
            line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
            place = f"{name}:{line}:{column}"
            raise InputError(f"{place}: error: byte 0x{byte:02x} is not UTF-8: expected a text file") from None
    from xshardy.hlo_text.proto import hlo_text_of

    return Source(hlo_text_of(data), name)


def is_path(text: str) -> bool:
    """Whether a string is the path of a file, not the text of a module."""
    return "\n" not in text and text.endswith(SUFFIXES)


def is_hlo(text: str) -> bool:
    """Whether `text` is HLO: it starts with `HloModule`, perhaps after comments."""
    return _START_OF_HLO.match(text) is not None


def is_mlir(text: str) -> bool:
    """Whether `text` starts as only MLIR does: with an alias, a module, or a symbol such as `func.func @f`."""
    return _START_OF_MLIR.match(text) is not None


def _content_of_jax(source: object) -> str | bytes | None:
    """The text, with locations, or the bytecode of an object of JAX: None if it has none."""
    if isinstance(serialized := getattr(source, "mlir_module_serialized", None), bytes | bytearray):
        return bytes(serialized)  # of jax.export.Exported
    if callable(as_text := getattr(source, "as_text", None)) and hasattr(source, "compiler_ir"):  # jax.stages.Lowered
        return str(as_text(dialect="stablehlo", debug_info=True))
    return None


def _text_of_mlir(source: object) -> str | None:
    """The text, with locations, of a module or operation of MLIR's Python bindings; None for anything else."""
    operation = getattr(source, "operation", None)
    return None if operation is None else str(operation.get_asm(enable_debug_info=True))


CONTENT_OF: Mapping[str, Callable[[object], str | bytes | None]] = {
    "jax.": _content_of_jax,
    "jaxlib.mlir": _text_of_mlir,
    "mlir.": _text_of_mlir,
}
"""By the start of the name of the module of a class: the text or bytecode of its objects."""
