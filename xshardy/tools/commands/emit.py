"""`xshardy emit`: the MLIR of each fusion."""

import argparse

from xdsl.ir import Operation

from xshardy import compiler
from xshardy.dialects.hlo import FusionOp
from xshardy.emitters import PARTITIONED, PREPARED, explain, levels_before_emission
from xshardy.gpus.devices import device_of
from xshardy.syntax import print_module
from xshardy.tools.arguments import path
from xshardy.tools.diagnostics import InputError
from xshardy.tools.kernel_file import emitted_kernels
from xshardy.tools.kernel_options import add_kernel_options
from xshardy.tools.output import print_diagnostic, write_text
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
    parser.add_argument(
        "--explain", action="store_true", help="say on standard error which emitter was chosen, and why"
    )
    parser.add_argument("-o", "--output", type=path, metavar="FILE", help="write to FILE; `-` is standard output")


def run(args: argparse.Namespace) -> int:
    """The command; gives the exit status."""
    texts: list[str] = []
    for kernel in emitted_kernels(args):
        if args.explain and kernel.fusion is not None:
            _explain(kernel.name, kernel.fusion, args.target)
        if args.level in LEVELS:
            compiler.lower(kernel.module, args.level, target=args.target, math=args.math, observe=kernel.log)
            texts.append(print_module(kernel.module))
        elif kernel.fusion is None:
            raise InputError(f"{args.file}: error: this is an emitted module, which is past the level {args.level}")
        else:
            texts.append(print_module(levels_before_emission(kernel.fusion, device_of(args.target))[args.level]))
        kernel.log.finish(args.time_passes)
    write_text(args.output, "// -----\n".join(texts))
    return 0


def _explain(name: str, fusion: FusionOp, target: str) -> None:
    choice = explain(fusion, device_of(target))
    hero = "" if choice.hero is None else f", hero{_name(choice.hero)} ({choice.hero.name})"
    print_diagnostic(f"{name}: the {choice.emitter} emitter{hero}: {choice.reason}")


def _name(op: Operation) -> str:
    """` %name`; nothing if the first result has no name."""
    name = op.results[0].name_hint
    return "" if name is None else f" %{name}"
