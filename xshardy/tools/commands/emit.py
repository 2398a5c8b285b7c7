"""`xshardy emit`: the MLIR of each fusion."""

import argparse

from xshardy import compiler
from xshardy.emitters import PARTITIONED, PREPARED, levels_before_emission
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
            texts.append(print_module(kernel.module))
        elif kernel.fusion is None:
            raise InputError(f"{args.file}: error: this is an emitted module, which is past the level {args.level}")
        else:
            texts.append(print_module(levels_before_emission(kernel.fusion, device_of(args.target))[args.level]))
        kernel.log.finish(args.time_passes)
    write_mlir(args.output, "// -----\n".join(texts))
    return 0
