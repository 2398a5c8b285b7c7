"""
The commands of `xshardy`: a row each, and a module of this package, which is imported when the command is used.

A module has `EXAMPLE`, the end of the help; `add_options(parser)`; and `run(args)`, which gives the exit status.
"""

import argparse
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Protocol, cast


class Command(Protocol):
    """The module of a command."""

    EXAMPLE: str

    def add_options(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, args: argparse.Namespace) -> int: ...


COMMANDS: Mapping[str, str] = {
    "emit": "print the MLIR of each fusion, as emitted or lowered to a level",
    "compile": "compile all fusions of a module to PTX",
    "run": (
        "execute a module with seeded inputs, on the CPU or with --on cuda; with other --on, a sharded program on all "
        "of its devices"
    ),
    "ptx": "execute PTX on the CPU, check it for races and wrong accesses, or count what it executes",
    "indexing": "print the indexing maps between the results and operands of each fusion",
    "hlo-stats": "count the instructions and bytes of HLO dumps, by opcode, kind of fusion, and computation or module",
    "shrink": "print an HLO module with smaller shapes, and otherwise the same operations",
    "reduce": "print a smaller MLIR, HLO or PTX text for which a command fails in the same way",
    "shard": "propagate shardings, and say what each device holds of the largest tensors",
    "explain": "say from where a tensor got its sharding, through which operations",
    "plan": "say what each device communicates and holds, which operation needs it, and which annotations cause it",
    "trace": "run a script of JAX as it is, and plan each function that it compiles for several devices",
    "auto": "find the shardings that make a program fast within a memory limit, and say how near the optimum is",
    "prove": "prove that each device computes its part of a program, for all inputs, or find an input that refutes it",
    "explore": "show a program after each pass, and each pattern that applied, as a page",
    "puzzle": "exercises that check themselves: list them, show one, or check an answer",
    "completion": "print a script by which bash, zsh or fish completes the commands",
}
"""The names of the commands, in the order of the help, and what they do. The module of `hlo-stats` is `hlo_stats`."""


def load(name: str) -> Command:
    """The module of the command `name`. Exits with a diagnostic if it needs a package that is not installed."""
    try:
        return cast(Command, import_module(f"{__name__}.{name.replace('-', '_')}"))
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("xshardy"):
            raise
        from xshardy.tools.diagnostics import missing_package  # slow to import, and only needed after errors

        sys.exit(f"xshardy {name}: error: {missing_package(error.name)}")
