"""`python -m xshardy.pictures NAME [FILE ...] -o PICTURE.svg`: draw a picture of the gallery, also of other files."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from xshardy.pictures.gallery import GALLERY
from xshardy.tools.argument_parser import Parser
from xshardy.tools.diagnostics import describe
from xshardy.tools.output import print_diagnostic, run_command, write_text


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw a picture. Gives the exit status: 0, or 1 for bad input."""
    return run_command(lambda: _draw(arguments))


def _draw(arguments: Sequence[str] | None) -> int:
    parser = Parser(
        prog="python -m xshardy.pictures",
        description="Draw a picture of a program, in SVG.",
        epilog="\n".join(f"  {name:<12} {picture.title}" for name, picture in GALLERY.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", choices=GALLERY, metavar="NAME", help="one of those below")
    parser.add_argument("files", nargs="*", metavar="FILE", help="what to draw (default: as in the gallery)")
    parser.add_argument("-o", "--output", type=Path, metavar="PICTURE", help="the file (default: standard output)")
    args = parser.parse_args(arguments)
    picture = GALLERY[args.name]
    files = tuple(args.files) or picture.files
    try:
        write_text(args.output, picture.draw(files).svg(alone=True))
    except Exception as error:
        print_diagnostic(describe(error, files[0]))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
