"""`xshardy indexing`: the indexing maps between the results and operands of fusions."""

import argparse

from xshardy import compiler
from xshardy.hlo_text import parse_hlo
from xshardy.tools.indexing import maps_of_fusion
from xshardy.tools.output import write_text
from xshardy.tools.source_file import read_hlo_file

EXAMPLE = "example: xshardy indexing examples/softmax_sum.hlo"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("file", help="HLO text, or FILE.py:NAME; `-` is standard input")
    parser.add_argument("--fusion", metavar="NAME", help="only the fusion that calls computation NAME")
    parser.add_argument("--instructions", action="store_true", help="also the maps of each instruction")


def run(args: argparse.Namespace) -> int:
    """The command; gives the exit status."""
    source = read_hlo_file(args.file)
    module = parse_hlo(source.text, source.name)
    chosen = compiler.select_fusions(module, args.fusion)
    write_text(None, "\n".join(maps_of_fusion(fusion, instructions=args.instructions) for fusion in chosen))
    return 0
