"""Warm processes: imports are done once, and each piece of work runs in a fork that starts from them."""

import gc
import json
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "xshardy"
sys.path.insert(0, str(ROOT))
THIRD_PARTY = (
    "filecheck.main",
    "hypothesis.strategies",
    "jax.numpy",
    "jaxlib.mlir.ir",
    "lit.discovery",
    "llvmlite.binding",
    "numpy",
    "pytest",
    "xdsl.dialects",
    "xdsl.pattern_rewriter",
)
MEMORY = 12 << 30
"""Bytes that a fork may use: a fault can make a loop that allocates without end."""


def import_libraries() -> None:
    for name in THIRD_PARTY:
        import_module(name)
    for dialect in import_module("xdsl.dialects").get_all_dialects().values():
        dialect()


def module_name(path: str) -> str:
    """The module of a file, given by its path from the root of the repository."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


class Replaced(MetaPathFinder):
    """Imports one module from another text; while `text` is None, it cannot be imported."""

    def __init__(self, path: str):
        self.name, self.path = module_name(path), str(ROOT / path)
        self.text: str | None = None

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        if self.text is None:
            raise ModuleNotFoundError(f"{fullname} is not there yet")
        return spec_from_file_location(fullname, self.path, loader=_TextLoader(fullname, self.path, self.text))


class _TextLoader(SourceFileLoader):
    def __init__(self, name: str, path: str, text: str):
        super().__init__(name, path)
        self.text = text

    def get_code(self, fullname: str):
        return compile(self.text, self.path, "exec", dont_inherit=True)


def import_independent_modules(replaced: Replaced | None = None) -> None:
    """Import the modules of xshardy that do not import `replaced`, which is looked for in place of its file."""
    if replaced is not None:
        sys.meta_path.insert(0, replaced)
    for name in _modules():
        try:
            import_module(name)
        except ImportError:
            if replaced is None:
                raise


def _modules() -> Iterator[str]:
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.name != "__main__.py":
            yield module_name(path.relative_to(ROOT).as_posix())


def in_fork(work: Callable[..., Any], *arguments: Any) -> Any:
    """
    The result of `work(*arguments)`, which JSON can write, from a fork of this process.

    A string that says how it ended if it has no result. See `limit_time`.
    """
    gc.freeze()
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reader)
        _run(work, arguments, writer)
    os.close(writer)
    with os.fdopen(reader) as file:
        text = file.read()
    _, status = os.waitpid(process, 0)
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return json.loads(text) if text else "no result"


def _run(work: Callable[..., Any], arguments: tuple[Any, ...], writer: int) -> None:
    """Never returns."""
    try:
        os.close(0)
        os.open(os.devnull, os.O_RDONLY)
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        try:
            result = work(*arguments)
        except BaseException:
            result = traceback.format_exc()
        with os.fdopen(writer, "w") as file:
            json.dump(result, file)
    finally:
        os._exit(0)


def limit_time(seconds: float) -> None:
    """End this process after so many more seconds of a processor, or after ten times as many and a minute."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(60 + int(10 * seconds))


def be_silent() -> None:
    """Write what this process prints nowhere."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nothing, stream)
