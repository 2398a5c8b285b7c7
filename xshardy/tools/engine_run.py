"""`xshardy run --on`: a program partitioned and executed on all devices of its mesh."""

import argparse
import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from xshardy.tools.arguments import bound, mesh_option, natural, positive
from xshardy.tools.output import print_diagnostic, print_json
from xshardy.tools.usage import UsageError

if TYPE_CHECKING:
    from xshardy.engines.checked_run import ProgramRun
    from xshardy.engines.engine import Engine
    from xshardy.programs.program import Program
    from xshardy.programs.source import Source

TIME_OUT = 600.0
"""The seconds after which a run on `pjrt` is given up, by default."""
CUDA = "cuda"
"""The choice of `--on` that is for fusions."""
OF_PROGRAMS = ("mesh", "processes", "coordinator", "process_id", "platform", "time_out")
OF_PJRT = OF_PROGRAMS[1:]
REFERENCES = ("", "interpreter", "cpu", "host", "default")
"""The names of what results are compared with: nothing, or the one reference that there is here."""
OF_XLA = ("abs_error_bound", "rel_error_bound", "bijection_inputs", "bijection_outputs")
OF_FUSIONS = ("frontend", "fusion", "fuse_entry", "dump_dir", "time_passes", "levels", *OF_XLA)
"""Options without a default."""


def add_program_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of programs to those of `xshardy run`."""
    group = parser.add_argument_group(
        "sharded programs",
        "with --on simulated, kernels or pjrt, FILE is StableHLO or HLO with shardings, or FILE.py:NAME; a program "
        "with a mesh of several devices runs on the simulated one by default",
    )
    group.add_argument(
        "--on",
        choices=("simulated", "kernels", "pjrt", CUDA),
        help="partition the program and run it on all devices of its mesh: by our evaluator, as fused kernels and "
        "library calls that the CPU executes at --level, or by XLA through jaxlib; "
        "cuda: run the PTX of each fusion of FILE on GPU 0, through the CUDA driver",
    )
    group.add_argument(
        "--libraries",
        choices=("auto", "jax", "none"),
        help="with --on cuda, who computes matrix products, convolutions, sorts and the like: jax, XLA, which calls "
        "NVIDIA's libraries; none, kernels of xshardy and the host; auto, the default, XLA if JAX has CUDA",
    )
    group.add_argument("--mesh", **mesh_option())
    group.add_argument(
        "--platform",
        type=str.lower,
        choices=("cpu", "cuda", "rocm", "tpu"),
        help="devices of pjrt (default: cpu, virtual ones); without --on, CUDA: the CPU executes the PTX of kernels",
    )
    group.add_argument(
        "--prove", action="store_true", help="also prove that each device computes its part, as `xshardy prove` does"
    )
    group.add_argument("--processes", type=positive, metavar="K", help="run pjrt in K processes (default: 1)")
    group.add_argument(
        "--coordinator",
        type=_coordinator,
        metavar="HOST:PORT",
        help="join K processes on a cluster: process 0 listens there; needs --process-id and --processes",
    )
    group.add_argument("--process-id", type=natural, metavar="I", help="the number of this process on a cluster")
    group.add_argument(
        "--time-out",
        type=bound,
        metavar="S",
        help=f"give a run of pjrt up after S seconds (default: {TIME_OUT:g})",
    )


def _coordinator(text: str) -> str:
    """The address of process 0."""
    from xshardy.engines.pjrt.cluster import address_of
    from xshardy.programs.errors import EngineError

    try:
        address_of(text)
    except EngineError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def given_options(args: argparse.Namespace, names: tuple[str, ...]) -> list[str]:
    """Those of the options `names` that were given, as they are written."""
    values = ((name, getattr(args, name)) for name in names)
    return [_written(name) for name, value in values if value is not None and value is not False]


def _written(name: str) -> str:
    """`--time-out`; the options of XLA's tools have underscores."""
    return f"--{name}" if name in OF_XLA else f"--{name.replace('_', '-')}"


