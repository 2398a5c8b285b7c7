"""`xshardy compile`: the kernels of a module as one PTX module, and its launch plan."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp

from xshardy import compiler
from xshardy.dialects.hlo import FusionOp
from xshardy.gpus.targets import target_of
from xshardy.launch.compilation import CompiledModule, compile_module
from xshardy.launch.kernel_cache import KernelCache
from xshardy.launch.kernels import Progress, no_progress
from xshardy.launch.launch_plan import KernelStep, LaunchPlan
from xshardy.launch.plan_files import PLAN_FILE, PTX_FILE
from xshardy.launch.plan_text import write_plan
from xshardy.lowering.code_generators import Kernel, code_object, ptx_name
from xshardy.lowering.code_generators import compile_module as compile_kernel
from xshardy.lowering.kernel_files import SUFFIXES, one_text, only
from xshardy.lowering.ptx_module import join_ptx
from xshardy.programs.errors import InputError
from xshardy.rewriting.reasons import Reasons
from xshardy.syntax.files import write_file
from xshardy.tools.arguments import mesh_option, path, positive
from xshardy.tools.kernel_file import fuse_entry, fused, is_hlo_file, kernels_of, read_module, warn_of_partitions
from xshardy.tools.kernel_options import add_kernel_options
from xshardy.tools.kernel_reasons import add_explain_option, print_choice, print_reasons
from xshardy.tools.output import STDOUT, print_diagnostic, say_written, write_text
from xshardy.tools.source_file import read_source
from xshardy.tools.usage import UsageError
from xshardy.transforms.xla_gpu.codegen_pipeline import LEVELS

if TYPE_CHECKING:
    from xshardy.programs.partitioned import PartitionedProgram

EXAMPLE = """\
example: xshardy compile examples/gelu.hlo --target sm_90 --dump-dir /tmp/gelu -o gelu.ptx
         xshardy compile --partition --fuse examples/mlp.mlir --mesh data=2,model=4 -o mlp"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_kernel_options(parser)
    parser.add_argument(
        "--partition",
        action="store_true",
        help="with --fuse: partition a sharded program first; kernels and plan are those of each device of its mesh",
    )
    parser.add_argument("--mesh", **mesh_option("with --partition: give axes of the mesh of the program these sizes"))
    parser.add_argument(
        "--emit",
        choices=("assembly", "ptx", "object", "llvm-ir"),
        default="assembly",
        help="what to write: assembly, which is PTX for NVIDIA's GPUs; PTX; machine code of an AMD GPU; or LLVM IR "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--report", action="store_true", help="a table on standard error of what each kernel is, moves and takes"
    )
    add_explain_option(parser)
    parser.add_argument(
        "--baseline",
        type=path,
        metavar="DIR|FILE.ptx",
        help="a table on standard error of the kernels beside those of another build or of XLA's dump",
    )
    parser.add_argument(
        "--html",
        type=path,
        metavar="FILE",
        help="write a page with the HLO, the levels and the PTX of each kernel side by side; PTX then only with -o",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=path,
        metavar="FILE|DIR",
        help=f"write to FILE; or to a folder, a path without a suffix: {PTX_FILE} and {PLAN_FILE}; "
        "`-` is standard output",
    )
    parser.add_argument(
        "--chrome-trace",
        type=path,
        metavar="FILE",
        help="write the launch plan as trace events, which Perfetto and chrome://tracing show: a microsecond is a step",
    )
    parser.add_argument(
        "--model-explorer",
        type=path,
        metavar="DIR",
        help="write the launch plan as DIR/graph.json, which Model Explorer opens, and an overlay for bytes",
    )
    parser.add_argument(
        "--jobs",
        type=positive,
        default=os.cpu_count() or 1,
        metavar="N",
        help="compile in at most N processes, one for each 32 kernels (default: the number of cores, %(default)s)",
    )
    parser.add_argument(
        "--cache-dir", type=path, metavar="DIR", help="keep compiled kernels in DIR, and take them from it"
    )
    parser.add_argument(
        "--keep-going",
        action="store_true",
        help="write the other kernels if a fusion cannot be compiled; always so for a folder",
    )


@dataclass(frozen=True, slots=True)
class Compiled:
    """A kernel, and what it is made from."""

    name: str
    kernel: Kernel
    fusion: FusionOp | None
    """None if FILE is an emitted module."""


