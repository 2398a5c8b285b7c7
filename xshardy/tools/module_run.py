"""`xshardy run` of a whole module: all steps of its launch plan, on the CPU or a GPU."""

import argparse
import os
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from time import perf_counter

from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text
from xdsl.dialects.builtin import ModuleOp

from xshardy.launch.checked_run import ModuleRuns, planned
from xshardy.launch.compilation import compile_module
from xshardy.launch.cpu_machine import cpu_machines
from xshardy.launch.execution import Machine
from xshardy.launch.kernel_levels import PTX
from xshardy.launch.launch_plan import LaunchPlan
from xshardy.launch.module_devices import grid_of
from xshardy.launch.parallel_execution import WrongStepError
from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.tools.console import console
from xshardy.tools.engine_run import CUDA
from xshardy.tools.execution import ErrorBounds, Output, outputs_as_json, print_outputs, report_outputs
from xshardy.tools.output import print_diagnostic, print_json


def run_program(
    module: ModuleOp, original: ModuleOp, levels: Sequence[str], args: argparse.Namespace, bounds: ErrorBounds
) -> int:
    """
    Execute `module` with kernels at each of `levels`; prints the results, and gives the exit status.

    They are compared with those of `original`, the module before fusion.
    """
    devices = grid_of(original).size
    plan, machines = _machines(module, devices, levels, args)
    runs = ModuleRuns(original, plan, args.seed)
    outputs: list[Output] = []
    for level, of_devices in machines.items():
        start = perf_counter()
        try:
            results = _execute(runs, of_devices, args.check)
        except PtxError as error:
            if len(machines) == 1:
                raise
            print_diagnostic(f"{args.file}: warning: level {level} is left out: {error}")
            continue
        except WrongStepError as error:
            print_diagnostic(f"{args.file}: error: level {level}: {error}")
            return 1
        seconds = perf_counter() - start
        with console(stderr=True).status(Text("reference")):
            for index in range(len(plan.results)):
                outputs.append(_output(runs, level, index, results, seconds, args.check, bounds))
    if args.json:
        print_json(outputs_as_json(outputs))
    else:
        print_outputs(outputs)
        _print_steps(plan, devices, args.check)
        if args.on == CUDA:
            for of_devices in machines.values():
                _print_library_steps(plan, of_devices[0], args.file)
    return report_outputs(outputs, args.file)


def _print_steps(plan: LaunchPlan, devices: int, checks: bool) -> None:
    """How many steps were executed, and the memory that they need."""
    count = len([*plan.all_steps()])
    checked = "each compared with the reference" if checks else "not compared"
    steps = f"{count} steps on each of {devices} devices" if devices > 1 else f"{count} steps"
    console().print(
        f"{steps} ({plan.counted()}), {checked}; {plan.assignment.temporary_bytes:,} bytes of temporary memory",
        highlight=False,
    )


def _machines(
    module: ModuleOp, devices: int, levels: Sequence[str], args: argparse.Namespace
) -> tuple[LaunchPlan, dict[str, Sequence[Machine]]]:
    """The launch plan of `module`, and what executes it on each of its devices, by level."""
    if args.on != CUDA:
        plan = planned(module, args.target)
        memory = plan.assignment
        return plan, {level: cpu_machines(memory, devices, level, args.target, args.math) for level in levels}
    from xshardy.engines.cuda.gpu import Gpu
    from xshardy.engines.cuda.jax_libraries import Libraries, libraries_for
    from xshardy.engines.cuda.modules import GpuMachine

    gpu = Gpu()
    compiled = compile_module(module, target=args.target, math=args.math, jobs=os.cpu_count() or 1)
    compiled.require_complete()
    libraries = libraries_for(compiled.plan, gpu, Libraries(args.libraries or Libraries.AUTO))
    # A check compares f32 with f32, so no library may round it to TF32.
    return compiled.plan, {
        PTX: [GpuMachine(compiled, gpu, libraries, full_precision=args.check) for _ in range(devices)]
    }


def _print_library_steps(plan: LaunchPlan, machine: Machine, file: str) -> None:
    """Who computed how many library steps on a GPU, and why XLA, if it was asked for, did not compute some."""
    from xshardy.engines.cuda.modules import GpuMachine

    assert isinstance(machine, GpuMachine)
    counts = Counter(machine.way(step) for step in plan.library_steps())
    if counts:
        by = ", ".join(f"{count} by {way}" for way, count in counts.items())
        console().print(f"library steps: {by}", highlight=False)
    for name, reason in machine.refused.items():
        print_diagnostic(f"{file}: warning: {name} is not left to XLA: {reason}")


def _execute(runs: ModuleRuns, machines: Sequence[Machine], checks: bool) -> list[list[Array]]:
    """One execution, with the number of steps so far if standard error is a terminal."""
    bar = Progress(TextColumn("steps"), MofNCompleteColumn(), TimeElapsedColumn(), console=console(stderr=True))
    with bar if bar.console.is_terminal else nullcontext():
        task = bar.add_task("", total=None)
        return runs.run(machines, checks=checks, finished=lambda step: bar.advance(task))


def _output(
    runs: ModuleRuns,
    level: str,
    index: int,
    results: Sequence[Sequence[Array]],
    seconds: float,
    checks: bool,
    bounds: ErrorBounds,
) -> Output:
    """A row of the table: the value of the first device, and the comparison of all."""
    type, value = runs.plan.results[index].leaf.type, results[0][index]
    compared = runs.compare(index, results, bounds.tolerance(type.element_type)) if checks else None
    if isinstance(compared, str):
        return Output(runs.plan.name, level, index, type, value, None, seconds, compared)
    return Output(runs.plan.name, level, index, type, value, compared, seconds)