def check_options(args: argparse.Namespace) -> None:
    """Raises `UsageError` for options that do not go together."""
    if args.libraries is not None and args.on != CUDA:
        raise UsageError("error: --libraries says who computes library steps on a GPU: run with --on cuda")
    if args.json and args.prove:
        raise UsageError("error: --prove prints a verdict: leave --json out, or use `xshardy prove --json`")
    if args.xla_disable_all_hlo_passes and args.fuse:
        raise UsageError("error: --fuse runs passes on HLO, and --xla_disable_all_hlo_passes runs none: leave one out")
    if args.reference_platform == "" and args.check:
        raise UsageError('error: --reference_platform="" compares nothing, and --check compares: leave one out')
    if args.on in (None, CUDA):
        if args.platform not in (None, CUDA):
            raise UsageError(f"error: --platform {args.platform} has devices of pjrt: add --on pjrt")
        if args.on == CUDA and args.levels:
            raise UsageError("error: --on cuda executes PTX: leave --levels out, or --on")
        if given := [name for name in given_options(args, OF_PROGRAMS) if name != "--platform"]:
            raise UsageError(f"error: {given[0]} is for programs: say where, with --on simulated, kernels or pjrt")
        return
    if given := given_options(args, OF_FUSIONS):
        raise UsageError(f"error: {given[0]} is for fusions: leave it out, or --on")
    if args.fuse and args.on != "kernels":
        raise UsageError("error: --fuse makes kernels, which all devices of a mesh execute with --on kernels")
    if args.on != "pjrt" and (given := given_options(args, OF_PJRT)):
        raise UsageError(f"error: {given[0]} is for engine pjrt: run with --on pjrt")
    if (args.coordinator is None) != (args.process_id is None) or (args.coordinator and args.processes is None):
        raise UsageError("error: a process joins others with --coordinator, --process-id and --processes together")
    if args.process_id is not None and args.process_id >= args.processes:
        raise UsageError(
            f"error: --process-id {args.process_id}: {args.processes} processes have numbers 0 to {args.processes - 1}"
        )


def run_on_engine(args: argparse.Namespace, source: "Source") -> int:
    """The command with `--on`, of the program in `source`; gives the exit status."""
    from xshardy.engines.checked_run import run_module
    from xshardy.programs.program import read_program
    from xshardy.tools.placed_diagnostics import diagnostics_of
    from xshardy.tools.progress import stage
    from xshardy.transforms.hlo.draw_elided_constants import DrawElidedConstantsPass

    program = read_program(source)
    with diagnostics_of(program), _in_cluster(args):
        program.names.place_loops(program.module, program.source.name)
        program.import_shardings()
        if args.draw_elided:
            DrawElidedConstantsPass(args.seed).rewrite_module(program.module)
        engine = engine_of(args)
        with stage(f"running {args.file} on {args.on}"):
            run = run_module(program.module, engine, program.context, mesh=args.mesh, seed=args.seed, check=args.check)
    if not args.process_id:  # on a cluster, all processes have the results
        if args.json:
            print_json(run_as_json(run))
        else:
            print_run(run)
    status = report_wrong(run, program)
    return status or _prove(args, source) if args.prove else status


def _prove(args: argparse.Namespace, source: "Source") -> int:
    """Print the verdict about the program of each device; gives the exit status of `xshardy prove`."""
    from xshardy.proving.pair import partitioned_pair
    from xshardy.proving.verdict import prove_pair
    from xshardy.tools.placed_diagnostics import imported_program
    from xshardy.tools.prove import STATUS

    with imported_program(source) as program:
        program.resize(args.mesh)
        verdict = prove_pair(partitioned_pair(program), run=False)
    print(verdict)
    return STATUS[verdict.answer]


def engine_of(args: argparse.Namespace) -> "Engine":
    """The engine that the options describe."""
    from xshardy.engines.engine import engine_named

    if args.on == "simulated":
        return engine_named(args.on)
    if args.on == "kernels":
        return engine_named(args.on, level=args.level, target=args.target, math=args.math, check=args.check)
    platform = args.platform or "cpu"
    if args.coordinator is not None:
        from xshardy.engines.pjrt.engine import Cluster

        return Cluster(args.coordinator, args.processes, args.process_id, platform)
    return engine_named("pjrt", processes=args.processes or 1, platform=platform, time_out=_seconds(args))


