"""`xshardy puzzle`: exercises, and whether an answer to one is right."""

import argparse

from xshardy.tools.arguments import path
from xshardy.tools.output import printable, write_text
from xshardy.tools.puzzles.puzzle import Puzzle, puzzles
from xshardy.tools.source_file import read_file
from xshardy.tools.usage import UsageError

EXAMPLE = """\
example: xshardy puzzle 1 -o answer.mlir
         xshardy puzzle 1 answer.mlir"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("number", nargs="?", metavar="N", help="the puzzle (default: list all of them)")
    parser.add_argument(
        "file",
        nargs="?",
        help="an answer, which is checked: exit status 1, and why, if it is not right yet (default: show the page); an "
        "answer in Python is executed: give it only files you trust",
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--hint", action="store_true", help="show the hint")
    shown.add_argument("-o", "--output", type=path, metavar="FILE", help="write what the answer starts from to FILE")


def run(args: argparse.Namespace) -> int:
    """The command; gives the exit status."""
    if (args.hint or args.output) and (args.number is None or args.file is not None):
        raise UsageError("error: --hint and -o are about a puzzle: give its number, and no answer")
    if args.number is None:
        for number, each in enumerate(puzzles(), 1):
            print(f"{number:2}  {each.title}")
        return 0
    puzzle = _chosen(args.number)
    if args.file is not None:
        is_right, words = puzzle.judge(read_file(args.file))
        print(printable(words, keep="\n"))
        return 0 if is_right else 1
    if args.output is not None:
        write_text(args.output, puzzle.start.text)
    else:
        print(puzzle.hint if args.hint else puzzle.task, end="\n" if args.hint else "")
    return 0


def _chosen(number: str) -> Puzzle:
    """Raises `UsageError` for a number without a puzzle."""
    every = puzzles()
    if not number.isdecimal() or not 1 <= int(number) <= len(every):
        raise UsageError(f"error: there is no puzzle {number}: they are 1 to {len(every)}")
    return every[int(number) - 1]
