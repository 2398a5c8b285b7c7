"""`xshardy completion`: a script by which a shell completes the commands `xshardy` and `xshardy-opt`."""

import argparse
from collections.abc import Mapping
from typing import cast

import shtab

from xshardy.tools.argument_parser import Parser
from xshardy.tools.cli import command_parser
from xshardy.tools.commands import COMMANDS
from xshardy.tools.output import write_text
from xshardy.tools.xshardy_opt import XshardyOptMain

EXAMPLE = """\
example: xshardy completion fish | source     # in ~/.config/fish/config.fish
         eval "$(xshardy completion bash)"    # in ~/.bashrc; for zsh in ~/.zshrc, after compinit"""

SHELLS = ("bash", "zsh", "fish")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("shell", choices=SHELLS, help="the shell that reads the script")


def run(args: argparse.Namespace) -> int:
    """The command; gives the exit status."""
    parsers = _parser_of_opt(), command_parser(COMMANDS)
    write_text(None, "\n".join(shtab.complete(_with_paths(parser), shell=args.shell) for parser in parsers))
    return 0


def _parser_of_opt() -> argparse.ArgumentParser:
    """The parser of `xshardy-opt`, in which passes and targets are choices."""
    tool = XshardyOptMain(args=[])
    parser = Parser(prog="xshardy-opt")
    tool.register_all_arguments(parser)
    for option, choices in {"--passes": tool.available_passes, "--target": tool.available_targets}.items():
        parser._option_string_actions[option].choices = [*choices]
    return parser


def _with_paths(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """`parser`, in which the arguments of all commands are as shtab wants them: files and folders are marked."""
    for action in parser._actions:
        shown = str(action.metavar or action.dest).lower()
        if action.nargs == argparse.PARSER:
            for sub in cast(Mapping[str, argparse.ArgumentParser], action.choices).values():
                _with_paths(sub)
            continue
        if action.choices is not None:
            action.choices = [*action.choices]  # shtab takes a mapping for commands
        if "file" in shown:
            action.complete = shtab.FILE  # pyright: ignore[reportAttributeAccessIssue]  # where shtab looks for it
        elif shown == "dir":
            action.complete = shtab.DIRECTORY  # pyright: ignore[reportAttributeAccessIssue]
    return parser
