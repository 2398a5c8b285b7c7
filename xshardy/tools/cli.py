"""
`xshardy COMMAND`: HLO to MLIR or PTX, its execution on the CPU or a GPU, indexing maps, statistics of dumps; the
shardings of StableHLO programs, their origins, and what they cost.
"""

import argparse
import sys
from collections.abc import Collection, Sequence

from xshardy.tools.argument_parser import Parser, VersionAction
from xshardy.tools.commands import COMMANDS, load
from xshardy.tools.output import discard_standard_output, print_diagnostic, run_command
from xshardy.tools.usage import WRONG_COMMAND_LINE, UsageError


def main(arguments: Sequence[str] | None = None) -> int:
    """
    The command `xshardy`. Gives the exit status.

    It is 0; 1 for bad input, a failed check, or a file that cannot be read or written; 2 for bad usage; 130 for Ctrl-C,
    143 for SIGTERM, 129 if its terminal is closed.
    """
    return run_command(lambda: _run_arguments(sys.argv[1:] if arguments is None else arguments))


def _run_arguments(arguments: Sequence[str]) -> int:
    args = command_parser(loaded=chosen(arguments)).parse_args(arguments)
    try:
        return load(args.command).run(args)
    except BrokenPipeError:
        raise
    except Exception as error:
        from xshardy.tools.diagnostics import describe  # slow to import, and only needed after errors

        print_diagnostic(describe(error, getattr(args, "file", args.command)))
        if isinstance(error, OSError):
            discard_standard_output()  # it may be what cannot be written
        return WRONG_COMMAND_LINE if isinstance(error, UsageError) else 1


def chosen(arguments: Sequence[str]) -> Sequence[str]:
    """The name of the command in `arguments`, if there is one."""
    return [argument for argument in arguments if argument in COMMANDS][:1]


def command_parser(loaded: Collection[str]) -> argparse.ArgumentParser:
    """The parser of all commands, with the options of those `loaded`: their modules are imported."""
    parser = Parser(prog="xshardy", description=__doc__)
    parser.add_argument("--version", action=VersionAction, help="show program's version number and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, help in COMMANDS.items():
        sub = commands.add_parser(
            name, help=help, description=help, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        if name in loaded:
            command = load(name)
            sub.epilog = command.EXAMPLE
            command.add_options(sub)
    return parser


if __name__ == "__main__":
    sys.exit(main())
