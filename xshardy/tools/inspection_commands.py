"""`xshardy indexing|hlo-stats`: what can be read from HLO without compiling it."""

import argparse
from pathlib import Path

from xshardy import compiler
from xshardy.hlo_text import parse_hlo, read_hlo
from xshardy.tools.arguments import natural
from xshardy.tools.diagnostics import read_text, shown_name
from xshardy.tools.output import print_diagnostic, write_text
from xshardy.tools.sharding_commands import AddCommand


def add_inspection_commands(add: AddCommand) -> None:
    """Add `indexing` and `hlo-stats`."""
    indexing = add(
        "indexing",
        "print the indexing maps between the results and operands of each fusion",
        "example: xshardy indexing examples/softmax_sum.hlo",
        _indexing,
    )
    indexing.add_argument("file", help="HLO text; `-` is standard input")
    indexing.add_argument("--fusion", metavar="NAME", help="only the fusion that calls computation NAME")
    indexing.add_argument("--instructions", action="store_true", help="also the maps of each instruction")
    stats = add(
        "hlo-stats",
        "count the instructions and bytes of HLO dumps, by opcode, kind of fusion, and computation or module",
        "example: xshardy hlo-stats module_0001.jit_step.before_optimizations.txt",
        _hlo_stats,
    )
    stats.add_argument("file", help="HLO text, or a folder of dumps; `-` is standard input")
    stats.add_argument(
        "--most", type=natural, default=10, metavar="N", help="how many computations to list (default: %(default)s)"
    )


def _indexing(args: argparse.Namespace) -> int:
    from xshardy.tools.indexing import maps_of_fusion

    module = parse_hlo(read_text(args.file), shown_name(args.file))
    chosen = compiler.select_fusions(module, args.fusion)
    write_text(None, "\n".join(maps_of_fusion(fusion, instructions=args.instructions) for fusion in chosen))
    return 0


def _hlo_stats(args: argparse.Namespace) -> int:
    from xshardy.tools.hlo_stats import print_folder_stats, print_stats, stats_of

    if Path(args.file).is_dir():
        failures = print_folder_stats(Path(args.file))
        for failure in failures:
            print_diagnostic(failure)
        return 1 if failures else 0
    print_stats(stats_of(read_hlo(read_text(args.file), shown_name(args.file))), args.most)
    return 0
