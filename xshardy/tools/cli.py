"""
`xshardy emit|compile|run|indexing|hlo-stats|shrink`: HLO to MLIR or PTX, its execution on the CPU or a GPU, indexing
maps, statistics of dumps, smaller shapes.

`xshardy shard|explain|plan`: the shardings of StableHLO programs, their origins, and what they cost.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version

from xshardy import compiler
from xshardy.dialects.hlo import FusionOp
from xshardy.emitters import explain
from xshardy.emitters.devices import device_of
from xshardy.syntax import print_module
from xshardy.tools.arguments import natural, path
from xshardy.tools.compile_command import add_compile_options, run_compile
from xshardy.tools.diagnostics import describe
from xshardy.tools.inspection_commands import add_inspection_commands
from xshardy.tools.kernel_file import emitted_kernels
from xshardy.tools.output import discard_standard_output, print_diagnostic, run_command, write_text
from xshardy.tools.run_command import add_run_options, run_run
from xshardy.tools.sharding_commands import add_sharding_commands
from xshardy.tools.shrink_command import add_shrink
from xshardy.transforms.xla_gpu.codegen_pipeline import EMITTED, LEVELS, MATH_CHOICES
from xshardy.transforms.xla_gpu.device import parse_target

EXAMPLES = {
    "emit": "example: xshardy emit examples/gelu.hlo --level scf",
    "compile": "example: xshardy compile examples/gelu.hlo --target sm_90 --dump-dir /tmp/gelu -o gelu.ptx",
    "run": "example: xshardy run --check --levels all examples/gelu.hlo\n"
    "         xshardy run --check examples/gelu.hlo --on cuda\n"
    "         xshardy run --check examples/mlp.mlir --on pjrt --mesh model=2",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """
    The command `xshardy`. Gives the exit status.

    It is 0; 1 for bad input, a failed check, or a file that cannot be read or written; 2 for bad usage; 130 for Ctrl-C,
    143 for SIGTERM, 129 if its terminal is closed.
    """
    return run_command(lambda: _run_arguments(arguments))


def _run_arguments(arguments: Sequence[str] | None) -> int:
    args = _parser().parse_args(arguments)
    try:
        return args.command(args)
    except BrokenPipeError:
        raise
    except Exception as error:
        print_diagnostic(describe(error, args.file))
        if isinstance(error, OSError):
            discard_standard_output()  # it may be what cannot be written
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="xshardy", description=__doc__)
    parser.add_argument("--version", action="version", version=f"xshardy {version('xshardy')}")
    commands = parser.add_subparsers(
        required=True, metavar="emit|compile|run|indexing|hlo-stats|shrink|shard|explain|plan"
    )

    def add(name: str, command: Callable[[argparse.Namespace], int], help: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(
            name,
            help=help,
            description=help,
            epilog=EXAMPLES[name],
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        sub.set_defaults(command=command)
        sub.add_argument("file", help="HLO text (.hlo), StableHLO or an emitted module (.mlir); `-` is standard input")
        sub.add_argument(
            "-f", "--frontend", choices=("hlo", "mlir"), help="how to read FILE (default: by its name, then hlo)"
        )
        sub.add_argument("--fusion", metavar="NAME", help="only the fusion that calls computation NAME")
        sub.add_argument("--fuse-entry", action="store_true", help="make one kernel of a whole entry without fusions")
        sub.add_argument(
            "--target", default=compiler.DEFAULT_TARGET, type=_target, help="sm_70 ... sm_121 (default: %(default)s)"
        )
        sub.add_argument(
            "--math",
            choices=MATH_CHOICES,
            default=MATH_CHOICES[0],
            help="compute exp, tanh, sin, ... by libdevice of the cuda extra or by arithmetic (default: %(default)s)",
        )
        sub.add_argument(
            "--dump-dir", type=path, metavar="DIR", help="write one numbered .mlir per pass, and .ll and .ptx"
        )
        sub.add_argument("--time-passes", action="store_true", help="print the time of each pass to standard error")
        sub.add_argument(
            "--v",
            type=natural,
            default=0,
            metavar="N",
            help="verbosity; 5 prints the IR after every pass to standard error",
        )
        return sub

    emit = add("emit", _emit, "print the MLIR of each fusion, as emitted or lowered to a level")
    emit.add_argument("--level", choices=LEVELS, default=EMITTED, help="how far to lower it (default: %(default)s)")
    emit.add_argument("--explain", action="store_true", help="say on standard error which emitter was chosen, and why")
    emit.add_argument("-o", "--output", type=path, metavar="FILE", help="write to FILE")

    add_compile_options(add("compile", run_compile, "compile all fusions of a module to PTX"))

    add_run_options(
        add(
            "run",
            run_run,
            "execute a module with seeded inputs, on the CPU or with --on cuda; with other --on, a sharded program on "
            "all of its devices",
        )
    )

    def add_other(
        name: str, help: str, example: str, command: Callable[[argparse.Namespace], int]
    ) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=help, description=help, epilog=example)
        sub.set_defaults(command=command)
        return sub

    add_inspection_commands(add_other)
    add_shrink(add_other)
    add_sharding_commands(add_other)
    return parser


def _target(text: str) -> str:
    try:
        parse_target(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def _emit(args: argparse.Namespace) -> int:
    texts: list[str] = []
    for kernel in emitted_kernels(args):
        if args.explain and kernel.fusion is not None:
            _explain(kernel.name, kernel.fusion, args.target)
        compiler.lower(kernel.module, args.level, target=args.target, math=args.math, observe=kernel.log)
        texts.append(print_module(kernel.module))
        kernel.log.finish(args.time_passes)
    write_text(args.output, "// -----\n".join(texts))
    return 0


def _explain(name: str, fusion: FusionOp, target: str) -> None:
    choice = explain(fusion, device_of(target))
    hero = f", hero %{choice.hero.results[0].name_hint} ({choice.hero.name})" if choice.hero is not None else ""
    print_diagnostic(f"{name}: the {choice.emitter} emitter{hero}: {choice.reason}")


if __name__ == "__main__":
    sys.exit(main())
