"""A parser of arguments that suggests what is close to a word that it does not know."""

import argparse
from collections.abc import Iterable, Sequence
from typing import Any

from xshardy.syntax.close_names import did_you_mean
from xshardy.tools.version import print_version


class VersionAction(argparse.Action):
    """Print the version of this package, not that of xDSL only."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None):
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, default=argparse.SUPPRESS, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print_version()
        parser.exit()


class Parser(argparse.ArgumentParser):
    """As `argparse.ArgumentParser`; a parser of a command rejects unknown options itself, with its own usage."""

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]  # it is generic
        self, args: Iterable[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            name = unknown[0].partition("=")[0]
            hint = self.hint_for(name) if name.startswith("-") else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return found, unknown

    def hint_for(self, option: str) -> str:
        """What may have been meant by an unknown `option`, such as `--pases`; empty if nothing looks like it."""
        return did_you_mean(option, self._option_string_actions)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            choices = [*map(str, action.choices)]
            hint = did_you_mean(str(value), choices)
            message = f"invalid choice: '{value}'{hint} (choose from {', '.join(choices)})"
            raise argparse.ArgumentError(action, message)
