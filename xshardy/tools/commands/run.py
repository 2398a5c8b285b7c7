"""`xshardy run`: a module, or each of its fusions, executed and compared with the reference."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import nullcontext

from rich.text import Text
from xdsl.dialects.builtin import ModuleOp

from xshardy.compiler import is_emitted
from xshardy.interpreters.memory_limit import limited_memory
from xshardy.launch.kernel_levels import ALL_LEVELS, PTX
from xshardy.launch.module_devices import is_optimised
from xshardy.programs.device_programs import device_count
from xshardy.programs.errors import InputError
from xshardy.tools.arguments import bound, natural
from xshardy.tools.console import console
from xshardy.tools.engine_run import (
    CUDA,
    OF_FUSIONS,
    REFERENCES,
    add_program_options,
    check_options,
    given_options,
    run_on_engine,
)
from xshardy.tools.execution import (
    ErrorBounds,
    Output,
    execute_fusion,
    outputs_as_json,
    print_outputs,
    report_outputs,
)
from xshardy.tools.kernel_file import fused, is_whole_program, kernels_of, read_module, warn_of_partitions
from xshardy.tools.kernel_options import add_kernel_options
from xshardy.tools.module_run import run_program
from xshardy.tools.output import print_json, printable
from xshardy.tools.source_file import read_source
from xshardy.tools.usage import UsageError
from xshardy.transforms.hlo.draw_elided_constants import DrawElidedConstantsPass
from xshardy.transforms.xla_gpu.codegen_pipeline import EMITTED

EXAMPLE = """\
example: xshardy run --check --levels all examples/gelu.hlo
         xshardy run --check examples/gelu.hlo --on cuda
         xshardy run --check examples/mlp.mlir
         xshardy run --check examples/mlp.mlir --on pjrt --mesh model=2"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_kernel_options(parser)
    parser.add_argument(
        "--check", action="store_true", help="compare with the reference; exit status 1 if a result differs"
    )
    levels = parser.add_mutually_exclusive_group()
    levels.add_argument(
        "--level",
        choices=ALL_LEVELS,
        help=f"the level to execute (default: {EMITTED}; {PTX} with --platform CUDA)",
    )
    levels.add_argument("--levels", choices=("all",), help="execute every level")
    parser.add_argument("--seed", type=natural, default=0, help="seed of the inputs (default: %(default)s)")
    parser.add_argument(
        "--draw-elided",
        action="store_true",
        help="draw the constants that the text leaves out, `constant({...})`: another program with the same operations",
    )
    parser.add_argument(
        "--abs_error_bound", type=bound, metavar="X", help="absolute tolerance in place of the measured one"
    )
    parser.add_argument(
        "--rel_error_bound", type=bound, metavar="X", help="relative tolerance in place of the measured one"
    )
    parser.add_argument(
        "--bijection_inputs", action="append", metavar="HERO:OPERAND", help="(accepted: every write is checked anyway)"
    )
    parser.add_argument(
        "--bijection_outputs", action="append", metavar="ROOT", help="(accepted: every write is checked anyway)"
    )
    parser.add_argument(
        "--reference_platform",
        type=str.lower,
        choices=REFERENCES,
        metavar="NAME",
        help='as in XLA\'s run_hlo_module: "" compares nothing; interpreter, or cpu, compares as --check does',
    )
    parser.add_argument(
        "--xla_disable_all_hlo_passes",
        action="store_true",
        help="run no pass on HLO before kernels are emitted, which is so without --fuse",
    )
    parser.add_argument("--json", action="store_true", help="print JSON in place of a table")
    add_program_options(parser)


def run(args: argparse.Namespace) -> int:
    """The command; gives the exit status."""
    check_options(args)
    args.check = args.check or bool(args.reference_platform)
    args.level = args.level or (PTX if args.platform == CUDA else EMITTED)
    with nullcontext() if args.on == CUDA else limited_memory():  # a driver of GPUs has more addresses than memory
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    """What `run` does with options that go together."""
    if args.on not in (None, CUDA):
        return run_on_engine(args, read_source(args.file, args.module))
    levels = (PTX,) if args.on == CUDA else ALL_LEVELS if args.levels else (args.level,)
    bounds = ErrorBounds(args.abs_error_bound, args.rel_error_bound)
    source = read_source(args.file, args.module)
    module, parsed = read_module(args, source)
    is_of_kernels = args.fuse or args.level != EMITTED or given_options(args, OF_FUSIONS)
    if args.on is None and not is_of_kernels and is_for_simulated_mesh(module):
        args.on = "simulated"
        return run_on_engine(args, source)
    if args.prove:
        raise UsageError("error: --prove is about programs that are divided between devices: give it one with a mesh")
    if args.draw_elided:
        DrawElidedConstantsPass(args.seed).rewrite_module(module)
    if args.fuse:
        warn_of_partitions(module, args.file, "--on kernels runs that of each device")
    program = fused(module, args)
    if is_whole_program(program, args):
        return run_program(program, module, levels, args, bounds)
    outputs = [*_fusions(program, parsed, args, levels, bounds)]
    if args.json:
        print_json(outputs_as_json(outputs))
    else:
        print_outputs(outputs)
    return report_outputs(outputs, args.file)


def is_for_simulated_mesh(module: ModuleOp) -> bool:
    """Whether `module` is a program for several devices, before XLA has optimised it: it has no kernels of its own."""
    return device_count(module) > 1 and not is_optimised(module) and not is_emitted(module)


def _fusions(
    module: ModuleOp, parsed: float, args: argparse.Namespace, levels: Sequence[str], bounds: ErrorBounds
) -> Iterator[Output]:
    """The results of each selected fusion on its own."""
    for kernel in kernels_of(module, parsed, args):
        if kernel.fusion is None:
            raise InputError(f"{args.file}: error: `run` needs the HLO of the fusion, for its inputs and its reference")
        results = execute_fusion(
            kernel.fusion,
            kernel.module,
            levels,
            check=args.check,
            seed=args.seed,
            target=args.target,
            math=args.math,
            bounds=bounds,
            observe=kernel.log,
            on_gpu=args.on == CUDA,
        )
        with console(stderr=True).status(Text(f"{printable(kernel.name)}: reference")):
            yield from [*results]
        kernel.log.finish(args.time_passes)
