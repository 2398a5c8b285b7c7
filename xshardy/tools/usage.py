"""Errors in the command line itself, whatever the files are that it names."""

WRONG_COMMAND_LINE = 2
"""The exit status, as that of `argparse`."""


class UsageError(ValueError):
    """An option or argument is unknown, missing, or does not go with another one."""