def run(args: argparse.Namespace) -> int:
    """The command; gives the exit status."""
    _check_options(args)
    program = _partitioned(args) if args.partition else None
    if args.html is not None:
        write_text(args.html, _page(args, program))
        if args.output is None:
            return 0
    compare = None if args.baseline is None else _comparison(args.baseline)
    module, parsed = read_module(args) if program is None else (program.module, 0.0)
    if program is None and args.fuse:
        warn_of_partitions(module, args.file, "--partition compiles that of each device")
    module = fused(module, args)
    folder = args.output if args.output is not None and is_folder(args.output) else None
    whole: CompiledModule | None = None
    if compiler.is_emitted(module) or _is_one_by_one(args):
        if folder is not None:
            raise InputError(f"{args.file}: error: {_no_plan(folder)}")
        found = [*_one_by_one(module, parsed, args)]
    else:
        whole = _whole(module, args, keep_going=args.keep_going or folder is not None)
        found = [*_kernels_of(whole)]
        for name, reason in whole.failures.items():
            print_diagnostic(f"{args.file}: error: {name} cannot be compiled: {reason}")
        if whole.failures and folder is None and not args.keep_going:
            return 1
    if args.chrome_trace is not None or args.model_explorer is not None:
        if whole is None:
            raise InputError(f"{args.file}: error: single kernels have no launch plan to export: compile the module")
        _export(whole.plan, args)
    if folder is None:
        write_text(args.output, CONTENTS[args.emit]([each.kernel for each in found]))
    elif whole is not None:
        _write_folder(folder, found, whole, program, args.emit)
    _report(found, args)
    if compare is not None:
        compare([each.kernel for each in found])
    return 1 if whole is not None and whole.failures else 0


def _check_options(args: argparse.Namespace) -> None:
    """Raises `UsageError` for options that need others, or exclude each other."""
    if args.partition and not args.fuse:
        raise UsageError("error: --partition is for programs that are fused after it: add --fuse")
    if args.mesh is not None and not args.partition:
        raise UsageError("error: --mesh is for programs that are partitioned: add --partition")
    if _is_one_by_one(args) and args.output is not None and is_folder(args.output):
        raise UsageError(f"error: {_no_plan(args.output)}")


def _is_one_by_one(args: argparse.Namespace) -> bool:
    """Whether options are given that are about passes on one kernel, or choose a kernel."""
    return bool(args.fusion or args.dump_dir or args.time_passes or args.v or args.explain)


def _no_plan(folder: Path) -> str:
    return f"single kernels have no launch plan: write to a file, -o {folder}.ptx"


def _partitioned(args: argparse.Namespace) -> "PartitionedProgram":
    """
    FILE, partitioned over its mesh with the sizes of `--mesh`. For `--html`, operations keep their lines.

    The partitioner loads slowly, so it is imported for `--partition` only.
    """
    from xshardy.programs.partitioned import partition_module
    from xshardy.tools.placed_diagnostics import imported_program
    from xshardy.tools.stages.stage import place_at_lines

    with imported_program(read_source(args.file, args.module)) as program:
        if args.html is not None:
            place_at_lines(program.names.spans)
        program.resize(args.mesh)
        return partition_module(program.module, program.context)


def _page(args: argparse.Namespace, program: "PartitionedProgram | None") -> str:
    """The page of `--html`."""
    from xshardy.tools.stages.file_stages import kernels_page, staged_file
    from xshardy.tools.stages.kernel_stages import KernelStages

    source = read_source(args.file, args.module)
    staged = staged_file(source, as_hlo=is_hlo_file(source, args.frontend))
    staged = replace(staged, module=fused(staged.module if program is None else program.module, args))
    if not compiler.is_emitted(staged.module):
        fuse_entry(staged.module, args)
    return kernels_page(staged, KernelStages(args.target, args.math, every_pass=False), args.fusion, side_by_side=True)


def _comparison(baseline: Path) -> Callable[[Sequence[Kernel]], None]:
    """What prints the table of `--baseline`. Raises `InputError` if `baseline` cannot be read."""
    from xshardy.tools.baseline import print_comparison, read_baseline

    known = read_baseline(baseline)
    return lambda kernels: print_comparison(kernels, known)


