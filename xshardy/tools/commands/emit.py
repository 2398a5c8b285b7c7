"""`xshardy emit`: the MLIR of each fusion."""

import argparse

from xdsl.dialects.builtin import IntegerAttr, ModuleOp

from xshardy import compiler
from xshardy.dialects.function_attributes import set_argument_attributes
from xshardy.dialects.hlo import FusionOp
from xshardy.dialects.xla_gpu.discardable import SLICE_INDEX, entry_function, slice_index
from xshardy.emitters import PARTITIONED, PREPARED, explain, levels_before_emission
from xshardy.emitters.dynamic_update_slice import IN_PLACE
from xshardy.gpus.targets import device_of
from xshardy.rewriting.reasons import Reasons
from xshardy.syntax import print_module
from xshardy.tools.arguments import path
from xshardy.tools.diagnostics import InputError
from xshardy.tools.kernel_file import emitted_kernels
from xshardy.tools.kernel_options import add_kernel_options
from xshardy.tools.kernel_reasons import add_explain_option, print_choice, print_reasons
from xshardy.tools.output import write_mlir
from xshardy.transforms.xla_gpu.codegen_pipeline import EMITTED, LEVELS
from xshardy.transforms.xla_gpu.threads_to_forall import ThreadsToForallPass

LOOPS = ("concatenate", IN_PLACE, "loop")
"""The emitters whose kernels XLA writes as loops over the threads of a block."""

EXAMPLE = "example: xshardy emit examples/gelu.hlo --level scf"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_kernel_options(parser)
    parser.add_argument(
        "--level",
        choices=(PREPARED, PARTITIONED, *LEVELS),
        default=EMITTED,
        help="how far to go; before xla_gpu are the computation and its functions (default: %(default)s)",
    )
    parser.add_argument(
        "--as-xla",
        action="store_true",
        help="at the level xla_gpu, write kernels as XLA's tool `fusion_to_mlir` does: loops as `scf.forall` over the "
        "threads of a block, and for an entry without fusions, arguments with the numbers of their buffers only",
    )
    add_explain_option(parser)
    parser.add_argument("-o", "--output", type=path, metavar="FILE", help="write to FILE; `-` is standard output")


def run(args: argparse.Namespace) -> int:
    """The command; gives the exit status."""
    texts: list[str] = []
    for kernel in emitted_kernels(args):
        if args.explain and kernel.fusion is not None:
            print_choice(kernel.name, kernel.fusion, args.target)
        if args.level in LEVELS:
            reasons = Reasons() if args.explain else None
            compiler.lower(
                kernel.module, args.level, target=args.target, math=args.math, observe=kernel.log, reasons=reasons
            )
            if reasons is not None:
                print_reasons(kernel.name, reasons)
            if args.as_xla and args.level == EMITTED and kernel.fusion is not None:
                _write_as_xla(kernel.module, kernel.fusion, args.target)
            texts.append(print_module(kernel.module))
        elif kernel.fusion is None:
            raise InputError(f"{args.file}: error: this is an emitted module, which is past the level {args.level}")
        else:
            texts.append(print_module(levels_before_emission(kernel.fusion, device_of(args.target))[args.level]))
        kernel.log.finish(args.time_passes)
    write_mlir(args.output, "// -----\n".join(texts))
    return 0


def _write_as_xla(module: ModuleOp, fusion: FusionOp, target: str) -> None:
    """Change an emitted kernel to the form in which XLA's tool prints it."""
    if explain(fusion, device_of(target)).emitter in LOOPS:
        ThreadsToForallPass().rewrite_module(module)
    entry = entry_function(module)
    is_of_the_text = any(output.name_hint is not None for output in fusion.outputs)  # every instruction has a name
    if entry is not None and not is_of_the_text:
        numbers = [IntegerAttr.from_index_int_value(slice_index(argument) or 0) for argument in entry.args]
        set_argument_attributes(entry, [{SLICE_INDEX: number} for number in numbers])