def _seconds(args: argparse.Namespace) -> float:
    return TIME_OUT if args.time_out is None else args.time_out


@contextmanager
def _in_cluster(args: argparse.Namespace) -> Generator[None]:
    """
    End this process with a diagnostic after the time-out, if it is one of a cluster.

    It may wait for others in native code, which nothing else interrupts. What Gloo prints meanwhile goes to standard
    error: standard output has the table.
    """
    if args.coordinator is None:
        yield
        return

    def give_up() -> None:
        print_diagnostic(
            f"{args.file}: error: no result after {_seconds(args):g} s in process {args.process_id} of "
            f"{args.processes}: others are missing, or --time-out is too short"
        )
        os._exit(1)

    timer = threading.Timer(_seconds(args), give_up)
    timer.daemon = True
    timer.start()
    sys.stdout.flush()
    table = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        timer.cancel()
        os.dup2(table, 1)
        os.close(table)


def print_run(run: "ProgramRun") -> None:
    """A table of results on standard output."""
    from rich.table import Table
    from rich.text import Text

    from xshardy.interpreters.check import Comparison
    from xshardy.tools.console import console, summary
    from xshardy.tools.execution import verdict_of
    from xshardy.tools.shard import dimensions

    table = Table("result", "type", "sharding", "max abs", "max ulp", "verdict")
    compared = run.comparisons or [None] * len(run.results)
    for index, (tensor, value, comparison) in enumerate(zip(run.program.results, run.results, compared, strict=True)):
        figures = ("-", "-")
        match comparison:
            case None:
                verdict = summary(value)
            case str():
                verdict = Text("not compared", "yellow")
            case Comparison():
                figures = f"{comparison.max_absolute:.3g}", str(comparison.max_ulp)
                verdict = verdict_of(comparison)
        sharding = Text(dimensions(tensor.sharding) or "replicated")  # no markup: it has brackets
        table.add_row(str(index), str(tensor.type), sharding, *figures, verdict)
    out = console()
    out.print(table)
    count = run.program.devices
    out.print(f"{count} device{'s' * (count != 1)}, {run.seconds * 1e3:.0f} ms", highlight=False)


def run_as_json(run: "ProgramRun") -> dict[str, object]:
    """The results of all devices as `--json` prints them; the time in seconds."""
    from xshardy.tools.execution import compared_as_json
    from xshardy.tools.shard import dimensions

    compared = run.comparisons or [None] * len(run.results)
    return {
        "devices": run.program.devices,
        "seconds": run.seconds,
        "results": [
            {"result": index, "type": str(tensor.type), "sharding": dimensions(tensor.sharding) or None}
            | compared_as_json(comparison)
            for index, (tensor, comparison) in enumerate(zip(run.program.results, compared, strict=True))
        ],
    }


def report_wrong(run: "ProgramRun", program: "Program") -> int:
    """Diagnostics for the results that differ; the exit status."""
    from xshardy.interpreters.check import Comparison

    for index, comparison in enumerate(run.comparisons or ()):
        match comparison:
            case str():
                print_diagnostic(f"{program.source.name}: warning: result {index}: {comparison}: not compared")
            case Comparison() if not comparison:
                print_diagnostic(f"{program.source.name}: error: result {index}: {comparison}")
            case _:
                pass
    if (first := run.difference) is not None:
        place = program.place(run.program.origins[first.operation])
        where = f"{place}: note: the first difference is in {first.operation.name}"
        print_diagnostic(f"{where}, result {first.result}, on device {first.device}: {first.comparison}")
    if run.is_fault_of_engine:
        print_diagnostic(
            f"{program.source.name}: note: the simulated mesh agrees with the reference on the same partitioned "
            "program: the fault is the engine's"
        )
    return 0 if run.agrees else 1