def is_folder(output: Path) -> bool:
    """Whether `output` is a folder to write files into: one that is there, or a new path without a suffix."""
    return output != STDOUT and (output.is_dir() or not (output.suffix or output.exists()))


def _one_by_one(module: ModuleOp, parsed: float, args: argparse.Namespace) -> Iterator[Compiled]:
    """Each fusion compiled on its own, with a log of all passes."""
    for kernel in kernels_of(module, parsed, args):
        if args.explain and kernel.fusion is not None:
            print_choice(kernel.name, kernel.fusion, args.target)
        reasons = Reasons() if args.explain else None
        compiler.lower(
            kernel.module, LEVELS[-1], target=args.target, math=args.math, observe=kernel.log, reasons=reasons
        )
        if reasons is not None:
            print_reasons(kernel.name, reasons)
        start = perf_counter()
        entry = None if kernel.fusion is None else ptx_name(kernel.name)
        compiled = compile_kernel(kernel.module, target=args.target, entry=entry)
        kernel.log.add_time(compiler.TO_PTX, perf_counter() - start)
        kernel.log.dump("kernel.ll", compiled.llvm_ir)
        kernel.log.dump(f"kernel{SUFFIXES[compiled.vendor]}", compiled.assembly)
        kernel.log.finish(args.time_passes)
        yield Compiled(kernel.name, compiled, kernel.fusion)


def _whole(module: ModuleOp, args: argparse.Namespace, *, keep_going: bool) -> CompiledModule:
    """The whole module compiled, with a progress bar if standard error is a terminal."""
    fuse_entry(module, args)
    cache = None if args.cache_dir is None else KernelCache(args.cache_dir)
    with _progress() as progress:
        return compile_module(
            module,
            target=args.target,
            math=args.math,
            jobs=args.jobs,
            cache=cache,
            progress=progress,
            keep_going=keep_going,
        )


def _progress() -> AbstractContextManager[Progress]:
    """A progress bar if standard error is a terminal."""
    if not sys.stderr.isatty():
        return nullcontext(no_progress)
    from xshardy.tools.progress import bar

    return bar("kernels")


def _kernels_of(module: CompiledModule) -> Iterator[Compiled]:
    """Each kernel of `module`, with the first fusion that it is made from."""
    fusions = {
        step.fingerprint: step.op
        for step in reversed([*module.plan.all_steps()])
        if isinstance(step, KernelStep) and isinstance(step.op, FusionOp)
    }
    for fingerprint, kernel in module.kernels.items():
        yield Compiled(kernel.entry, kernel, fusions[fingerprint])


CONTENTS: Mapping[str, Callable[[Sequence[Kernel]], str | bytes]] = {
    "assembly": one_text,
    "ptx": lambda kernels: join_ptx([kernel.ptx for kernel in kernels]),
    "object": lambda kernels: code_object(only(kernels, "machine code")),
    "llvm-ir": lambda kernels: only(kernels, "LLVM IR").llvm_ir,
}
"""The file of kernels for each choice of `--emit`. Most can be written of one kernel only."""


def _write_folder(
    folder: Path, found: Sequence[Compiled], module: CompiledModule, program: "PartitionedProgram | None", what: str
) -> None:
    divided = None
    if program is not None:
        from xshardy.engines.compiled_program import partitioning

        divided = partitioning(program)
    write_plan(folder, module, divided)
    for each in found if what == "llvm-ir" else ():
        write_file(folder / f"{each.name}.ll", each.kernel.llvm_ir)
    say_written(folder)


def _export(plan: LaunchPlan, args: argparse.Namespace) -> None:
    """Write `plan` for the viewers that were asked for."""
    if args.chrome_trace is not None:
        from xshardy.tools.chrome_trace import write_events
        from xshardy.tools.launch_trace import launch_events

        write_events(args.chrome_trace, launch_events(plan))
    if args.model_explorer is not None:
        from xshardy.tools.model_explorer.graphs import write_collection
        from xshardy.tools.model_explorer.launch_graph import launch_graphs

        write_collection(args.model_explorer, launch_graphs(plan))


def _report(found: Sequence[Compiled], args: argparse.Namespace) -> None:
    """The table of `--report`."""
    fusions = [(each.name, each.fusion, each.kernel) for each in found if each.fusion is not None]
    if args.report and fusions:
        from xshardy.tools.report import PRINTERS

        PRINTERS[target_of(args.target).vendor](fusions)
