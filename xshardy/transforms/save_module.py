"""Write a module to a file between two passes, to inspect it. Source: Shardy's pass `sdy-save-module`."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from xshardy.syntax.files import write_file
from xshardy.syntax.printer import Printer
from xshardy.transforms.read_only_pass import ReadOnlyPass


def save_module(module: ModuleOp, directory: str, name: str) -> None:
    """Write `module` to `directory/name.mlir`, if `directory` is not empty. A file error is printed, not raised."""
    if not directory:
        return
    path = Path(directory) / f"{name}.mlir"
    try:
        write_file(path, Printer().module_text(module))
    except OSError as error:
        print(f"error when writing file {path}: {error.strerror}", file=sys.stderr)


@dataclass(frozen=True)
class SaveModulePass(ReadOnlyPass):
    """Write the module to a folder, as `INDEX.NAME.mlir` with an index of at least two digits. The module stays."""

    name = "sdy-save-module"
    source: ClassVar[str] = "Shardy, sdy-save-module"
    no_patterns: ClassVar[str] = "writes a file"
    directory: str = ""
    file_name: str = "module"
    index: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        save_module(op, self.directory, f"{self.index:02}.{self.file_name}")
