"""
OpenXLA's Shardy and the XLA:GPU emitters as an xDSL dialect framework.

- `parse`, `print_module`, `verify`, `run_passes`, `location_of`: MLIR in upstream's text; `write_bytecode`,
  `write_artifact`: as bytecode, which `parse` reads too.
- `propagate`, `partition`, `explain`: the shardings of programs of StableHLO.
- `plan`, `advise`: what a partitioned program communicates and holds, why, and what saves time; `xshardy.testing`.
- `auto`: the shardings that make a program fast, found by search.
- `prove`: whether each device computes its part of a program, for all inputs.
- `run`: a partitioned program on all devices, by our evaluator or by XLA; `xshardy.jax.jit` for functions of JAX.
- `read_hlo`, `emit`, `lower`, `compile`: HLO text, and a fusion of it from `xla_gpu` to PTX.
- `compile_program`: a whole program, also a function of JAX, as kernels with a launch plan, run on the CPU.

`docs/api.md` shows each of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xshardy.api import (
        Explanation,
        advise,
        auto,
        compile,
        compile_program,
        emit,
        explain,
        location_of,
        parse,
        partition,
        plan,
        print_module,
        propagate,
        prove,
        read_hlo,
        run,
        run_passes,
        verify,
        write_artifact,
        write_bytecode,
    )
    from xshardy.compiler import lower
    from xshardy.engines.checked_run import ProgramRun
    from xshardy.engines.compiled_program import CompiledProgram
    from xshardy.lowering.kernel import Kernel
    from xshardy.planning.auto.find import FoundShardings
    from xshardy.planning.plan import Plan
    from xshardy.programs.partitioned import PartitionedProgram
    from xshardy.proving.verdict import Verdict


__all__ = [
    "CompiledProgram",
    "Explanation",
    "FoundShardings",
    "Kernel",
    "PartitionedProgram",
    "Plan",
    "ProgramRun",
    "Verdict",
    "advise",
    "auto",
    "compile",
    "compile_program",
    "emit",
    "explain",
    "location_of",
    "lower",
    "parse",
    "partition",
    "plan",
    "print_module",
    "propagate",
    "prove",
    "read_hlo",
    "run",
    "run_passes",
    "verify",
    "write_artifact",
    "write_bytecode",
]

_HOMES = {
    **dict.fromkeys(__all__, "api"),
    "lower": "compiler",
    "CompiledProgram": "engines.compiled_program",
    "FoundShardings": "planning.auto.find",
    "Kernel": "lowering.kernel",
    "PartitionedProgram": "programs.partitioned",
    "Plan": "planning.plan",
    "ProgramRun": "engines.checked_run",
    "Verdict": "proving.verdict",
}
"""The module that each name is defined in."""


def __getattr__(name: str) -> Any:
    # Imported on first use: `xdsl-opt` loads this package for its entry point, and must not pay for the compiler.
    if name == "jax":
        return import_module("xshardy.jax")
    if name == "__version__":
        from importlib.metadata import version

        return version("xshardy")
    if name not in _HOMES:
        raise AttributeError(f"module 'xshardy' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"xshardy.{_HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__", *(name for name in globals() if name.startswith("__"))]
