"""The engines, by name, and what each of them does."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from xshardy.numerics.element_types import Array
from xshardy.programs.errors import EngineError
from xshardy.programs.partitioned import PartitionedProgram
from xshardy.syntax.close_names import did_you_mean


class Engine(Protocol):
    """Executes a partitioned program on all of its devices."""

    def execute(self, program: PartitionedProgram, arguments: Sequence[Sequence[Array]]) -> list[list[Array]]:
        """
        The results of each device: `execute(program, arguments)[device][i]`, given its `arguments[device]`.

        Raises `EngineError` or `InterpretationError` for a program or a place where it cannot run.
        """
        ...


def run_program(engine: Engine, program: PartitionedProgram, arguments: Sequence[Array]) -> list[list[Array]]:
    """The parts of each result, by device: `[result][device]`, for whole `arguments`."""
    return program.by_result(engine.execute(program, program.by_device(arguments)))


def engine_named(name: str, **options: Any) -> Engine:
    """
    The engine of this name, with its options. Raises `EngineError` for another name.

    Engine `simulated` has no options; those of `kernels` and `pjrt` are the fields of `Kernels` and `PJRT`.
    """
    if name not in ENGINES:
        hint = did_you_mean(name, ENGINES, f": there are {', '.join(ENGINES)}")
        raise EngineError(f"no engine '{name}'{hint}")
    module, kind = ENGINES[name]
    return getattr(import_module(f"xshardy.engines.{module}"), kind)(**options)


ENGINES: Mapping[str, tuple[str, str]] = {
    "simulated": ("simulated", "Simulated"),
    "kernels": ("kernels", "Kernels"),
    "pjrt": ("pjrt.engine", "PJRT"),
}
"""The module and class of each engine, loaded when it is used."""
