"""The kernels of the FILE of `xshardy emit|compile|run`, one for each fusion."""

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from xdsl.dialects.builtin import ModuleOp

from xshardy import compiler
from xshardy.dialects.hlo import FusionOp
from xshardy.emitters import emit_fusion, levels_before_emission
from xshardy.gpus.targets import device_of
from xshardy.hlo_text import parse_hlo
from xshardy.launch.module_devices import is_sharded
from xshardy.launch.plan_steps import MEMORY_ONLY
from xshardy.launch.prepared_program import prepared, scheduled
from xshardy.launch.unfused import require_fused, unfused
from xshardy.programs.errors import InputError
from xshardy.programs.inner_programs import program_in
from xshardy.programs.source import Source, is_mlir
from xshardy.syntax import print_module
from xshardy.tools.output import print_diagnostic
from xshardy.tools.pass_log import PassLog
from xshardy.tools.source_file import read_source
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.hlo.split_dynamic_borders import SplitDynamicBordersPass

HLO_SUFFIXES = (".hlo", ".txt", ".pb")
"""How files are named that are read as HLO if they start neither as HLO nor as MLIR does."""


def read_module(args: argparse.Namespace, source: Source | None = None) -> tuple[ModuleOp, float]:
    """
    The module of FILE, with parameters and results of static size, and the seconds it took to parse it.

    `source` is FILE if that was read before. Raises `InputError` for branches between blocks, which HLO does not have.
    """
    source = source or read_source(args.file, args.module)
    start = perf_counter()
    if is_hlo_file(source, args.frontend):
        module = program_in(parse_hlo(source.text, source.name), source)
    else:
        from xshardy.programs.program import read_program  # loads the parser of MLIR and the dialect of Shardy

        program = read_program(source)
        program.names.place_loops(program.module, source.name)
        module = program.module
    for function in () if compiler.is_emitted(module) else functions_of(module).values():
        if (count := len(function.body.blocks)) > 1:
            raise InputError(
                f"{source.name}: error: @{function.sym_name.data} has {count} blocks: write branches and loops as "
                "operations with regions, such as `stablehlo.if` and `stablehlo.while`"
            )
    SplitDynamicBordersPass().rewrite_module(module)
    return module, perf_counter() - start


def fused(module: ModuleOp, args: argparse.Namespace) -> ModuleOp:
    """
    With `--fuse`, a copy of `module` with its operations fused; without, or for an emitted module, itself.

    Raises `ModuleError` for operations that cannot be fused. What fuses them is imported for `--fuse` only.
    """
    if not args.fuse or compiler.is_emitted(module):
        return module
    from xshardy.fusing.pipeline import fused_program

    return fused_program(module)


def warn_of_partitions(module: ModuleOp, file: str, remedy: str) -> None:
    """Print a warning, with `remedy`, if `module` is to be divided, and is not."""
    if not is_sharded(module):
        return
    from xshardy.programs.device_programs import device_count  # loads what partitions programs

    if (devices := device_count(module)) > 1:
        print_diagnostic(
            f"{file}: warning: the program is sharded over {devices} devices, and compiled for one that computes all "
            f"of it: {remedy}"
        )


def is_hlo_file(source: Source, frontend: str | None = None) -> bool:
    """Whether the text of a file is HLO: as `frontend` says, else by its start or by the name of the file."""
    if frontend:
        return frontend == "hlo"
    return source.is_hlo or (Path(source.name).suffix in HLO_SUFFIXES and not is_mlir(source.text))


@dataclass(frozen=True, slots=True)
class EmittedKernel:
    """A kernel of FILE before any pass, and the log of its passes and dumps."""

    name: str
    module: ModuleOp
    log: PassLog
    fusion: FusionOp | None
    """None if FILE is an emitted module."""


def emitted_kernels(args: argparse.Namespace) -> Iterator[EmittedKernel]:
    """The kernel of each selected fusion of FILE, emitted lazily."""
    module, parsed = read_module(args)
    return kernels_of(fused(module, args), parsed, args)


def kernels_of(module: ModuleOp, parsed: float, args: argparse.Namespace) -> Iterator[EmittedKernel]:
    """The kernel of each selected fusion of `module`, which took `parsed` seconds to read, emitted lazily."""
    if compiler.is_emitted(module):
        if args.fusion:
            raise InputError(f"{args.file}: error: this is an emitted module, of one kernel: leave out --fusion")
        yield EmittedKernel(Path(args.file).stem, module, PassLog(args.dump_dir, args.v), None)
        return
    fuse_entry(module, args)
    chosen = compiler.select_fusions(module, args.fusion)
    for fusion in chosen:
        name = compiler.fusion_name(fusion)
        directory = args.dump_dir and (args.dump_dir / name if len(chosen) > 1 else args.dump_dir)
        log = PassLog(directory, args.v)
        log.add_time("parse", parsed)
        start = perf_counter()
        emitted = emit_fusion(fusion, device_of(args.target))
        seconds = perf_counter() - start
        if directory is not None:
            for number, (level, before) in enumerate(levels_before_emission(fusion, device_of(args.target)).items(), 1):
                log.dump(f"{number}-{level}.mlir", print_module(before))
        log("emit", emitted, seconds)
        yield EmittedKernel(name, emitted, log, fusion)


def is_whole_program(module: ModuleOp, args: argparse.Namespace) -> bool:
    """
    Whether `xshardy run` executes all of `module`: it is more than one fusion, and no option is for single fusions.

    Prints a warning if an option is, so that only a part of the module is executed.
    """
    if compiler.is_emitted(module) or args.fusion or not (compiler.fusions(module) or args.fuse):
        return False
    ops = [op for op in scheduled(prepared(module).body.block) if not isinstance(op, MEMORY_ONLY)]
    if len(ops) == 1 and isinstance(ops[0], FusionOp):
        return False
    if not (args.dump_dir or args.time_passes or args.v):
        return True
    if others := Counter(op.name.partition(".")[2] for op in ops if not isinstance(op, FusionOp)):
        listed = ", ".join(f"{count} {opcode}" for opcode, count in sorted(others.items()))
        print_diagnostic(
            f"{args.file}: warning: --v, --dump-dir and --time-passes are for kernels: each fusion is executed on its "
            f"own, and other operations of the module are not ({listed})"
        )
    return False


def fuse_entry(module: ModuleOp, args: argparse.Namespace) -> None:
    """
    With `--fuse-entry`, or for an entry of one operation, make one fusion of the entry of `module`.

    Raises `ModuleError` for another module without fusions, with what would have to be fused.
    """
    if compiler.fusions(module) or args.fuse:
        return
    if not args.fuse_entry:
        entry = prepared(module)
        if len([*unfused(entry)]) > 1:
            require_fused(entry)
    compiler.select_fusions(module)
