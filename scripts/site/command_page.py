"""The page of the commands: their arguments as `--help` has them."""

import argparse
from collections.abc import Callable, Iterator
from unittest.mock import patch

from xshardy.tools import cli, xshardy_opt

INTRODUCTION = """\
# Commands

Generated from the parsers of the commands. Every command ends with 0; 1 for bad input, a failed check, or a file that
cannot be read or written; 2 for a wrong command line; 70 for a bug in a pass (`xshardy-opt`); 130 after Ctrl-C.
"""


class _Found(BaseException):
    """The parser of a command, on its way out of the command."""

    def __init__(self, parser: argparse.ArgumentParser):
        self.parser = parser


def parser_of(main: Callable[[list[str]], int]) -> argparse.ArgumentParser:
    """The parser with which the command `main` reads its arguments."""

    def give_out(self: argparse.ArgumentParser, *_: object, **__: object) -> argparse.Namespace:
        raise _Found(self)

    with patch.object(argparse.ArgumentParser, "parse_args", give_out):
        try:
            main([])
        except _Found as found:
            return found.parser
    raise ValueError(f"{main.__module__} reads its arguments without argparse")


def command_page() -> str:
    """The text of the page."""
    return "\n".join([INTRODUCTION, *_commands()])


def _commands() -> Iterator[str]:
    xshardy = parser_of(cli.main)
    yield from ("## `xshardy`", "", xshardy.description or "", "")
    for action in xshardy._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, parser in action.choices.items():
                yield from _command(f"xshardy {name}", parser, level=3)
    yield from _command("xshardy-opt", parser_of(xshardy_opt.main), level=2)


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
