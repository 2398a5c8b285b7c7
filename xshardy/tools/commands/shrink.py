"""`xshardy shrink`: an HLO module with smaller shapes, to execute where the whole one is too large."""

import argparse

from xshardy.hlo_text import parse_hlo
from xshardy.tools.arguments import path, positive
from xshardy.tools.output import write_text
from xshardy.tools.shrinking.shrink import LEAST, shrink
from xshardy.tools.source_file import read_hlo_file
from xshardy.transforms.hlo.to_opcodes import write_hlo

EXAMPLE = "example: xshardy shrink module.hlo -o small.hlo && xshardy run --check small.hlo"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("file", help="HLO text, or FILE.py:NAME; `-` is standard input")
    parser.add_argument(
        "--least",
        type=positive,
        default=LEAST,
        metavar="N",
        help="do not make dimensions smaller than N (default: %(default)s)",
    )
    parser.add_argument("-o", "--output", type=path, metavar="FILE", help="write to FILE; `-` is standard output")


def run(args: argparse.Namespace) -> int:
    """The command; gives the exit status."""
    source = read_hlo_file(args.file)
    module = parse_hlo(source.text, source.name)
    write_text(args.output, write_hlo(shrink(module, args.least)))
    return 0
