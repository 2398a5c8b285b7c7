"""`xshardy hlo-stats`: statistics of HLO dumps."""

import argparse
from pathlib import Path

from xshardy.hlo_text import read_hlo
from xshardy.tools.arguments import natural
from xshardy.tools.hlo_stats import folder_stats, print_folder_stats, print_stats, stats_as_json, stats_of
from xshardy.tools.output import print_diagnostic, print_json
from xshardy.tools.source_file import read_hlo_file

EXAMPLE = "example: xshardy hlo-stats module_0001.jit_step.before_optimizations.txt"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("file", help="HLO text, FILE.py:NAME, or a folder of dumps; `-` is standard input")
    parser.add_argument(
        "--most", type=natural, default=10, metavar="N", help="how many computations to list (default: %(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print all as JSON; of a folder, by module")
    parser.add_argument("--no-verify", action="store_true", help="read broken modules too")


def run(args: argparse.Namespace) -> int:
    """The command; gives the exit status."""
    if Path(args.file).is_dir():
        found, failures = folder_stats(Path(args.file), verifies=not args.no_verify)
        if args.json:
            print_json({name: stats_as_json(stats) for name, stats in found.items()})
        else:
            print_folder_stats(found)
        for failure in failures:
            print_diagnostic(failure)
        return 1 if failures else 0
    source = read_hlo_file(args.file)
    stats = stats_of(read_hlo(source.text, source.name, verifies=not args.no_verify))
    if args.json:
        print_json(stats_as_json(stats))
    else:
        print_stats(stats, args.most)
    return 0
