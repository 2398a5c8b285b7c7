"""The page of the commands: their arguments as `--help` has them."""

import argparse
from collections.abc import Iterator

from xshardy.tools.cli import command_parser
from xshardy.tools.commands import COMMANDS
from xshardy.tools.xshardy_opt import XshardyOptMain

INTRODUCTION = """\
# Commands

Generated from the parsers of the commands. Every command ends with 0; 1 for bad input, a failed check, or a file that
cannot be read or written; 2 for a wrong command line; 70 for a bug in a pass (`xshardy-opt`); 130 after Ctrl-C.
"""


def command_page() -> str:
    """The text of the page."""
    return "\n".join([INTRODUCTION, *_commands()])


def _commands() -> Iterator[str]:
    xshardy = command_parser(loaded=COMMANDS)
    yield from ("## `xshardy`", "", xshardy.description or "", "")
    for action in xshardy._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, parser in action.choices.items():
                yield from _command(f"xshardy {name}", parser, level=3)
    optimizer = argparse.ArgumentParser(description="xDSL's optimizer driver with OpenXLA's dialects and text.")
    XshardyOptMain(args=[]).register_all_arguments(optimizer)
    yield from _command("xshardy-opt", optimizer, level=2)


def _command(name: str, parser: argparse.ArgumentParser, level: int) -> Iterator[str]:
    """A command: what it does, a row for each argument, and its example."""
    formatter = argparse.HelpFormatter(parser.prog)
    yield from (f"{'#' * level} `{name}`", "", (parser.description or "").replace("%%", "%"), "")
    yield from ("| Argument | Meaning |", "|---|---|")
    for action in parser._actions:
        if action.help != argparse.SUPPRESS and not isinstance(action, argparse._HelpAction):
            meaning = formatter._expand_help(action) if action.help else ""
            yield f"| `{_invocation(action)}` | {_cell(meaning)} |"
    if parser.epilog:
        yield from ("", "```sh", *_examples(parser.epilog.replace("%%", "%")), "```")
    yield ""


def _invocation(action: argparse.Action) -> str:
    """`-o, --output FILE`; the choices of an option in place of the name of its value, if there are few: in code."""
    value = action.metavar or (action.option_strings or [action.dest])[-1].lstrip("-").upper()
    if action.choices is not None and len(choices := [*map(str, action.choices)]) < 10:
        value = "|".join(choices)
    names = ", ".join(action.option_strings)
    words = [names] if action.nargs == 0 else [names, value] if names else [value]
    return " ".join(map(str, words))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def _examples(epilog: str) -> Iterator[str]:
    """The commands of an epilog `example: ...`."""
    for line in epilog.removeprefix("example: ").splitlines():
        yield line.strip()
