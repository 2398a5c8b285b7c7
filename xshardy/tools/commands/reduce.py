"""`xshardy reduce`: a smaller text for which a command fails in the same way."""

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from xshardy.programs.errors import InputError
from xshardy.tools.arguments import bound, path
from xshardy.tools.outcomes import CommandRuns
from xshardy.tools.output import write_text
from xshardy.tools.reducing import reduced
from xshardy.tools.source_file import read_file
from xshardy.tools.usage import UsageError

EXAMPLE = """\
example: xshardy reduce -o small.mlir bug.mlir -- xshardy-opt bug.mlir -p sdy-propagation-pipeline
         xshardy reduce --match 'sectors moved' kernel.hlo -- xshardy compile kernel.hlo --report"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("file", help="MLIR, HLO or PTX; `-` is standard input")
    parser.add_argument(
        "command_line",
        nargs=argparse.REMAINDER,
        metavar="-- COMMAND",
        help="the command that fails, after `--`. An argument that is FILE becomes the smaller text's file; without "
        "one, the command reads the text on standard input",
    )
    parser.add_argument(
        "--match",
        type=_regex,
        metavar="REGEX",
        help="what the command must still print (default: it must end with the same exit status, and with the same "
        "first error but for its place, quoted text and numbers)",
    )
    parser.add_argument(
        "--time-out", type=bound, default=60, metavar="S", help="end a command after S seconds (default: %(default)s)"
    )
    parser.add_argument(
        "--time", type=bound, default=300, metavar="S", help="stop looking after S seconds (default: %(default)s)"
    )
    parser.add_argument("-o", "--output", type=path, metavar="FILE", help="write to FILE; `-` is standard output")


def _regex(text: str) -> re.Pattern[str]:
    """A regular expression."""
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"'{text}' is no regular expression: {error}") from None


def run(args: argparse.Namespace) -> int:
    """The command; gives the exit status."""
    command: list[str] = args.command_line[args.command_line[:1] == ["--"] :]
    if not command or command[0].startswith("-"):
        raise UsageError("error: write the command that fails behind FILE and `--`, options of `reduce` before FILE")
    text = read_file(args.file).text
    with TemporaryDirectory(prefix="xshardy-reduce-") as folder:
        is_kept = _property(CommandRuns(command, args.file, Path(folder), args.time_out), args, text)
        smaller = reduced(text, is_kept, monotonic() + args.time)
    write_text(args.output, smaller)
    return 0


def _property(runs: CommandRuns, args: argparse.Namespace, text: str) -> Callable[[str], bool]:
    """Whether the command still does what it does with `text`. Raises `InputError` if it does nothing of interest."""
    first = runs.outcome(text)
    if args.match is None and first.status == 0:
        raise InputError(f"{args.file}: error: the command succeeds: say with --match what it must print")
    if args.match is not None and args.match.search(first.printed) is None:
        raise InputError(f"{args.file}: error: the command prints nothing that --match {args.match.pattern!r} matches")
    if first.status in (0, 1):
        runs.warm_up()
    if args.match is not None:
        return lambda text: args.match.search(runs.outcome(text).printed) is not None
    return lambda text: (found := runs.outcome(text)).status == first.status and found.error == first.error
