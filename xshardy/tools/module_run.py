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

from xshardy.interpreters.element_types import Array
from xshardy.modules.checked_run import ModuleRuns, planned
from xshardy.modules.compilation import compile_module
from xshardy.modules.cpu_machine import CpuMachine
from xshardy.modules.execution import Execution, Machine
from xshardy.modules.kernel_levels import PTX
from xshardy.modules.launch_plan import LaunchPlan
from xshardy.modules.program import ModuleError
from xshardy.ptx.errors import PtxError
from xshardy.tools.console import console
from xshardy.tools.execution import ErrorBounds, Output, print_outputs, report_outputs
from xshardy.tools.output import print_diagnostic
from xshardy.tools.program_run import CUDA


def run_program(
    module: ModuleOp, original: ModuleOp, levels: Sequence[str], args: argparse.Namespace, bounds: ErrorBounds
) -> int:
    """
    Execute `module` with kernels at each of `levels`; prints the results, and gives the exit status.

    They are compared with those of `original`, the module before fusion.
    """
    plan, machines = _machines(module, levels, args)
    runs = ModuleRuns(original, plan, args.seed)
    outputs: list[Output] = []
    for level, machine in machines.items():
        start = perf_counter()
        try:
            execution, results = _execute(runs, machine, args.check)
        except PtxError as error:
            if len(machines) == 1:
                raise
            print_diagnostic(f"{args.file}: warning: level {level} is left out: {error}")
            continue
        seconds = perf_counter() - start
        if execution.wrong is not None:
            print_diagnostic(f"{args.file}: error: level {level}: {execution.wrong}")
            return 1
        with console(stderr=True).status(Text("reference")):
            for index, value in enumerate(results):
                outputs.append(_output(runs, level, index, value, seconds, args.check, bounds))
    print_outputs(outputs)
    counts = Counter(type(step).__name__.removesuffix("Step").lower() for step in plan.all_steps())
    listed = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    checked = "each compared with the reference" if args.check else "not compared"
    console().print(
        f"{counts.total()} steps ({listed}), {checked}; {plan.assignment.temporary_bytes:,} bytes of temporary memory",
        highlight=False,
    )
    return report_outputs(outputs, args.file)


def _machines(
    module: ModuleOp, levels: Sequence[str], args: argparse.Namespace
) -> tuple[LaunchPlan, dict[str, Machine]]:
    """The launch plan of `module`, and what executes it at each level."""
    if args.on != CUDA:
        return planned(module, args.target), {level: CpuMachine(level, args.target, args.math) for level in levels}
    from xshardy.engines.cuda.gpu import Gpu
    from xshardy.engines.cuda.modules import GpuMachine

    gpu = Gpu()
    compiled = compile_module(module, target=args.target, math=args.math, jobs=os.cpu_count() or 1)
    for name, reason in compiled.failures.items():
        raise ModuleError(f"{name} cannot be compiled: {reason}")
    return compiled.plan, {PTX: GpuMachine(compiled, gpu)}


def _execute(runs: ModuleRuns, machine: Machine, checks: bool) -> tuple[Execution, list[Array]]:
    """One execution, with the number of steps so far if standard error is a terminal."""
    bar = Progress(TextColumn("steps"), MofNCompleteColumn(), TimeElapsedColumn(), console=console(stderr=True))
    with bar if bar.console.is_terminal else nullcontext():
        task = bar.add_task("", total=None)
        return runs.run(machine, checks=checks, finished=lambda step: bar.advance(task))


def _output(
    runs: ModuleRuns, level: str, index: int, value: Array, seconds: float, checks: bool, bounds: ErrorBounds
) -> Output:
    """A row of the table."""
    type = runs.plan.results[index].leaf.type
    undefined = runs.reference.undefined.get(index) if checks else None
    comparison = None
    if checks and undefined is None:
        comparison = runs.reference.compare(index, value, bounds.tolerance(type.element_type))
    return Output(runs.plan.name, level, index, type, value, comparison, seconds, undefined)
