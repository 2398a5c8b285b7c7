"""The log of a compilation: the IR after each pass, in files or on standard error, and the times of passes."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from xshardy.syntax import print_module
from xshardy.syntax.files import write_file

VERBOSE_IR = 5
"""The verbosity from which the IR is printed after every pass, as `run_hlo_module --v=5` does (spec row XGPU-41)."""


@dataclass
class PassLog:
    """An observer for `compiler.lower`: dumps to `directory` if given, prints IR at `--v=5`, records the times."""

    directory: Path | None = None
    verbosity: int = 0
    seconds: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])

    def __call__(self, name: str, module: ModuleOp, seconds: float) -> None:
        self.add_time(name, seconds)
        if self.directory is None and self.verbosity < VERBOSE_IR:
            return
        text = print_module(module)
        self.dump(f"{name}.mlir", text)
        if self.verbosity >= VERBOSE_IR:
            print(f"// -----// IR dump after {name} //----- //\n{text}", file=sys.stderr)

    def add_time(self, name: str, seconds: float) -> None:
        """Record `seconds` for a step that is not a pass."""
        self.seconds.append((name, seconds))

    def dump(self, name: str, text: str) -> None:
        """Write `text` to the dump directory, numbered by the steps so far; does nothing if there is no directory."""
        if self.directory is None:
            return
        self.directory.mkdir(parents=True, exist_ok=True)
        write_file(self.directory / f"{len(self.seconds) - 1:02}-{name}", text)

    def finish(self, show_times: bool) -> None:
        """With `show_times`, print a table of the steps with their milliseconds and share to standard error."""
        if not show_times:
            return
        from rich.table import Table

        from xshardy.tools.console import console

        total = sum(seconds for _, seconds in self.seconds)
        table = Table("step", "ms", "%", title="time by step", title_justify="left")
        for column in table.columns[1:]:
            column.justify = "right"
        for name, seconds in self.seconds:
            table.add_row(name, f"{seconds * 1e3:.2f}", f"{100 * seconds / total:.1f}" if total else "-")
        table.add_section()
        table.add_row("total", f"{total * 1e3:.2f}", "100.0")
        console(stderr=True).print(table)
